/// Linear light back to sRGB bytes: the source's primaries to sRGB's where they differ, then the transfer curve.
///
/// A matrix commutes with the filter, so it works on the small picture.
struct LightEncoder: Sendable {
    /// Weights of red and green, then of blue and nothing, for each of the three results.
    private let redGreen: SIMD8<Int16>
    private let blue: SIMD8<Int16>
    private let hasMatrix: Bool
    /// sRGB's curve for all light that the matrix can give, 0 below black and 255 above white, from `lowest` on: a look
    /// into it costs less than keeping light in bounds.
    private let curve: [UInt8]
    private let lowest: Int32

    /// Bits behind the point: weights up to ±4, which the widest spaces in use need half of.
    private static let fractionBits: Int32 = 13
    private static let half: Int32 = 1 << (fractionBits - 1)

    init(_ matrix: ColourMatrix? = nil) {
        hasMatrix = matrix != nil
        let rows = matrix?.rows ?? []
        func fixed(_ row: Int, _ column: Int) -> Int16 {
            guard row < rows.count, rows[row][column].isFinite else { return 0 }
            return Int16(max(-32768, min(32767, (rows[row][column] * 8192).rounded())))
        }
        redGreen = SIMD8(
            fixed(0, 0), fixed(0, 1), fixed(1, 0), fixed(1, 1), fixed(2, 0), fixed(2, 1), 0, 0)
        blue = SIMD8(fixed(0, 2), 0, fixed(1, 2), 0, fixed(2, 2), 0, 0, 0)
        guard hasMatrix else {
            (curve, lowest) = (SRGBCurve.encoded8, 0)
            return
        }
        let weights = (0..<3).map { row in (0..<3).map { Int32(fixed(row, $0)) } }
        // Three times 2¹⁵ · 2¹⁴ fits.
        func bound(_ row: [Int32], _ part: (Int32) -> Int32) -> Int32 {
            (row.reduce(0) { $0 + part($1) * SRGBCurve.white } + Self.half) >> Self.fractionBits
        }
        let low = weights.map { bound($0) { min($0, 0) } }.min() ?? 0
        let high = weights.map { bound($0) { max($0, 0) } }.max() ?? 0
        lowest = min(low, 0)
        curve =
            [UInt8](repeating: 0, count: Int(-lowest)) + SRGBCurve.encoded8
            + [UInt8](repeating: 255, count: Int(max(high - SRGBCurve.white, 0)))
    }

    /// Encodes `count` samples, every `step`-th of the filter's sums, which are overwritten.
    ///
    /// Safety: `sums` has `vectors` vectors, an even number, which hold `step * count` sums; `out` has room for `count`
    /// bytes.
    func encode(
        sums: UnsafeMutablePointer<SIMD4<Int32>>, vectors: Int, step: Int, count: Int,
        into out: UnsafeMutablePointer<UInt8>
    ) {
        let half = SIMD4<Int32>(repeating: FilterTable.one / 2)
        let raw = UnsafeMutableRawPointer(sums)
        if !hasMatrix, step == 1 {
            for i in 0..<(vectors / 2) {
                let low = unsafe (sums[2 &* i] &+ half) &>> FilterTable.shift
                let high = unsafe (sums[2 &* i &+ 1] &+ half) &>> FilterTable.shift
                unsafe raw.storeBytes(
                    of: Self.bounded(low, high), toByteOffset: 16 &* i, as: SIMD8<Int16>.self)
            }
            unsafe curve.withUnsafeBufferPointer { curve in
                for i in 0..<count {
                    unsafe out[i] = curve[Int(raw.load(fromByteOffset: 2 &* i, as: UInt16.self))]
                }
            }
            return
        }
        let white = SIMD4<Int32>(repeating: SRGBCurve.white)
        for i in 0..<vectors {
            let light = unsafe (sums[i] &+ half) &>> FilterTable.shift
            unsafe sums[i] = pointwiseMin(pointwiseMax(light, .zero), white)
        }
        unsafe encode(raw.assumingMemoryBound(to: Int32.self), step: step, count: count, into: out)
    }

    /// Light within 0...`SRGBCurve.white`, by way of the bounds of 16 bits: all four are one instruction each.
    @inline(__always)
    private static func bounded(_ low: SIMD4<Int32>, _ high: SIMD4<Int32>) -> SIMD8<Int16> {
        @inline(__always) func fitting(_ light: SIMD4<Int32>) -> SIMD4<Int32> {
            let least = SIMD4<Int32>(repeating: Int32(Int16.min))
            return pointwiseMin(pointwiseMax(light, least), SIMD4(repeating: Int32(Int16.max)))
        }
        let white = SIMD8<Int16>(repeating: Int16(SRGBCurve.white))
        return pointwiseMin(pointwiseMax(narrowed(fitting(low), fitting(high)), .zero), white)
    }

    /// Encodes `count` samples, every `step`-th of `light`; a matrix needs whole pixels of three and a step of 1.
    ///
    /// Safety: `light` has `step * count` values 0...`SRGBCurve.white`, `out` room for `count` bytes.
    func encode(_ light: UnsafePointer<Int32>, step: Int, count: Int, into out: UnsafeMutablePointer<UInt8>) {
        unsafe curve.withUnsafeBufferPointer { curve in
            guard hasMatrix, step == 1 else {
                for i in 0..<count { unsafe out[i] = curve[Int(light[i &* step] &- lowest)] }
                return
            }
            let half = SIMD4<Int32>(repeating: Self.half)
            let lowest = SIMD4<Int32>(repeating: lowest)
            for x in 0..<(count / 3) {
                let at = 3 &* x
                let first = unsafe broadcast(light[at] | light[at &+ 1] &<< 16)
                let second = unsafe broadcast(light[at &+ 2])
                let sum = multiplyAddPairs(first, redGreen) &+ multiplyAddPairs(second, blue)
                // The curve covers whatever comes of light in 0...white.
                let pixel = (sum &+ half) &>> Self.fractionBits &- lowest
                unsafe out[at] = curve[Int(pixel.x)]
                unsafe out[at &+ 1] = curve[Int(pixel.y)]
                unsafe out[at &+ 2] = curve[Int(pixel.z)]
            }
        }
    }
}
