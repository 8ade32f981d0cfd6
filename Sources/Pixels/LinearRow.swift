/// Light of two neighbouring pixels, the left one in the low half of each 32-bit lane, each 0...`SRGBCurve.white`.
///
/// Rows are kept as `FourRows`; of long ones a vector holds red, green and blue of a single row and an idle lane.
package typealias PixelPair = SIMD8<Int16>

/// Four rows beside each other: for each two pixels a vector of red, one of green and one of blue, a lane for each row.
///
/// So no lane idles, and a weight is brought into a register once for all four.
enum FourRows {
    /// Vectors for two pixels.
    static let vectors = 3
}

/// Where the light of a row goes: a 32-bit lane for each channel of each two pixels.
///
/// Safety: whoever makes one has room for all the pairs that are then stored.
@unsafe struct LightLanes {
    private let start: UnsafeMutableRawPointer
    private let pairBytes: Int
    private let channelBytes: Int

    private init(_ start: UnsafeMutableRawPointer, pairBytes: Int, channelBytes: Int) {
        unsafe self.start = start
        unsafe self.pairBytes = pairBytes
        unsafe self.channelBytes = channelBytes
    }

    /// Row 0, 1, 2 or 3 of four beside each other.
    init(_ vectors: UnsafeMutablePointer<PixelPair>, rowOfFour row: Int) {
        unsafe self.init(
            UnsafeMutableRawPointer(vectors) + 4 * row, pairBytes: 16 * FourRows.vectors, channelBytes: 16)
    }

    /// A row alone.
    init(alone vectors: UnsafeMutablePointer<PixelPair>) {
        unsafe self.init(UnsafeMutableRawPointer(vectors), pairBytes: 16, channelBytes: 4)
    }

    /// The lanes after those of `count` pairs.
    func dropFirst(_ count: Int) -> LightLanes {
        unsafe LightLanes(start + count * pairBytes, pairBytes: pairBytes, channelBytes: channelBytes)
    }

    /// Stores red, green and blue of pair `i`.
    @inline(__always)
    func store(_ red: UInt32, _ green: UInt32, _ blue: UInt32, pair i: Int) {
        let place = unsafe start + i &* pairBytes
        unsafe place.storeBytes(of: red, as: UInt32.self)
        unsafe place.storeBytes(of: green, toByteOffset: channelBytes, as: UInt32.self)
        unsafe place.storeBytes(of: blue, toByteOffset: 2 &* channelBytes, as: UInt32.self)
    }
}

/// Two-tap products of four channels: a₀b₀ + a₁b₁, a₂b₂ + a₃b₃ and so on.
///
/// Written so that compilers see it for what it is: one instruction on x86-64 (pmaddwd), two or three on arm64.
@inline(__always)
func multiplyAddPairs(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD4<Int32> {
    let products = widened(a) &* widened(b)
    return products.evenHalf &+ products.oddHalf
}

/// Lane by lane, because the conversions of whole vectors are not always inlined, and the pattern is lost then.
@inline(__always)
private func widened(_ a: SIMD8<Int16>) -> SIMD8<Int32> {
    SIMD8(
        Int32(a[0]), Int32(a[1]), Int32(a[2]), Int32(a[3]), Int32(a[4]), Int32(a[5]), Int32(a[6]), Int32(a[7])
    )
}

/// The low halves of all lanes, lane by lane for the same reason.
@inline(__always)
func narrowed(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> SIMD8<Int16> {
    SIMD8(
        Int16(truncatingIfNeeded: low[0]), Int16(truncatingIfNeeded: low[1]),
        Int16(truncatingIfNeeded: low[2]), Int16(truncatingIfNeeded: low[3]),
        Int16(truncatingIfNeeded: high[0]), Int16(truncatingIfNeeded: high[1]),
        Int16(truncatingIfNeeded: high[2]), Int16(truncatingIfNeeded: high[3]))
}

/// One pair of weights in all lanes.
@inline(__always)
func broadcast(_ pair: Int32) -> SIMD8<Int16> {
    let all = SIMD4<Int32>(repeating: pair)
    // Both are 16 bytes of plain integers.
    return unsafe unsafeBitCast(all, to: SIMD8<Int16>.self)
}
