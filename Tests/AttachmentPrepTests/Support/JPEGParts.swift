// JPEG segments put in and taken apart by hand (ITU-T T.81, annex B).

enum JPEGParts {
    struct Segment: Equatable {
        let marker: UInt8
        let payload: [UInt8]
    }

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    /// The file with segments put in behind its SOI.
    static func inserting(_ segments: [UInt8]..., into jpeg: [UInt8]) -> [UInt8] {
        Array(jpeg[..<2]) + segments.flatMap { $0 } + Array(jpeg[2...])
    }

    /// All segments up to EOI, those between scans included; nil where the structure is broken.
    static func list(_ jpeg: [UInt8]) -> [Segment]? {
        guard jpeg.starts(with: [0xFF, 0xD8]) else { return nil }
        var found: [Segment] = []
        var at = 2
        while at + 3 < jpeg.count {
            guard jpeg[at] == 0xFF else { return nil }
            let length = Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            guard at + 2 + length <= jpeg.count else { return nil }
            found.append(Segment(marker: jpeg[at + 1], payload: Array(jpeg[(at + 4)..<(at + 2 + length)])))
            at += 2 + length
            guard found[found.count - 1].marker == 0xDA else { continue }
            at = endOfScan(jpeg, from: at)
            if at + 2 == jpeg.count, jpeg[at...].elementsEqual([0xFF, 0xD9]) { return found }
        }
        return nil
    }

    /// Where the marker behind the entropy-coded bytes stands.
    static func endOfScan(_ jpeg: [UInt8], from start: Int) -> Int {
        var at = start
        while at + 1 < jpeg.count {
            if jpeg[at] == 0xFF, jpeg[at + 1] != 0, !(0xD0...0xD7).contains(jpeg[at + 1]) { return at }
            at += 1
        }
        return jpeg.count
    }

    /// Index behind the first SOS header: from there on bytes belong to the picture.
    static func firstScanData(_ jpeg: [UInt8]) -> Int {
        var at = 2
        while at + 3 < jpeg.count {
            let next = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            if jpeg[at + 1] == 0xDA { return next }
            at = next
        }
        return jpeg.count
    }

    enum ByteOrder: CaseIterable { case little, big }

    /// A TIFF stream with one IFD: an orientation and, if asked for, a GPS position.
    static func tiff(orientation: Int, _ order: ByteOrder = .big, gps: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(value >> (8 * $0) & 255) }
            return order == .little ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        let count = gps ? 2 : 1
        var bytes =
            Array((order == .little ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(count, 2)
        bytes += entry(0x0112, 3, 1, number(orientation, 2) + [0, 0])
        let end = 10 + 12 * count + 4
        if gps { bytes += entry(0x8825, 4, 1, number(end, 4)) }
        bytes += number(0, 4)
        guard gps else { return bytes }
        // GPSLatitudeRef N and GPSLatitude 48° 51' 24".
        bytes +=
            number(2, 2) + entry(1, 2, 2, [0x4E, 0, 0, 0]) + entry(2, 5, 3, number(end + 30, 4))
            + number(0, 4)
        return bytes + [48, 1, 51, 1, 24, 1].flatMap { number($0, 4) }
    }

    static func exif(orientation: Int, _ order: ByteOrder = .big, gps: Bool = false) -> [UInt8] {
        segment(0xE1, Array("Exif\0\0".utf8) + tiff(orientation: orientation, order, gps: gps))
    }

    static let xmp = segment(
        0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8))
    static let comment = segment(0xFE, Array("a secret remark".utf8))
    /// The head of a profile is all that is looked at where profiles are not read.
    static let icc = segment(
        0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 0, count: 128))
    /// An MPF header (CIPA DC-007) with an empty index.
    static let mpf = segment(
        0xE2, Array("MPF\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])

    /// Four components, each the data of the same grey JPEG, in a scan of its own: CMYK.
    static func cmyk(fromGray gray: [UInt8]) -> [UInt8] {
        guard let parts = list(gray), let frame = parts.first(where: { $0.marker == 0xC0 }) else { return [] }
        let start = firstScanData(gray)
        let data = Array(gray[start..<endOfScan(gray, from: start)])
        var bytes: [UInt8] = [0xFF, 0xD8]
        for part in parts where part.marker == 0xDB || part.marker == 0xC4 {
            bytes += segment(part.marker, part.payload)
        }
        let components: [UInt8] = (1...4).flatMap { [$0, 0x11, 0] as [UInt8] }
        bytes += segment(0xC0, Array(frame.payload[..<5]) + [4] + components)
        for component: UInt8 in 1...4 { bytes += segment(0xDA, [1, component, 0, 0, 63, 0]) + data }
        return bytes + [0xFF, 0xD9]
    }
}
