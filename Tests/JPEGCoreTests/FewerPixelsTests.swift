import Pixels
import Testing

@testable import JPEGCore

/// Whether pixels are given up for looks: only where half of them would show as much.
@Suite struct FewerPixelsTests {
    private func search(_ maxBytes: Int, floor: Double = 40) -> BudgetSearch {
        BudgetSearch(maxBytes: maxBytes, minQuality: floor, maxQuality: 90)
    }

    /// Every sample of a picture eight times in both directions, joined by straight lines: nothing in it is finer
    /// than an eighth of the resolution.
    private func soft(_ width: Int, _ height: Int) -> Bitmap {
        let small = Pictures.texture(width / 8 + 2, height / 8 + 2)
        let across = small.size.width
        let samples = small.samples
        var wide: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    func at(_ column: Int, _ row: Int) -> Int {
                        Int(samples[(row * across + column) * 3 + channel])
                    }
                    let (left, top, right, below) = (x / 8, y / 8, x % 8, y % 8)
                    let upper = at(left, top) * (8 - right) + at(left + 1, top) * right
                    let lower = at(left, top + 1) * (8 - right) + at(left + 1, top + 1) * right
                    wide.append(UInt8((upper * (8 - below) + lower * below + 32) / 64))
                }
            }
        }
        return Bitmap(size: PixelSize(width, height), channels: 3, samples: wide)
    }

    @Test func softPicturesGiveUpPixels() throws {
        let picture = soft(320, 240)
        guard case .fits(let whole)? = search(1_000_000).fit(picture, isCancelled: { false }) else {
            Issue.record("no ceiling")
            return
        }
        let tight = search(whole.bytes.count / 3)
        guard case .betterSmaller(let side)? = tight.fit(picture, mayShrink: true, isCancelled: { false })
        else {
            Issue.record("all pixels kept")
            return
        }
        #expect(side > 0.36 && side < 0.8)
        // Asked to keep them, it does.
        let patient = search(whole.bytes.count / 3, floor: 1)
        guard case .fits(let kept)? = patient.fit(picture, isCancelled: { false }) else {
            Issue.record("does not fit")
            return
        }
        #expect(kept.quality < whole.quality)
        // With room for all there is nothing to give up.
        if case .fits? = search(whole.bytes.count).fit(picture, mayShrink: true, isCancelled: { false }) {
        } else {
            Issue.record("pixels given up for nothing")
        }
    }

    /// Noise has nothing but what half the resolution would not show.
    @Test func detailKeepsPixels() throws {
        let picture = Pictures.noise(128, 128)
        guard case .fits(let floor)? = search(1_000_000, floor: 1).fit(picture, isCancelled: { false }) else {
            Issue.record("no ceiling")
            return
        }
        let fit = search(floor.bytes.count * 3 / 4).fit(picture, mayShrink: true, isCancelled: { false })
        guard case .fits(let file)? = fit else {
            Issue.record("pixels given up")
            return
        }
        #expect(file.quality >= 40 && file.limitedBy == .budget)
    }

    @Test func belowTheFloorPixelsGo() throws {
        let fit = search(3_000).fit(Pictures.noise(128, 128), mayShrink: true, isCancelled: { false })
        guard case .betterSmaller(let side)? = fit else {
            Issue.record("noise of 3000 bytes")
            return
        }
        #expect(side < 0.56)
    }

    /// A bigger budget, which means a higher quality at the whole size, never has fewer pixels.
    @Test func sharesGrowWithQuality() {
        let shares = stride(from: 0.0, through: 100, by: 0.5).map { BudgetSearch.shownBest(atQuality: $0) }
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(shares.allSatisfy { $0 > 0.3 && $0 < 0.8 })
    }

    /// Few sizes, the half and the whole among them, in the order of what was asked for.
    @Test(arguments: [FloatingPointRoundingRule.up, .toNearestOrAwayFromZero])
    func sharesAreEven(_ rule: FloatingPointRoundingRule) {
        let asked = Array(stride(from: 0.01, through: 1, by: 0.01))
        let shares = asked.map { BudgetSearch.evenShare($0, rule) }
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(shares.allSatisfy { ($0 * 16).rounded() == $0 * 16 && $0 > 0 && $0 <= 1 })
        #expect(Set(shares).count <= 12 && shares.contains(0.5) && shares.last == 1)
        if rule == .up { #expect(zip(asked, shares).allSatisfy { $0 <= $1 }) }
        #expect(BudgetSearch.evenShare(7, rule) == 1)
    }
}
