import AttachmentPrep
import MediaTypes
import Testing

/// What is no picture, or not one that is taken, gets its own word.
@Suite struct RejectionTests {
    struct Case: Sendable, CustomStringConvertible {
        let code: PrepError.Code
        let format: MediaFormat
        let bytes: [UInt8]
        var description: String { format.rawValue }

        init(_ code: PrepError.Code, _ format: MediaFormat, _ text: String, _ tail: [UInt8] = []) {
            self.code = code
            self.format = format
            bytes = Array(text.utf8) + tail
        }
    }

    static let cases = [
        Case(.htmlDocument, .html, "<!DOCTYPE html>\n<html><body>Sign in</body></html>"),
        Case(.htmlDocument, .html, "  <html lang=\"en\"><head><title>404</title></head></html>"),
        Case(
            .errorDocument, .xml,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code></Error>"),
        Case(.errorDocument, .json, "{\"error\":{\"code\":404,\"message\":\"not found\"}}"),
        Case(.unknownFormat, .unknown, "just words, and then some more of them"),
        Case(.unknownFormat, .unknown, "\u{1}\u{2}\u{3}\u{4}\u{5}"),
        Case(.unsupportedFormat, .pdf, "%PDF-1.7\n"),
        Case(
            .unsupportedFormat, .zip, "PK\u{3}\u{4}", [20, 0, 0, 0, 8, 0] + [UInt8](repeating: 0, count: 40)),
        Case(
            .unsupportedFormat, .psd, "8BPS",
            [0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8, 0, 3]
                + [UInt8](repeating: 0, count: 20)),
    ]

    @Test(arguments: cases, [Arrival.whole, .pieces(1), .file, .pipe]) func code(file: Case, arrival: Arrival)
    {
        let run = prepare(file.bytes, name: "picture.jpg", arrival)
        #expect(run.code == file.code && run.record.outcome == .rejected)
        #expect(run.record.error?.code.httpStatus == 415 && run.record.error?.stage == .sniff)
        #expect(run.record.source?.format == file.format)
        #expect(run.record.outputs.isEmpty && run.record.error?.message.isEmpty == false)
    }

    /// Types that are known and, so far, not decoded: refused by name or, once they are, for what they are.
    @Test func otherPictures() {
        let heads: [(MediaFormat, [UInt8])] = [
            (.gif, Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]),
            (.webp, Array("RIFF\u{1A}\0\0\0WEBPVP8L\u{D}\0\0\0".utf8) + [0x2F, 0, 0, 0]),
            (
                .mp4,
                [0, 0, 0, 24] + Array("ftypisom\0\0\0\0isommp41".utf8) + [0, 0, 0, 8] + Array("mdat".utf8)
            ),
        ]
        for (format, bytes) in heads {
            let run = prepare(bytes, name: "x.jpg")
            #expect(run.record.source?.format == format && run.record.outcome == .rejected, "\(format)")
            #expect(run.picture == nil && run.record.error != nil)
            #expect(run.record.source?.typeMismatch == true && run.record.warnings == [.mismatchedExtension])
        }
    }

    /// A head of a type with a decoder gets as far as the decoder.
    @Test func whatIsDecoded() {
        for bytes in [[0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 8), PNGParts.signature] {
            #expect(prepare(bytes).record.error?.stage == .decode)
        }
    }

    @Test(arguments: [Arrival.whole, .file, .pipe]) func empty(arrival: Arrival) {
        let run = prepare([], name: "x.jpg", arrival)
        #expect(run.code == .empty && run.record.outcome == .rejected && run.record.source == nil)
        #expect(run.record.error?.code.httpStatus == 415)
    }

    /// Kinds of the two formats that are not decoded.
    @Test func variants() {
        let arithmetic = Photos.kitten.jpeg("-quality 70 -arithmetic")
        let crushed =
            PNGParts.signature + PNGParts.chunk("CgBI", [0x50, 0, 0x20, 2])
            + PNGParts.chunk("IHDR", PNGParts.big(1) + PNGParts.big(1) + [8, 2, 0, 0, 0])
        for bytes in [arithmetic, crushed] {
            let run = prepare(bytes)
            #expect(run.code == .unsupportedVariant && run.record.outcome == .rejected && run.picture == nil)
        }
    }

    @Test(arguments: [
        ("a.png", true), ("a.jpg", false), ("a.JPEG", false), ("a.jfif", false), ("a", false),
        ("a.gif", true),
        (".jpg", false), ("a.heic", true), ("dir.png/a", false),
    ]) func claimedExtension(name: String, isWrong: Bool) {
        let run = prepare(Generated.baseline, name: name, profile: .small)
        #expect(run.record.source?.typeMismatch == isWrong)
        #expect(run.record.warnings == (isWrong ? [.mismatchedExtension] : []))
        #expect(run.record.outcome == .prepared)
    }

    @Test func multiPicture() throws {
        let first = JPEGParts.inserting(JPEGParts.mpf, into: Generated.baseline)
        let second = Picture(width: 50, height: 50) { _, _ in [255, 0, 0] }.jpeg()
        let run = prepare(first + second, profile: .small)
        #expect(run.record.outcome == .prepared && !run.record.warnings.contains(.trailingData))
        #expect(run.record.source?.width == 225)
        #expect(run.picture == prepare(Generated.baseline, profile: .small).picture)
        // Without the mark the second picture is trailing data.
        let unmarked = prepare(Generated.baseline + second, profile: .small)
        #expect(unmarked.record.warnings == [.trailingData] && unmarked.picture == run.picture)
    }

    @Test func trailingZip() {
        let run = prepare(Generated.baseline + Array("PK\u{3}\u{4}".utf8), profile: .small)
        #expect(run.record.warnings == [.trailingData] && run.record.outcome == .prepared)
        let png = prepare(Generated.png + Array("PK\u{3}\u{4}".utf8), profile: .small)
        #expect(png.record.warnings == [.trailingData] && png.record.outcome == .prepared)
    }

    /// What a PNG says besides pixels.
    @Test func warningsOfPNG() {
        func warnings(_ before: [UInt8]) -> [PreparationRecord.Warning] {
            var png = Photos.kitten.png
            (png.width, png.height, png.before) = (20, 20, before)
            return prepare(png.bytes, profile: .small).record.warnings
        }
        #expect(warnings([]) == [])
        #expect(warnings(PNGParts.chunk("tEXt", Array("Comment\0secret".utf8))) == [.metadataRemoved])
        #expect(warnings(PNGParts.chunk("acTL", PNGParts.big(2) + PNGParts.big(0))) == [.firstFrameOnly])
        #expect(warnings(PNGParts.chunk("zzZz", [1, 2, 3])) == [])
    }
}
