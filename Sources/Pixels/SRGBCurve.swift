#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The transfer curve of IEC 61966-2-1, both ways, as tables.
package enum SRGBCurve {
    /// Linear light, 0...1, of an encoded value 0...1.
    package static func linear(_ encoded: Double) -> Double {
        encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
    }

    /// Encoded value, 0...1, of linear light 0...1.
    package static func encoded(_ linear: Double) -> Double {
        linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
    }

    /// Linear light for each value of an unsigned sample of that many bits.
    package static func linearTable(bits: Int) -> [Float] {
        let top = Double((1 << bits) - 1)
        return (0..<(1 << bits)).map { Float(linear(Double($0) / top)) }
    }

    /// 8-bit linear table, made once: 1 KiB.
    package static let linear8 = linearTable(bits: 8)

    /// Steps of the way back. The curve's steepest slope is 12.92, so one step is 0.2 of an 8-bit level.
    package static let encodedSteps = 16384

    /// 8-bit encoded value for round(linear × `encodedSteps`), made once: 16 KiB.
    package static let encoded8: [UInt8] = (0...encodedSteps).map {
        UInt8((encoded(Double($0) / Double(encodedSteps)) * 255).rounded())
    }
}
