import AttachmentPrep
import Testing

/// JPEGs that are good as they are: the picture is kept to the last bit, and nothing else of the file.
@Suite struct PassThroughTests {
    private static let plain = Photos.kitten.jpeg("-quality 85")

    /// SOI and EOI apart: JFIF, tables, frame, scan, restart interval.
    private static let allowed: Set<UInt8> = [0xE0, 0xDB, 0xC0, 0xC1, 0xC4, 0xDD, 0xDA]

    private func check(_ run: Run, _ source: [UInt8]) throws {
        #expect(run.record.outcome == .passedThrough && run.output?.encoding?.limitedBy == .lossless)
        let bytes = try #require(run.picture)
        let segments = try #require(JPEGParts.list(bytes))
        #expect(segments.allSatisfy { Self.allowed.contains($0.marker) })
        let jfif = segments.filter { $0.marker == 0xE0 }
        #expect(
            jfif.count == 1 && jfif[0].payload.count == 14
                && jfif[0].payload.starts(with: Array("JFIF\0".utf8)))
        let expected = try #require(Picture(jpeg: source))
        #expect(Picture(jpeg: bytes) == expected)
        #expect(run.output?.width == expected.width && run.output?.height == expected.height)
    }

    @Test func metadataGoes() throws {
        let source = JPEGParts.inserting(
            JPEGParts.exif(orientation: 1, gps: true), JPEGParts.xmp, JPEGParts.comment,
            JPEGParts.segment(0xED, Array("Photoshop 3.0\0".utf8)), JPEGParts.segment(0xE5, [1, 2, 3]),
            into: Self.plain)
        let run = prepare(source + Array("PK\u{3}\u{4}".utf8))
        try check(run, source)
        #expect(run.record.warnings == [.metadataRemoved, .trailingData])
    }

    @Test(
        arguments: [
            "-quality 85 -grayscale", "-quality 85 -sample 1x1", "-quality 85 -sample 2x1",
            "-quality 85 -restart 4B",
            "-quality 85 -optimize", "-quality 15",
        ]) func kinds(options: String) throws
    {
        let source = Photos.kitten.jpeg(options)
        try check(prepare(source), source)
    }

    /// A sequential file may also come one component at a time.
    @Test(arguments: [Arrival.whole, .file]) func scanByScan(arrival: Arrival) throws {
        let source = Generated.multiScan(Photos.kitten)
        try check(prepare(source, arrival), source)
    }

    /// What libjpeg passes over could hold anything: a number of lines (DNL) with more in it, stray markers.
    @Test func whatDoesNotShowGoes() throws {
        let lines = JPEGParts.segment(0xDC, Array("a secret remark".utf8))
        let source = JPEGParts.inserting(lines, [0xFF, 0xD3, 0xFF, 0x01], into: Self.plain)
        let run = prepare(source)
        try check(run, source)
        #expect(run.picture == prepare(Self.plain).picture)
    }

    @Test func whatPreventsIt() {
        let exif = JPEGParts.exif(orientation: 8)
        let stray = Self.plain[..<20] + [0, 0] + Self.plain[20...]
        let gray = Picture(width: 60, height: 50) { x, y in [UInt8(x + y)] }.jpeg()
        let scan = JPEGParts.list(Self.plain) ?? []
        let frames: [UInt8] =
            [0xFF, 0xD8]
            + scan.filter { $0.marker != 0xC4 }.flatMap { JPEGParts.segment($0.marker, $0.payload) }
            + Self.plain[JPEGParts.firstScanData(Self.plain)...]
        let sources: [(String, [UInt8])] = [
            ("no codes, as in Motion JPEG", frames),
            ("progressive", Photos.kitten.jpeg("-quality 85 -progressive")),
            ("ICC", JPEGParts.inserting(JPEGParts.icc, into: Self.plain)),
            ("orientation", JPEGParts.inserting(exif, into: Self.plain)),
            ("warning", Array(stray)),
            ("RGB", Photos.kitten.jpeg("-quality 85 -rgb")),
            ("CMYK", JPEGParts.cmyk(fromGray: gray)),
        ]
        for (name, source) in sources {
            let run = prepare(source)
            #expect(run.record.outcome == .prepared, "\(name): \(run.record)")
            #expect(run.output?.encoding?.limitedBy != .lossless, "\(name)")
            #expect(run.picture.flatMap { Picture(jpeg: $0) } != nil, "\(name)")
        }
        #expect(prepare(Array(stray)).record.warnings == [.harmlessDamage])
        #expect(prepare(JPEGParts.cmyk(fromGray: gray)).record.warnings == [.colorConverted])
    }

    @Test func largerThanTheBox() {
        let fits = Profile(name: "box", width: 225, height: 153, maxBytes: 100_000)
        #expect(prepare(Self.plain, profile: fits).record.outcome == .passedThrough)
        for (width, height) in [(224, 153), (225, 152)] {
            let box = Profile(name: "box", width: width, height: height, maxBytes: 100_000)
            #expect(prepare(Self.plain, profile: box).record.outcome == .prepared)
        }
        #expect(prepare(Self.plain) { $0.maxEdge = 200 }.record.outcome == .prepared)
    }

    /// The budget is compared with what is left after stripping, to the byte.
    @Test func budget() throws {
        let heavy = JPEGParts.inserting(
            JPEGParts.segment(0xED, [UInt8](repeating: 7, count: 60_000)), into: Self.plain)
        let size = try #require(prepare(heavy).picture).count
        #expect(size <= Self.plain.count)
        let exact = prepare(heavy) { $0.maxBytes = size }
        #expect(exact.record.outcome == .passedThrough && exact.picture?.count == size)
        let less = prepare(heavy) { $0.maxBytes = size - 1 }
        #expect(less.record.outcome == .prepared)
        #expect(less.picture.map { $0.count < size } == true)
    }

    @Test func iconsAreSquare() throws {
        let square = Picture(width: 150, height: 150) { x, y in [UInt8(x), UInt8(y), 90] }.jpeg("-quality 80")
        try check(prepare(square, profile: .icon), square)
        let wide = Picture(width: 150, height: 149) { x, y in [UInt8(x), UInt8(y), 90] }.jpeg("-quality 80")
        let run = prepare(wide, profile: .icon)
        #expect(run.record.outcome == .prepared && run.output?.width == 149 && run.output?.height == 149)
        let large = Picture(width: 200, height: 200) { x, y in [UInt8(x), UInt8(y), 90] }.jpeg("-quality 80")
        #expect(prepare(large, profile: .icon).output?.width == 192)
    }

    /// Profiles decide each for itself: what does not fit one budget may pass under the other.
    @Test func severalProfiles() throws {
        var tight = Profile.thumb
        tight.maxBytes = 4_000
        let run = AttachmentPreparer([.apns, tight]) { _ in }.run(Self.plain)
        #expect(run.record.outputs.map(\.outcome) == [.passedThrough, .prepared])
        #expect(Picture(jpeg: run.pictures[0] ?? []) == Picture(jpeg: Self.plain))
        #expect(run.pictures[1].map { $0.count <= 4_000 } == true)
    }
}
