import Pixels
import Testing

@testable import JPEGCore

@Suite struct ChromaTests {
    private func subsampling(_ bitmap: Bitmap, maxBytes: Int) -> Subsampling? {
        let search = BudgetSearch(maxBytes: maxBytes, minQuality: 1, maxQuality: 90)
        guard case .fits(let file)? = search.fit(bitmap, isCancelled: { false }) else { return nil }
        return file.subsampling
    }

    /// Thin red lines on black, which half resolution would make dark and broad.
    @Test func saturatedLinesKeepTheirChroma() {
        var samples = [UInt8](repeating: 0, count: 96 * 96 * 3)
        for y in 0..<96 {
            for x in 0..<96 where x % 5 == 0 { samples[(y * 96 + x) * 3] = 255 }
        }
        let lines = Bitmap(size: PixelSize(96, 96), channels: 3, samples: samples)
        #expect(ChromaDetail(lines).concentrated > 1000)
        #expect(subsampling(lines, maxBytes: 20_000) == .s444)
    }

    @Test func smoothColourIsHalved() {
        #expect(subsampling(Pictures.gradient(256, 170), maxBytes: 20_000) == .s420)
        #expect(subsampling(Pictures.grey(Pictures.texture(64, 64)), maxBytes: 20_000) == .gray)
    }

    /// Of a red and a black pixel in turn, both are as far from their mean: (255 · 0.713 · 0.701 / 2)² for Cr.
    @Test func theLossIsTheFormulas() {
        let samples: [UInt8] = (0..<256).flatMap { $0 % 2 == 0 ? [255, 0, 0] : [0, 0, 0] as [UInt8] }
        let detail = ChromaDetail(Bitmap(size: PixelSize(16, 16), channels: 3, samples: samples))
        let cr = 255 * 0.713 * 0.701 / 2
        let cb = 255 * 0.564 * 0.299 / 2
        #expect(abs(detail.concentrated - (cr * cr + cb * cb)) < 1)
    }
}
