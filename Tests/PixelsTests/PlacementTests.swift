import TestSupport
import Testing

@testable import Pixels

@Suite struct PlacementTests {
    /// Source, box and the size worked out on paper.
    @Test(arguments: [
        ((4032, 3024), (1038, 1038), (1038, 779)),  // 778.5
        ((3024, 4032), (1038, 1038), (779, 1038)),
        ((1500, 1125), (1038, 1038), (1038, 779)),  // 778.5 as well, in binary just below
        ((1125, 1500), (1038, 1038), (779, 1038)),
        ((1452, 605), (1038, 1038), (1038, 433)),  // 432.5
        ((800, 600), (1038, 1038), (800, 600)), ((1038, 1038), (1038, 1038), (1038, 1038)),
        ((1039, 1038), (1038, 1038), (1038, 1037)), ((1, 1), (1038, 1038), (1, 1)),
        ((1, 100_000), (1038, 1038), (1, 1038)), ((100_000, 1), (1038, 1038), (1038, 1)),
        ((4000, 3000), (1024, 512), (683, 512)), ((4000, 1000), (1024, 512), (1024, 256)),
        ((1025, 100), (1024, 512), (1024, 100)), ((65_535, 65_535), (512, 512), (512, 512)),
    ])
    func insideABox(_ source: (Int, Int), _ box: (Int, Int), _ size: (Int, Int)) {
        let placement = Placement.inside(PixelSize(box.0, box.1), of: PixelSize(source.0, source.1))
        #expect(placement.size == PixelSize(size.0, size.1))
        #expect(placement.x == 0 && placement.y == 0)
        #expect(placement.width == Double(source.0) && placement.height == Double(source.1))
    }

    /// Rounded half up in whole numbers, for every width up to 3000 where a half occurs, and at random.
    @Test func sidesAreRoundedHalfUp() {
        var generator = SeededGenerator(seed: 3)
        for box in [PixelSize(1038, 1038), PixelSize(512, 512), PixelSize(1024, 512)] {
            for width in 1...3000 {
                let height = Int.random(in: 1...6000, using: &generator)
                for source in [PixelSize(width, height), PixelSize(width, width * 3 / 4)]
                where source.height > 0 {
                    #expect(Placement.inside(box, of: source).size == exact(source, box))
                }
            }
        }
    }

    private func exact(_ source: PixelSize, _ box: PixelSize) -> PixelSize {
        let (w, h) = (source.width, source.height)
        if w <= box.width, h <= box.height { return source }
        return w * box.height >= h * box.width
            ? PixelSize(box.width, max(1, (2 * h * box.width + w) / (2 * w)))
            : PixelSize(max(1, (2 * w * box.height + h) / (2 * h)), box.height)
    }

    struct Filling: Sendable {
        var source: PixelSize
        var box = PixelSize(192, 192)
        /// Of the output.
        var size: PixelSize
        /// Of the picture it is cut from.
        var cover: PixelSize
        /// Left, top, width, height of the part of the source in that picture.
        var shown: [Double]
    }

    /// Worked out on paper.
    @Test(arguments: [
        Filling(
            source: PixelSize(1000, 500), size: PixelSize(192, 192), cover: PixelSize(384, 192),
            shown: [0, 0, 1000, 500]),
        // 1001 rows are 384.384 of 192 / 500: the whole ones are 1000 rows, in the middle.
        Filling(
            source: PixelSize(500, 1001), size: PixelSize(192, 192), cover: PixelSize(192, 384),
            shown: [0, 0.5, 500, 1000]),
        Filling(
            source: PixelSize(192, 192), size: PixelSize(192, 192), cover: PixelSize(192, 192),
            shown: [0, 0, 192, 192]),
        Filling(
            source: PixelSize(100, 60), size: PixelSize(60, 60), cover: PixelSize(100, 60),
            shown: [0, 0, 100, 60]),
        Filling(
            source: PixelSize(300, 100), size: PixelSize(100, 100), cover: PixelSize(300, 100),
            shown: [0, 0, 300, 100]),
        // Longer than four times as long as it is wide: the middle.
        Filling(
            source: PixelSize(1, 100_000), size: PixelSize(1, 1), cover: PixelSize(1, 4),
            shown: [0, 49_998, 1, 4]),
        Filling(
            source: PixelSize(4000, 200), size: PixelSize(192, 192), cover: PixelSize(768, 192),
            shown: [1600, 0, 800, 200]),
        Filling(
            source: PixelSize(40, 40), box: PixelSize(100, 50), size: PixelSize(40, 20),
            cover: PixelSize(40, 40), shown: [0, 0, 40, 40]),
        Filling(
            source: PixelSize(50, 1000), box: PixelSize(100, 25), size: PixelSize(50, 13),  // 12.5
            cover: PixelSize(50, 52), shown: [0, 474, 50, 52]),
    ])
    func fillingABox(_ row: Filling) {
        let filling = Placement.filling(row.box, of: row.source)
        let cover = filling.cover
        #expect(filling.size == row.size && cover.size == row.cover)
        let shown = [cover.x, cover.y, cover.width, cover.height]
        #expect(zip(shown, row.shown).allSatisfy { abs($0 - $1) < 1e-9 }, "\(shown)")
    }

    /// Scaled alike both ways, never enlarged, and never smaller than what is cut from it.
    @Test func coversAreBounded() {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<3000 {
            func side(_ most: Int) -> Int {
                Int.random(in: 1...Int.random(in: 1...most, using: &generator), using: &generator)
            }
            let (source, box) = (PixelSize(side(70_000), side(70_000)), PixelSize(side(300), side(300)))
            let filling = Placement.filling(box, of: source)
            let cover = filling.cover
            #expect(
                abs(cover.width / Double(cover.size.width) - cover.height / Double(cover.size.height)) < 1e-6)
            #expect(cover.width >= Double(cover.size.width) - 1e-6)
            #expect(cover.x >= 0 && cover.x + cover.width <= Double(source.width) + 1e-6)
            #expect(cover.y >= 0 && cover.y + cover.height <= Double(source.height) + 1e-6)
            #expect(filling.size.width <= min(box.width, cover.size.width))
            #expect(filling.size.height <= min(box.height, cover.size.height))
            #expect(cover.size.width == filling.size.width || cover.size.height == filling.size.height)
            #expect(cover.size.area <= 4 * filling.size.area)
        }
    }

    @Test func partsOfAPicture() {
        let cover = Placement(size: PixelSize(30, 10), x: 5, y: 2, width: 60, height: 20)
        let part = cover.part(x: 7, y: 0, size: PixelSize(10, 10))
        #expect(part == Placement(size: PixelSize(10, 10), x: 19, y: 2, width: 20, height: 20))
    }

    /// Where pixel (x, y) of the upright picture is stored, by Exif's words, in a stored picture of that size.
    private static func stored(_ orientation: Orientation, _ size: PixelSize, _ x: Int, _ y: Int) -> (
        Int, Int
    ) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        return switch orientation {
        case .upright: (x, y)
        case .mirrored: (right - x, y)
        case .rotated180: (right - x, bottom - y)
        case .flipped: (x, bottom - y)
        case .transposed: (y, x)
        case .rotated90: (y, bottom - x)
        case .transversed: (right - y, bottom - x)
        case .rotated270: (right - y, x)
        }
    }

    /// The stored region, cut out and turned, is the upright region.
    @Test(arguments: Orientation.allCases) func regionsAreTurned(_ orientation: Orientation) {
        // The region lies in the middle of neither 13 × 10 nor 10 × 13, so no mirroring leaves it in its place.
        let size = PixelSize(13, 10)
        let upright = Placement(size: PixelSize(5, 3), x: 2, y: 1, width: 5, height: 3)
        let stored = upright.stored(orientation, source: size)
        #expect(orientation.turned(stored.size) == upright.size)
        let (left, top) = (Int(stored.x), Int(stored.y))
        let (width, height) = (Int(stored.width), Int(stored.height))
        // Every pixel of the stored picture is its own number.
        var cut: [UInt8] = []
        for y in top..<(top + height) {
            for x in left..<(left + width) { cut.append(UInt8(y * size.width + x)) }
        }
        let turned = Bitmap(size: PixelSize(width, height), channels: 1, samples: cut)
            .upright(from: orientation)
        var expected: [UInt8] = []
        for y in 1..<4 {
            for x in 2..<7 {
                let at = Self.stored(orientation, size, x, y)
                expected.append(UInt8(at.1 * size.width + at.0))
            }
        }
        #expect(turned.size == PixelSize(5, 3))
        #expect(turned.samples == expected)
    }

    @Test func regionsOfReducedRows() {
        let placement = Placement(size: PixelSize(10, 10), x: 10, y: 3, width: 80, height: 50)
        let region = placement.region(scale: 3, of: PixelSize(101, 57))
        #expect(region.x == 3.75 && region.y == 1.125 && region.width == 30 && region.height == 18.75)
        // 101 × 3 / 8 = 37.875 and 57 × 3 / 8 = 21.375: the part of a sample is not usable.
        #expect(region.usable == PixelSize(37, 21))
        #expect(placement.region(scale: 8, of: PixelSize(101, 57)).usable == PixelSize(101, 57))
        #expect(placement.region(scale: 1, of: PixelSize(5, 3)).usable == PixelSize(1, 1))
    }
}
