import Pixels
import Testing

@testable import JPEGCore

/// `Effort.fast`, on pictures with rows enough to look at a quarter of them.
@Suite struct QuickSearchTests {
    private static let pictures: [(name: String, bitmap: Bitmap)] = [
        ("texture", Pictures.texture(96, 272)), ("noise", Pictures.noise(80, 304)),
    ]

    private func search(_ maxBytes: Int, floor: Double = 10) -> BudgetSearch {
        BudgetSearch(maxBytes: maxBytes, minQuality: floor, maxQuality: 90, effort: .fast)
    }

    /// Sizes of files at the floor and at the ceiling.
    private func sizes(_ image: CoefficientImage) -> ClosedRange<Int>? {
        guard case .fits(let top)? = search(.max / 4).fit(image, isCancelled: { false }),
            case .tooLarge(let floor)? = search(100).fit(image, isCancelled: { false })
        else { return nil }
        return floor...top.bytes.count
    }

    @Test(arguments: [Subsampling.s420, .s444])
    func fewLooksFillABudget(_ subsampling: Subsampling) throws {
        var fills: [Double] = []
        var quick = 0
        for (name, bitmap) in Self.pictures {
            let image = CoefficientImage(bitmap, subsampling: subsampling)
            let range = try #require(sizes(image))
            for part in 1..<9 {
                let budget = range.lowerBound + (range.upperBound - range.lowerBound) * part / 9
                var questions = 0
                let fit = search(budget).fit(image) {
                    questions += 1
                    return false
                }
                guard case .fits(let file)? = fit else {
                    Issue.record("\(name): \(budget) does not fit")
                    continue
                }
                #expect(file.bytes.count <= budget && file.limitedBy == .budget)
                let fill = Double(file.bytes.count) / Double(budget)
                #expect(fill >= 0.985, "\(name): \(file.bytes.count) of \(budget)")
                fills.append(fill)
                // At the start, before each of five looks and before the file is written; else the thorough way was gone.
                if questions <= 7 { quick += 1 }
            }
        }
        #expect(fills.reduce(0, +) / Double(fills.count) >= 0.995)
        #expect(quick * 4 >= fills.count * 3, "\(quick) of \(fills.count)")
    }

    /// Rows are counted apart, so values that are finer than half the resolution are told from others.
    @Test func fineValuesAreCounted() {
        func fine(_ level: (_ x: Int, _ y: Int) -> Int) -> Int {
            let samples = (0..<64).flatMap { y in (0..<64).map { UInt8(clamping: level($0, y)) } }
            let image = CoefficientImage(
                Bitmap(size: PixelSize(64, 64), channels: 1, samples: samples), subsampling: .gray)
            let quantiser = BlockQuantiser([UInt8](repeating: 20, count: 64), deadZone: 0)
            var counts = SymbolCounts()
            counts.add(image, component: 0, quantiser: quantiser, rows: .sampled)
            counts.add(image, component: 0, quantiser: quantiser, rows: .rest)
            return counts.fine
        }
        // Columns in turn have the highest frequency and three that alias below it; a ramp over a block has none.
        #expect(fine { x, _ in x % 2 == 0 ? 100 : 150 } >= 64)
        #expect(fine { x, _ in x * 4 } == 0)
    }

    /// What a cheaper look expects is about what the thorough one does, so both give up pixels in the same places.
    @Test func bothEffortsExpectTheSame() throws {
        let image = CoefficientImage(Pictures.texture(320, 288), subsampling: .s420)
        let ladder = ScaleLadder(minQuality: 10, maxQuality: 90)
        let top = try #require(sizes(image)).upperBound
        func outlook(_ effort: Effort) -> Outlook {
            var pass = SearchPass(
                image: image, ladder: ladder, maxBytes: top / 2, effort: effort, progressive: .never)
            return pass.look(ladder)
        }
        let (quick, thorough) = (outlook(.fast), outlook(.default))
        // Rounding to nearest needs coarser tables for the same bytes, but none that are far from the other's.
        #expect(quick.quality <= thorough.quality && quick.quality > thorough.quality - 15)
        #expect(abs(quick.fineDetail - thorough.fineDetail) < thorough.fineDetail / 2)
    }
}
