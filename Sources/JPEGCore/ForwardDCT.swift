/// Forward DCT of one 8 × 8 block in single precision (Arai, Agui, Nakajima 1988).
///
/// Plain IEEE additions and multiplications in a fixed order, never fused, so every machine gets the same
/// coefficients. Four columns are transformed at once.
enum ForwardDCT {
    /// Coefficients are kept in sixteenths: the DC range ±1024 needs 11 bits and a sign, 4 are left.
    static let fractionBits = 4

    typealias Octet = (
        SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>,
        SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>
    )

    /// What the algorithm leaves undone: output (u, v) is 8·a(u)·a(v) times the coefficient.
    ///
    /// `gain` turns samples into the unit of T.81 (1 for luma).
    static func descale(gain: Double) -> [SIMD4<Float>] {
        // a(0) = 1, a(k) = √2 · cos(k·π/16)
        let a: [Double] = [
            1, 1.3870398453221475, 1.3065629648763766, 1.1758756024193588,
            1, 0.7856949583871022, 0.5411961001461969, 0.2758993792829431,
        ]
        let unit = Double(1 << fractionBits) / 8 * gain
        return (0..<16).map { vector in
            let u = vector / 2
            let v = vector % 2 * 4
            return SIMD4(
                Float(unit / (a[u] * a[v])), Float(unit / (a[u] * a[v + 1])),
                Float(unit / (a[u] * a[v + 2])), Float(unit / (a[u] * a[v + 3])))
        }
    }

    /// Eight-point transform of four columns, outputs scaled by a(k)·√8.
    @inline(__always)
    static func transform(_ d: Octet) -> Octet {
        let s0 = d.0 + d.7
        let s1 = d.1 + d.6
        let s2 = d.2 + d.5
        let s3 = d.3 + d.4
        let e0 = s0 + s3
        let e1 = s1 + s2
        let e2 = s1 - s2
        let e3 = s0 - s3
        let z1 = (e2 + e3) * 0.70710678

        let d0 = d.0 - d.7
        let d1 = d.1 - d.6
        let d2 = d.2 - d.5
        let d3 = d.3 - d.4
        let o0 = d3 + d2
        let o1 = d2 + d1
        let o2 = d1 + d0
        let z5 = (o0 - o2) * 0.38268343
        let z2 = o0 * 0.54119610 + z5
        let z4 = o2 * 1.3065630 + z5
        let z3 = o1 * 0.70710678
        let p = d0 + z3
        let m = d0 - z3
        return (e0 + e1, p + z4, e3 + z1, m - z2, e0 - e1, m + z2, e3 - z1, p - z4)
    }

    @inline(__always)
    static func transpose(
        _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
    ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
        (
            SIMD4(a[0], b[0], c[0], d[0]), SIMD4(a[1], b[1], c[1], d[1]),
            SIMD4(a[2], b[2], c[2], d[2]), SIMD4(a[3], b[3], c[3], d[3])
        )
    }

    /// Nearest sixteenth: adding 1.5·2²³ leaves the rounded value in the low bits of the significand.
    @inline(__always)
    static func rounded(
        _ low: SIMD4<Float>, _ high: SIMD4<Float>, _ lowScale: SIMD4<Float>, _ highScale: SIMD4<Float>
    ) -> SIMD8<Int16> {
        let magic = SIMD8<Float>(repeating: 12_582_912)
        let scaled = SIMD8(lowHalf: low * lowScale, highHalf: high * highScale) + magic
        // Both types are 32 bytes of plain numbers.
        return SIMD8<Int16>(truncatingIfNeeded: unsafe unsafeBitCast(scaled, to: SIMD8<Int32>.self))
    }

    /// Transforms the block at `samples` and stores it at `block` in `CoefficientOrder`.
    ///
    /// Safety: the caller promises 8 readable rows of 8 samples `stride` apart, 16 vectors of `descale`, room
    /// for 64 coefficients at `block` and for 64 more at `scratch`, both aligned for `SIMD8<Int16>`.
    @inline(__always)
    static func transformBlock(
        _ samples: UnsafePointer<Float>, stride: Int, descale: UnsafePointer<SIMD4<Float>>,
        levelShift: Int16, scratch: UnsafeMutablePointer<Int16>, into block: UnsafeMutablePointer<Int16>
    ) {
        let rows = unsafe UnsafeRawPointer(samples)
        let left = transform(unsafe columns(rows, stride: stride))
        let right = transform(unsafe columns(rows + 16, stride: stride))
        let a = transpose(left.0, left.1, left.2, left.3)
        let b = transpose(right.0, right.1, right.2, right.3)
        let low = transform((a.0, a.1, a.2, a.3, b.0, b.1, b.2, b.3))
        let c = transpose(left.4, left.5, left.6, left.7)
        let e = transpose(right.4, right.5, right.6, right.7)
        let high = transform((c.0, c.1, c.2, c.3, e.0, e.1, e.2, e.3))

        let out = unsafe UnsafeMutableRawPointer(scratch).assumingMemoryBound(to: SIMD8<Int16>.self)
        unsafe out[0] = rounded(low.0, high.0, descale[0], descale[1])
        unsafe out[1] = rounded(low.1, high.1, descale[2], descale[3])
        unsafe out[2] = rounded(low.2, high.2, descale[4], descale[5])
        unsafe out[3] = rounded(low.3, high.3, descale[6], descale[7])
        unsafe out[4] = rounded(low.4, high.4, descale[8], descale[9])
        unsafe out[5] = rounded(low.5, high.5, descale[10], descale[11])
        unsafe out[6] = rounded(low.6, high.6, descale[12], descale[13])
        unsafe out[7] = rounded(low.7, high.7, descale[14], descale[15])
        unsafe scratch[0] &-= levelShift
        unsafe reorder(scratch, into: block)
    }

    @inline(__always)
    private static func columns(_ rows: UnsafeRawPointer, stride: Int) -> Octet {
        @inline(__always) func row(_ number: Int) -> SIMD4<Float> {
            unsafe rows.loadUnaligned(fromByteOffset: number &* stride &* 4, as: SIMD4<Float>.self)
        }
        return (row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7))
    }

    /// From columns of vertical frequencies (index 8·u + v) into `CoefficientOrder`.
    @inline(__always)
    private static func reorder(_ t: UnsafePointer<Int16>, into block: UnsafeMutablePointer<Int16>) {
        let out = unsafe UnsafeMutableRawPointer(block).assumingMemoryBound(to: SIMD8<Int16>.self)
        unsafe out[0] = SIMD8(t[0], t[33], t[28], t[23], t[10], t[27], t[43], t[46])
        unsafe out[1] = SIMD8(t[8], t[26], t[21], t[31], t[3], t[34], t[50], t[39])
        unsafe out[2] = SIMD8(t[1], t[19], t[14], t[38], t[4], t[41], t[57], t[47])
        unsafe out[3] = SIMD8(t[2], t[12], t[7], t[45], t[11], t[48], t[58], t[54])
        unsafe out[4] = SIMD8(t[9], t[5], t[15], t[52], t[18], t[56], t[51], t[61])
        unsafe out[5] = SIMD8(t[16], t[6], t[22], t[59], t[25], t[49], t[44], t[62])
        unsafe out[6] = SIMD8(t[24], t[13], t[29], t[60], t[32], t[42], t[37], t[55])
        unsafe out[7] = SIMD8(t[17], t[20], t[36], t[53], t[40], t[35], t[30], t[63])
    }
}
