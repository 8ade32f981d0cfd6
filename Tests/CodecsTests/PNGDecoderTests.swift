import Codecs
import Pixels
import TestSupport
import Testing

/// PNGs made by hand: what PngSuite has no example of.
@Suite struct PNGDecoderTests {
    private static let rows: [[UInt8]] = [
        [10, 20, 30, 40, 50, 60, 70, 80, 90], [1, 2, 3, 4, 5, 6, 7, 8, 9],
        [255, 254, 253, 0, 0, 0, 128, 64, 32],
    ]
    private static let header = PNGFile.header(3, 3, colorType: 2)
    private static let data = PNGFile.imageData(rows: rows)

    @Test func builderMakesSoundFiles() throws {
        let bytes = PNGFile([Self.header, Self.data, PNGFile.end]).bytes
        let reference = try #require(ReferencePNG(bytes))
        #expect(reference.samples == Self.rows.flatMap { $0 }.map(UInt16.init))
        #expect(try decodePNG(bytes).bitmap.samples == Self.rows.flatMap { $0 })
        let suite = try fixture("pngsuite/basn6a08.png")
        #expect(PNGFile(parsing: suite).bytes == suite)
    }

    /// Transparency that libpng drops with a warning must not be promised in the layout: rows would be read
    /// beyond their end.
    @Test func transparencyThatIsDroppedIsNotPromised() throws {
        let key = [0, 10, 0, 20, 0, 30] as [UInt8]
        let palette = PNGFile.Chunk("PLTE", [1, 2, 3, 4, 5, 6])
        let dropped: [[PNGFile.Chunk]] = [
            [Self.header, .init("tRNS", Array(key.dropLast())), Self.data],
            [Self.header, .init("tRNS", key, checkSum: 1), Self.data],
            [Self.header, .init("tRNS"), Self.data],
            [Self.header, .init("tRNS", key), palette, Self.data],
            [PNGFile.header(3, 3, colorType: 3), .init("tRNS", [9]), palette, Self.indices],
            [PNGFile.header(3, 3, colorType: 3), palette, .init("tRNS", [9, 9, 9]), Self.indices],
            [PNGFile.header(3, 3, colorType: 3), palette, .init("tRNS"), Self.indices],
        ]
        for (index, chunks) in dropped.enumerated() {
            let bytes = PNGFile(chunks + [PNGFile.end]).bytes
            let reference = try #require(ReferencePNG(bytes), "\(index)")
            let decoded = try decodePNG(bytes)
            #expect(decoded.header.layout.channelCount == reference.channels, "\(index)")
            #expect(reference.channels == 3, "\(index)")
            #expect(decoded.bitmap.samples == reference.samples.map(UInt8.init), "\(index)")
        }
    }

    /// libpng would put the whole chunk together before it says no: 2 GB, and a copy of it for every piece.
    @Test(arguments: ["PLTE", "tRNS", "ABCd", "IEND"]) func longTablesAreRefusedAtOnce(_ type: String) throws
    {
        let start = PNGFile([Self.header]).bytes
        let lead = bigEndian(0x7FFF_FFFF) + Array(type.utf8)
        var decoder = try PNGDecoder()
        #expect(throws: CodecError.self) { try decoder.push((start + lead).span, into: nil) }
        // As long as a table may be is for libpng to judge.
        let palette = PNGFile.Chunk("PLTE", [UInt8](repeating: 9, count: 768))
        let sound = PNGFile([PNGFile.header(3, 3, colorType: 3), palette, Self.indices, PNGFile.end]).bytes
        #expect(try decodePNG(sound).bitmap.samples.allSatisfy { $0 == 9 })
    }

    /// libpng only warns when an interlaced picture's data ends early or is damaged, and shows the coarse passes.
    @Test(arguments: ["basi2c08", "basn2c08", "basi0g01"]) func shortDataIsDamage(_ name: String) throws {
        let file = PNGFile(parsing: try fixture("pngsuite/\(name).png"))
        let stream = file.chunks.filter { $0.type == "IDAT" }.flatMap(\.data)
        let others = file.chunks.filter { $0.type != "IDAT" && $0.type != "IEND" }
        func decoding(_ data: [UInt8], in size: Int) throws -> Decoded {
            let bytes = PNGFile(others + [.init("IDAT", data), PNGFile.end]).bytes
            let pieces = stride(from: 0, to: bytes.count, by: size).map { $0..<min($0 + size, bytes.count) }
            return try decode(PNGDecoder(), bytes, in: pieces)
        }
        for size in [1, 7, 100_000] {
            #expect(throws: Never.self) { try decoding(stream, in: size) }
            // A wrong check sum; a block that cannot be; an end in the middle.
            let sum = stream.dropLast(4) + [1, 2, 3, 4]
            let block = stream[..<(stream.count / 2)] + [UInt8](repeating: 0xFF, count: stream.count / 2)
            for damaged in [Array(sum), Array(block), Array(stream[..<(stream.count / 2)])] {
                #expect(throws: CodecError.self, "\(size)") { try decoding(damaged, in: size) }
            }
        }
    }

    /// What libpng makes of damage must not depend on how the bytes came.
    @Test func damageIsTheSameInAnyPieces() throws {
        let file = PNGFile(parsing: try fixture("pngsuite/basi2c08.png"))
        let start = file.chunks.firstIndex { $0.type == "IDAT" } ?? 0
        let count = file.chunks[start].data.count
        func outcome(_ bytes: [UInt8], in size: Int) -> String {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { $0..<min($0 + size, bytes.count) }
            do { return "\(try decode(PNGDecoder(), bytes, in: pieces).bitmap.samples)" } catch {
                return "\(error)"
            }
        }
        for place in 0..<count {
            var damaged = file
            damaged.chunks[start].data[place] ^= 0x24
            let expected = outcome(damaged.bytes, in: .max / 2)
            for size in [1, 13] { #expect(outcome(damaged.bytes, in: size) == expected, "\(place), \(size)") }
        }
    }

    private static let indices = PNGFile.imageData(rows: [[0, 1, 0], [1, 1, 1], [0, 0, 1]])

    @Test func transparencyThatCountsIsShown() throws {
        let key: [UInt8] = [0, 10, 0, 20, 0, 30]
        let bytes = PNGFile([Self.header, .init("tRNS", key), Self.data, PNGFile.end]).bytes
        let decoded = try decodePNG(bytes, DecodePlan(background: 0x1122AA))
        #expect(decoded.header.layout == PixelLayout(.rgba))
        #expect(decoded.bitmap.samples == [0x11, 0x22, 0xAA] + Self.rows.flatMap { $0 }.dropFirst(3))
    }

    @Test func notesSayWhatWasThere() throws {
        func notes(_ extra: PNGFile.Chunk, behind: Bool = false) throws -> DecodeNotes {
            let chunks = behind ? [Self.header, Self.data, extra] : [Self.header, extra, Self.data]
            return try decodePNG(PNGFile(chunks + [PNGFile.end]).bytes).notes
        }
        for type in ["tEXt", "zTXt", "iTXt", "tIME"] {
            #expect(try notes(.init(type, Array("Title\0words".utf8))).hasMetadata, "\(type)")
            #expect(try notes(.init(type, Array("Title\0words".utf8)), behind: true).hasMetadata, "\(type)")
        }
        #expect(try notes(.init("acTL", [0, 0, 0, 1, 0, 0, 0, 0])).isAnimated)
        let plain = try notes(.init("vpAg", [0]))
        #expect(!plain.hasMetadata && !plain.isAnimated && plain.orientation == nil)
    }

    @Test func orientationIsFoundBeforeAndBehindThePicture() throws {
        let exif = hex("4949 2A00 08000000 0100 1201 0300 01000000 06000000 00000000")
        let before = PNGFile([Self.header, .init("eXIf", exif), Self.data, PNGFile.end])
        #expect(try decodePNG(before.bytes).header.orientation == .rotated90)
        #expect(try decodePNG(before.bytes).notes.hasMetadata)
        let behind = PNGFile([Self.header, Self.data, .init("eXIf", exif), PNGFile.end])
        #expect(try decodePNG(behind.bytes).notes.orientation == .rotated90)
        let large = exif + [UInt8](repeating: 0, count: 70_000)
        let tooLarge = PNGFile([Self.header, .init("eXIf", large), Self.data, PNGFile.end])
        #expect(try decodePNG(tooLarge.bytes).header.orientation == .upright)
    }

    @Test func bytesBehindThePictureAreLeftAlone() throws {
        let bytes = PNGFile([Self.header, Self.data, PNGFile.end]).bytes
        for tail: [UInt8] in [[0], bytes, Array("trailing".utf8)] {
            #expect(try decodePNG(bytes + tail).consumed == bytes.count)
        }
    }

    @Test func whatIsNoPNGIsRefused() throws {
        let files: [(PNGFile, CodecError.Kind)] = [
            (PNGFile([.init("CgBI", [0x50, 0, 0x20, 2]), Self.header, Self.data]), .unsupportedVariant),
            (PNGFile([Self.data, Self.header]), .corrupt),
            (PNGFile([.init("IHDR", Array(Self.header.data.dropLast())), Self.data]), .corrupt),
            (PNGFile([PNGFile.header(0, 3, colorType: 2), Self.data]), .corrupt),
            (PNGFile([PNGFile.header(3, 0, colorType: 2), Self.data]), .corrupt),
            (PNGFile([PNGFile.header(3, 3, depth: 4, colorType: 2), Self.data]), .corrupt),
            (PNGFile([PNGFile.header(3, 3, colorType: 5), Self.data]), .corrupt),
            (PNGFile([PNGFile.header(3, 3, colorType: 3), Self.indices, PNGFile.end]), .corrupt),
            (PNGFile([Self.header, .init("1234"), Self.data]), .corrupt),
            (PNGFile([Self.header, .init("ABCD"), Self.data]), .corrupt),
            (PNGFile([Self.header, .init("IDAT", [0x78, 1, 1]), PNGFile.end]), .corrupt),
            (PNGFile([Self.header, PNGFile.end]), .corrupt),
            // A sound stream of two rows where three are due.
            (
                PNGFile([Self.header, PNGFile.imageData(rows: Array(Self.rows.prefix(2))), PNGFile.end]),
                .corrupt
            ),
            (PNGFile([Self.header, .init("IDAT", Self.data.data, checkSum: 1), PNGFile.end]), .corrupt),
        ]
        for (index, file) in files.enumerated() {
            let error = #expect(throws: CodecError.self, "\(index)") { try decodePNG(file.0.bytes) }
            #expect(error?.kind == file.1, "\(index)")
        }
    }

    @Test func stopsWhenAsked() throws {
        for name in ["basn2c08", "basi2c08"] {
            let error = #expect(throws: CodecError.self) {
                try decodePNG(try fixture("pngsuite/\(name).png"), DecodePlan(stopsAtOnce: true))
            }
            #expect(error?.kind == .stopped)
        }
    }

    /// Rows that came are shown, the others are the background.
    @Test func truncatedPicturesArePadded() throws {
        let data = PNGFile.Chunk("IDAT", Array(Self.data.data.prefix(2 + 5 + 2 * 10)))
        let whole = PNGFile([Self.header, data]).bytes
        let decoded = try decodePNG(
            whole, DecodePlan(background: 0x40C080, allowsTruncated: true))
        let expected = Self.rows[0] + Self.rows[1] + [0x40, 0xC0, 0x80, 0x40, 0xC0, 0x80, 0x40, 0xC0, 0x80]
        #expect(decoded.bitmap.samples == expected)
    }
}

/// Bytes written in hexadecimal; spaces may stand anywhere.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
