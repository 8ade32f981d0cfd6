import AttachmentPrep
import Foundation
import Testing

/// No bytes above what a JPEG of low quality holds; sources are cjpeg's.
@Suite struct SourceLimitTests {
    /// Several scans, which cannot pass as they are; 448 × 304 is whole in MCUs of 16 × 16.
    private static let aligned = Picture(width: 448, height: 304) { x, y in
        Photos.budgetSources[0].pixel(x, y)
    }

    private func psnr(_ a: Picture, _ b: Picture) -> Double {
        guard a.width == b.width, a.height == b.height, a.channels == b.channels else { return 0 }
        var sum = 0.0
        for (x, y) in zip(a.samples, b.samples) {
            sum += (Double(x) - Double(y)) * (Double(x) - Double(y))
        }
        return 10 * log10(255 * 255 * Double(a.samples.count) / max(1, sum))
    }

    /// The source's own values take the source's own bytes, about, and look like it.
    @Test(arguments: [20, 35, 50, 65, 80], ["2x2", "1x1"])
    func unscaled(quality: Int, sampling: String) throws {
        let source = Self.aligned.jpeg("-progressive -quality \(quality) -sample \(sampling)")
        let run = prepare(source)
        let encoding = try #require(run.output?.encoding)
        #expect(encoding.limitedBy == .source)
        let emitted = try #require(encoding.quality)
        #expect(quality < 40 ? (40...46).contains(emitted) : emitted == Double(quality))
        #expect(encoding.subsampling == (sampling == "2x2" ? "4:2:0" : "4:4:4"))
        let bytes = try #require(run.picture)
        #expect(Double(bytes.count) < 1.12 * Double(source.count), "\(bytes.count) \(source.count)")
        let before = try #require(Picture(jpeg: source))
        let after = try #require(Picture(jpeg: bytes))
        #expect(psnr(before, after) > 36, "\(psnr(before, after))")
        // The same pixels from a PNG, which has no such limit.
        let free = prepare(PNGParts(width: 448, height: 304) { before.pixel($0, $1) }.bytes).output
        #expect(free?.encoding?.limitedBy == .quality)
        if quality < 80 { #expect(bytes.count * 8 < (free?.bytes ?? 0) * 7) }
    }

    /// Blocks that end up elsewhere are coarser than the ceiling, but not as coarse as the source's.
    @Test func blocksThatMoved() throws {
        // Mirrored, and 450 is no multiple of 16.
        let source = JPEGParts.inserting(
            JPEGParts.exif(orientation: 2), into: Photos.budgetSources[0].jpeg("-quality 50 -sample 2x2"))
        let encoding = try #require(prepare(source).output?.encoding)
        // 0.38 of Annex K is quality 81.
        let quality = try #require(encoding.quality)
        #expect(encoding.limitedBy == .source && abs(quality - 81) < 0.5)
    }

    /// Turned by a quarter and whole in MCUs: the tables are turned as well, K.1's first column becomes its first row.
    @Test func turnedBlocks() throws {
        let source = JPEGParts.inserting(
            JPEGParts.exif(orientation: 6), into: Self.aligned.jpeg("-quality 50 -sample 2x2"))
        let run = prepare(source)
        #expect(run.output?.encoding?.limitedBy == .source && run.output?.encoding?.quality == 50)
        let parts = JPEGParts.list(try #require(run.picture)) ?? []
        let tables = try #require(parts.first { $0.marker == 0xDB }).payload
        // Zigzag: (0, 0), (0, 1), (1, 0), (2, 0), (1, 1), (0, 2).
        #expect(Array(tables.prefix(7)) == [0, 16, 12, 11, 10, 12, 14])
    }

    /// Averaging makes up for coarse divisors.
    @Test func reducedSourcesKeepTheCeiling() throws {
        let half = prepare(Self.aligned.jpeg("-quality 50")) { $0.maxEdge = 200 }
        #expect(half.output?.encoding?.limitedBy == .quality)
        #expect((half.output?.encoding?.quality ?? 0) > 89.5)
        let high = prepare(Self.aligned.jpeg("-quality 50")) { ($0.maxEdge, $0.maxQuality) = (200, 100) }
        #expect(high.output?.encoding?.limitedBy == .source)
        #expect((high.output?.encoding?.quality ?? 0) > 90)
    }

    /// What the caller asks for wins, and a source finer than the ceiling changes nothing.
    @Test func limitsOfTheCallerHold() throws {
        let coarse = Self.aligned.jpeg("-progressive -quality 35")
        let floor = prepare(coarse) { $0.minQuality = 85 }.output?.encoding
        #expect((floor?.quality ?? 0) >= 85 && floor?.limitedBy == .source)
        let ceiling = prepare(coarse) { ($0.minQuality, $0.maxQuality) = (10, 20) }.output?.encoding
        #expect((ceiling?.quality ?? 100) <= 20.5 && ceiling?.limitedBy == .quality)
        let budget = prepare(coarse) { $0.maxBytes = coarse.count / 2 }.output
        #expect(budget?.encoding?.limitedBy == .budget && (budget?.bytes ?? .max) <= coarse.count / 2)
        let fine = prepare(Self.aligned.jpeg("-progressive -quality 95")).output?.encoding
        #expect(fine?.limitedBy == .quality && (fine?.quality ?? 0) > 89.5)
    }

    /// A baseline file cannot say so: cjpeg's quality 1 takes divisors of two bytes.
    @Test func divisorsOfTwoBytes() throws {
        for quality in [1, 5] {
            let source = Self.aligned.jpeg("-progressive -quality \(quality)")
            let encoding = prepare(source).output?.encoding
            #expect(encoding?.limitedBy == .source && (encoding?.quality ?? 0) >= 40)
        }
    }
}
