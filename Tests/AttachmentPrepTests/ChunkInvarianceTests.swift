import AttachmentPrep
import Testing

/// How the bytes come changes nothing: not the output, not the record.
@Suite struct ChunkInvarianceTests {
    private func compare(_ bytes: [UInt8], name: String, _ arrivals: [Arrival]) {
        let preparer = AttachmentPreparer([.small]) { _ in }
        let expected = preparer.run(bytes, name: name, .whole)
        #expect(expected.picture != nil && expected.record.source?.bytes == bytes.count, "\(name)")
        for arrival in arrivals {
            var run = preparer.run(bytes, name: name, arrival)
            // A file is named by its whole path, and a pipe's name claims nothing.
            run.record.input = name
            if arrival == .pipe, let source = run.record.source {
                #expect(source.claimedExtension == nil && !source.typeMismatch)
                run.record.source = expected.record.source
                run.record.source?.bytes = source.bytes
                run.record.warnings += expected.record.warnings.filter { $0 == .mismatchedExtension }
            }
            #expect(run.timeless == expected.timeless, "\(name) \(arrival)")
            #expect(run.pictures == expected.pictures, "\(name) \(arrival)")
        }
    }

    @Test(arguments: Photos.all) func sample(name: String) throws {
        let bytes = try #require(contents(Photos.path(name)))
        compare(bytes, name: name, [.pieces(1000), .pieces(65_536), .file, .pipe])
    }

    @Test(arguments: Generated.names) func generated(name: String) throws {
        let bytes = try #require(Generated.files[name])
        compare(bytes, name: name, [.pieces(1), .pieces(7), .pieces(1000), .pieces(65_536), .file, .pipe])
    }

    /// What follows the picture is noticed wherever it begins, be it at the very end of a piece.
    @Test(arguments: [0, 1, 65_535, 65_536, 200_000]) func trailingData(gap: Int) {
        let padding = [UInt8](repeating: 0, count: gap)
        for picture in [Generated.baseline, Generated.progressive, Generated.png] {
            let bytes = picture + padding + Array("PK\u{3}\u{4}".utf8)
            let preparer = AttachmentPreparer([.small]) { _ in }
            for arrival: Arrival in [.whole, .pieces(1000), .pieces(picture.count), .file, .pipe] {
                let record = preparer.run(bytes, name: "input", arrival).record
                #expect(record.warnings.contains(.trailingData), "\(arrival)")
                #expect(record.source?.bytes == bytes.count, "\(arrival)")
            }
        }
    }

    @Test func paddingIsNoTrailingData() {
        let bytes = Generated.baseline + [UInt8](repeating: 0, count: 100_000)
        for arrival: Arrival in [.whole, .pieces(1000), .file, .pipe] {
            #expect(prepare(bytes, profile: .small, arrival).record.warnings == [])
        }
    }
}

/// Small files of many kinds.
enum Generated {
    static let names = files.keys.sorted()

    static let picture = Photos.kitten
    static let baseline = picture.jpeg("-quality 60")
    static let progressive = picture.jpeg("-quality 60 -progressive")
    static let png = smallPNG.bytes

    private static var smallPNG: PNGParts {
        var png = picture.png
        png.height = 60
        return png
    }

    /// A picture with a hole.
    private static func alpha(_ x: Int, _ y: Int) -> UInt8 { (x / 8 + y / 8) % 2 == 0 ? 255 : UInt8(x & 127) }

    static var files: [String: [UInt8]] {
        let gray = Picture(width: 60, height: 50) { x, y in [UInt8((x * 5 + y * 3) & 255)] }.jpeg(
            "-quality 80")
        let head = JPEGParts.inserting(
            JPEGParts.exif(orientation: 6, gps: true), JPEGParts.comment, into: progressive)
        return [
            "baseline.jpg": baseline,
            "gray.jpg": gray,
            "progressive-turned.jpg": head,
            "progressive-profile.jpg": JPEGParts.inserting(JPEGParts.icc, into: progressive),
            "progressive-mpo.jpg": JPEGParts.inserting(JPEGParts.mpf, into: progressive) + baseline,
            // Stray bytes between two segments.
            "progressive-odd.jpg": progressive[..<20] + [0, 0, 0] + progressive[20...],
            "restarts.jpg": picture.jpeg("-quality 60 -restart 3B"),
            "scans.jpg": multiScan(picture),
            "cmyk.jpg": JPEGParts.cmyk(fromGray: gray),
            "mpo.jpg": JPEGParts.inserting(JPEGParts.mpf, into: baseline) + baseline,
            "zip-behind.jpg": baseline + Array("PK\u{3}\u{4} and more".utf8),
            "plain.png": png,
            "wrong-suffix.gif": png,
            "interlaced.png": interlaced,
            "alpha.png": PNGParts(width: 40, height: 30, color: .rgba) { x, y in
                [UInt8(x * 6), UInt8(y * 8), 77, alpha(x, y)]
            }.bytes,
            "deep-turned.png": PNGParts(
                width: 40, height: 30, color: .grayAlpha, depth: 16,
                before: PNGParts.chunk("eXIf", JPEGParts.tiff(orientation: 5))
            ) { x, y in [UInt8(x * 6), UInt8(y), 255, alpha(x, y)] }.bytes,
            "palette.png": PNGParts(
                width: 40, height: 30, color: .palette,
                before: PNGParts.chunk("PLTE", [255, 0, 0, 0, 255, 0, 9, 9, 9])
                    + PNGParts.chunk("tRNS", [255, 128]) + PNGParts.chunk("tEXt", Array("a\0b".utf8))
            ) { x, y in [UInt8((x + y) % 3)] }.bytes,
            "animated.png": animated,
        ]
    }

    /// Sequential, but one scan a component.
    static func multiScan(_ picture: Picture) -> [UInt8] {
        let scratch = Scratch()
        let script = scratch.write("scans", Array("0;\n1;\n2;\n".utf8))
        return picture.jpeg("-quality 60 -scans \(script)")
    }

    static var interlaced: [UInt8] {
        var png = smallPNG
        png.isInterlaced = true
        return png.bytes
    }

    /// One frame that is the default image, and one that is not.
    private static var animated: [UInt8] {
        let control =
            PNGParts.big(0) + PNGParts.big(40) + PNGParts.big(30) + PNGParts.big(0) + PNGParts.big(0)
        return PNGParts(
            width: 40, height: 30,
            before: PNGParts.chunk("acTL", PNGParts.big(2) + PNGParts.big(0))
                + PNGParts.chunk("fcTL", control + [0, 1, 0, 10, 0, 0]),
            after: PNGParts.chunk("fdAT", PNGParts.big(2) + [1, 2, 3])
        ) { x, y in [UInt8(x), UInt8(y), 200] }.bytes
    }
}
