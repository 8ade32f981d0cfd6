import Pixels
import Testing

@testable import JPEGCore

@Suite struct BudgetTests {
    static let pictures: [(name: String, bitmap: Bitmap)] = [
        ("gradient", Pictures.gradient(256, 170)), ("noise", Pictures.noise(96, 80)),
        ("text", Pictures.text(240, 320)), ("texture", Pictures.texture(240, 300)),
        ("grey", Pictures.grey(Pictures.texture(161, 173))),
    ]

    private func search(_ maxBytes: Int, _ effort: Effort) -> BudgetSearch {
        // One scan, so that the ceiling's size is where quality stops limiting.
        BudgetSearch(
            maxBytes: maxBytes, minQuality: 40, maxQuality: 90, effort: effort, progressive: .never)
    }

    /// Sizes at the ceiling and at the floor of 40…90.
    private func sizes(_ image: CoefficientImage, _ effort: Effort) -> ClosedRange<Int>? {
        let wide = search(.max / 4, effort).fit(image) { false }
        let narrow = search(100, effort).fit(image) { false }
        guard case .fits(let top)? = wide, case .tooLarge(let floor)? = narrow else { return nil }
        return floor...top.bytes.count
    }

    @Test(arguments: [Subsampling.s420, .s444], [Effort.fast, .default])
    func budgetsAreKeptAndFilled(_ subsampling: Subsampling, _ effort: Effort) throws {
        var fills: [Double] = []
        var files: [[UInt8]] = []
        for (name, bitmap) in Self.pictures {
            let image = CoefficientImage(bitmap, subsampling: subsampling)
            let range = try #require(sizes(image, effort))
            var lastQuality = 0.0
            for part in 1..<12 {
                let budget = range.lowerBound + (range.upperBound - range.lowerBound) * part / 12
                guard case .fits(let file)? = search(budget, effort).fit(image, isCancelled: { false }) else {
                    Issue.record("\(name): \(budget) does not fit")
                    continue
                }
                #expect(file.bytes.count <= budget)
                #expect(file.limitedBy == .budget)
                // Weighing bits has a second knob, so its tables need not follow the budget step by step.
                #expect(
                    effort != .fast || file.quality >= lastQuality,
                    "\(name): coarser at a bigger budget of \(budget)")
                #expect(file.quality <= 90 && file.quality >= 40)
                lastQuality = file.quality
                let fill = Double(file.bytes.count) / Double(budget)
                // A ramp is nearly all DC, and one divisor more is 3 to 9 % of its few bytes.
                #expect(
                    fill >= (name == "gradient" ? 0.9 : 0.985), "\(name): \(file.bytes.count) of \(budget)")
                if name != "gradient" { fills.append(fill) }
                files.append(file.bytes)
            }
        }
        #expect(fills.reduce(0, +) / Double(fills.count) >= 0.995)
        _ = try Djpeg.decode(files)
    }

    @Test func everyBudgetNearTheCeilingIsKept() throws {
        let image = CoefficientImage(Pictures.texture(64, 48), subsampling: .s420)
        let range = try #require(sizes(image, .default))
        for budget in (range.upperBound - 40)...(range.upperBound + 3) {
            let fit = BudgetSearch(maxBytes: budget, minQuality: 40, maxQuality: 90).fit(image) { false }
            guard case .fits(let file)? = fit else {
                Issue.record("\(budget) does not fit")
                continue
            }
            #expect(file.bytes.count <= budget)
            #expect((file.limitedBy == .quality) == (budget >= range.upperBound))
        }
    }

    @Test func theSameBytesEveryTime() throws {
        let picture = Pictures.texture(180, 130)
        var files: [[UInt8]] = []
        for _ in 0..<2 {
            let image = CoefficientImage(picture, subsampling: .s420)
            let fit = BudgetSearch(maxBytes: 6000, minQuality: 10, maxQuality: 95).fit(image) { false }
            guard case .fits(let file)? = fit else { continue }
            files.append(file.bytes)
        }
        #expect(files.count == 2)
        #expect(files.first == files.last)
    }

    @Test func impossibleBudgetsNameTheFloor() throws {
        let image = CoefficientImage(Pictures.noise(64, 64), subsampling: .s420)
        let floor = try encode(Pictures.noise(64, 64), .s420, quality: 40).bytes.count
        for budget in [Int.min, -1, 0, 1, 100, 700, floor / 2] {
            let fit = BudgetSearch(maxBytes: budget, minQuality: 40, maxQuality: 90).fit(image) { false }
            guard case .tooLarge(let bytes)? = fit else {
                Issue.record("\(budget) cannot fit")
                continue
            }
            #expect(bytes > budget)
            #expect(bytes <= floor && bytes > floor / 2)
            let plain = search(budget, .fast).fit(image) { false }
            if case .tooLarge(let bytes)? = plain { #expect(abs(bytes - floor) < floor / 100) }
        }
    }

    @Test func aSinglePossibleQualityWorks() throws {
        let image = CoefficientImage(Pictures.texture(64, 64), subsampling: .s444)
        let size = try encode(Pictures.texture(64, 64), .s444, quality: 70).bytes.count
        let exact = BudgetSearch(maxBytes: size, minQuality: 70, maxQuality: 70).fit(image) { false }
        let short = BudgetSearch(maxBytes: size / 2, minQuality: 70, maxQuality: 70).fit(image) { false }
        if case .fits(let file)? = exact { #expect(file.bytes.count == size) } else { Issue.record("no fit") }
        if case .tooLarge? = short {} else { Issue.record("nothing fits below the only quality") }
    }

    @Test func cancellationIsAskedBetweenTries() {
        let image = CoefficientImage(Pictures.texture(128, 128), subsampling: .s420)
        let search = BudgetSearch(maxBytes: 4000, minQuality: 10, maxQuality: 95)
        var questions = 0
        let whole = search.fit(image) {
            questions += 1
            return false
        }
        #expect(whole != nil)
        #expect(questions >= 3)
        for limit in 0..<questions {
            var asked = 0
            let fit = search.fit(image) {
                asked += 1
                return asked > limit
            }
            #expect(fit == nil)
        }
    }

    @Test func memoryIsArithmetic() {
        let need = BudgetSearch.memoryNeed(size: PixelSize(1038, 1038), subsampling: .s420, maxBytes: 300_000)
        #expect(need > 1040 * 1040 * 3 && need < 8_500_000)
        #expect(
            BudgetSearch.memoryNeed(size: PixelSize(65535, 65535), subsampling: .s444, maxBytes: .max) > 0)
    }
}
