import Pixels
import Testing

/// The eight orientations of Exif 2.32 (4.6.4 A), as tables written by hand.
@Suite struct OrientationTests {
    /// The stored picture is 1 2 3 above 4 5 6.
    static let tables: [(orientation: Int, width: Int, upright: [UInt8])] = [
        (1, 3, [1, 2, 3, 4, 5, 6]),  // row 0 is the top, column 0 the left side
        (2, 3, [3, 2, 1, 6, 5, 4]),  // top, right
        (3, 3, [6, 5, 4, 3, 2, 1]),  // bottom, right
        (4, 3, [4, 5, 6, 1, 2, 3]),  // bottom, left
        (5, 2, [1, 4, 2, 5, 3, 6]),  // left, top
        (6, 2, [4, 1, 5, 2, 6, 3]),  // right, top
        (7, 2, [6, 3, 5, 2, 4, 1]),  // right, bottom
        (8, 2, [3, 6, 2, 5, 1, 4]),  // left, bottom
    ]

    @Test(arguments: tables) func bitmapsAreTurned(_ row: (orientation: Int, width: Int, upright: [UInt8]))
        throws
    {
        let orientation = try #require(Orientation(rawValue: row.orientation))
        let gray = Bitmap(size: PixelSize(3, 2), channels: 1, samples: [1, 2, 3, 4, 5, 6])
        let turned = gray.upright(from: orientation)
        #expect(turned.size == PixelSize(row.width, 6 / row.width))
        #expect(turned.samples == row.upright)
        let colour = Bitmap(
            size: PixelSize(3, 2), channels: 3, samples: (1...6).flatMap { [$0, $0 + 10, $0 + 20] })
        #expect(colour.upright(from: orientation).samples == row.upright.flatMap { [$0, $0 + 10, $0 + 20] })
        #expect(colour.upright(from: orientation).channels == 3)
    }

    @Test func sidesAreExchanged() {
        for orientation in Orientation.allCases {
            let swaps = [5, 6, 7, 8].contains(orientation.rawValue)
            #expect(orientation.swapsAxes == swaps)
            #expect(orientation.turned(PixelSize(7, 4)) == (swaps ? PixelSize(4, 7) : PixelSize(7, 4)))
        }
        #expect(Orientation.allCases.count == 8)
        #expect(Orientation(rawValue: 0) == nil && Orientation(rawValue: 9) == nil)
    }

    @Test func grayIsSeen() {
        func isGray(_ samples: [UInt8]) -> Bool {
            Bitmap(size: PixelSize(samples.count / 3, 1), channels: 3, samples: samples).isGray
        }
        #expect(isGray([5, 5, 5, 0, 0, 0, 255, 255, 255]))
        #expect(!isGray([5, 5, 5, 0, 0, 1]))
        #expect(!isGray([5, 6, 5, 0, 0, 0]))
        #expect(Bitmap(size: PixelSize(2, 1), channels: 1, samples: [1, 2]).isGray)
    }
}
