internal import MediaTypes

/// AVI: what describes its streams, the streams and their index; every other chunk becomes junk of the same size,
/// so that the index stays right.
package struct AVIRewriter: MediaRewriter {
    package init() {}

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        try output.append(bytes)
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        var editor = AVIEditor(output: output)
        return try editor.run()
    }
}

private struct AVIEditor {
    let output: any MediaOutput
    var media = RewrittenMedia(format: .avi)
    var hasMovie = false
    var hasHeader = false
    /// Chunks that may still be looked at; those of the streams are not.
    var allowance = 100_000

    private struct Chunk {
        let type: FourCC
        let start: Int
        let end: Int
        /// The kind of a list.
        var list: FourCC?
    }

    /// Chunks kept, by the list they lie in; `RIFF` is the file.
    private static let kept: [FourCC: Set<FourCC>] = [
        "RIFF": ["idx1", "hdrl", "movi"],
        "hdrl": ["avih", "strl", "odml"],
        "strl": ["strh", "strf", "indx", "vprp"],
        "odml": ["dmlh"],
    ]

    mutating func run() throws(MediaError) -> RewrittenMedia {
        var offset = 0
        // A file beyond a gigabyte is several of them, one behind the other.
        while output.size - offset >= 12 {
            let head = try output.read(at: offset, count: 12)
            let size = Bytes.littleEndian(head, at: 4, size: 4)
            guard head.starts(with: "RIFF".utf8), head[8..<12].starts(with: "AVI".utf8) else { break }
            let end = offset + 8 + size
            guard end <= output.size else {
                // The programs that write it come back to the size last: without it there is no end.
                try takeLast(from: offset, size)
                offset = output.size
                break
            }
            try takeChunks(in: "RIFF", from: offset + 12, to: end)
            offset = min(end + (size & 1), output.size)
        }
        if offset < output.size {
            media.hadTrailingData = true
            try output.truncate(to: offset)
        }
        guard hasMovie, hasHeader else { throw MediaError(.corrupt, "an AVI without header or streams") }
        return media
    }

    /// The size leads beyond the file: whole chunks are enough, and the size is mended.
    private mutating func takeLast(from offset: Int, _ size: Int) throws(MediaError) {
        guard offset == 0 || hasMovie else { throw MediaError(.truncated, "the file ends early") }
        try takeChunks(in: "RIFF", from: offset + 12, to: output.size)
        guard hasMovie else { throw MediaError(.truncated, "the file ends early") }
        try output.overwrite(at: offset + 4, with: Bytes.littleEndian(output.size - offset - 8, size: 4))
    }

    private mutating func takeChunks(in list: FourCC, from start: Int, to end: Int) throws(MediaError) {
        let kept = Self.kept[list] ?? []
        var offset = start
        while end - offset >= 8 {
            let chunk = try chunk(at: offset, before: end)
            if chunk.list == "movi", list == "RIFF" {
                hasMovie = true
            } else if let inner = chunk.list, kept.contains(inner) {
                if inner == "hdrl" { hasHeader = true }
                // Lists have one place each, so they nest three deep at most.
                try takeChunks(in: inner, from: chunk.start + 12, to: chunk.end)
            } else if chunk.list != nil || !kept.contains(chunk.type) {
                try neutralise(chunk)
            }
            offset = min(end, chunk.end + (chunk.end - chunk.start) % 2)
        }
    }

    private mutating func chunk(at offset: Int, before end: Int) throws(MediaError) -> Chunk {
        allowance -= 1
        guard allowance > 0 else { throw MediaError(.unsupportedVariant, "more chunks than a film needs") }
        let head = try output.read(at: offset, count: min(12, end - offset))
        let type = FourCC(UInt32(Bytes.bigEndian(head, at: 0, size: 4)))
        let size = Bytes.littleEndian(head, at: 4, size: 4)
        guard size <= end - offset - 8 else { throw MediaError(.truncated, "\(type) ends early") }
        var chunk = Chunk(type: type, start: offset, end: offset + 8 + size)
        if type == "LIST" {
            guard size >= 4 else { throw MediaError(.corrupt, "a list without a kind") }
            chunk.list = FourCC(UInt32(Bytes.bigEndian(head, at: 8, size: 4)))
        }
        return chunk
    }

    private mutating func neutralise(_ chunk: Chunk) throws(MediaError) {
        if chunk.type != "JUNK" { media.hadMetadata = true }
        try output.overwrite(at: chunk.start, with: FourCC("JUNK").bytes)
        try output.clear(at: chunk.start + 8, count: chunk.end - chunk.start - 8)
    }
}
