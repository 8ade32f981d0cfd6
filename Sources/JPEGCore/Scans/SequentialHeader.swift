internal import Pixels

/// The head of a sequential JPEG with the frame of another: what a decoder must know that is given coefficients.
package enum SequentialHeader {
    /// From SOI to the header of one scan of all components, with the quantisation that each component had.
    package static func bytes(_ index: borrowing ScanIndex) -> [UInt8] {
        guard let geometry = index.geometry else { return [] }
        var bytes: [UInt8] = [0xFF, JPEGMarker.soi]
        for segment in index.colourSegments { bytes += segment }

        // A component without a scan has no table yet, and no coefficients either: any divisor will do.
        var divisors: [UInt8] = []
        for (number, table) in index.quantisers.enumerated() {
            divisors.append(0x10 | UInt8(number))
            for divisor in table ?? [UInt16](repeating: 1, count: 64) { divisors += twoBytes(Int(divisor)) }
        }
        append(JPEGMarker.dqt, divisors, to: &bytes)

        let components = geometry.components
        var frame: [UInt8] = [8]
        frame += twoBytes(geometry.size.height) + twoBytes(geometry.size.width) + [UInt8(components.count)]
        for (number, component) in components.enumerated() {
            frame += [component.id, UInt8(component.across << 4 | component.down), UInt8(number)]
        }
        append(0xC1, frame, to: &bytes)

        // libjpeg checks that the scan has codes: one of a single bit for the symbol 0.
        for tableClass: UInt8 in [0x00, 0x10] {
            append(JPEGMarker.dht, [tableClass, 1] + [UInt8](repeating: 0, count: 16), to: &bytes)
        }

        var scan: [UInt8] = [UInt8(components.count)]
        for component in components { scan += [component.id, 0] }
        append(JPEGMarker.sos, scan + [0, 63, 0], to: &bytes)
        return bytes
    }

    private static func append(_ marker: UInt8, _ payload: [UInt8], to bytes: inout [UInt8]) {
        bytes += [0xFF, marker] + twoBytes(payload.count + 2) + payload
    }

    private static func twoBytes(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
