import Pixels
import TestSupport
import Testing

@Suite struct RowScalerTests {
    /// A source and what becomes of it.
    struct Case: CustomStringConvertible, Sendable {
        var source: PixelSize
        var size: PixelSize
        var channels = 3

        var description: String {
            "\(source.width) x \(source.height) to \(size.width) x \(size.height), \(channels)"
        }
    }

    static let cases: [Case] = [
        Case(source: PixelSize(31, 22), size: PixelSize(31, 22)),
        Case(source: PixelSize(55, 44), size: PixelSize(50, 40)),
        Case(source: PixelSize(57, 38), size: PixelSize(30, 20)),
        Case(source: PixelSize(75, 50), size: PixelSize(30, 20)),
        Case(source: PixelSize(146, 73), size: PixelSize(20, 10)),
        Case(source: PixelSize(320, 280), size: PixelSize(8, 7)),
        Case(source: PixelSize(43, 90), size: PixelSize(40, 9)),
        Case(source: PixelSize(90, 43), size: PixelSize(9, 43)),
        Case(source: PixelSize(103, 101), size: PixelSize(101, 99)),
        Case(source: PixelSize(1, 40), size: PixelSize(1, 7)),
        Case(source: PixelSize(40, 1), size: PixelSize(7, 1)),
        Case(source: PixelSize(2, 300), size: PixelSize(1, 3)),
        Case(source: PixelSize(37, 37), size: PixelSize(1, 1)),
        Case(source: PixelSize(3, 2), size: PixelSize(2, 1)),
        Case(source: PixelSize(57, 38), size: PixelSize(30, 20), channels: 1),
        Case(source: PixelSize(75, 20), size: PixelSize(9, 20), channels: 1),
    ]

    @Test(arguments: cases) func equalsReference(_ shape: Case) {
        let (source, size) = (shape.source, shape.size)
        let picture = Picture.waves(source.width, source.height, channels: shape.channels)
        let region = SourceRegion(source.width, source.height)
        let bitmap = scale(
            picture.samples, PixelLayout(shape.channels == 1 ? .gray : .rgb), width: source.width,
            region: region, to: size, channels: shape.channels)
        let reference = ReferenceScaler(region: region, size: size)
            .scale(picture.samples, width: source.width, channels: shape.channels)
        #expect(bitmap.size == size && bitmap.channels == shape.channels)
        #expect(largestDifference(bitmap.samples, reference) <= 2)
        if source == size { #expect(bitmap.samples == picture.samples) }
    }

    /// Noise from black to white is the hardest there is for fixed point.
    @Test(arguments: [(61, 61), (61, 40), (61, 32), (122, 16), (640, 16)])
    func equalsReferenceOnNoise(_ source: Int, _ size: Int) {
        let samples = randomBytes(source * source * 3, seed: 7).map { $0 < 100 ? 0 : $0 > 200 ? 255 : $0 }
        let region = SourceRegion(source, source)
        let bitmap = scale(
            samples, PixelLayout(.rgb), width: source, region: region, to: PixelSize(size, size))
        let reference = ReferenceScaler(region: region, size: PixelSize(size, size))
            .scale(samples, width: source, channels: 3)
        #expect(largestDifference(bitmap.samples, reference) <= 2)
    }

    /// Regions as DCT scaling and cropping make them.
    @Test(arguments: [
        SourceRegion(x: 0, y: 0, width: 50.125, height: 37.875, usable: PixelSize(50, 37)),
        SourceRegion(x: 0, y: 0, width: 50.875, height: 37.5, usable: PixelSize(50, 37)),
        SourceRegion(x: 10, y: 5, width: 30, height: 30, usable: PixelSize(60, 40)),
        SourceRegion(x: 12.5, y: 0.25, width: 37.25, height: 39.5, usable: PixelSize(60, 40)),
        SourceRegion(x: 30, y: 20, width: 30, height: 20, usable: PixelSize(60, 40)),
    ])
    func regionsEqualReference(_ region: SourceRegion) {
        let picture = Picture.waves(64, 44)
        for size in [PixelSize(30, 20), PixelSize(13, 17), PixelSize(1, 1)] {
            let bitmap = scale(picture.samples, PixelLayout(.rgb), width: 64, region: region, to: size)
            let reference = ReferenceScaler(region: region, size: size)
                .scale(picture.samples, width: 64, channels: 3)
            #expect(largestDifference(bitmap.samples, reference) <= 2)
        }
    }

    /// Columns and rows behind the usable ones are block padding, and may hold anything.
    @Test(arguments: [(41, 23), (40, 24), (17, 16)]) func paddingDoesNotLeakIn(_ width: Int, _ height: Int) {
        let (fullWidth, fullHeight) = (width + 7, height + 9)
        let clean = Picture.waves(width, height)
        var padded: [UInt8] = []
        for y in 0..<fullHeight {
            for x in 0..<fullWidth {
                let isInside = x < width && y < height
                let at = (y * width + x) * 3
                padded += isInside ? clean.samples[at..<(at + 3)] : [255, 0, 255]
            }
        }
        let region = SourceRegion(
            x: 0, y: 0, width: Double(width) + 0.75, height: Double(height) + 0.375,
            usable: PixelSize(width, height))
        for size in [PixelSize(width, height), PixelSize(9, 11), PixelSize(20, 3)] {
            let plain = scale(clean.samples, PixelLayout(.rgb), width: width, region: region, to: size)
            let other = scale(padded, PixelLayout(.rgb), width: fullWidth, region: region, to: size)
            #expect(other.samples == plain.samples)
        }
    }

    @Test(arguments: [0, 1, 2, 20, 127, 128, 254, 255] as [UInt8]) func flatStaysFlat(_ level: UInt8) {
        let rows = [UInt8](repeating: level, count: 90 * 70 * 3)
        let regions = [
            SourceRegion(90, 70),
            SourceRegion(x: 3.3, y: 1.7, width: 71.9, height: 33.1, usable: PixelSize(90, 70)),
            SourceRegion(x: 0, y: 0, width: 90.625, height: 70.5, usable: PixelSize(90, 70)),
        ]
        for region in regions {
            for size in [PixelSize(33, 31), PixelSize(47, 1), PixelSize(2, 28), PixelSize(71, 33)] {
                let bitmap = scale(rows, PixelLayout(.rgb), width: 90, region: region, to: size)
                #expect(bitmap.samples.allSatisfy { $0 == level })
            }
        }
    }

    /// Half black, half white in alternate pixels is half the light: 188, not 128.
    @Test func lightIsLinear() {
        let rows = (0..<(64 * 64)).map { UInt8(($0 + $0 / 64) & 1 == 0 ? 0 : 255) }
        let bitmap = scale(
            rows, PixelLayout(.gray), width: 64, region: SourceRegion(64, 64), to: PixelSize(8, 8),
            channels: 1)
        let inner = (1..<7).flatMap { y in (1..<7).map { bitmap.samples[y * 8 + $0] } }
        #expect(inner.allSatisfy { $0 >= 187 && $0 <= 189 })
    }

    /// One decode, several pictures: each as if it were alone, odd numbers of rows included.
    @Test func scalersDoNotDisturbEachOther() {
        let picture = Picture.waves(73, 51)
        let whole = SourceRegion(73, 51)
        let crop = SourceRegion(x: 11, y: 0, width: 51, height: 51, usable: PixelSize(73, 51))
        let plans = [(whole, PixelSize(37, 26)), (crop, PixelSize(16, 16)), (whole, PixelSize(73, 51))]
        let pipeline = RowPipeline(
            layout: PixelLayout(.rgb), width: 73, background: 0,
            scalers: plans.map { RowScaler(source: $0.0, size: $0.1, channels: 3) })
        push(picture.samples, 73 * 3, into: pipeline)
        let together = pipeline.finish()
        for (plan, bitmap) in zip(plans, together) {
            let alone = scale(picture.samples, PixelLayout(.rgb), width: 73, region: plan.0, to: plan.1)
            #expect(bitmap.samples == alone.samples)
        }
        #expect(together.count == 3)
    }
}

@Suite struct FilterTableTests {
    /// What the scaler builds on: sums of exactly one, taps inside the source, starts that never go back.
    @Test(arguments: [1, 1.0002, 1.001, 1.003, 1.1, 1.9, 2, 2.5, 7.3, 40, 333])
    func tablesAreSound(_ reduction: Double) {
        for (origin, count) in [(0, 1), (0, 2), (0, 97), (3.7, 40), (0, 192), (100.25, 33)] {
            for eighths in [0, 3] {
                let extent = (Double(count) * reduction * 8).rounded() / 8 + Double(eighths) / 8
                let sourceCount = max(1, Int(origin + extent))
                let table = FilterTable(
                    origin: origin, extent: extent, sourceCount: sourceCount, count: count)
                var last: Int32 = 0
                for i in 0..<count {
                    let at = i * table.stride
                    let pairs = table.pairs[at..<(at + Int(table.counts[i]))]
                    let sum = pairs.reduce(0) { $0 + Int32(Int16(truncatingIfNeeded: $1)) + $1 >> 16 }
                    #expect(sum == FilterTable.one)
                    #expect(table.starts[i] >= last)
                    #expect(Int(table.starts[i] + table.counts[i]) <= (sourceCount + 1) / 2)
                    last = table.starts[i]
                }
                // An odd source has no partner for its last sample: whatever stands there is never weighed.
                if sourceCount & 1 == 1 {
                    for i in 0..<count where Int(table.starts[i] + table.counts[i]) == (sourceCount + 1) / 2 {
                        #expect(table.pairs[i * table.stride + Int(table.counts[i]) - 1] >> 16 == 0)
                    }
                }
            }
        }
    }
}
