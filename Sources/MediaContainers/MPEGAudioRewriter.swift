internal import MediaTypes

/// Frames of MPEG audio as they are, without the tags before and behind them; frames of AAC, which only show
/// behind a tag, are rewrapped.
package struct MPEGAudioRewriter: MediaRewriter {
    /// What to do with the next byte.
    private enum State {
        /// Looking for a tag, its header in `head`.
        case start
        case skipping(Int)
        case frames
        case aac(ADTSRewriter)
    }

    private var state = State.start
    private var head: [UInt8] = []
    private var hadTag = false

    package init() {}

    /// Tags behind the frames come as sound does, until the end shows what they are.
    package var droppableBytes: Int { 4 << 20 }

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        var index = 0
        while index < bytes.count {
            switch state {
            case .start:
                head.append(bytes[index])
                index += 1
                if head.count == ID3v2.headerLength { try look(into: output) }
            case .skipping(let count):
                let step = min(count, bytes.count - index)
                index += step
                state = step < count ? .skipping(count - step) : .start
            case .frames:
                try output.append(bytes.extracting(index..<bytes.count))
                index = bytes.count
            case .aac(var inner):
                state = .start
                try inner.push(bytes.extracting(index..<bytes.count), into: output)
                state = .aac(inner)
                index = bytes.count
            }
        }
    }

    /// There are enough bytes to tell a tag from sound; zeros between the two are padding.
    private mutating func look(into output: any MediaOutput) throws(MediaError) {
        if let length = ID3v2.length(head) {
            hadTag = true
            head.removeAll(keepingCapacity: true)
            state = .skipping(length - ID3v2.headerLength)
            return
        }
        if hadTag, head.first == 0 {
            head.removeFirst(head.prefix { $0 == 0 }.count)
            return
        }
        try begin(into: output)
    }

    private mutating func begin(into output: any MediaOutput) throws(MediaError) {
        let first = head
        head = []
        // The layer bits are zero in AAC, never in MPEG audio.
        if first.count > 1, first[0] == 0xFF, first[1] & 0xF6 == 0xF0 {
            var inner = ADTSRewriter(hadMetadata: hadTag)
            try inner.push(first.span, into: output)
            state = .aac(inner)
        } else {
            state = .frames
            try output.append(first)
        }
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        if case .skipping = state { throw MediaError(.truncated, "the input ends inside its ID3 tag") }
        if case .start = state { try begin(into: output) }
        if case .aac(var inner) = state { return try inner.finish(into: output) }
        var media = RewrittenMedia(format: .mp3)
        let end = try TrailingTags.start(in: output)
        media.hadMetadata = hadTag || end < output.size
        try output.truncate(to: end)
        guard output.size > 0 else { throw MediaError(.truncated, "there is no sound behind the tags") }
        return media
    }
}

/// The tag before sound (id3.org, ID3v2.4.0, section 3).
enum ID3v2 {
    static let headerLength = 10

    /// The whole length of the tag that begins with these bytes, or nil if none does.
    static func length(_ head: [UInt8]) -> Int? {
        guard head.count >= headerLength, head.starts(with: "ID3".utf8) else { return nil }
        return length(header: head)
    }

    /// The same for a footer, whose mark is `3DI`.
    static func length(header: [UInt8]) -> Int? {
        guard header[3] != 0xFF, header[4] != 0xFF, header[6..<10].allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let hasFooter = header[5] & 0x10 != 0
        return headerLength + header[6..<10].reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 10 : 0)
    }
}

/// The tags behind sound: ID3v1 and its extension, APE, Lyrics3 and ID3v2 with a footer, in any order.
enum TrailingTags {
    /// Tags one behind the other: more than that is no tag but an attempt to keep us busy.
    private static let most = 16

    /// Where the tags at the end of what is written begin.
    static func start(in output: any MediaOutput) throws(MediaError) -> Int {
        var end = output.size
        for _ in 0..<most {
            guard let length = try length(endingAt: end, in: output), length > 0, length <= end else { break }
            end -= length
        }
        return end
    }

    private static func length(endingAt end: Int, in output: any MediaOutput) throws(MediaError) -> Int? {
        let start = max(0, end - 355)
        let tail = try output.read(at: start, count: end - start)
        if tail.suffix(128).starts(with: "TAG".utf8), tail.count >= 128 {
            let isExtended = tail.count == 355 && tail.starts(with: "TAG+".utf8)
            return isExtended ? 355 : 128
        }
        if tail.count >= 32, tail.suffix(32).starts(with: "APETAGEX".utf8) {
            let footer = Array(tail.suffix(32))
            let size = Bytes.littleEndian(footer, at: 12, size: 4)
            return size + (footer[23] & 0x80 != 0 ? 32 : 0)
        }
        if tail.count >= 10, tail.suffix(10).starts(with: "3DI".utf8) {
            return ID3v2.length(header: Array(tail.suffix(10)))
        }
        if tail.count >= 15, tail.suffix(9).elementsEqual("LYRICS200".utf8) {
            let digits = tail.suffix(15).prefix(6)
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } + 15
        }
        if tail.suffix(9).elementsEqual("LYRICSEND".utf8) { return try lyrics(endingAt: end, in: output) }
        return nil
    }

    /// Lyrics3 of version 1 has no size: at most 5100 bytes between its marks.
    private static func lyrics(endingAt end: Int, in output: any MediaOutput) throws(MediaError) -> Int? {
        let mark = Array("LYRICSBEGIN".utf8)
        let start = max(0, end - 5100 - 9 - mark.count)
        let tail = try output.read(at: start, count: end - start)
        guard tail.count >= mark.count else { return nil }
        for offset in stride(from: tail.count - mark.count, through: 0, by: -1)
        where tail[offset..<(offset + mark.count)].elementsEqual(mark) {
            return tail.count - offset
        }
        return nil
    }
}
