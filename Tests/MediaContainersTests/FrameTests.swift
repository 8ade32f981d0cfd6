import MediaContainers
import MediaTypes
import Testing

/// Frames of MP3 and AAC, and the tags around them.
@Suite struct FrameTests {
    /// Bytes that begin as a frame does, MPEG-1 layer III; nobody looks at the rest.
    private static let frames: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + (0..<2000).map { UInt8($0 % 251) }

    private static func id3(_ content: [UInt8], hasFooter: Bool = false) -> [UInt8] {
        let size = [14, 7, 0].reduce([UInt8(content.count >> 21)]) { $0 + [UInt8(content.count >> $1 & 127)] }
        let fields: [UInt8] = [4, 0, hasFooter ? 0x10 : 0] + size
        return text("ID3") + fields + content + (hasFooter ? text("3DI") + fields : [])
    }

    private static let id3v1 = text("TAG") + text("Home").map(\.self) + zeros(121)

    private static func ape(hasHeader: Bool) -> [UInt8] {
        let item = le(4) + zeros(4) + text("Title\0Home")
        let fields = text("APETAGEX") + le(2000) + le(item.count + 32) + le(1)
        let flags: UInt8 = hasHeader ? 0x80 : 0
        return (hasHeader ? fields + [0, 0, 0, 0xA0] + zeros(8) : []) + item + fields + [0, 0, 0, flags]
            + zeros(8)
    }

    private static let lyrics2 = text("LYRICSBEGINLYR00004Home000023LYRICS200")
    private static let lyrics1 = text("LYRICSBEGINsweet homeLYRICSEND")

    static let tails: [[UInt8]] = [
        id3v1, text("TAG+") + zeros(223) + id3v1, ape(hasHeader: false), ape(hasHeader: true), lyrics2,
        lyrics1,
        id3(text("Home"), hasFooter: true), lyrics2 + id3v1, ape(hasHeader: true) + lyrics1 + id3v1, [],
    ]

    private func rewrite(_ bytes: [UInt8]) throws -> Rewritten {
        try #require(Rewritten.inAnyPieces(bytes, MPEGAudioRewriter()))
    }

    @Test(arguments: tails) func tagsGo(tail: [UInt8]) throws {
        let heads = [
            [], Self.id3(text("Home")),
            Self.id3(zeros(300)) + Self.id3(text("x"), hasFooter: true) + zeros(33),
        ]
        for head in heads {
            let result = try rewrite(head + Self.frames + tail)
            #expect(result.bytes == Self.frames && result.media?.format == .mp3)
            #expect(result.media?.hadMetadata == !(head.isEmpty && tail.isEmpty))
        }
    }

    /// Sound that only looks like the end of a tag.
    @Test func sizesBeyondTheFileAreNoTag() throws {
        for tail in [
            text("999999LYRICS200"), text("APETAGEX") + zeros(4) + le(0x7FFF_FFFF) + zeros(16),
            text("LYRICSEND"),
        ] {
            #expect(try rewrite(Self.frames + tail).bytes == Self.frames + tail)
        }
    }

    @Test func nothingBehindTheTag() throws {
        #expect(try rewrite(Self.id3(zeros(50))).error?.kind == .truncated)
        #expect(try rewrite(Array(Self.id3(zeros(50)).dropLast(20))).error?.kind == .truncated)
        #expect(try rewrite(Self.id3v1).error?.kind == .truncated)
    }

    // MARK: AAC

    /// A frame of AAC-LC, 44,100 Hz, two channels.
    private func adts(_ content: [UInt8], rateIndex: Int = 4, hasCheckSum: Bool = false, blocks: Int = 0)
        -> [UInt8]
    {
        let length = content.count + (hasCheckSum ? 9 : 7)
        let bits = [
            0xFF, hasCheckSum ? 0xF0 : 0xF1, 1 << 6 | rateIndex << 2, 2 << 6 | length >> 11,
            length >> 3 & 255,
            (length & 7) << 5 | 0x1F, 0xFC | blocks,
        ]
        return bits.map { UInt8($0) } + (hasCheckSum ? [9, 9] : []) + content
    }

    @Test func aacBecomesM4A() throws {
        let contents = (1...100).map { number in (0..<number).map { UInt8(($0 * number) & 255) } }
        let input = contents.enumerated().flatMap { adts($1, hasCheckSum: $0 % 3 == 0) }
        let result = try rewrite(input)
        #expect(result.media == rewrapped())
        let bytes = result.bytes
        let media = try #require(FoundBox.all("mdat", in: bytes).first)
        #expect(Array(media.content) == contents.flatMap(\.self))
        func table(_ type: String) throws -> FoundBox {
            try #require(FoundBox.all("moov/trak/mdia/minf/stbl/\(type)", in: bytes).first)
        }
        // 100 frames: sizes 1 to 100; two chunks of 43 and one of 14; 1024 samples each.
        #expect(try table("stsz").numbers(skip: 4) == [0, 100] + Array(1...100))
        #expect(try table("stsc").numbers(skip: 4) == [2, 1, 43, 1, 3, 14, 1])
        #expect(try table("stts").numbers(skip: 4) == [1, 100, 1024])
        // 1 + … + 43 = 946, 1 + … + 86 = 3741.
        #expect(
            try table("stco").numbers(skip: 4) == [3, media.start + 8, media.start + 954, media.start + 3749])
        let header = try #require(FoundBox.all("moov/trak/mdia/mdhd", in: bytes).first)
        #expect(header.numbers(skip: 12).prefix(2) == [44_100, 102_400])
        let entry = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/stsd/mp4a", in: bytes).first)
        // Two channels of 16 bits; AudioSpecificConfig: object 2, rate 4, channels 2 = 00010 0100 0010 000.
        #expect(
            entry.numbers(skip: 16, size: 2).prefix(2) == [2, 16]
                && entry.numbers(skip: 24).first == 44_100 << 16)
        #expect(entry.content.suffix(7) == [5, 2, 0x12, 0x10, 6, 1, 2])
        // Descriptors hold each other: 3 + 2 + 13 + 2 + 2 + 3.
        #expect(entry.content.dropFirst(28 + 12).prefix(10) == [3, 25, 0, 0, 0, 4, 17, 0x40, 0x15, 0])
        // What it made is a movie that passes.
        #expect(Rewritten(bytes, ISORewriter(.m4a)).bytes == bytes)
    }

    private func rewrapped() -> RewrittenMedia {
        var media = RewrittenMedia(format: .m4a)
        media.isRewrapped = true
        return media
    }

    @Test func tagsAroundAAC() throws {
        let frames = adts([1, 2, 3]) + adts([4, 5])
        let plain = try rewrite(frames)
        let tagged = try rewrite(Self.id3(text("Home")) + frames + Self.id3v1)
        #expect(tagged.bytes == plain.bytes && tagged.media?.hadMetadata == true)
        let tail = try rewrite(frames + text("zzz"))
        #expect(tail.bytes == plain.bytes && tail.media?.hadTrailingData == true)
    }

    @Test func damagedAAC() throws {
        let frames = adts([1, 2, 3]) + adts([4, 5])
        #expect(try rewrite(frames.dropLast()).error?.kind == .truncated)
        #expect(try rewrite(frames + adts([1]).prefix(6)).error?.kind == .truncated)
        #expect(try rewrite(frames + adts([1], rateIndex: 5)).error?.kind == .unsupportedVariant)
        #expect(try rewrite(adts([1], blocks: 1)).error?.kind == .unsupportedVariant)
        #expect(try rewrite(adts([])).error?.kind == .corrupt)
        #expect(try rewrite(adts([1], rateIndex: 13)).error?.kind == .corrupt)
        #expect(try rewrite(frames + [UInt8](repeating: 1, count: 2_000_000)).error?.kind == .corrupt)
    }
}
