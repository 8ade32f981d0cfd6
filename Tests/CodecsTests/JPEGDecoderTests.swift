import Codecs
import Pixels
import TestSupport
import Testing

/// JPEGDecoder against djpeg: both stand on libjpeg-turbo, so every sample must be the same.
@Suite struct JPEGDecoderTests {
    @Test func samplesCouldBeMade() { #expect(JPEGSamples.all.count == 21) }

    @Test(arguments: JPEGSamples.all) func fullSizeEqualsDjpeg(_ sample: JPEGSample) throws {
        let decoded = try decodeJPEG(sample.bytes)
        #expect(Picture(decoded.bitmap) == (try JPEGSamples.reference(sample.bytes)))
        #expect(decoded.consumed == sample.bytes.count)
        #expect(decoded.rowsTaken == decoded.header.size.height)
        #expect(!decoded.notes.isOdd)
    }

    @Test(arguments: JPEGSamples.all, [1, 2, 3, 4]) func scaledEqualsDjpeg(
        _ sample: JPEGSample, _ numerator: Int
    ) throws {
        let decoded = try decodeJPEG(sample.bytes, DecodePlan(numerator: numerator))
        let reference = try JPEGSamples.reference(sample.bytes, ["-scale", "\(numerator)/8"])
        #expect(decoded.header.numerators.contains(numerator))
        #expect(decoded.rowSize == PixelSize(reference.width, reference.height))
        #expect(decoded.rowsTaken == reference.height)
        #expect(Picture(decoded.bitmap) == reference)
    }

    /// What cjpeg was asked for is what the header says.
    @Test func headersSayWhatWasMade() throws {
        typealias Row = (name: String, width: Int, height: Int, gray: Bool, sampling: String?, whole: Bool)
        let rows: [Row] = [
            ("4:4:4", 71, 45, false, "4:4:4", false), ("4:2:0", 71, 45, false, "4:2:0", false),
            ("4:2:2", 71, 45, false, "4:2:2", false), ("4:4:0", 71, 45, false, "4:4:0", false),
            ("4:1:1", 64, 48, false, "4:1:1", false), ("grey", 39, 58, true, "4:0:0", false),
            ("progressive", 71, 45, false, "4:2:0", true), ("progressive grey", 33, 30, true, "4:0:0", true),
            ("restarts", 71, 45, false, "4:2:0", false), ("1 x 17", 1, 17, false, "4:2:0", false),
        ]
        for row in rows {
            let header = try decodeJPEG(try JPEGSamples.named(row.name)).header
            #expect(header.size == PixelSize(row.width, row.height), "\(row.name)")
            #expect(header.layout == PixelLayout(row.gray ? .gray : .rgb), "\(row.name)")
            #expect(header.subsampling == row.sampling, "\(row.name)")
            #expect(header.needsWholeInput == row.whole, "\(row.name)")
            #expect(header.mayPassLossless == !row.whole, "\(row.name)")
            #expect(header.orientation == .upright, "\(row.name)")
        }
        // Stored as RGB: decoders that do not read Adobe's marker would show other colours.
        #expect(try !decodeJPEG(try JPEGSamples.named("RGB")).header.mayPassLossless)
    }

    @Test func bytesBehindThePictureAreLeftAlone() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        for tail: [UInt8] in [[0], [0xFF], bytes, Array("trailing".utf8)] {
            let decoded = try decodeJPEG(bytes + tail)
            #expect(decoded.consumed == bytes.count)
            #expect(Picture(decoded.bitmap) == (try JPEGSamples.reference(bytes)))
        }
    }

    /// A second decoder goes on from the head and the bytes behind the header.
    @Test(arguments: ["4:2:0", "progressive", "grey"]) func headStartsASecondDecoder(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        var first = try JPEGDecoder(maxScans: 100)
        guard case .header(_, let consumed) = try first.push(bytes.span, into: nil) else {
            Issue.record("no header")
            return
        }
        let again = first.head + bytes[consumed...]
        #expect(Picture(try decodeJPEG(again).bitmap) == (try JPEGSamples.reference(bytes)))
    }

    @Test func scansAreCounted() throws {
        let bytes = try JPEGSamples.named("progressive")
        // SOS is FF DA; inside entropy-coded data 0xFF is followed by 0 or by a marker only.
        let scans = zip(bytes, bytes.dropFirst()).filter { $0 == (0xFF, 0xDA) }.count
        #expect(scans > 3)
        #expect(throws: Never.self) { try decodeJPEG(bytes, maxScans: scans) }
        let error = #expect(throws: CodecError.self) { try decodeJPEG(bytes, maxScans: scans - 1) }
        #expect(error?.kind == .tooManyScans)
    }

    @Test func stopsWhenAsked() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        let error = #expect(throws: CodecError.self) { try decodeJPEG(bytes, DecodePlan(stopsAtOnce: true)) }
        #expect(error?.kind == .stopped)
    }

    /// The kinds of ITU-T T.81 that are refused by name: the frame marker alone is changed.
    @Test(arguments: [0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8])
    func otherFramesAreRefused(_ marker: UInt8) throws {
        var bytes = try JPEGSamples.named("4:2:0")
        let frame = try #require(position(of: [0xFF, 0xC0], in: bytes))
        bytes[frame + 1] = marker
        let error = #expect(throws: CodecError.self) { try decodeJPEG(bytes) }
        #expect(error?.kind == .unsupportedVariant)
    }

    @Test func twelveBitsAreRefused() throws {
        var bytes = try JPEGSamples.named("4:2:0")
        let frame = try #require(position(of: [0xFF, 0xC0], in: bytes))
        bytes[frame + 4] = 12
        let error = #expect(throws: CodecError.self) { try decodeJPEG(bytes) }
        #expect(error?.kind == .unsupportedVariant)
    }

    /// Cut in the middle of the data: rows before the cut are the whole picture's.
    @Test func truncatedPicturesArePadded() throws {
        let picture = Picture.waves(48, 200, channels: 1)
        let bytes = try JPEGSamples.make(picture, ["-restart", "1"])
        let whole = try JPEGSamples.reference(bytes)
        let cut = Array(bytes[..<(bytes.count * 3 / 4)])
        let error = #expect(throws: CodecError.self) { try decodeJPEG(cut) }
        #expect(error?.kind == .truncated)
        let padded = try decodeJPEG(cut, DecodePlan(allowsTruncated: true))
        #expect(padded.bitmap.size == PixelSize(48, 200))
        #expect(padded.bitmap.samples.prefix(48 * 120) == whole.samples.prefix(48 * 120))
        #expect(padded.bitmap.samples != whole.samples)
    }
}

/// Where a pattern begins for the first time.
func position(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: pattern) }
}
