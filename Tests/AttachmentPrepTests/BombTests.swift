import AttachmentPrep
import Testing

/// Small files that ask for much: each must end at once, or in time that goes with its bytes, without memory.
@Suite(.enabled(if: Outside.isMeasurable)) struct BombTests {
    /// What a job of a small picture may take above one of a single pixel.
    private static let slack = 6_000_000

    /// The dynamic debug build's seconds; a decoder that swallowed one of these would take ten times as long.
    private static let seconds = 10.0

    private static func check(
        _ run: Outside?, _ code: PrepError.Code?, slack: Int = slack, _ comment: String
    ) throws -> Outside {
        let run = try #require(run, "\(comment)")
        #expect(run.code == code?.rawValue, "\(comment): \(run.json)")
        #expect(run.grown <= slack, "\(comment): \(run.grown) bytes")
        #expect(run.seconds <= seconds, "\(comment): \(run.seconds) s")
        return run
    }

    private static let much = 1 << 28

    /// Compressed text and profiles of a quarter of a gigabyte each, before the image data and behind it.
    @Test(arguments: ["zTXt", "iTXt", "iCCP", "eXIf"], [true, false])
    func compressedMetadata(type: String, isBefore: Bool) throws {
        let data = Zeros.zlib(Self.much)
        let body =
            switch type {
            case "zTXt": Array("Comment\0\0".utf8) + data
            case "iTXt": Array("Comment\0\u{1}\0\0\0".utf8) + data
            case "iCCP": Array("profile\0\0".utf8) + data
            // Not compressed: as long as the others, and all of it one tag's list of values.
            default: JPEGParts.tiff(orientation: 1) + data
            }
        var png = Photos.kitten.png
        let chunk = PNGParts.chunk(type, body)
        if isBefore { png.before = chunk } else { png.after = chunk }
        let run = try Self.check(Outside(png.bytes), nil, "\(type) \(isBefore)")
        let warning = type == "iCCP" ? "profile-ignored" : "metadata-removed"
        #expect(run.json.contains("\"warnings\":[\"\(warning)\"]"), "\(run.json)")
    }

    /// Segments and chunks without number; a million of them are 4 and 14 MB.
    @Test(arguments: [2000, 1_000_000]) func manySegments(count: Int) throws {
        let jpeg = Photos.kitten.jpeg()
        let comments = Array(repeating: JPEGParts.segment(0xFE, []), count: count).flatMap { $0 }
        let progressive = Generated.progressive
        let last = progressive.count - 2
        for (name, bytes) in [
            ("comments", JPEGParts.inserting(comments, into: jpeg)),
            ("comments between scans", progressive[..<last] + comments + progressive[last...]),
            ("text", texts(count)),
        ] {
            let run = try Self.check(Outside(bytes), nil, "\(count) \(name)")
            #expect(run.json.contains("\"metadata-removed\""))
        }
    }

    private func texts(_ count: Int) -> [UInt8] {
        var png = Photos.kitten.png
        png.before = Array(repeating: PNGParts.chunk("tEXt", [0x61, 0]), count: count).flatMap { $0 }
        return png.bytes
    }

    /// Tables for ever: a decoder may keep them, so there is an end.
    @Test func manyTables() throws {
        let table = JPEGParts.segment(0xDB, [3] + [UInt8](repeating: 1, count: 64))
        let tables = Array(repeating: table, count: 100_000).flatMap { $0 }
        let bytes = JPEGParts.inserting(tables, into: Photos.kitten.jpeg())
        _ = try Self.check(Outside(bytes), .corrupt, "tables")
    }

    /// An interval longer than the picture is one that never ends; one that is not kept is damage.
    @Test(arguments: [["-quality 90"], ["-quality 90", "-progressive"]]) func restartIntervals(
        options: [String]
    ) throws {
        let jpeg = Photos.kitten.jpeg(options.joined(separator: " "))
        let long = JPEGParts.inserting(JPEGParts.segment(0xDD, [0xFF, 0xFF]), into: jpeg)
        _ = try Self.check(Outside(long), nil, "65535 \(options)")
        for interval: UInt8 in [1, 2, 100] {
            let short = JPEGParts.inserting(JPEGParts.segment(0xDD, [0, interval]), into: jpeg)
            _ = try Self.check(Outside(short), .corrupt, "\(interval) \(options)")
        }
        // A marker after every MCU, as it should be.
        let each = Photos.kitten.jpeg((options + ["-restart 1B"]).joined(separator: " "))
        _ = try Self.check(Outside(each), nil, "1 \(options)")
    }

    /// Image data that goes on behind the picture, through a pipe: a quarter of a gigabyte inflated, then gigabytes as they are.
    @Test func endlessImageData() throws {
        let header = PNGParts.signature + PNGParts.chunk("IHDR", PNGParts.big(4) + PNGParts.big(4) + [8, 0, 0, 0, 0])
        let scratch = Scratch()
        let inflating = header + PNGParts.chunk("IDAT", Zeros.zlib(Self.much)) + PNGParts.end
        _ = try Self.check(Outside(inflating), nil, "inflating")
        // The chunk says it has 2 GB, the most there can be; what follows the picture in it are zeros.
        let picture = Zeros.zlib(20)
        let long = header + PNGParts.big(0x7FFF_FFFF) + Array("IDAT".utf8) + picture
        let path = scratch.write("long", long)
        let whole = "(cat \(path); head -c 300000000 /dev/zero)"
        _ = try Self.check(Outside("-", from: whole), .inputTooLarge, "more than may be read")
        _ = try Self.check(
            Outside("-", "--max-input-bytes 4GB", from: whole), .truncated, "all of what comes")
        // Zeros are no zlib stream, which libpng tells only at the end.
        let none = scratch.write("none", header + PNGParts.big(0x7FFF_FFFF) + Array("IDAT".utf8))
        _ = try Self.check(
            Outside("-", from: "(cat \(none); head -c 300000000 /dev/zero)"), .inputTooLarge, "zeros alone")
    }

    /// Rows of 2.4 MB: their need is known before they come.
    @Test func wideRows() throws {
        let header =
            PNGParts.signature
            + PNGParts.chunk("IHDR", PNGParts.big(300_000) + PNGParts.big(2) + [16, 6, 0, 0, 0])
        let bytes = header + PNGParts.chunk("IDAT", Zeros.zlib(2 * (8 * 300_000 + 1))) + PNGParts.end
        let run = try #require(Outside(bytes))
        let need = try #require(run.need)
        #expect(run.code == nil && run.grown <= need + 500_000, "\(run.grown) of \(need)")
        let refused = try Self.check(Outside(bytes, "--memory-limit 8MiB"), .memoryLimit, "wide rows")
        #expect(refused.json.contains("\"memory\":{\"limit\":8388608,\"need\":\(need)}"))
    }

    @Test func hugeSides() throws {
        var jpeg = Photos.kitten.jpeg()
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange((frame + 5)..<(frame + 9), with: [0xFF, 0xFF, 0xFF, 0xFF])
        _ = try Self.check(Outside(jpeg), .tooManyPixels, "JPEG")
        for interlace: UInt8 in [0, 1] {
            let header = PNGParts.big(65_535) + PNGParts.big(65_535) + [16, 6, 0, 0, interlace]
            let png =
                PNGParts.signature + PNGParts.chunk("IHDR", header)
                + PNGParts.chunk("IDAT", Zeros.zlib(Self.much)) + PNGParts.end
            _ = try Self.check(Outside(png), .tooManyPixels, "PNG")
        }
    }
}

/// However many scans are allowed, files with few of them are not refused for it, and there is an end.
@Suite struct ScanLimitTests {
    /// A picture whose last scan comes `count` times.
    private static func repeated(_ count: Int) throws -> [UInt8] {
        let jpeg = FlatProgressive.grey.jpeg(64, 48)
        let last = try #require(jpeg.indices.last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        return jpeg[..<last] + (0..<count).flatMap { _ in jpeg[last..<jpeg.count - 2] } + jpeg.suffix(2)
    }

    @Test func memoryGoesWithTheScansThereAre() throws {
        let usual = prepare(try Self.repeated(5), profile: .small)
        let generous = prepare(try Self.repeated(5), profile: .small) { $0.limits.scans = 1_000_000 }
        #expect(generous.code == nil && usual.record.memory?.need == generous.record.memory?.need)
        let many = prepare(try Self.repeated(2000), profile: .small) { $0.limits.scans = 1_000_000 }
        let need = try #require(many.record.memory?.need)
        #expect(many.code == nil && need > (usual.record.memory?.need ?? 0) + 2000 * 2048)
        let refused = prepare(try Self.repeated(2000), profile: .small) {
            $0.limits.scans = 1_000_000
            $0.limits.memory = need - 1
        }
        #expect(refused.code == .memoryLimit)
        #expect(refused.record.memory == .init(need: need, limit: need - 1))
    }

    @Test func thereIsAnEnd() throws {
        // The DC scan and 4095 of AC.
        let most = prepare(try Self.repeated(4095), profile: .small) { $0.limits.scans = .max }
        #expect(most.code == nil)
        let more = prepare(try Self.repeated(4096), profile: .small) { $0.limits.scans = .max }
        #expect(more.code == .tooManyScans && more.record.error?.detail == "limit 4096")
    }
}
