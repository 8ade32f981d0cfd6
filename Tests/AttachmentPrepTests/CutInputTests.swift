import AttachmentPrep
import Testing

/// Inputs that end early: never a picture unless asked for, never a crash.
@Suite struct CutInputTests {
    private static let box = Profile(name: "box", width: 100, height: 100, maxBytes: 100_000)
    private static let photo = Photos.reduced("forget-me-nots.jpg", eighths: 1)

    /// A file, where its picture ends, and from where on there is something to show.
    struct Case: Sendable {
        let name: String
        let bytes: [UInt8]
        let showable: Int
    }

    static let cases: [Case] = {
        let baseline = photo.jpeg("-quality 90")
        let progressive = photo.jpeg("-quality 90 -progressive")
        var png = Photos.kitten.png
        png.height = 60
        let plain = png.bytes
        png.isInterlaced = true
        return [
            Case(name: "baseline", bytes: baseline, showable: JPEGParts.firstScanData(baseline)),
            Case(name: "progressive", bytes: progressive, showable: JPEGParts.firstScanData(progressive)),
            // Signature, IHDR, then length and type of the first IDAT.
            Case(name: "png", bytes: plain, showable: 8 + 25 + 8),
            Case(name: "interlaced png", bytes: png.bytes, showable: 8 + 25 + 8),
        ]
    }()

    /// Every 997th byte, the first ones, and each of the last 12: IEND has as many, and EOI two.
    private func cuts(_ count: Int) -> [Int] {
        Array(stride(from: 997, to: count, by: isThorough ? 997 : 9970)) + [1, 2, 3, 20, 41]
            + (1...12).map { count - $0 }
    }

    @Test(arguments: 0..<4) func refusedByDefault(index: Int) {
        let file = Self.cases[index]
        #expect(prepare(file.bytes).picture != nil)
        for cut in cuts(file.bytes.count) {
            let run = prepare(Array(file.bytes[..<cut]), profile: Self.box)
            #expect(
                run.pictures.allSatisfy { $0 == nil } && run.record.outcome == .rejected,
                "\(file.name) \(cut)")
            // Of one or two bytes nobody can know what they were.
            let codes: [PrepError.Code] = cut < 8 ? [.truncated, .unknownFormat] : [.truncated, .corrupt]
            #expect(run.code.map { codes.contains($0) } == true, "\(file.name) \(cut) \(run.record)")
            let isAdvised = run.record.error?.message.contains("--allow-truncated") == true
            #expect(isAdvised == (run.code == .truncated), "\(file.name) \(cut)")
        }
    }

    @Test(arguments: 0..<4) func shownWhenAllowed(index: Int) throws {
        let file = Self.cases[index]
        for cut in cuts(file.bytes.count) {
            let run = prepare(Array(file.bytes[..<cut]), profile: Self.box) { $0.allowsTruncated = true }
            guard cut >= file.showable else {
                #expect(run.picture == nil && run.record.outcome == .rejected, "\(file.name) \(cut)")
                // Nobody is told to do what was done.
                let message = try #require(run.record.error?.message)
                #expect(!message.contains("--allow-truncated"), "\(file.name) \(cut)")
                continue
            }
            let picture = Picture(jpeg: run.picture ?? [])
            #expect(picture?.width == 100, "\(file.name) \(cut) \(run.record)")
            #expect(run.record.outcome == .prepared, "\(file.name) \(cut)")
            #expect(run.record.warnings.contains(.truncatedInput), "\(file.name) \(cut)")
        }
    }

    /// With all of its data but not its end a small JPEG must not pass as it is.
    @Test(arguments: [1, 2]) func whatHasNoEndDoesNotPass(missing: Int) throws {
        let whole = Self.cases[0].bytes
        #expect(prepare(whole).record.outcome == .passedThrough)
        let run = prepare(whole.dropLast(missing)) { $0.allowsTruncated = true }
        #expect(run.record.outcome == .prepared && run.record.warnings == [.truncatedInput])
        let expected = try #require(Picture(jpeg: whole))
        let shown = try #require(Picture(jpeg: run.picture ?? []))
        #expect(shown.width == expected.width && shown.height == expected.height)
    }

    /// Rows that never came have the colour of the background.
    @Test func missingPartIsBackground() throws {
        let red = Picture(width: 120, height: 100) { _, _ in [255, 0, 0] }
        let bytes = red.png.bytes
        let half = Array(bytes[..<(bytes.count / 2)])
        let run = prepare(half) {
            $0.allowsTruncated = true
            $0.background = 0x20_60C0
        }
        let picture = try #require(Picture(jpeg: run.picture ?? []))
        #expect(picture.width == 120 && picture.height == 100)
        #expect(isClose(picture.pixel(60, 10), [255, 0, 0]))
        #expect(isClose(picture.pixel(60, 90), [0x20, 0x60, 0xC0]))
        #expect(run.record.warnings == [.truncatedInput])
    }

    /// Grey pixels do not make the background grey.
    @Test func backgroundKeepsItsColour() throws {
        let gray = PNGParts(width: 60, height: 50, color: .grayAlpha) { x, _ in [90, x < 30 ? 255 : 0] }.bytes
        let picture = try #require(
            Picture(jpeg: prepare(gray) { $0.background = 0x20_60C0 }.picture ?? []))
        #expect(isClose(picture.pixel(10, 25), [90, 90, 90]))
        #expect(isClose(picture.pixel(50, 25), [0x20, 0x60, 0xC0]))
    }

    /// An interlaced picture of which every second row is missing is shown in all of its rows.
    @Test func passesFillEachOther() throws {
        var png = Photos.kitten.png
        png.height = 60
        png.isInterlaced = true
        let whole = try #require(Picture(jpeg: prepare(png.bytes).picture ?? []))
        // The last pass is half of the data.
        let half = Array(png.bytes[..<(png.bytes.count * 6 / 10)])
        let run = prepare(half) { $0.allowsTruncated = true }
        let shown = try #require(Picture(jpeg: run.picture ?? []))
        #expect(shown.width == whole.width && shown.height == whole.height)
        let difference = zip(shown.samples, whole.samples).map { abs(Int($0) - Int($1)) }
        #expect(difference.reduce(0, +) / difference.count < 8)
    }

    /// What came before the cut is shown as it is.
    @Test func upperPartStays() throws {
        let whole = Self.cases[0].bytes
        let run = prepare(Array(whole[..<(whole.count * 3 / 4)])) { $0.allowsTruncated = true }
        let shown = try #require(Picture(jpeg: run.picture ?? []))
        let original = try #require(Picture(jpeg: whole))
        let rows = original.width * 3 * (original.height / 3)
        let difference = zip(shown.samples[..<rows], original.samples[..<rows]).map { abs(Int($0) - Int($1)) }
        #expect(difference.reduce(0, +) / rows < 6)
    }

    /// A damaged middle is no truncation, and is refused even where truncation is allowed.
    @Test func damage() {
        var bytes = Generated.png
        bytes[bytes.count / 2] ^= 0x55
        for allowed in [false, true] {
            let run = prepare(bytes, profile: Self.box) { $0.allowsTruncated = allowed }
            #expect(run.code == .corrupt && run.record.outcome == .rejected && run.picture == nil)
        }
    }
}
