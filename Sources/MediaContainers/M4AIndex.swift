internal import MediaTypes

/// Everything before the frames of an MPEG-4 file with one track of AAC (ISO/IEC 14496-12 and -14).
struct M4AIndex {
    private let header: ADTSHeader
    private let sizes: [UInt16]

    /// Samples of sound in a frame.
    private static let frameSamples = 1024
    /// Frames of a chunk: about a second.
    private static let chunkFrames = 43

    init(_ header: ADTSHeader, sizes: [UInt16]) {
        self.header = header
        self.sizes = sizes
    }

    private var duration: Int { sizes.count * Self.frameSamples }

    /// Bytes of the table of sizes, the only long one: it comes last in every box around it.
    private var tableSize: Int { 4 * sizes.count }

    /// The boxes up to and with the header of `mdat`.
    func bytes(mediaSize: Int) -> [UInt8] {
        let type = FileType.box(.m4a, size: FileType.size)
        // Offsets have one size, whatever they are, so the first round says where the media begins.
        let start = type.count + movie(mediaStart: 0).count + tableSize + 8
        var bytes = type + movie(mediaStart: start)
        bytes.reserveCapacity(start)
        for size in sizes {
            bytes.append(0)
            bytes.append(0)
            bytes.append(UInt8(size >> 8))
            bytes.append(UInt8(size & 255))
        }
        return bytes + Bytes.bigEndian(8 + mediaSize, size: 4) + FourCC("mdat").bytes
    }

    /// The movie up to the table of sizes.
    private func movie(mediaStart: Int) -> [UInt8] {
        let rate = Bytes.bigEndian(header.rate, size: 4)
        let length = Bytes.bigEndian(duration, size: 4)
        let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
        let matrix = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].flatMap {
            Bytes.bigEndian($0, size: 4)
        }
        let movieHeader = box(
            "mvhd",
            zeros(12) + rate + length + [0, 1, 0, 0, 1, 0] + zeros(10) + matrix + zeros(24) + [0, 0, 0, 2])
        let trackHeader = box(
            "tkhd",
            [0, 0, 0, 3] + zeros(8) + [0, 0, 0, 1] + zeros(4) + length + zeros(12) + [1, 0, 0, 0] + matrix
                + zeros(8))
        let mediaHeader = box("mdhd", zeros(12) + rate + length + [0x55, 0xC4, 0, 0])
        let handler = box("hdlr", zeros(8) + FourCC("soun").bytes + zeros(13))
        let reference = box("dref", zeros(4) + [0, 0, 0, 1] + box("url ", [0, 0, 0, 1]))
        let information = box("smhd", zeros(8)) + box("dinf", reference) + openBox("stbl", table(mediaStart))
        let media = openBox("mdia", mediaHeader + handler + openBox("minf", information))
        return openBox("moov", movieHeader + openBox("trak", trackHeader + media))
    }

    private func table(_ mediaStart: Int) -> [UInt8] {
        let count = Bytes.bigEndian(sizes.count, size: 4)
        let times = [0, 0, 0, 0, 0, 0, 0, 1] + count + Bytes.bigEndian(Self.frameSamples, size: 4)
        var places: [UInt8] = []
        var offset = mediaStart
        for (index, size) in sizes.enumerated() {
            if index % Self.chunkFrames == 0 { places += Bytes.bigEndian(offset, size: 4) }
            offset += Int(size)
        }
        let chunks = [0, 0, 0, 0] + Bytes.bigEndian(places.count / 4, size: 4) + places
        return box("stsd", [0, 0, 0, 0, 0, 0, 0, 1] + description) + box("stts", times) + box("stsc", runs)
            + box("stco", chunks) + openBox("stsz", [UInt8](repeating: 0, count: 8) + count)
    }

    /// All chunks are equal but a shorter last one.
    private var runs: [UInt8] {
        let whole = sizes.count / Self.chunkFrames
        let rest = sizes.count % Self.chunkFrames
        var entries: [[Int]] = []
        if whole > 0 { entries.append([1, Self.chunkFrames, 1]) }
        if rest > 0 { entries.append([whole + 1, rest, 1]) }
        return [0, 0, 0, 0] + Bytes.bigEndian(entries.count, size: 4)
            + entries.joined().flatMap { Bytes.bigEndian($0, size: 4) }
    }

    /// The sample entry `mp4a` with its descriptors (ISO/IEC 14496-1, 7.2.6).
    private var description: [UInt8] {
        let bytes = sizes.reduce(0) { $0 + Int($1) }
        let average = min(Int(UInt32.max), bytes * 8 * header.rate / max(1, duration))
        let largest = Int(sizes.max() ?? 0)
        let most = min(Int(UInt32.max), largest * 8 * header.rate / Self.frameSamples)
        let specific = descriptor(5, header.configuration)
        // MPEG-4 sound, in a stream of its own.
        let decoder = descriptor(
            4,
            [0x40, 0x15] + Bytes.bigEndian(largest, size: 3) + Bytes.bigEndian(most, size: 4)
                + Bytes.bigEndian(average, size: 4) + specific)
        let stream = descriptor(3, [0, 0, 0] + decoder + descriptor(6, [2]))
        let channels = header.channels == 7 ? 8 : header.channels
        // 16.16 bits hold no more.
        let rate = header.rate < 65_536 ? header.rate << 16 : 0
        return box(
            "mp4a",
            [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + Bytes.bigEndian(channels, size: 2)
                + [0, 16]
                + [0, 0, 0, 0] + Bytes.bigEndian(rate, size: 4) + box("esds", [0, 0, 0, 0] + stream))
    }

    private func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(content.count)] + content
    }

    private func box(_ type: FourCC, _ content: [UInt8]) -> [UInt8] {
        Bytes.bigEndian(8 + content.count, size: 4) + type.bytes + content
    }

    /// A box that ends with the table of sizes.
    private func openBox(_ type: FourCC, _ content: [UInt8]) -> [UInt8] {
        Bytes.bigEndian(8 + content.count + tableSize, size: 4) + type.bytes + content
    }
}
