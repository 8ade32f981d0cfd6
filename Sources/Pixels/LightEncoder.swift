/// Linear light back to sRGB bytes: the source's primaries to sRGB's where they differ, then the transfer curve.
///
/// A matrix commutes with the filter, so it works on the small picture.
struct LightEncoder: Sendable {
    /// Weights of red and green, then of blue and nothing, for each of the three results.
    private let redGreen: SIMD8<Int16>
    private let blue: SIMD8<Int16>
    private let hasMatrix: Bool

    /// Bits behind the point: weights up to ±4, which the widest spaces in use need half of.
    private static let fractionBits: Int32 = 13

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
    }

    /// Encodes `count` samples, every `step`-th of `light`; a matrix needs whole pixels of three and a step of 1.
    ///
    /// Safety: `light` has `step * count` values 0...`SRGBCurve.white`, `out` room for `count` bytes.
    func encode(_ light: UnsafePointer<Int32>, step: Int, count: Int, into out: UnsafeMutablePointer<UInt8>) {
        unsafe SRGBCurve.encoded8.withUnsafeBufferPointer { curve in
            guard hasMatrix, step == 1 else {
                for i in 0..<count { unsafe out[i] = curve[Int(light[i &* step])] }
                return
            }
            let half = SIMD4<Int32>(repeating: 1 &<< (Self.fractionBits &- 1))
            let white = SIMD4<Int32>(repeating: SRGBCurve.white)
            for x in 0..<(count / 3) {
                let at = 3 &* x
                let first = unsafe broadcast(light[at] | light[at &+ 1] &<< 16)
                let second = unsafe broadcast(light[at &+ 2])
                let sum = multiplyAddPairs(first, redGreen) &+ multiplyAddPairs(second, blue)
                let pixel = pointwiseMin(pointwiseMax((sum &+ half) &>> Self.fractionBits, .zero), white)
                // Clamped to 0...white, the index is inside the curve.
                unsafe out[at] = curve[Int(pixel.x)]
                unsafe out[at &+ 1] = curve[Int(pixel.y)]
                unsafe out[at &+ 2] = curve[Int(pixel.z)]
            }
        }
    }
}
