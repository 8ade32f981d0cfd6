import Pixels
import TestSupport
import Testing

/// Interlaced pictures that end early.
@Suite struct InterlacedCutTests {
    private static let source = PixelSize(37, 29)
    private static let picture = Picture.waves(37, 29)
    private static let rowCount = Interlace(adam7: source).passes.reduce(0) { $0 + $1.size.height }

    /// At 1:1 every pixel is the last one that came of the blocks it lies in: each pass's pixel fills its block.
    @Test func blocksAreFilled() {
        for count in 0...Self.rowCount {
            let shown = scaleInterlaced(
                Self.picture.samples, PixelLayout(.rgb), Self.source, SourceRegion(37, 29), to: Self.source,
                count: count)
            #expect(shown.samples == blocks(count), "\(count) of \(Self.rowCount) rows")
        }
    }

    private func blocks(_ count: Int) -> [UInt8] {
        var samples: [UInt8] = (0..<Self.source.area).flatMap { _ in [0x40, 0x40, 0x40] }
        // Width and height of the block that a pixel of each pass stands for.
        let sizes = [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)]
        var left = count
        for (pass, block) in zip(Interlace(adam7: Self.source).passes, sizes) {
            for row in 0..<min(pass.size.height, left) {
                for column in 0..<pass.size.width {
                    let (x, y) = (pass.left + column * pass.across, pass.top + row * pass.down)
                    for v in y..<min(y + block.1, Self.source.height) {
                        for u in x..<min(x + block.0, Self.source.width) {
                            for c in 0..<3 {
                                samples[(v * 37 + u) * 3 + c] = Self.picture.samples[(y * 37 + x) * 3 + c]
                            }
                        }
                    }
                }
            }
            left -= min(pass.size.height, left)
        }
        return samples
    }

    /// A flat picture looks the same from its first pass on, at any reduction.
    @Test(arguments: [
        PixelSize(37, 29), PixelSize(36, 28), PixelSize(20, 16), PixelSize(9, 7), PixelSize(2, 1),
    ])
    func flatStaysFlat(_ size: PixelSize) {
        let rows = [UInt8](repeating: 200, count: Self.source.area)
        let first = Interlace(adam7: Self.source).passes[0].size.height
        for count in first...Self.rowCount {
            let shown = scaleInterlaced(
                rows, PixelLayout(.gray), Self.source, SourceRegion(37, 29), to: size, channels: 1,
                count: count)
            #expect(shown.samples.allSatisfy { abs(Int($0) - 200) <= 1 }, "\(count) rows")
        }
    }

    /// A smooth picture is about right from its first pass on.
    @Test(arguments: [PixelSize(55, 45), PixelSize(30, 25), PixelSize(7, 6), PixelSize(2, 2)])
    func everyPassHelps(_ size: PixelSize) {
        let source = PixelSize(110, 90)
        let rows = (0..<source.area).map { (at: Int) -> UInt8 in UInt8(at % 110 + at / 110) }
        let region = SourceRegion(110, 90)
        let whole = scaleInterlaced(rows, PixelLayout(.gray), source, region, to: size, channels: 1)
        var count = 0
        for pass in Interlace(adam7: source).passes {
            count += pass.size.height
            let shown = scaleInterlaced(
                rows, PixelLayout(.gray), source, region, to: size, channels: 1, count: count - 1)
            let distances = zip(shown.samples, whole.samples).map { abs(Int($0) - Int($1)) }
            // The first pass lacks its last row, and with it 8 rows of the picture, which are background.
            let mean = Double(distances.reduce(0, +)) / Double(distances.count)
            #expect(mean < (count == 12 ? 16 : 8), "\(pass)")
        }
    }

    /// What a pass had not brought does not show in a crop either.
    @Test func cropsAreFilled() {
        let region = SourceRegion(x: 9, y: 1, width: 28, height: 28, usable: Self.source)
        let rows = [UInt8](repeating: 90, count: Self.source.area)
        for size in [PixelSize(28, 28), PixelSize(13, 13)] {
            for count in [4, 5, 9, 20, 40] {
                let shown = scaleInterlaced(
                    rows, PixelLayout(.gray), Self.source, region, to: size, channels: 1, count: count)
                // A 64th of the light leaves fewer bits to it.
                #expect(shown.samples.allSatisfy { abs(Int($0) - 90) <= 3 }, "\(size), \(count) rows")
            }
        }
    }
}
