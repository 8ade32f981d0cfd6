#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The transfer curve of IEC 61966-2-1, both ways, as tables over 14-bit linear light.
///
/// 14 bits: the curve's steepest slope is 12.92, so one step is at most 0.21 of an 8-bit level, and twice the
/// range still fits a signed 16-bit lane, which leaves room for the overshoot of the filter.
package enum SRGBCurve {
    /// Linear light 1.0.
    package static let white: Int32 = 16383

    /// Linear light, 0...1, of an encoded value 0...1.
    package static func linear(_ encoded: Double) -> Double {
        encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
    }

    /// Encoded value, 0...1, of linear light 0...1.
    package static func encoded(_ linear: Double) -> Double {
        linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
    }

    /// A power, of nothing for what lies below zero.
    package static func power(_ base: Double, _ exponent: Double) -> Double {
        base > 0 ? pow(base, exponent) : 0
    }

    static func exponential(_ x: Double) -> Double { exp(x) }

    /// Linear light, 0...`white`, for each value of an unsigned sample of that many bits.
    ///
    /// - Parameter curve: the source's, where it is not this one; what leaves 0...1 is clipped.
    package static func linearTable(
        bits: Int, _ curve: ColourSpace.TransferCurve = SRGBCurve.linear
    ) -> [UInt16] {
        let top = Double((1 << bits) - 1)
        return (0..<(1 << bits)).map {
            let light = curve(Double($0) / top)
            return light > 0 ? UInt16((min(light, 1) * Double(white)).rounded()) : 0
        }
    }

    /// 8-bit linear table, made once: 512 bytes.
    package static let linear8 = linearTable(bits: 8)

    /// 8-bit encoded value for each linear light 0...`white`, made once: 16 KiB.
    ///
    /// Filled between the 255 places where rounding passes to the next value, which costs 255 powers, not 16,384.
    package static let encoded8: [UInt8] = {
        var table: [UInt8] = []
        table.reserveCapacity(Int(white) + 1)
        for value in 0..<255 {
            let next = (linear((Double(value) + 0.5) / 255) * Double(white)).rounded(.up)
            table.append(contentsOf: repeatElement(UInt8(value), count: Int(next) - table.count))
        }
        table.append(contentsOf: repeatElement(255, count: Int(white) + 1 - table.count))
        return table
    }()
}
