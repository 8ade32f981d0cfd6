import MediaTypes

// Files of boxes as the standards describe them, written by hand.

/// A number, the most significant byte first.
func be(_ value: Int, _ size: Int = 4) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
}

/// A number, the least significant byte first.
func le(_ value: Int, _ size: Int = 4) -> [UInt8] { be(value, size).reversed() }

func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Codes of QuickTime's own text begin with this sign, which is no ASCII.
let copyright: UInt8 = 0xA9

func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] { box(text(type), parts.flatMap(\.self)) }

func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] { be(8 + content.count) + type + content }

/// What is left of a box that held metadata.
func emptied(_ original: [UInt8]) -> [UInt8] { box("free", zeros(original.count - 8)) }

/// Boxes with things nobody should find.
enum Secrets {
    static let place = text("+48.8577+002.2950/")
    static let userData = box("udta", box([copyright] + text("xyz"), be(18, 2) + [0x15, 0xC7] + place))
    static let meta = box(
        "meta", zeros(4), box("hdlr", zeros(8), text("mdir"), zeros(13)), box("ilst", place))
    static let quickTimeMeta = box("meta", box("hdlr", zeros(8), text("mdta"), zeros(13)), box("keys", place))
    static let xmp = box(
        "uuid",
        [0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC]
            + place)
    static let all = [userData, meta, quickTimeMeta, xmp]
}

/// A movie, as much of it as matters.
struct Movie {
    var fileType: [UInt8]? = box("ftyp", text("mp42"), zeros(4), text("isommp42"))
    var tracks: [TrackParts] = [TrackParts(.picture), TrackParts(.sound)]
    var isIndexFirst = true
    /// Seconds since 1904 in every header, or zero.
    var time = 3_700_000_000
    var movieExtras: [[UInt8]] = []
    var before: [[UInt8]] = []
    var after: [[UInt8]] = []
    /// Whether places are written with eight bytes.
    var hasLongPlaces = false
    /// What is added to the places of all chunks.
    var shift = 0

    var bytes: [UInt8] {
        let media = tracks.flatMap { $0.samples.flatMap(\.self) }
        let head = (fileType ?? []) + before.flatMap(\.self)
        // The places do not change the size, so any do for the first round.
        let indexSize = index(mediaStart: 0).count
        let start = head.count + (isIndexFirst ? indexSize : 0) + 8
        let index = index(mediaStart: start + shift)
        let parts = isIndexFirst ? index + box("mdat", media) : box("mdat", media) + index
        return head + parts + after.flatMap(\.self)
    }

    func index(mediaStart: Int) -> [UInt8] {
        var offset = mediaStart
        var boxes = box(
            "mvhd", zeros(4), be(time), be(time), be(600), be(1200), be(0x10000), [1, 0], zeros(10),
            zeros(36), zeros(24),
            be(9))
        for (number, track) in tracks.enumerated() {
            boxes += track.bytes(id: number + 1, time: time, mediaStart: offset, hasLongPlaces: hasLongPlaces)
            offset += track.samples.reduce(0) { $0 + $1.count }
        }
        return box("moov", boxes, movieExtras.flatMap(\.self))
    }
}

/// A track, as much of it as matters.
struct TrackParts {
    enum Kind { case picture, sound, metadata, timecode, chapters }

    var handler: String
    var entry: [UInt8]
    var samples: [[UInt8]]
    var component = zeros(4)
    var handlerName = text("Some program's name\0")
    var header: [UInt8]
    var reference: [UInt8] = []
    var language = 0x55C4
    var data = box("url ", [0, 0, 0, 1])
    var extras: [[UInt8]] = []
    var mediaExtras: [[UInt8]] = []
    var tableExtras: [[UInt8]] = []

    init(_ kind: Kind) {
        header = box("nmhd", zeros(4))
        switch kind {
        case .picture:
            handler = "vide"
            entry = Self.visual("avc1", box("avcC", [1, 66, 0, 30, 0xFF, 0xE1]))
            samples = [text("picture 1"), text("another picture"), text("p3")]
            header = box("vmhd", [0, 0, 0, 1], zeros(8))
        case .sound:
            handler = "soun"
            entry = Self.sound("mp4a", Self.decoder)
            samples = [text("sound one"), text("sound two"), text("three")]
            header = box("smhd", zeros(8))
        case .metadata:
            handler = "meta"
            entry = box("mebx", zeros(6), [0, 1])
            samples = [text("48.8577N"), text("002.2950E!")]
        case .timecode:
            handler = "tmcd"
            entry = box("tmcd", zeros(6), [0, 1], zeros(18))
            samples = [[1, 2, 3, 4]]
            header = box("gmhd", box("gmin", zeros(16)))
        case .chapters:
            handler = "text"
            entry = box("text", zeros(6), [0, 1], zeros(43))
            samples = [[0, 4] + text("Home")]
        }
    }

    static let decoder = box("esds", zeros(4), [3, 4, 0, 0, 0, 0])

    /// A visual entry with a vendor and the name of a compressor.
    static func visual(_ type: String, _ boxes: [UInt8], isNamed: Bool = true) -> [UInt8] {
        let name = isNamed ? [UInt8(11)] + text("Some camera") + zeros(20) : zeros(32)
        let vendor = isNamed ? zeros(4) + text("appl") + be(512) + be(512) : zeros(16)
        let size = be(160, 2) + be(120, 2) + be(72 << 16) + be(72 << 16) + zeros(4) + be(1, 2)
        return box(type, zeros(6) + [0, 1] + vendor + size + name + be(24, 2) + [0xFF, 0xFF] + boxes)
    }

    /// A sound entry in one of QuickTime's three forms.
    static func sound(_ type: String, version: Int = 0, rate: Int = 44_100, _ boxes: [UInt8]) -> [UInt8] {
        var fields = zeros(6) + [0, 1] + be(version, 2) + zeros(6)
        switch version {
        case 0: fields += be(2, 2) + be(16, 2) + zeros(4) + be(rate << 16)
        case 1:
            fields += be(2, 2) + be(16, 2) + [0xFF, 0xFE, 0, 0] + be(rate << 16)
            fields += be(1024) + be(2) + be(4) + be(2)
        default:
            fields += be(3, 2) + be(16, 2) + [0xFF, 0xFE, 0, 0] + be(0x10000) + be(72)
            let bits = Double(rate).bitPattern
            fields += be(Int(bits), 8) + be(2) + be(0x7F00_0000) + be(0) + be(0) + be(0) + be(1024)
        }
        return box(type, fields + boxes)
    }

    func bytes(id: Int, time: Int, mediaStart: Int, hasLongPlaces: Bool) -> [UInt8] {
        let trackHeader = box(
            "tkhd", [0, 0, 0, 7], be(time), be(time), be(id), zeros(4), be(1200), zeros(16), zeros(36),
            be(160 << 16),
            be(120 << 16))
        let mediaHeader = box(
            "mdhd", zeros(4), be(time), be(time), be(600), be(1200), be(language, 2), zeros(2))
        let handlerBox = box("hdlr", zeros(4), component, text(handler), zeros(12), handlerName)
        let information = header + box("dinf", box("dref", zeros(4), be(1), data))
        let media = mediaHeader + handlerBox + box("minf", information, table(mediaStart, hasLongPlaces))
        return box(
            "trak", trackHeader, reference, box("mdia", media, mediaExtras.flatMap(\.self)),
            extras.flatMap(\.self))
    }

    /// Two samples in the first chunk, one in each of the others.
    private func table(_ mediaStart: Int, _ hasLongPlaces: Bool) -> [UInt8] {
        var places: [Int] = []
        var offset = mediaStart
        for (number, sample) in samples.enumerated() {
            if number != 1 { places.append(offset) }
            offset += sample.count
        }
        let first = min(2, samples.count)
        var runs = [be(1), be(first), be(1)]
        if places.count > 1 { runs += [be(2), be(1), be(1)] }
        let size = hasLongPlaces ? 8 : 4
        return box(
            "stbl",
            box("stsd", zeros(4), be(1), entry),
            box("stts", zeros(4), be(1), be(samples.count), be(100)),
            box("stsc", zeros(4), be(runs.count / 3), runs.flatMap(\.self)),
            box("stsz", zeros(4), be(0), be(samples.count), samples.flatMap { be($0.count) }),
            box(hasLongPlaces ? "co64" : "stco", zeros(4), be(places.count), places.flatMap { be($0, size) }),
            tableExtras.flatMap(\.self))
    }
}

/// A box found in a file by its path, such as `moov/trak/mdia`.
struct FoundBox {
    let start: Int
    let content: ArraySlice<UInt8>

    /// The boxes of a path, in the file's order.
    static func all(_ path: String, in bytes: [UInt8]) -> [FoundBox] {
        var places = [FoundBox(start: 0, content: bytes[...])]
        for type in path.split(separator: "/") {
            places = places.flatMap { place in
                var found: [FoundBox] = []
                var offset = place.content.startIndex + (place.start > 0 && isList(place, bytes) ? 8 : 0)
                while offset + 8 <= place.content.endIndex {
                    let size = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
                    guard size >= 8, offset + size <= place.content.endIndex else { break }
                    if bytes[(offset + 4)..<(offset + 8)].elementsEqual(type.utf8) {
                        found.append(FoundBox(start: offset, content: bytes[(offset + 8)..<(offset + size)]))
                    }
                    offset += size
                }
                return found
            }
        }
        return places
    }

    /// Lists with version, flags and a number before their boxes.
    private static func isList(_ place: FoundBox, _ bytes: [UInt8]) -> Bool {
        ["stsd", "dref"].contains { bytes[(place.start + 4)..<(place.start + 8)].elementsEqual($0.utf8) }
    }

    /// The numbers in the content, of `size` bytes each, behind `skip` bytes.
    func numbers(skip: Int, size: Int = 4) -> [Int] {
        stride(from: content.startIndex + skip, through: content.endIndex - size, by: size).map { start in
            content[start..<(start + size)].reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
