import TestSupport
import Testing

@testable import Pixels

/// Rows that come pass by pass give the picture that the same rows give from top to bottom.
@Suite struct Adam7Tests {
    /// Number of the pass that brings each pixel of an 8 × 8 block, from the table of the PNG specification (8.2).
    private static let table = [
        [1, 6, 4, 6, 2, 6, 4, 6], [7, 7, 7, 7, 7, 7, 7, 7], [5, 6, 5, 6, 5, 6, 5, 6],
        [7, 7, 7, 7, 7, 7, 7, 7],
        [3, 6, 4, 6, 3, 6, 4, 6], [7, 7, 7, 7, 7, 7, 7, 7], [5, 6, 5, 6, 5, 6, 5, 6],
        [7, 7, 7, 7, 7, 7, 7, 7],
    ]

    @Test func passesHoldEveryPixelOnce() {
        for width in [1, 2, 3, 4, 5, 7, 8, 9, 33] {
            for height in [1, 2, 3, 4, 5, 7, 8, 9, 33] {
                var seen = [Int](repeating: 0, count: width * height)
                for pass in Interlace(adam7: PixelSize(width, height)).passes {
                    for row in 0..<pass.size.height {
                        for column in 0..<pass.size.width {
                            let (x, y) = (pass.left + column * pass.across, pass.top + row * pass.down)
                            #expect(seen[y * width + x] == 0)
                            seen[y * width + x] = Self.table[y % 8][x % 8]
                        }
                    }
                }
                #expect(!seen.contains(0))
            }
        }
    }

    static let layouts: [PixelLayout] = [8, 16].flatMap { bits in
        [.gray, .grayAlpha, .rgb, .rgba].map { PixelLayout($0, bitsPerSample: bits) }
    }

    /// Source and output sizes: 1:1, odd remainders, 1:1.01 up to 1:40, both axes apart.
    static let shapes: [(PixelSize, PixelSize)] = [
        (PixelSize(1, 1), PixelSize(1, 1)), (PixelSize(33, 21), PixelSize(33, 21)),
        (PixelSize(4, 9), PixelSize(3, 2)), (PixelSize(102, 101), PixelSize(101, 100)),
        (PixelSize(60, 61), PixelSize(40, 41)), (PixelSize(61, 40), PixelSize(30, 20)),
        (PixelSize(100, 101), PixelSize(33, 31)), (PixelSize(111, 97), PixelSize(15, 13)),
        (PixelSize(125, 121), PixelSize(4, 3)), (PixelSize(201, 9), PixelSize(5, 9)),
        (PixelSize(5, 203), PixelSize(5, 5)), (PixelSize(320, 3), PixelSize(8, 1)),
    ]

    @Test(arguments: layouts) func equalsRowsFromTop(_ layout: PixelLayout) {
        for (source, size) in Self.shapes {
            let rows = Self.rows(source, layout)
            let region = SourceRegion(source.width, source.height)
            check(rows, layout, source, region, size, "\(source) to \(size)")
        }
    }

    /// Noise of black and white is the hardest there is, and near black a level is the least light.
    @Test(arguments: [(61, 61), (61, 60), (61, 40), (61, 32), (122, 16), (640, 16)])
    func equalsRowsFromTopOnNoise(_ source: Int, _ side: Int) {
        let noise = randomBytes(source * source * 3, seed: 7)
        let (whole, size) = (PixelSize(source, source), PixelSize(side, side))
        for rows in [noise.map { $0 < 100 ? 0 : $0 > 200 ? 255 : $0 }, noise.map { $0 & 7 }] {
            let region = SourceRegion(source, source)
            check(rows, PixelLayout(.rgb), whole, region, size, "\(source) to \(side)")
        }
    }

    @Test(arguments: [
        SourceRegion(x: 10, y: 0, width: 40, height: 40, usable: PixelSize(60, 40)),
        SourceRegion(x: 12.5, y: 0.25, width: 37.25, height: 39.5, usable: PixelSize(60, 40)),
        SourceRegion(x: 43, y: 20, width: 17, height: 20, usable: PixelSize(60, 40)),
    ])
    func cropsEqualRowsFromTop(_ region: SourceRegion) {
        let source = PixelSize(60, 40)
        let rows = Self.rows(source, PixelLayout(.rgb))
        for size in [PixelSize(37, 20), PixelSize(17, 17), PixelSize(3, 2)] {
            check(rows, PixelLayout(.rgb), source, region, size, "\(size)")
        }
    }

    private func check(
        _ rows: [UInt8], _ layout: PixelLayout, _ source: PixelSize, _ region: SourceRegion,
        _ size: PixelSize,
        _ what: String
    ) {
        for channels in layout.isGray ? [1, 3] : [3] {
            let plain = scale(
                rows, layout, width: source.width, region: region, to: size, channels: channels,
                background: 0x404040)
            let passes = scaleInterlaced(rows, layout, source, region, to: size, channels: channels)
            let levels = plain.samples.map(Double.init)
            #expect(passes.size == size && passes.channels == channels)
            let distance = largestDifference(passes.samples, levels)
            let isWhole = region.width == Double(size.width) && region.height == Double(size.height)
            #expect(distance <= (isWhole ? 0 : 1), "\(what), \(channels) channels")
        }
    }

    @Test(arguments: [0, 1, 2, 20, 128, 254, 255] as [UInt8]) func flatStaysFlat(_ level: UInt8) {
        let source = PixelSize(90, 70)
        let rows = [UInt8](repeating: level, count: source.area * 3)
        for size in [PixelSize(90, 70), PixelSize(89, 69), PixelSize(33, 31), PixelSize(2, 2)] {
            let shown = scaleInterlaced(rows, PixelLayout(.rgb), source, SourceRegion(90, 70), to: size)
            #expect(shown.samples.allSatisfy { abs(Int($0) - Int(level)) <= 1 }, "\(size)")
        }
    }

    @Test func scalersDoNotDisturbEachOther() {
        let source = PixelSize(73, 51)
        let rows = Self.rows(source, PixelLayout(.rgb))
        let crop = SourceRegion(x: 11, y: 0, width: 51, height: 51, usable: source)
        let plans = [(SourceRegion(73, 51), PixelSize(37, 26)), (crop, PixelSize(16, 16))]
        let together = interlacedPipeline(PixelLayout(.rgb), source, plans, channels: 3)
        for row in interlaced(rows, 3, source).joined() { #expect(push(row, row.count, into: together)) }
        for (plan, bitmap) in zip(plans, together.finish()) {
            let alone = scaleInterlaced(rows, PixelLayout(.rgb), source, plan.0, to: plan.1)
            #expect(bitmap.samples == alone.samples)
        }
    }

    @Test func moreRowsThanThereAreAreRefused() {
        let source = PixelSize(3, 2)
        let plan = [(SourceRegion(3, 2), PixelSize(3, 2))]
        let pipeline = interlacedPipeline(PixelLayout(.gray), source, plan, channels: 1)
        let rows = interlaced([1, 2, 3, 4, 5, 6], 1, source)
        for row in rows.joined() { #expect(push(row, row.count, into: pipeline)) }
        #expect(!push([1, 2, 3], 3, into: pipeline))
        #expect(pipeline.finish()[0].samples == [1, 2, 3, 4, 5, 6])
    }

    /// What 16-bit sums rely on: no filter leaves −1.5...2.5 whatever the picture, and only small ones −0.83...1.83.
    @Test func overshootIsBounded() {
        for reduction in [1, 1.0001, 1.01, 1.3, 1.5, 1.9, 2, 2.5, 3, 7.3, 40] {
            for (origin, count) in [(0, 1), (0, 2), (0, 3), (0.5, 5), (3.7, 40), (0, 192), (100.25, 33)] {
                let extent = Double(count) * reduction
                let table = FilterTable(
                    origin: origin, extent: extent, sourceCount: Int((origin + extent).rounded(.up)),
                    count: count)
                let n = table.mostBelowZero
                #expect(
                    2 * n * (1 + n) < (count < 5 || origin > 0 ? 1.49 : 0.82),
                    "\(reduction) \(origin) \(count)")
            }
        }
    }

    /// Black and white where the filter's weights change sign: the most and the least there can be.
    @Test func extremesDoNotWrap() {
        for (source, side) in [(2, 1), (3, 2), (4, 3), (5, 4), (9, 7), (62, 61), (61, 31)] {
            let size = PixelSize(source, source)
            for phase in 0..<4 {
                let light = (0..<size.area).map { at in
                    let (x, y) = (at % source, at / source)
                    let sign = phase & 1 == 0 ? (x + y) & 1 == 0 : x & 1 == 0 && y & 1 == 0
                    return sign == (phase < 2) ? UInt8(255) : 0
                }
                let region = SourceRegion(source, source)
                check(light, PixelLayout(.gray), size, region, PixelSize(side, side), "\(source) to \(side)")
            }
        }
    }

    /// Rows of `waves` in any layout, with holes where there is alpha.
    static func rows(_ size: PixelSize, _ layout: PixelLayout) -> [UInt8] {
        let picture = Picture.waves(size.width, size.height)
        var bytes: [UInt8] = []
        for pixel in 0..<size.area {
            let (x, y) = (pixel % size.width, pixel / size.width)
            let alpha: UInt8 = (x / 5 + y / 3) % 3 == 0 ? UInt8((x * 7 + y) & 255) : 255
            let colour = picture.samples[(pixel * 3)..<(pixel * 3 + (layout.isGray ? 1 : 3))]
            let samples = layout.channelCount % 2 == 0 ? colour + [alpha] : colour
            // 16 bits with a low byte of their own, in either byte order.
            bytes += layout.bitsPerSample == 8 ? Array(samples) : samples.flatMap { [$0 &* 31, $0] }
        }
        return bytes
    }
}
