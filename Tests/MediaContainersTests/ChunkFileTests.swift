import MediaContainers
import MediaTypes
import Testing

/// Files of chunks: RIFF, IFF and Core Audio format.
@Suite struct ChunkFileTests {
    static func riff(_ type: String, _ content: [UInt8]) -> [UInt8] {
        text(type) + le(content.count) + content + zeros(content.count & 1)
    }

    static func iff(_ type: String, _ content: [UInt8]) -> [UInt8] {
        text(type) + be(content.count) + content + zeros(content.count & 1)
    }

    static func file(_ mark: String, _ type: String, _ chunks: [[UInt8]]) -> [UInt8] {
        let content = text(type) + chunks.flatMap(\.self)
        return text(mark) + (mark == "FORM" ? be(content.count) : le(content.count)) + content
    }

    static let samples = (0..<99).map { UInt8($0) }
    static let format = riff("fmt ", le(1, 2) + le(1, 2) + le(8000) + le(8000) + le(1, 2) + le(8, 2))

    private func rewrite(_ bytes: [UInt8], _ rewriter: any MediaRewriter) throws -> Rewritten {
        try #require(Rewritten.inAnyPieces(bytes, rewriter))
    }

    // MARK: WAVE

    @Test func waveLosesItsChunks() throws {
        let secrets = [
            Self.riff("LIST", text("INFOIART") + le(4) + text("me!\0")),
            Self.riff("id3 ", text("ID3") + zeros(20)),
            Self.riff("bext", zeros(603)), Self.riff("iXML", text("<GPS>")),
            Self.riff("_PMX", text("<x:xmpmeta>")),
            Self.riff("cue ", zeros(4)),
        ]
        let expected = Self.file("RIFF", "WAVE", [Self.format, Self.riff("data", Self.samples)])
        #expect(expected.count == 12 + 24 + 8 + 100)
        for position in 0...2 {
            var chunks = [Self.format, Self.riff("data", Self.samples)]
            chunks.insert(contentsOf: secrets, at: position)
            let result = try rewrite(Self.file("RIFF", "WAVE", chunks), WAVERewriter())
            #expect(result.bytes == expected && result.media?.hadMetadata == true, "before chunk \(position)")
        }
        let plain = try rewrite(expected, WAVERewriter())
        #expect(plain.bytes == expected && plain.media?.hadMetadata == false)
    }

    /// A program that writes into a pipe says the largest size there is.
    @Test func streamedWave() throws {
        let head =
            text("RIFF") + be(0xFFFF_FFFF) + text("WAVE") + Self.format + text("data") + be(0xFFFF_FFFF)
        let result = try rewrite(head + Self.samples, WAVERewriter())
        #expect(result.bytes == Self.file("RIFF", "WAVE", [Self.format, Self.riff("data", Self.samples)]))
    }

    @Test func damagedWave() throws {
        let whole = Self.file("RIFF", "WAVE", [Self.format, Self.riff("data", Self.samples)])
        for count in 1..<(whole.count - 1) {
            #expect(try rewrite(Array(whole[..<count]), WAVERewriter()).error != nil, "\(count) bytes")
        }
        let unordered = Self.file("RIFF", "WAVE", [Self.riff("data", Self.samples), Self.format])
        #expect(try rewrite(unordered, WAVERewriter()).error?.kind == .corrupt)
        let tail = try rewrite(whole + [0, 1, 2, 3, 4, 5, 6, 7, 8], WAVERewriter())
        #expect(tail.bytes == whole && tail.media?.hadTrailingData == true)
    }

    // MARK: AIFF

    private func common(bits: Int, _ compression: String? = nil) -> [UInt8] {
        // One channel, 33 frames, 44,100 Hz as an 80-bit number.
        let name: [UInt8] = compression.map { text($0) + [3] + text("Any") } ?? []
        return Self.iff("COMM", be(1, 2) + be(33) + be(bits, 2) + [0x40, 0x0E, 0xAC, 0x44] + zeros(6) + name)
    }

    private let sound = ChunkFileTests.iff("SSND", zeros(8) + ChunkFileTests.samples)

    @Test func aiffLosesItsChunks() throws {
        let secrets = ["NAME", "AUTH", "ANNO", "(c) ", "ID3 ", "COMT"].map { Self.iff($0, text("secret")) }
        let expected = Self.file("FORM", "AIFF", [common(bits: 8), sound])
        for position in 0...2 {
            var chunks = [common(bits: 8), sound]
            chunks.insert(contentsOf: secrets, at: position)
            let result = try rewrite(Self.file("FORM", "AIFF", chunks), AIFFRewriter(isAIFC: false))
            #expect(result.bytes == expected && result.media?.hadMetadata == true)
            #expect(result.media?.format == .aiff && result.media?.isRewrapped == false)
        }
    }

    @Test(arguments: ["NONE", "twos", "sowt"], [8, 16, 24]) func aifcBecomesAIFF(
        compression: String, bits: Int
    ) throws {
        let input = Self.file(
            "FORM", "AIFC", [Self.iff("FVER", be(0xA280_5140)), common(bits: bits, compression), sound])
        let result = try rewrite(input, AIFFRewriter(isAIFC: true))
        // `sowt` is `twos` read backwards: so are its samples.
        let size = bits / 8
        let turned = stride(from: 0, to: 99 - 99 % size, by: size).flatMap {
            Self.samples[$0..<($0 + size)].reversed()
        }
        let samples = compression == "sowt" ? turned + Self.samples.suffix(99 % size) : Self.samples
        let expected = Self.file("FORM", "AIFF", [common(bits: bits), Self.iff("SSND", zeros(8) + samples)])
        #expect(
            result.bytes.prefix(expected.count - 1 - 99 % size)
                == expected.prefix(expected.count - 1 - 99 % size))
        #expect(result.bytes.count == expected.count && result.media?.isRewrapped == true)
    }

    @Test(arguments: ["fl32", "ulaw", "alaw", "ima4", "MAC3"]) func aifcRefusedByName(compression: String) {
        let input = Self.file("FORM", "AIFC", [common(bits: 16, compression), sound])
        let error = Rewritten(input, AIFFRewriter(isAIFC: true)).error
        #expect(error?.kind == .unsupportedVariant && error?.detail.contains(compression) == true)
    }

    // MARK: Core Audio format

    /// 44.1 kHz, one channel.
    private func caf(_ codec: String = "lpcm", flags: Int, bits: Int, _ samples: [UInt8], size: Int? = nil)
        -> [UInt8]
    {
        let rate = be(Int((44_100.0).bitPattern), 8)
        let description = rate + text(codec) + be(flags) + be(bits / 8) + be(1) + be(1) + be(bits)
        let info = text("info") + be(10, 8) + be(1) + text("a\0b\0c\0")
        return text("caff") + [0, 1, 0, 0] + text("desc") + be(32, 8) + description + info + text("data")
            + be(size ?? samples.count + 4, 8) + zeros(4) + samples
    }

    private func wave(tag: Int, bits: Int, _ samples: [UInt8]) -> [UInt8] {
        let size = bits / 8
        let format = le(tag, 2) + le(1, 2) + le(44_100) + le(44_100 * size) + le(size, 2) + le(bits, 2)
        return Self.file(
            "RIFF", "WAVE",
            [Self.riff("fmt ", format + (tag == 3 ? [0, 0] : [])), Self.riff("data", samples)])
    }

    @Test func cafBecomesWave() throws {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
        let cases: [(flags: Int, bits: Int, tag: Int, expected: [UInt8])] = [
            (2, 16, 1, bytes), (0, 16, 1, [2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11]),
            (0, 24, 1, [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10]),
            (1, 32, 3, [4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9]),
            // Signed bytes become unsigned.
            (0, 8, 1, bytes.map { $0 + 128 }), (3, 32, 3, bytes),
        ]
        for (flags, bits, tag, expected) in cases {
            for size in [nil, -1] {
                let result = try rewrite(caf(flags: flags, bits: bits, bytes, size: size), CAFRewriter())
                #expect(result.bytes == wave(tag: tag, bits: bits, expected), "\(bits) bits, flags \(flags)")
                #expect(result.media?.format == .wav && result.media?.isRewrapped == true)
                #expect(result.media?.hadMetadata == true)
            }
        }
        // The rest of a frame is none; the pad byte after it is RIFF's.
        let odd = try rewrite(caf(flags: 2, bits: 24, [1, 2, 3, 4], size: -1), CAFRewriter())
        #expect(odd.bytes == wave(tag: 1, bits: 24, [1, 2, 3]))
    }

    @Test func cafRefused() throws {
        for codec in ["alac", "aac ", "opus", "ima4", "ulaw"] {
            let error = try rewrite(caf(codec, flags: 0, bits: 16, [1, 2]), CAFRewriter()).error
            #expect(error?.kind == .unsupportedVariant && error?.detail.contains(codec) == true)
        }
        #expect(
            try rewrite(caf(flags: 0, bits: 16, [1, 2], size: 9), CAFRewriter()).error?.kind == .truncated)
        #expect(
            try rewrite(caf(flags: 0, bits: 20, [1, 2]), CAFRewriter()).error?.kind == .unsupportedVariant)
    }

    // MARK: AVI

    @Test func aviKeepsItsSize() throws {
        func avi(_ hasSecrets: Bool) -> [UInt8] {
            func secret(_ type: String, _ content: [UInt8]) -> [UInt8] {
                hasSecrets ? Self.riff(type, content) : Self.riff("JUNK", zeros(content.count))
            }
            let stream = Self.riff(
                "LIST",
                text("strl") + Self.riff("strh", zeros(56)) + Self.riff("strf", zeros(40))
                    + secret("strn", text("a name")) + secret("strd", text("AVIF") + zeros(9)))
            let header = Self.riff(
                "LIST", text("hdrl") + Self.riff("avih", zeros(56)) + stream + secret("IDIT", text("a day")))
            let movie = Self.riff("LIST", text("movi") + Self.riff("00dc", Self.samples))
            return Self.file(
                "RIFF", "AVI ",
                [
                    header, secret("LIST", text("INFOISFT") + le(4) + text("me!\0")),
                    secret("JUNK", text("once secret")),
                    movie, Self.riff("idx1", text("00dc") + zeros(12)), secret("_PMX", text("<x>")),
                ])
        }
        let result = try rewrite(avi(true), AVIRewriter())
        #expect(result.bytes == avi(false) && result.media?.hadMetadata == true)
        #expect(try rewrite(avi(false), AVIRewriter()).media?.hadMetadata == false)
        let tail = try rewrite(avi(true) + text("more of it"), AVIRewriter())
        #expect(tail.bytes == avi(false) && tail.media?.hadTrailingData == true)
        for count in stride(from: 1, to: avi(true).count - 40, by: 3) {
            #expect(Rewritten(Array(avi(true)[..<count]), AVIRewriter()).error != nil, "\(count) bytes")
        }
    }
}
