import Pixels
import TestSupport
import Testing

/// Where a crop lies, on pictures drawn so that everybody would say where it must.
@Suite struct SalientCropTests {
    private typealias Color = [UInt8]
    private static let grey: [UInt8] = [120, 120, 120]
    private static let red: [UInt8] = [210, 30, 40]

    private func picture(_ width: Int, _ height: Int, _ color: (_ x: Int, _ y: Int) -> [UInt8]) -> Bitmap {
        let samples = (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } }
        return Bitmap(
            size: PixelSize(width, height), channels: samples.count / (width * height), samples: samples)
    }

    private func square(in picture: Bitmap) -> (x: Int, y: Int, side: Int) {
        let side = min(picture.size.width, picture.size.height)
        let (x, y) = SalientCrop.origin(of: PixelSize(side, side), in: picture)
        return (x, y, side)
    }

    /// A ground of one colour with one thing on it, and where the square is.
    private func place(
        _ width: Int, _ height: Int, ground: [UInt8] = grey, _ across: Range<Int>, _ down: Range<Int>,
        _ thing: (_ x: Int, _ y: Int) -> [UInt8]
    ) -> (x: Int, y: Int, side: Int) {
        square(
            in: picture(width, height) { x, y in
                across.contains(x) && down.contains(y) ? thing(x, y) : ground
            })
    }

    /// Coloured, of edges only, neutral on a coloured ground: whole inside, wherever it lies along the picture.
    @Test(arguments: [0, 7, 40, 96, 133, 210, 251, 280]) func oneThing(at start: Int) {
        let range = start..<(start + 40)
        let wide = [
            place(320, 100, range, 30..<70) { _, _ in Self.red },
            place(320, 100, range, 30..<70) { x, y in
                (x / 5 + y / 5) % 2 == 0 ? [40] + [40, 40] : [200, 200, 200]
            },
            place(320, 100, ground: [40, 140, 60], range, 30..<70) { _, _ in Self.grey },
        ]
        for found in wide {
            #expect(found.x <= start && found.x + found.side >= start + 40, "\(found)")
            #expect(found.y == 0 && found.side == 100)
        }
        let high = place(100, 320, 30..<70, range) { _, _ in Self.red }
        #expect(high.y <= start && high.y + high.side >= start + 40 && high.x == 0, "\(high)")
    }

    /// Half in the middle, half of it at the side that decides.
    @Test func theThingIsInTheMiddleOfItsCrop() {
        let found = place(600, 100, 350..<370, 40..<60) { _, _ in Self.red }
        // 310 would be its middle in the crop's; the picture's own middle draws a little.
        #expect((295...312).contains(found.x), "\(found)")
        // Upright things are given room above.
        let high = place(100, 600, 40..<60, 350..<370) { _, _ in Self.red }
        #expect((275...310).contains(high.y), "\(high)")
    }

    @Test(arguments: [(300, 100), (100, 300), (301, 100), (100, 175), (110, 100), (64, 48), (5, 3), (2, 1)])
    func nothingToSee(width: Int, height: Int) {
        let middle = (x: max(0, width - height) / 2, y: max(0, height - width) / 2)
        var generator = SeededGenerator(seed: 5)
        let grounds: [(Int, Int) -> [UInt8]] = [
            { _, _ in Self.grey }, { _, _ in Self.red }, { _, _ in [255, 255, 255] }, { _, _ in [0, 0, 0] },
            { _, _ in [77] },
            // Noise, as JPEG leaves.
            { _, _ in [UInt8.random(in: 118...122, using: &generator), 120, 120] },
        ]
        for ground in grounds {
            let found = square(in: picture(width, height, ground))
            #expect((found.x, found.y) == middle, "\(found)")
        }
    }

    /// What is everywhere decides nothing, but for where checks and the cells of a grid fall together.
    @Test(arguments: [1, 4, 10, 25]) func checkersEverywhere(side: Int) {
        for (width, height) in [(400, 200), (200, 400), (300, 100)] {
            let found = square(
                in: picture(width, height) { x, y in
                    (x / side + y / side) % 2 == 0 ? [20, 20, 20] : [230, 230, 230]
                })
            let room = abs(width - height)
            #expect(abs(2 * max(found.x, found.y) - room) <= room / 8, "\(found)")
        }
    }

    /// Two that do not fit together: one of them whole, of two alike the first.
    @Test func twoPlaces() {
        func two(_ left: [UInt8], _ right: [UInt8]) -> Int {
            square(
                in: picture(400, 100) { x, y in
                    guard (30..<70).contains(y) else { return Self.grey }
                    return (20..<60).contains(x) ? left : (340..<380).contains(x) ? right : Self.grey
                }
            ).x
        }
        let same = two(Self.red, Self.red)
        #expect(same <= 20)
        // The same distance from grey on the other side of the circle of hues, but not skin.
        let (skin, water): ([UInt8], [UInt8]) = ([200, 150, 120], [122, 174, 202])
        #expect(two(water, skin) >= 280 && two(skin, water) <= 20)
    }

    private func blobs(_ width: Int, _ height: Int, seed: UInt64) -> Bitmap {
        var generator = SeededGenerator(seed: seed)
        var samples = [UInt8](repeating: 90, count: width * height * 3)
        for _ in 0..<6 {
            let (x, y) = (
                Int.random(in: 0..<width, using: &generator), Int.random(in: 0..<height, using: &generator)
            )
            let radius = Int.random(in: 4...20, using: &generator)
            let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for row in max(0, y - radius)..<min(height, y + radius) {
                for column in max(0, x - radius)..<min(width, x + radius) {
                    for c in 0..<3 { samples[(row * width + column) * 3 + c] = color[c] }
                }
            }
        }
        return Bitmap(size: PixelSize(width, height), channels: 3, samples: samples)
    }

    /// Mirrored left to right, its crop is mirrored, at sizes that no grid divides.
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func mirrored(seed: UInt64) {
        for (width, height) in [(341, 192), (257, 100), (97, 61), (131, 200)] {
            let picture = blobs(width, height, seed: seed)
            let (here, there) = (square(in: picture), square(in: picture.upright(from: .mirrored)))
            #expect(there.x == width - here.side - here.x && there.y == here.y, "\(here) \(there)")
        }
    }

    /// Grey in one channel or in three is one picture.
    @Test func channels() {
        let grey = picture(240, 90) { x, y in [UInt8((x * x / 40 + y * 3) & 255)] }
        let three = picture(240, 90) { x, y in
            [UInt8]((0..<3).map { _ in UInt8((x * x / 40 + y * 3) & 255) })
        }
        #expect(square(in: grey) == square(in: three))
    }

    /// Other shapes than squares, and sizes that leave no choice.
    @Test func shapes() {
        let picture = picture(300, 200) { x, y in
            (200..<280).contains(x) && (140..<190).contains(y) ? Self.red : Self.grey
        }
        let banner = SalientCrop.origin(of: PixelSize(300, 100), in: picture)
        #expect(banner.x == 0 && banner.y >= 90)
        // It moves where it has the most room, and is centred otherwise.
        let both = SalientCrop.origin(of: PixelSize(100, 190), in: picture)
        #expect(both.x >= 180 && both.y == 5)
        #expect(SalientCrop.origin(of: PixelSize(300, 200), in: picture) == (0, 0))
        for (width, height) in [(1, 1), (1, 900), (900, 1), (2, 3), (4000, 2)] {
            let found = square(in: blobs(width, height, seed: 3))
            #expect((0...(width - found.side)).contains(found.x))
            #expect((0...(height - found.side)).contains(found.y))
        }
    }

    @Test func parts() {
        let numbers = Bitmap(size: PixelSize(4, 3), channels: 1, samples: [UInt8](1...12))
        #expect(numbers.part(x: 1, y: 1, size: PixelSize(2, 2)).samples == [6, 7, 10, 11])
        let colour = Bitmap(size: PixelSize(2, 2), channels: 3, samples: [UInt8](1...12))
        #expect(colour.part(x: 1, y: 0, size: PixelSize(1, 2)).samples == [4, 5, 6, 10, 11, 12])
    }
}
