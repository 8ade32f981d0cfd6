import AttachmentPrep
import MediaTypes
import Testing

/// Every field of the record, for each kind of end.
@Suite struct RecordTests {
    private let turned = JPEGParts.inserting(
        JPEGParts.exif(orientation: 6, gps: true), into: Photos.kitten.jpeg("-quality 85"))

    @Test func prepared() throws {
        let run = prepare(turned, name: "a/Photo.JPEG", profile: .small)
        let record = run.record
        #expect(record.input == "a/Photo.JPEG" && record.inputBytes == nil)
        #expect(record.outcome == .prepared && record.error == nil && record.elapsedSeconds > 0)
        #expect(record.warnings == [.metadataRemoved])
        var source = PreparationRecord.Source(format: .jpeg)
        source.claimedExtension = "jpeg"
        source.bytes = turned.count
        (source.width, source.height) = (225, 153)
        source.orientation = 6
        source.animated = false
        #expect(record.source == source)
        let memory = try #require(record.memory)
        #expect(memory.limit == 512 * 1024 * 1024)
        #expect(memory.need > 0 && memory.need < 10_000_000)

        #expect(record.outputs.count == 1)
        let output = try #require(run.output)
        #expect(output.profile == "small" && output.outcome == .prepared && output.error == nil)
        #expect(output.path == "out.jpg" && output.url == nil)
        #expect(output.format == .jpeg)
        // 225 × 153 upright is 153 × 225; 200 / 225 × 153 = 136.
        #expect(output.width == 136 && output.height == 200 && output.sizeRatio == 200.0 / 136)
        let picture = try #require(run.picture)
        #expect(output.bytes == picture.count)
        let decoded = try #require(Picture(jpeg: picture))
        #expect(decoded.width == 136 && decoded.height == 200)
        let encoding = try #require(output.encoding)
        #expect(encoding.maxBytes == 100_000 && encoding.subsampling == "4:2:0")
        #expect(encoding.limitedBy == .quality)
        let quality = try #require(encoding.quality)
        #expect(abs(quality - 90) <= 0.5)
    }

    /// The record's quality is that of the tables in the file: the mean of Annex K's luminance table is 57.625,
    /// and libjpeg divides it by 50 / quality below 50, else multiplies it by 2 - quality / 50.
    @Test(arguments: [4_000, 9_000, 20_000]) func qualityIsThatOfTheTables(budget: Int) throws {
        let run = prepare(turned, profile: .small) { $0.maxBytes = budget }
        let segments = try #require(JPEGParts.list(run.picture ?? []))
        let tables = try #require(segments.first { $0.marker == 0xDB })
        let mean = Double(tables.payload[1...64].reduce(0) { $0 + Int($1) }) / 64
        let scale = mean / (3688.0 / 64)
        let expected = scale > 1 ? 50 / scale : 100 - 50 * scale
        let quality = try #require(run.output?.encoding?.quality)
        #expect(abs(quality - expected) <= 1)
    }

    @Test func passedThrough() throws {
        let source = try #require(contents(Photos.path("rocket-small.jpg")))
        let run = prepare(source, name: "rocket-small.jpg")
        #expect(run.record.outcome == .passedThrough && run.record.error == nil)
        let output = try #require(run.output)
        #expect(output.outcome == .passedThrough && output.profile == "apns" && output.path == "out.jpg")
        #expect(output.width == 640 && output.height == 427 && output.bytes == run.picture?.count)
        #expect(
            output.encoding
                == .init(maxBytes: 300_000, quality: nil, subsampling: "4:2:0", limitedBy: .lossless))
        #expect(run.record.source?.orientation == 1)
    }

    @Test func rejected() throws {
        let run = prepare([UInt8]("not a picture, only words".utf8), name: "words.gif")
        #expect(run.record.outcome == .rejected && run.record.outputs.isEmpty && run.record.memory == nil)
        #expect(run.record.error?.code == .unknownFormat && run.record.error?.stage == .sniff)
        #expect(run.record.error?.message.isEmpty == false)
        #expect(run.record.source?.format == .unknown && run.record.source?.bytes == 25)
        #expect(run.record.source?.width == nil && run.record.source?.orientation == nil)
    }

    @Test func failed() {
        let scratch = Scratch()
        let path = scratch.file("nothing.png")
        let record = AttachmentPreparer().record(of: .file(path), into: .directory(scratch.path))
        #expect(record.input == path && record.outcome == .failed)
        #expect(record.outputs.isEmpty && record.source == nil && record.memory == nil)
        #expect(record.error?.code == .io && record.error?.stage == .input)
        #expect(record.error?.message.contains(path) == true)
        #expect(scratch.names.isEmpty)
    }

    /// The record's outcome and error are those of the worst output; the others stay as good as they are.
    @Test func theWorstOutputDecides() throws {
        let tiny = Profile(name: "tiny", width: 200, height: 200, maxBytes: 100)
        let run = AttachmentPreparer([.small, tiny, .icon]) { _ in }.run(turned)
        #expect(run.record.outputs.map(\.outcome) == [.prepared, .rejected, .prepared])
        #expect(run.record.outcome == .rejected && run.code == .overBudget)
        #expect(run.pictures[0] != nil && run.pictures[2] != nil)
        let refused = run.record.outputs[1]
        #expect(refused.profile == "tiny" && refused.error?.code == .overBudget && refused.path == nil)
        #expect(
            refused.bytes == nil && refused.format == nil && refused.width == nil && refused.encoding == nil)
        #expect(run.record.outputs.map(\.path) == ["out-small.jpg", nil, "out-icon.jpg"])
    }

    @Test func passedThroughIsWorseThanPreparedOnlyInName() {
        let plain = Photos.kitten.jpeg("-quality 80")
        let run = AttachmentPreparer([.apns, .small]) { _ in }.run(plain)
        #expect(run.record.outputs.map(\.outcome) == [.passedThrough, .prepared])
        #expect(run.record.outcome == .passedThrough && run.record.error == nil)
    }

    @Test func nameThatIsNotUTF8() throws {
        let scratch = Scratch()
        let path = FilePath(bytes: Array(scratch.file("caf").utf8) + [0xE9] + Array(".jpg".utf8))
        scratch.write("x", Photos.kitten.jpeg())
        #expect(shell("mv \(scratch.file("x")) \"$(printf '\(scratch.path)/caf\\351.jpg')\"").status == 0)
        let record = AttachmentPreparer(profile: .small).record(
            of: .file(path), into: .directory(scratch.path))
        #expect(record.outcome == .prepared)
        #expect(record.input == scratch.file("caf\u{FFFD}.jpg") && record.inputBytes == path.bytes)
        #expect(record.source?.claimedExtension == "jpg")
    }
}
