#if TIFF
    /// Takes single samples out of packed rows, as numbers of 16 bits over their whole range.
    struct TIFFSamples {
        private let bits: Int
        private let kind: TIFFPicture.Samples
        /// The value of each sample of few bits.
        private let table: [UInt16]

        /// - Parameter isIndex: samples keep their value, which is an index of a colour map.
        init(_ picture: TIFFPicture, isIndex: Bool) {
            bits = picture.bits
            kind = picture.samples
            guard bits <= 8 else {
                table = []
                return
            }
            let top = (1 << bits) - 1
            let flip = picture.samples == .signed ? 1 << (bits - 1) : 0
            table = (0...top).map { isIndex ? UInt16($0) : UInt16((($0 ^ flip) * 65_535 + top / 2) / top) }
        }

        /// Writes the sample numbered `index` of every pixel of a row.
        ///
        /// - Parameters:
        ///   - perPixel: samples of a pixel in the row.
        ///   - out: gets them at `place`, `place` + `stride` and so on.
        func unpack(
            _ row: [UInt8], width: Int, index: Int, perPixel: Int, into out: inout [UInt16], at place: Int,
            stride: Int
        ) {
            @inline(__always) func each(_ value: (_ sample: Int) -> UInt16) {
                for x in 0..<width { out[x * stride + place] = value(x * perPixel + index) }
            }
            switch (bits, kind) {
            case (8, _): each { table[Int(row[$0])] }
            case (..<8, _): each { table[Int(Self.bits(row, at: $0 * bits, count: bits))] }
            case (16, .unsigned): each { UInt16(truncatingIfNeeded: Self.number(row, at: $0, bytes: 2)) }
            case (9..<16, _):
                let top = UInt32(1) << UInt32(bits) - 1
                each { UInt16((Self.bits(row, at: $0 * bits, count: bits) * 65_535 + top / 2) / top) }
            case (_, .float): each { Self.clamped(float(row, $0)) }
            case (_, .signed):
                let size = bits / 8
                each {
                    let high = Self.number(row, at: $0, bytes: size) >> UInt64(bits - 16)
                    return UInt16(truncatingIfNeeded: high) ^ 0x8000
                }
            case (_, .unsigned):
                let size = bits / 8
                each {
                    UInt16(
                        truncatingIfNeeded: Self.number(row, at: $0, bytes: size) >> UInt64(bits - 16))
                }
            }
        }

        /// The bits from the highest of a byte on, across bytes; at most 16.
        @inline(__always)
        private static func bits(_ row: [UInt8], at bit: Int, count: Int) -> UInt32 {
            let first = bit >> 3
            var value = UInt32(row[first]) << 16
            if first + 1 < row.count { value |= UInt32(row[first + 1]) << 8 }
            if first + 2 < row.count { value |= UInt32(row[first + 2]) }
            return value >> UInt32(24 - bit & 7 - count) & (UInt32(1) << UInt32(count) - 1)
        }

        /// The number at `index`, in the machine's order.
        @inline(__always)
        private static func number(_ row: [UInt8], at index: Int, bytes: Int) -> UInt64 {
            var value: UInt64 = 0
            let start = index * bytes
            if 1.littleEndian == 1 {
                for i in 0..<bytes { value |= UInt64(row[start + i]) << UInt64(8 * i) }
            } else {
                for i in 0..<bytes { value = value << 8 | UInt64(row[start + i]) }
            }
            return value
        }

        private func float(_ row: [UInt8], _ index: Int) -> Double {
            let raw = Self.number(row, at: index, bytes: bits / 8)
            switch bits {
            case 16: return Self.small(raw, exponentBits: 5, fractionBits: 10)
            // Adobe's TIFF Technical Note 3.
            case 24: return Self.small(raw, exponentBits: 7, fractionBits: 16)
            case 32: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
            default: return Double(bitPattern: raw)
            }
        }

        /// A floating-point number of sign, exponent and fraction, after IEEE 754's rules.
        private static func small(_ raw: UInt64, exponentBits: Int, fractionBits: Int) -> Double {
            let fraction = Double(raw & (1 << UInt64(fractionBits) - 1)) / Double(1 << fractionBits)
            let top = 1 << exponentBits - 1
            let exponent = Int(raw >> UInt64(fractionBits)) & top
            let bias = top / 2
            let sign: Double = raw >> UInt64(exponentBits + fractionBits) & 1 == 1 ? -1 : 1
            if exponent == top { return fraction > 0 ? .nan : sign * .infinity }
            let value = exponent == 0 ? fraction * 2 : 1 + fraction
            return sign * value * Double(sign: .plus, exponent: exponent - bias, significand: 1)
        }

        /// 0...1 as a number of 16 bits; what is outside is clipped, and what is no number is 0.
        private static func clamped(_ value: Double) -> UInt16 {
            value >= 1 ? 65_535 : value > 0 ? UInt16((value * 65_535).rounded()) : 0
        }
    }
#endif
