internal import MediaTypes

/// RIFF wave: format and samples; every other chunk is left out.
package struct WAVERewriter: MediaRewriter {
    private var chunks = ChunkStream(.riff, preamble: 12)
    private var media = RewrittenMedia(format: .wav)
    private var current: FourCC?
    private var hasFormat = false
    /// Where the header of the samples stands in the output.
    private var dataStart: Int?
    private var isBehindEnd = false

    package init() {}

    /// Chunks of the sound itself.
    private static let kept: Set<FourCC> = ["fmt ", "fact", "data"]
    /// Chunks that say nothing.
    private static let padding: Set<FourCC> = ["JUNK", "junk", "PAD ", "FLLR", "fact"]
    /// A format and the extensions of one.
    private static let longestFormat = 4096

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        var index = 0
        while !isBehindEnd, let event = chunks.next(bytes, &index) {
            switch event {
            case .preamble(let head): try output.append(head)
            case .chunk(let type, let size): try begin(type, size, into: output)
            case .content(let range):
                if current != nil { try output.append(bytes.extracting(range)) }
            case .end:
                if current != nil, output.size & 1 == 1 { try output.append([0]) }
                current = nil
            }
        }
    }

    private mutating func begin(_ type: FourCC, _ size: Int, into output: any MediaOutput) throws(MediaError)
    {
        current = nil
        guard type.isPrintable || dataStart == nil else {
            media.hadTrailingData = true
            isBehindEnd = true
            return
        }
        guard Self.kept.contains(type), type != "data" || dataStart == nil, type != "fmt " || !hasFormat
        else {
            if !Self.padding.contains(type) { media.hadMetadata = true }
            return
        }
        switch type {
        case "data":
            guard hasFormat else { throw MediaError(.corrupt, "samples before their format") }
            dataStart = output.size
            // What a program writes that cannot come back to say how many there were.
            if size == 0xFFFF_FFFF { chunks.extendToEnd() }
        case "fmt ":
            guard (14...Self.longestFormat).contains(size) else {
                throw MediaError(.corrupt, "a format of \(size) bytes")
            }
            hasFormat = true
        default:
            guard size <= Self.longestFormat else { return }
        }
        current = type
        try output.append(type.bytes + Bytes.littleEndian(size, size: 4))
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        guard let dataStart else {
            throw MediaError(chunks.isComplete ? .corrupt : .truncated, "there are no samples")
        }
        guard chunks.isComplete || current == nil else { throw MediaError(.truncated, "a chunk ends early") }
        let header = try output.read(at: dataStart + 4, count: 4)
        if header == [0xFF, 0xFF, 0xFF, 0xFF] {
            let size = output.size - dataStart - 8
            try output.overwrite(at: dataStart + 4, with: Bytes.littleEndian(size, size: 4))
            if size & 1 == 1 { try output.append([0]) }
        }
        guard output.size > dataStart + 8 else { throw MediaError(.corrupt, "there are no samples") }
        try output.overwrite(at: 4, with: Bytes.littleEndian(output.size - 8, size: 4))
        return media
    }
}
