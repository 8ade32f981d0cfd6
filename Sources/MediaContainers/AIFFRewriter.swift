internal import MediaTypes

/// AIFF, and AIFF-C without compression, which becomes AIFF: format and samples; every other chunk is left out.
package struct AIFFRewriter: MediaRewriter {
    private let isCompressed: Bool
    private var chunks = ChunkStream(.iff, preamble: 12)
    private var media = RewrittenMedia(format: .aiff)
    private var current: FourCC?
    /// The description of the sound, as it came.
    private var common: [UInt8]?
    /// Where the samples' chunk stands in the output.
    private var soundStart: Int?
    private var isBehindEnd = false

    /// - Parameter isAIFC: whether the chunks are those of AIFF-C.
    package init(isAIFC: Bool) {
        isCompressed = isAIFC
        media.isRewrapped = isAIFC
    }

    /// The first chunk of the output, its description, always stands here.
    private static let commonStart = 12
    private static let commonSize = 18

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        var index = 0
        while !isBehindEnd, let event = chunks.next(bytes, &index) {
            switch event {
            case .preamble:
                let head = FourCC("FORM").bytes + [0, 0, 0, 0] + FourCC("AIFF").bytes + FourCC("COMM").bytes
                try output.append(head + [UInt8](repeating: 0, count: 4 + Self.commonSize))
            case .chunk(let type, let size): try begin(type, size, into: output)
            case .content(let range):
                if current == "COMM" {
                    for i in range { common?.append(bytes[i]) }
                } else if current == "SSND" {
                    try output.append(bytes.extracting(range))
                }
            case .end:
                if current == "SSND", output.size & 1 == 1 { try output.append([0]) }
                current = nil
            }
        }
    }

    private mutating func begin(_ type: FourCC, _ size: Int, into output: any MediaOutput) throws(MediaError)
    {
        current = nil
        switch type {
        case "COMM" where common == nil:
            guard (Self.commonSize...(Self.commonSize + 300)).contains(size) else {
                throw MediaError(.corrupt, "a description of \(size) bytes")
            }
            common = []
            current = type
        case "SSND" where soundStart == nil:
            soundStart = output.size
            current = type
            try output.append(type.bytes + Bytes.bigEndian(size, size: 4))
        case "FVER": break
        default:
            guard type.isPrintable || soundStart == nil else {
                media.hadTrailingData = true
                isBehindEnd = true
                return
            }
            media.hadMetadata = true
        }
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        guard chunks.isComplete || current == nil else { throw MediaError(.truncated, "a chunk ends early") }
        guard let common, common.count >= Self.commonSize, let soundStart, output.size > soundStart + 16
        else {
            throw MediaError(chunks.isComplete ? .corrupt : .truncated, "there are no samples")
        }
        if isCompressed { try checkCompression(common, soundStart, in: output) }
        try output.overwrite(
            at: Self.commonStart + 4,
            with: Bytes.bigEndian(Self.commonSize, size: 4) + common[..<Self.commonSize])
        try output.overwrite(at: 4, with: Bytes.bigEndian(output.size - 8, size: 4))
        return media
    }

    /// AIFF has whole numbers only, the most significant byte first.
    private func checkCompression(
        _ common: [UInt8], _ soundStart: Int, in output: any MediaOutput
    ) throws(MediaError) {
        guard common.count >= Self.commonSize + 4 else {
            throw MediaError(.corrupt, "AIFF-C without compression type")
        }
        let compression = FourCC(UInt32(Bytes.bigEndian(common, at: Self.commonSize, size: 4)))
        let bits = Bytes.bigEndian(common, at: 6, size: 2)
        guard (1...32).contains(bits) else { throw MediaError(.corrupt, "samples of \(bits) bits") }
        switch compression {
        case "NONE", "twos", "in24", "in32": return
        case "sowt", "42ni", "23ni":
            let offset = Bytes.bigEndian(try output.read(at: soundStart + 8, count: 4))
            let (start, overflow) = (soundStart + 16).addingReportingOverflow(offset)
            guard !overflow, start <= output.size else {
                throw MediaError(.corrupt, "samples beyond the end")
            }
            try Samples.swap(in: output, from: start, size: (bits + 7) / 8)
        default:
            throw MediaError(.unsupportedVariant, "AIFF-C with '\(compression)', which AIFF does not have")
        }
    }
}
