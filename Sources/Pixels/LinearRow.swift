/// A row in linear light, laid out for the filter: a vector holds two neighbouring pixels as
/// red, red, green, green, blue, blue and two idle lanes, each 0...`SRGBCurve.white`.
package typealias PixelPair = SIMD8<Int16>

/// Two-tap products of four channels: a₀b₀ + a₁b₁, a₂b₂ + a₃b₃ and so on.
///
/// Written so that compilers see it for what it is: one instruction on x86-64 (pmaddwd), two or three on arm64.
@inline(__always)
func multiplyAddPairs(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD4<Int32> {
    let products = SIMD8<Int32>(truncatingIfNeeded: a) &* SIMD8<Int32>(truncatingIfNeeded: b)
    return products.evenHalf &+ products.oddHalf
}

/// One pair of weights in all lanes.
@inline(__always)
func broadcast(_ pair: Int32) -> SIMD8<Int16> {
    let all = SIMD4<Int32>(repeating: pair)
    // Both are 16 bytes of plain integers.
    return unsafe unsafeBitCast(all, to: SIMD8<Int16>.self)
}
