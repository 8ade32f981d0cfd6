import Pixels
import Testing

@testable import JPEGCore

@Suite struct FlatLevelsTests {
    private func image(_ level: (_ x: Int, _ y: Int) -> Int) -> CoefficientImage {
        let samples = (0..<64).flatMap { y in (0..<64).map { UInt8(clamping: level($0, y)) } }
        return CoefficientImage(
            Bitmap(size: PixelSize(64, 64), channels: 1, samples: samples), subsampling: .gray)
    }

    /// Divisor of DC in place of another.
    private func chosen(_ divisor: UInt8, _ levels: FlatLevels) -> UInt8 {
        let table = [divisor] + [UInt8](repeating: 99, count: 63)
        let tables = levels.tables(QuantisationTables(luma: table, chroma: table))
        #expect(tables.luma.dropFirst() == table.dropFirst() && tables.chroma == table)
        return tables.luma[0]
    }

    /// DC is eight times what a level differs from 128: of 131 it is 24, which 6, 8 and 12 divide, 7 and 11 do not.
    @Test func oneLevel() {
        let levels = FlatLevels(image { _, _ in 131 })
        #expect([6, 7, 8, 9, 11, 12, 13].map { chosen($0, levels) } == [6, 8, 8, 8, 12, 12, 12])
        // What is beyond any choice.
        #expect(chosen(200, levels) == 200)
    }

    /// Without flat blocks there is nothing to choose for.
    @Test func texture() {
        let levels = FlatLevels(image { x, y in (x ^ y) & 1 == 0 ? 90 : 160 })
        #expect((UInt8(1)...60).allSatisfy { chosen($0, levels) == $0 })
    }

    /// The search uses it where the budget binds: a dark sky above texture keeps its level.
    @Test func aSkyKeepsItsLevel() throws {
        let sky = 131
        let picture = Bitmap(
            size: PixelSize(256, 256), channels: 1,
            samples: (0..<256).flatMap { y in
                (0..<256).map { x in y < 192 ? UInt8(sky) : UInt8(truncatingIfNeeded: x &* 37 ^ y &* 91) }
            })
        for budget in [4_000, 5_000, 6_000, 8_000, 10_000] {
            let search = BudgetSearch(maxBytes: budget, minQuality: 1, maxQuality: 95)
            guard case .fits(let file)? = search.fit(picture, isCancelled: { false }) else {
                Issue.record("nothing fits \(budget)")
                continue
            }
            let shown = try Djpeg.decode(file.bytes).samples
            #expect(shown.prefix(256 * 184).allSatisfy { abs(Int($0) - sky) <= 1 }, "\(budget)")
        }
    }
}
