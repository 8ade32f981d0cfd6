internal import MediaTypes

/// What a track's samples are (`stsd`; ISO/IEC 14496-12, 8.5.2, and QuickTime's sample descriptions).
///
/// In what is rewrapped every entry becomes one of ISO's: the codec must be one that MP4 has, QuickTime's second
/// and third form of sound entries become the first, and of their boxes only those stay that decoders read.
struct SampleDescriptions {
    private let box: Box
    private let handler: FourCC
    private let source: MediaFormat

    /// Codec configurations are some hundred bytes.
    private static let limit = 1 << 20

    init(_ box: Box, handler: FourCC, source: MediaFormat) {
        self.box = box
        self.handler = handler
        self.source = source
    }

    private var isRewrap: Bool { source == .mov || source == .threeGP }

    func rewrite(in output: any MediaOutput) throws(MediaError) {
        guard box.contentSize <= Self.limit else {
            throw MediaError(.unsupportedVariant, "stsd of this size")
        }
        let content = try output.content(of: box)
        guard content.count >= 8 else { throw MediaError(.corrupt, "stsd is too short") }
        var result = Array(content[..<8])
        let entries = try SmallBox.list(content, from: 8)
        guard !entries.isEmpty else { throw MediaError(.corrupt, "stsd is empty") }
        for entry in entries { result += try rewrite(entry) }
        try write(result, in: output)
    }

    /// Puts the entries in the place of the old ones; what is left becomes a free box behind `stsd`.
    private func write(_ content: [UInt8], in output: any MediaOutput) throws(MediaError) {
        let rest = box.contentSize - content.count
        guard rest >= 0 else { throw MediaError(.unsupportedVariant, "a sample description that would grow") }
        try output.overwrite(at: box.content, with: content)
        guard rest >= 8, box.headerSize == 8 else {
            return try output.clear(at: box.content + content.count, count: rest)
        }
        try output.overwrite(at: box.start, with: Bytes.bigEndian(8 + content.count, size: 4))
        let tail = Bytes.bigEndian(rest, size: 4) + FourCC("free").bytes
        try output.overwrite(at: box.content + content.count, with: tail)
        try output.clear(at: box.content + content.count + 8, count: rest - 8)
    }

    private func rewrite(_ entry: SmallBox) throws(MediaError) -> [UInt8] {
        switch (entry.type, handler) {
        case ("encv", _), ("enca", _), ("enct", _), ("drms", _), ("drmi", _), ("drmt", _), ("p608", _):
            throw MediaError(.unsupportedVariant, "protected media (\(entry.type))")
        case (_, "vide"), (_, "auxv"): return try picture(entry)
        case (_, "soun"): return isRewrap ? try sound(entry) : entry.bytes
        default:
            guard !isRewrap || entry.type == "tx3g" else { throw refusal(entry) }
            return entry.bytes
        }
    }

    private func refusal(_ entry: SmallBox) -> MediaError {
        MediaError(
            .unsupportedVariant, "codec '\(entry.type)' in \(source.rawValue), which MP4 does not have")
    }

    // MARK: Pictures

    /// Bytes of a visual entry before its boxes.
    private static let visualSize = 86

    /// Codecs of pictures that MP4 has, and the box without which there is no decoding them.
    private static let visualCodecs: [FourCC: FourCC] = [
        "avc1": "avcC", "avc3": "avcC", "hvc1": "hvcC", "hev1": "hvcC", "dvh1": "hvcC", "dvhe": "hvcC",
        "mp4v": "esds", "av01": "av1C",
    ]

    private static let visualBoxes: Set<FourCC> = [
        "avcC", "hvcC", "lhvC", "esds", "av1C", "pasp", "colr", "clap", "btrt", "dvcC", "dvvC", "dvwC",
        "mdcv",
        "clli", "amve", "ccst",
    ]

    private func picture(_ entry: SmallBox) throws(MediaError) -> [UInt8] {
        guard entry.bytes.count >= Self.visualSize else {
            throw MediaError(.corrupt, "a visual entry is too short")
        }
        var fields = Array(entry.bytes[..<Self.visualSize])
        // Version, vendor and qualities; the name of the program that compressed it.
        for range in [16..<32, 50..<82] { for index in range { fields[index] = 0 } }
        guard isRewrap else { return fields + entry.bytes[Self.visualSize...] }
        guard let configuration = Self.visualCodecs[entry.type] else { throw refusal(entry) }
        guard fields[84] == 0xFF, fields[85] == 0xFF else {
            throw MediaError(.unsupportedVariant, "pictures with a colour table")
        }
        let boxes = try SmallBox.list(entry.bytes, from: Self.visualSize).filter {
            Self.visualBoxes.contains($0.type)
        }
        guard boxes.contains(where: { $0.type == configuration }) else {
            throw MediaError(.unsupportedVariant, "'\(entry.type)' without \(configuration)")
        }
        let room = entry.bytes.count
        let modern = SmallBox.entry(fields, boxes.map(Self.modernColour))
        return modern.count <= room ? modern : SmallBox.entry(fields, boxes)
    }

    /// QuickTime's `nclc` has one byte less than `nclx`, which also says that the range is limited.
    private static func modernColour(_ box: SmallBox) -> SmallBox {
        guard box.type == "colr", box.bytes.count == 18, box.bytes[8..<12].elementsEqual("nclc".utf8) else {
            return box
        }
        return SmallBox(type: "colr", content: Array("nclx".utf8) + box.bytes[12..<18] + [0])
    }

    // MARK: Sound

    /// Codecs of sound that MP4 has, and the box without which there is no decoding them.
    private static let soundCodecs: [FourCC: FourCC] = [
        "mp4a": "esds", "ac-3": "dac3", "ec-3": "dec3", "alac": "alac", "Opus": "dOps", "fLaC": "dfLa",
        "apac": "dapa",
    ]

    private func sound(_ entry: SmallBox) throws(MediaError) -> [UInt8] {
        guard let configuration = Self.soundCodecs[entry.type] else { throw refusal(entry) }
        let bytes = entry.bytes
        guard bytes.count >= 36 else { throw MediaError(.corrupt, "a sound entry is too short") }
        let version = Bytes.bigEndian(bytes, at: 16, size: 2)
        let start = version == 0 ? 36 : version == 1 ? 52 : 72
        guard version < 3, bytes.count >= start else {
            throw MediaError(.unsupportedVariant, "a sound entry of version \(version)")
        }
        if source == .threeGP, version == 0 { return bytes }
        var boxes = try SmallBox.list(bytes, from: start)
        for wave in boxes where wave.type == "wave" { boxes += try SmallBox.list(wave.bytes, from: 8) }
        let kept = boxes.filter { $0.type == configuration || $0.type == "btrt" }
        guard kept.contains(where: { $0.type == configuration }) else {
            throw MediaError(.unsupportedVariant, "'\(entry.type)' without \(configuration)")
        }
        var fields = Array(bytes[..<16]) + [UInt8](repeating: 0, count: 8) + bytes[24..<36]
        for index in 28..<32 { fields[index] = 0 }
        if version == 2 {
            // A rate that 16 bits do not hold is left to the codec's own configuration.
            let rate = Double(bitPattern: UInt64(bitPattern: Int64(Bytes.bigEndian(bytes, at: 40, size: 8))))
            let whole = rate >= 1 && rate < 65_536 ? Int(rate) : 0
            fields.replaceSubrange(24..<26, with: bytes[50..<52])
            fields.replaceSubrange(32..<36, with: Bytes.bigEndian(whole << 16, size: 4))
        }
        fields.replaceSubrange(26..<28, with: [0, 16])
        return SmallBox.entry(fields, kept)
    }
}

/// A box in memory.
struct SmallBox {
    let type: FourCC
    /// All of it, the header of eight bytes included.
    let bytes: [UInt8]

    init(type: FourCC, content: [UInt8]) {
        self.type = type
        bytes = Bytes.bigEndian(8 + content.count, size: 4) + type.bytes + content
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
        type = FourCC(UInt32(Bytes.bigEndian(self.bytes, at: 4, size: 4)))
    }

    /// The boxes from `start` on; a terminator of zeros ends them.
    static func list(_ bytes: [UInt8], from start: Int) throws(MediaError) -> [SmallBox] {
        var boxes: [SmallBox] = []
        var offset = start
        while bytes.count - offset >= 8 {
            let size = Bytes.bigEndian(bytes, at: offset, size: 4)
            if size == 0 || (size == 8 && bytes[(offset + 4)..<(offset + 8)].allSatisfy { $0 == 0 }) { break }
            guard size >= 8, size <= bytes.count - offset else {
                throw MediaError(.corrupt, "a sample description holds something that is no box")
            }
            boxes.append(SmallBox(bytes[offset..<(offset + size)]))
            offset += size
            guard boxes.count <= 256 else {
                throw MediaError(.unsupportedVariant, "stsd with this many boxes")
            }
        }
        return boxes
    }

    /// An entry made of its fields and boxes; its size, the first field, becomes right.
    static func entry(_ fields: [UInt8], _ boxes: [SmallBox]) -> [UInt8] {
        let content = boxes.flatMap(\.bytes)
        return Bytes.bigEndian(fields.count + content.count, size: 4) + fields[4...] + content
    }
}
