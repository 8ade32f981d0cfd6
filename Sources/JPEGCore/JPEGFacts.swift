package import Pixels

/// What the marker segments seen so far say about a JPEG.
package struct JPEGFacts: Sendable {
    /// The frame header (T.81 B.2.2), once seen.
    package struct Frame: Sendable {
        /// 0 for SOF0 and so on.
        package let kind: Int
        package let precision: Int
        package let size: PixelSize
        package let components: Int
        /// Chroma subsampling as `4:2:0`, or nil for factors that have no such name.
        package let subsampling: String?

        /// Baseline and extended sequential, Huffman-coded.
        package var isSequential: Bool { kind <= 1 }
        /// Sequential or progressive, Huffman-coded, 8 bits: what we decode.
        package var isDecodable: Bool { kind <= 2 && precision == 8 }
    }

    package private(set) var frame: Frame?
    package private(set) var orientation: Orientation?
    /// Whether there is anything that describes rather than shows: EXIF, XMP, IPTC, comments, thumbnails.
    package private(set) var hasMetadata = false
    /// Whether the file says that more pictures follow the first (CIPA DC-007).
    package private(set) var isMultiPicture = false
    /// Scan headers seen.
    package private(set) var scans = 0
    private var tables = SourceTables()
    /// The picture's quantisation tables, as they stand when its first scan begins.
    package var quantisation: SourceQuantisation? { tables.quantisation }

    package init() {}

    /// Notes what a segment (marker, length, body) says; answers whether a decoder needs it.
    package mutating func note(marker: UInt8, segment: [UInt8]) -> Bool {
        let body = segment.dropFirst(4)
        if marker == JPEGMarker.sos { scans += 1 }
        if JPEGMarker.isFrame(marker), frame == nil { frame = Self.frame(marker, body) }
        tables.note(marker: marker, body: body)
        guard JPEGMarker.isApplicationData(marker) else { return true }
        switch marker {
        case JPEGMarker.app0 where body.starts(with: Array("JFIF\0".utf8)): return true
        case JPEGMarker.app14 where body.starts(with: Array("Adobe".utf8)): return true
        case JPEGMarker.app1 where orientation == nil:
            orientation = ExifOrientation.find(inAPP1: body)
        case JPEGMarker.app2 where body.starts(with: Array("ICC_PROFILE\0".utf8)):
            return false
        case JPEGMarker.app2 where body.starts(with: Array("MPF\0".utf8)): isMultiPicture = true
        default: break
        }
        hasMetadata = true
        return false
    }

    private static func frame(_ marker: UInt8, _ body: ArraySlice<UInt8>) -> Frame? {
        guard body.count >= 6 else { return nil }
        func byte(_ i: Int) -> Int { Int(body[body.startIndex + i]) }
        return Frame(
            kind: Int(marker - 0xC0), precision: byte(0),
            size: PixelSize(byte(3) << 8 | byte(4), byte(1) << 8 | byte(2)), components: byte(5),
            subsampling: subsampling(body.dropFirst(6), components: byte(5)))
    }

    /// Names luma's sampling factors where chroma has 1 × 1.
    private static func subsampling(_ body: ArraySlice<UInt8>, components: Int) -> String? {
        let factors = stride(from: body.startIndex + 1, to: body.endIndex, by: 3).map { body[$0] }
        if components == 1 { return "4:0:0" }
        guard components == 3, factors.count == 3, factors[1] == 0x11, factors[2] == 0x11 else { return nil }
        return [0x11: "4:4:4", 0x21: "4:2:2", 0x22: "4:2:0", 0x12: "4:4:0", 0x41: "4:1:1"][factors[0]]
    }
}
