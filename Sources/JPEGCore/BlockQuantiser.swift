/// Divides the 64 coefficients of a block by their table entries, rounding to nearest (or, with a dead zone, down a little more often), without a
/// division.
///
/// For a divisor D the quotient floor(n / D) is n · ⌈2^(16+e) / D⌉ shifted right by 16 + e, e = ⌊log2 D⌋: with
/// n below 2^15 that is exact. The shift by 16 is the upper half of a 16-bit product, the rest the upper half of
/// a second one, because SSE2 cannot shift lanes by different amounts.
struct BlockQuantiser {
    /// What is added for rounding, then reciprocal, then second factor of each slot: 8 vectors each.
    private let factors: [SIMD8<UInt16>]

    static let vectorCount = 24

    /// How far `deadZone` can go: then AC rounds up from ⅝ on.
    static let widestDeadZone = 128

    /// Prepares a quantiser.
    ///
    /// - Parameters:
    ///   - table: 64 divisors, row by row.
    ///   - deadZone: 1024ths of a divisor that the half added to AC magnitudes falls short by. Not all
    ///     frequencies feel a step of it at once, which makes sizes change gently.
    init(_ table: [UInt8], deadZone: Int) {
        var factors = [SIMD8<UInt16>](repeating: SIMD8(), count: Self.vectorCount)
        for (position, natural) in CoefficientOrder.naturalOfZigzag.enumerated() {
            let divisor = max(1, UInt32(table[natural])) << UInt32(ForwardDCT.fractionBits)
            let slot = CoefficientOrder.slot(ofZigzag: position)
            var exponent = 31 - divisor.leadingZeroBitCount
            var reciprocal = ((1 << (16 + UInt32(exponent))) + divisor - 1) / divisor
            if reciprocal > 0xFFFF {
                // A power of two: the reciprocal would need a 17th bit.
                reciprocal = 1 << 15
                exponent -= 1
            }
            let shortfall = position == 0 ? 0 : UInt32(max(0, min(Self.widestDeadZone, deadZone)))
            // An odd factor deals the steps out evenly over low and high frequencies.
            let spread = UInt32((position * 37) & 63) * 16
            factors[slot / 8][slot % 8] = UInt16((divisor * (512 - shortfall) + spread) / 1024)
            factors[8 + slot / 8][slot % 8] = UInt16(reciprocal)
            factors[16 + slot / 8][slot % 8] = UInt16(1 << (16 - exponent))
        }
        self.factors = factors
    }

    /// Gives `body` the 24 vectors.
    @inline(__always)
    func withFactors(_ body: (UnsafePointer<SIMD8<UInt16>>) -> Void) {
        unsafe factors.withUnsafeBufferPointer { factors in
            guard let base = factors.baseAddress else { return }
            unsafe body(base)
        }
    }

    /// A DC coefficient quantised.
    func dc(_ coefficient: Int16) -> Int {
        let sum = UInt32(coefficient.magnitude) + UInt32(factors[0][0])
        let high = (sum * UInt32(factors[8][0])) >> 16
        let quotient = Int((high * UInt32(factors[16][0])) >> 16)
        return coefficient < 0 ? -quotient : quotient
    }

    /// Writes the 64 quantised magnitudes of `block` and returns which zigzag positions are not zero.
    ///
    /// Safety: `factors` has 24 vectors, `block` and `magnitudes` 64 values each, aligned for `SIMD8<Int16>`.
    @inline(__always)
    static func quantise(
        _ block: UnsafePointer<Int16>, _ factors: UnsafePointer<SIMD8<UInt16>>,
        magnitudes: UnsafeMutablePointer<UInt16>
    ) -> UInt64 {
        let source = unsafe UnsafeRawPointer(block)
        let target = UnsafeMutableRawPointer(magnitudes)
        var marks = SIMD8<UInt16>()
        var bit = SIMD8<UInt16>(repeating: 1)
        for vector in 0..<8 {
            let value = unsafe source.load(fromByteOffset: vector &* 16, as: SIMD8<Int16>.self)
            let sign = value &>> 15
            let size = unsafe unsafeBitCast((value ^ sign) &- sign, to: SIMD8<UInt16>.self)
            let high = unsafe upperHalf(size &+ factors[vector], factors[8 &+ vector])
            let quotient = unsafe upperHalf(high, factors[16 &+ vector])
            unsafe target.storeBytes(of: quotient, toByteOffset: vector &* 16, as: SIMD8<UInt16>.self)
            marks |= bit.replacing(with: SIMD8(), where: quotient .== SIMD8())
            bit = bit &+ bit
        }
        // 16 bytes of plain numbers on both sides.
        let halves = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
        return halves[0] | (halves[1] &<< 8)
    }

    /// Upper 16 bits of each product.
    ///
    /// Lane by lane, because the conversions of whole vectors are not always inlined; the optimiser recognises
    /// the pattern and uses the one instruction there is for it.
    @inline(__always)
    private static func upperHalf(_ a: SIMD8<UInt16>, _ b: SIMD8<UInt16>) -> SIMD8<UInt16> {
        let product = widened(a) &* widened(b)
        let upper = product &>> 16
        return SIMD8(
            UInt16(truncatingIfNeeded: upper[0]), UInt16(truncatingIfNeeded: upper[1]),
            UInt16(truncatingIfNeeded: upper[2]), UInt16(truncatingIfNeeded: upper[3]),
            UInt16(truncatingIfNeeded: upper[4]), UInt16(truncatingIfNeeded: upper[5]),
            UInt16(truncatingIfNeeded: upper[6]), UInt16(truncatingIfNeeded: upper[7]))
    }

    @inline(__always)
    private static func widened(_ a: SIMD8<UInt16>) -> SIMD8<UInt32> {
        SIMD8(
            UInt32(a[0]), UInt32(a[1]), UInt32(a[2]), UInt32(a[3]), UInt32(a[4]), UInt32(a[5]), UInt32(a[6]),
            UInt32(a[7]))
    }
}
