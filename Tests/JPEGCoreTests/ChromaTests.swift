import Foundation
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
        #expect(ChromaDetail(lines).smears)
        #expect(subsampling(lines, maxBytes: 20_000) == .s444)
    }

    /// Columns of a dark red and of black: a loss of (r · 0.713 · 0.701 / 2)² + (r · 0.564 · 0.299 / 2)².
    @Test func samplingGoesByLossAndDivisor() {
        func detail(_ red: UInt8) -> ChromaDetail {
            let samples: [UInt8] = (0..<1024).flatMap { [$0 % 2 == 0 ? red : 0, 0, 0] as [UInt8] }
            return ChromaDetail(Bitmap(size: PixelSize(32, 32), channels: 3, samples: samples))
        }
        // 250: more than 49 · 2 ^ 1.5 = 139, less than 49 · 7 ^ 1.5 = 907, more than 14² / 2 and less than 30² / 2.
        let dark = detail(60)
        #expect(!dark.smears)
        #expect(dark.sampling(divisor: 2, finest: 1, isAmple: false) == .full)
        #expect(dark.sampling(divisor: 7, finest: 7, isAmple: false) == .halved)
        #expect(dark.sampling(divisor: 14, finest: 10, isAmple: false) == .sharp(share: 14.0 / 10 - 1.2))
        #expect(dark.sampling(divisor: 14, finest: 5, isAmple: false) == .sharp(share: 1))
        #expect(dark.sampling(divisor: 30, finest: 5, isAmple: false) == .halved)
        // 695, which smears at any divisor.
        let light = detail(100)
        #expect(light.smears)
        #expect(light.sampling(divisor: 7, finest: 7, isAmple: false) == .sharp(share: 1))
        #expect(light.sampling(divisor: 40, finest: 5, isAmple: false) == .sharp(share: 1))
        #expect(light.sampling(divisor: 7, finest: 7, isAmple: true) == .full)
        #expect(dark.sampling(divisor: 7, finest: 7, isAmple: true) == .halved)
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

    /// Where halved chroma smears red into black, luma chosen with it brings the light back: what libjpeg's decoder
    /// shows has the light of the picture (luminance of IEC 61966-2-1), which without that it has not.
    @Test(arguments: [PixelSize(96, 96), PixelSize(61, 47), PixelSize(35, 9)])
    func lumaMakesUpForSmearedChroma(size: PixelSize) throws {
        let samples = (0..<size.height).flatMap { y in
            (0..<size.width).flatMap { x in
                (x + y / 3) % 7 < 2 ? [255, 0, 0] : y % 16 < 8 ? [0, 0, 0] : [0, 0, 255] as [UInt8]
            }
        }
        let picture = Bitmap(size: size, channels: 3, samples: samples)
        let search = BudgetSearch(maxBytes: 1_000_000, minQuality: 1, maxQuality: 97)
        let images = [CoefficientImage(picture, subsampling: .s420), CoefficientImage(SharpChroma(picture))]
        let errors = try images.map { image in
            guard case .fits(let file)? = search.fit(image, isCancelled: { false }) else { return 1.0 }
            #expect(file.subsampling == .s420)
            return Self.lightError(picture, try Djpeg.decode(file.bytes))
        }
        // A level of light is let be, and what no luma of 0...255 can mend stays.
        #expect(errors[1] < 0.6 * errors[0], "\(errors)")
    }

    /// Mean difference of luminance, 0...1, as an sRGB level.
    private static func lightError(_ a: Bitmap, _ b: Bitmap) -> Double {
        func lightness(_ pixel: ArraySlice<UInt8>) -> Double {
            let light = zip(pixel, [0.2126, 0.7152, 0.0722]).reduce(0.0) { sum, next in
                let level = Double(next.0) / 255
                return sum + next.1 * (level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4))
            }
            return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        }
        let (x, y) = (a.samples, b.samples)
        guard x.count == y.count else { return 1 }
        return stride(from: 0, to: x.count, by: 3).reduce(0.0) {
            $0 + abs(lightness(x[$1..<$1 + 3]) - lightness(y[$1..<$1 + 3]))
        } / Double(x.count / 3)
    }

    /// Letters in pure colours whose full chroma the floor of quality leaves no bytes for.
    @Test func sharpChromaServesWhereFullDoesNotFit() throws {
        var samples = [UInt8](repeating: 0, count: 128 * 128 * 3)
        for y in 0..<128 {
            for x in 0..<128 where (x * 7 + y * 3) % 11 < 3 { samples[(y * 128 + x) * 3] = 255 }
        }
        let picture = Bitmap(size: PixelSize(128, 128), channels: 3, samples: samples)
        func size(_ subsampling: Subsampling) -> Int {
            let search = BudgetSearch(maxBytes: 1_000_000, minQuality: 40, maxQuality: 40)
            let image = CoefficientImage(picture, subsampling: subsampling)
            guard case .fits(let file)? = search.fit(image, isCancelled: { false }) else { return 0 }
            return file.bytes.count
        }
        let between = (size(.s420) * 2 + size(.s444)) / 3
        let search = BudgetSearch(maxBytes: between, minQuality: 40, maxQuality: 90)
        guard case .fits(let file)? = search.fit(picture, isCancelled: { false }),
            case .fits(let plain)? = search.fit(
                CoefficientImage(picture, subsampling: .s420), isCancelled: { false })
        else {
            Issue.record("nothing fits")
            return
        }
        #expect(file.subsampling == .s420)
        let errors = try [file, plain].map { Self.lightError(picture, try Djpeg.decode($0.bytes)) }
        // At the floor's divisors quantisation takes away a part of what luma made up for.
        #expect(errors[0] < 0.95 * errors[1], "\(errors)")
    }
}
