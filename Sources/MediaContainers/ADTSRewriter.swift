internal import MediaTypes

/// AAC in ADTS frames (ISO/IEC 13818-7, 6.2), rewrapped as an MPEG-4 file: the frames without their headers, and
/// an index before them.
struct ADTSRewriter: MediaRewriter {
    private var media = RewrittenMedia(format: .m4a)
    private var header: [UInt8] = []
    /// Bytes of the current frame that are still to come; nil while its header is read.
    private var remaining: Int?
    private var first: ADTSHeader?
    /// Bytes of each frame.
    private var sizes: [UInt16] = []
    /// Bytes behind the last frame that are none.
    private var behind = 0
    /// Bytes of frames that are still to be written, many small ones at once.
    private var pending: [UInt8] = []

    init(hadMetadata: Bool) {
        media.hadMetadata = hadMetadata
        media.isRewrapped = true
    }

    /// What may stand behind the last frame: tags.
    private static let mostBehind = 1 << 20

    mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        var index = 0
        while index < bytes.count {
            if behind > 0 {
                behind += bytes.count - index
                guard behind <= Self.mostBehind else { throw MediaError(.corrupt, "the frames break off") }
                return
            }
            if let left = remaining {
                let step = min(left, bytes.count - index)
                let content = bytes.extracting(index..<(index + step))
                unsafe content.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
                if pending.count >= 32_768 { try flush(into: output) }
                index += step
                remaining = step == left ? nil : left - step
                continue
            }
            header.append(bytes[index])
            index += 1
            try lookAtHeader(into: output)
        }
    }

    /// Writes frames, and sees that their index will have its place too.
    private mutating func flush(into output: any MediaOutput) throws(MediaError) {
        try output.append(pending)
        pending.removeAll(keepingCapacity: true)
        try output.expect(4 * sizes.count)
    }

    private mutating func lookAtHeader(into output: any MediaOutput) throws(MediaError) {
        guard header.count >= 2 else { return }
        guard header[0] == 0xFF, header[1] & 0xF6 == 0xF0 else {
            guard first != nil else { throw MediaError(.corrupt, "no frame where one should begin") }
            let isTag = header[0] == UInt8(ascii: "T") || header[0] == UInt8(ascii: "A")
            media.hadMetadata = media.hadMetadata || isTag
            media.hadTrailingData = !isTag
            behind = header.count
            return
        }
        // A check sum follows the header unless the bit says that none does.
        let size = header[1] & 1 == 1 ? 7 : 9
        guard header.count == size else { return }
        let next = try ADTSHeader(header)
        if let first, first != next {
            throw MediaError(.unsupportedVariant, "AAC that changes its rate or channels on the way")
        }
        first = next
        let length = ADTSHeader.frameLength(header) - size
        guard length > 0 else { throw MediaError(.corrupt, "an empty frame") }
        sizes.append(UInt16(length))
        // Frames that hold next to nothing make an index before they make a piece.
        if sizes.count % 32_768 == 0 { try flush(into: output) }
        remaining = length
        header.removeAll(keepingCapacity: true)
    }

    mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        guard let first, remaining == nil, behind > 0 || header.isEmpty else {
            throw MediaError(.truncated, "a frame ends early")
        }
        try flush(into: output)
        try output.prepend(M4AIndex(first, sizes: sizes).bytes(mediaSize: output.size).span)
        return media
    }
}

/// What a frame's header says that must not change.
struct ADTSHeader: Hashable {
    let objectType: Int
    let rateIndex: Int
    let channels: Int

    static let rates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    var rate: Int { Self.rates[rateIndex] }

    /// - Parameter bytes: at least seven.
    init(_ bytes: [UInt8]) throws(MediaError) {
        objectType = Int(bytes[2] >> 6) + 1
        rateIndex = Int(bytes[2] >> 2 & 15)
        channels = Int(bytes[2] & 1) << 2 | Int(bytes[3] >> 6)
        guard rateIndex < Self.rates.count else { throw MediaError(.corrupt, "a sample rate there is not") }
        guard channels > 0 else {
            throw MediaError(.unsupportedVariant, "AAC with channels of its own arrangement")
        }
        guard bytes[6] & 3 == 0 else {
            throw MediaError(.unsupportedVariant, "AAC with several blocks in a frame")
        }
    }

    static func frameLength(_ bytes: [UInt8]) -> Int {
        Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
    }

    /// What an MPEG-4 file says instead (AudioSpecificConfig; ISO/IEC 14496-3, 1.6.2.1).
    var configuration: [UInt8] {
        Bytes.bigEndian(objectType << 11 | rateIndex << 7 | channels << 3, size: 2)
    }
}
