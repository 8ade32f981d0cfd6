/// Divides the 64 coefficients of a block by their table entries, rounding to nearest, without a division.
///
/// For a divisor D the quotient floor(n / D) is n · ⌈2^(16+e) / D⌉ shifted right by 16 + e, e = ⌊log2 D⌋: with
/// n below 2^15 that is exact. The shift by 16 is the upper half of a 16-bit product, the rest the upper half of
/// a second one, because SSE2 cannot shift lanes by different amounts.
struct BlockQuantiser {
    /// Half a divisor, then reciprocal, then second factor of each slot: 8 vectors each.
    private let factors: [SIMD8<UInt16>]

    static let vectorCount = 24

    /// `table`: 64 divisors, row by row.
    init(_ table: [UInt8]) {
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
            factors[slot / 8][slot % 8] = UInt16(divisor / 2)
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
        let size = (UInt32(coefficient.magnitude) + UInt32(factors[0][0])) * UInt32(factors[8][0]) >> 16
        let quotient = Int(size * UInt32(factors[16][0]) >> 16)
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
        // Unrolled, so that the bit of each vector is a constant.
        @inline(__always) func step(_ vector: Int) {
            let value = unsafe source.load(fromByteOffset: vector &* 16, as: SIMD8<Int16>.self)
            let sign = value &>> 15
            let size = SIMD8<UInt16>(truncatingIfNeeded: (value ^ sign) &- sign)
            let high = unsafe upperHalf(size &+ factors[vector], factors[8 &+ vector])
            let quotient = unsafe upperHalf(high, factors[16 &+ vector])
            unsafe target.storeBytes(of: quotient, toByteOffset: vector &* 16, as: SIMD8<UInt16>.self)
            let bit = SIMD8<UInt16>(repeating: 1 &<< UInt16(truncatingIfNeeded: vector))
            marks |= bit.replacing(with: SIMD8(), where: quotient .== SIMD8())
        }
        step(0)
        step(1)
        step(2)
        step(3)
        step(4)
        step(5)
        step(6)
        step(7)
        // 16 bytes of plain numbers on both sides.
        let halves = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
        return halves[0] | (halves[1] &<< 8)
    }

    /// Upper 16 bits of each product.
    @inline(__always)
    private static func upperHalf(_ a: SIMD8<UInt16>, _ b: SIMD8<UInt16>) -> SIMD8<UInt16> {
        let product = SIMD8<UInt32>(truncatingIfNeeded: a) &* SIMD8<UInt32>(truncatingIfNeeded: b)
        return SIMD8<UInt16>(truncatingIfNeeded: product &>> 16)
    }
}
