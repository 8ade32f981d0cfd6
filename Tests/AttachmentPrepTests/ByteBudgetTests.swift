import AttachmentPrep
import Testing

/// The byte budget: never exceeded, well used, and more of it never looks worse.
@Suite struct ByteBudgetTests {
    private static let budgets =
        isThorough
        ? [2_000, 4_000, 8_000, 16_000, 30_000, 60_000, 120_000, 300_000] : [2_000, 16_000, 300_000]

    /// Turned, so that it cannot pass as it is.
    private static let sources = Photos.budgetSources.map {
        JPEGParts.inserting(JPEGParts.exif(orientation: 3), into: $0.jpeg("-quality 95"))
    }

    private func run(_ source: Int, _ budget: Int) -> Run {
        prepare(Self.sources[source]) { $0.maxBytes = budget }
    }

    /// The acceptance figures of SPEC: at most the budget, at least 98.5 % of it where it limits.
    @Test(arguments: 0..<3) func everyBudget(source: Int) throws {
        var last: (pixels: Int, quality: Double) = (0, 0)
        for budget in Self.budgets {
            let run = run(source, budget)
            let output = try #require(run.output)
            let encoding = try #require(output.encoding)
            let bytes = try #require(run.picture).count
            let (width, height, quality) = try #require(sizeAndQuality(output))
            #expect(bytes == output.bytes && bytes <= budget && encoding.maxBytes == budget)
            if encoding.limitedBy == .budget {
                #expect(Double(bytes) >= 0.985 * Double(budget), "\(source) \(budget) \(bytes)")
            } else {
                #expect(quality >= 89.5 && encoding.limitedBy == .quality)
            }
            #expect(quality >= 39.5, "\(source) \(budget) \(quality)")
            let isShrunk = run.record.warnings.contains(.shrunkToFit)
            let original = Photos.budgetSources[source]
            #expect(isShrunk == (width < original.width))
            // Rounding the sides may not bend the picture by more than a pixel.
            let shape = Double(width) * Double(original.height) / Double(original.width)
            #expect(abs(shape - Double(height)) <= 1.5)
            #expect(width * height >= last.pixels, "\(source) \(budget)")
            if width * height == last.pixels {
                #expect(quality >= last.quality, "\(source) \(budget) \(quality) \(last.quality)")
            }
            last = (width * height, quality)
            let decoded = Picture(jpeg: run.picture ?? [])
            #expect(decoded?.width == width && decoded?.height == height)
        }
        #expect(last.quality >= 89.5)
    }

    private func sizeAndQuality(_ output: PreparationRecord.Output) -> (Int, Int, Double)? {
        guard let width = output.width, let height = output.height, let quality = output.encoding?.quality
        else {
            return nil
        }
        return (width, height, quality)
    }

    /// Finer steps around the floor, where pixels are given up.
    @Test func aroundTheFloor() throws {
        var last: (pixels: Int, quality: Double) = (0, 0)
        var fills: [Double] = []
        for budget in stride(from: 1_500, through: 12_000, by: 700) {
            let source = JPEGParts.inserting(
                JPEGParts.exif(orientation: 3), into: Photos.kitten.jpeg("-quality 95"))
            let run = prepare(source) { $0.maxBytes = budget }
            let output = try #require(run.output)
            let (width, height, quality) = try #require(sizeAndQuality(output))
            #expect(run.picture.map { $0.count <= budget } == true)
            #expect(width * height >= last.pixels, "\(budget): \(width) × \(height) after \(last.pixels)")
            if width * height == last.pixels { #expect(quality >= last.quality, "\(budget)") }
            if output.encoding?.limitedBy == .budget {
                fills.append(Double(output.bytes ?? 0) / Double(budget))
                #expect(fills.last ?? 0 >= 0.985, "\(budget)")
            }
            last = (width * height, quality)
        }
        #expect(fills.count >= 10 && fills.reduce(0, +) >= 0.995 * Double(fills.count))
    }

    /// Of one pixel nothing is smaller: where it does not fit, that is the end, and not a search without one.
    @Test(arguments: [(1, 1), (2, 1), (2, 2)]) func tinyPictures(width: Int, height: Int) {
        let picture = PNGParts(width: width, height: height) { _, _ in [200, 30, 60] }.bytes
        func run(_ budget: Int, _ progressive: PreparationOptions.Progressive) -> Run {
            prepare(picture, profile: .apns) {
                $0.maxBytes = budget
                $0.progressive = progressive
                $0.limits.timeout = .seconds(10)
            }
        }
        #expect(run(250, .auto).code == .overBudget)
        #expect(run(250, .always).code == .overBudget)
        #expect(run(300_000, .always).record.outcome == .prepared)
    }

    @Test func impossibleBudget() throws {
        for budget in [0, 1, 100, 200] {
            let run = run(0, budget)
            #expect(run.code == .overBudget && run.record.outcome == .rejected && run.picture == nil)
            #expect(run.record.error?.stage == .encode)
        }
    }

    @Test func maxEdge() throws {
        for (edge, width, height) in [(1, 1, 1), (100, 100, 68), (300, 300, 203), (5000, 450, 305)] {
            let run = prepare(Self.sources[0]) { $0.maxEdge = edge }
            let picture = try #require(Picture(jpeg: run.picture ?? []))
            #expect(picture.width == width && picture.height == height)
            #expect(run.output?.width == width && run.output?.height == height)
        }
        // An edge of 200 makes fcm's box of 1024 × 512 one of 200 × 200; 200 × 305 / 450 = 135.6.
        let tall = Photos.budgetSources[0]
        let upright = JPEGParts.inserting(JPEGParts.exif(orientation: 6), into: tall.jpeg("-quality 95"))
        let run = prepare(upright, profile: .fcm) { $0.maxEdge = 200 }
        #expect(run.output?.width == 136 && run.output?.height == 200)
    }

    @Test(arguments: [(40, 60), (70, 70), (90, 93), (1, 30)]) func qualityRange(low: Int, high: Int) throws {
        let free = prepare(Self.sources[1]) { ($0.minQuality, $0.maxQuality) = (low, high) }
        let ceiling = try #require(free.output?.encoding?.quality)
        #expect(abs(ceiling - Double(high)) <= 1 && free.output?.encoding?.limitedBy == .quality)
        let tight = prepare(Self.sources[1]) {
            ($0.minQuality, $0.maxQuality) = (low, high)
            $0.maxBytes = 5_000
        }
        let floor = try #require(tight.output?.encoding?.quality)
        #expect(floor >= Double(low) - 0.5 && floor <= Double(high) + 0.5)
        #expect(tight.picture.map { $0.count <= 5_000 } == true)
    }

    /// At quality 1 all of libjpeg's divisors are 255: Annex K's least, 10, times 50.
    @Test func lowestQuality() throws {
        let run = prepare(Self.sources[0]) { ($0.minQuality, $0.maxQuality) = (1, 1) }
        let encoding = try #require(run.output?.encoding)
        #expect(encoding.quality == 1 && encoding.limitedBy == .quality)
        let segments = try #require(JPEGParts.list(run.picture ?? []))
        let luma = segments.first { $0.marker == 0xDB }?.payload.dropFirst().prefix(64)
        #expect(luma?.count == 64 && luma?.allSatisfy { $0 == 255 } == true)
    }

    /// A higher floor never means more pixels, and a high one fewer.
    @Test func floorDecidesPixels() throws {
        let widths = [10, 50, 89].map { floor in
            prepare(Self.sources[2]) { ($0.minQuality, $0.maxBytes) = (floor, 6_000) }.output?.width ?? 0
        }
        #expect(widths[0] >= widths[1] && widths[1] > widths[2] && widths[2] > 0)
    }

    @Test func sameBytesOnEightThreads() throws {
        let source = Self.sources[0]
        let expected = prepare(source, profile: .small) { $0.maxBytes = 9_000 }
        #expect(expected.picture != nil)
        let runs = Monitor<[Run]>([])
        onThreads(8) { _ in
            let run = prepare(source, profile: .small) { $0.maxBytes = 9_000 }
            runs.update { $0.append(run) }
        }
        let all = runs.update { $0 }
        #expect(all.count == 8)
        #expect(all.allSatisfy { $0.pictures == expected.pictures && $0.timeless == expected.timeless })
    }
}
