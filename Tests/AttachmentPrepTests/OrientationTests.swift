import AttachmentPrep
import Testing

/// The eight EXIF orientations, seen from outside.
@Suite struct OrientationTests {
    private static let red: [UInt8] = [220, 30, 30]
    private static let green: [UInt8] = [30, 200, 40]
    private static let blue: [UInt8] = [30, 40, 220]
    private static let yellow: [UInt8] = [230, 220, 40]

    /// Stored: red and green above, blue and yellow below, wider than high.
    private static let stored = Picture(width: 96, height: 64) { x, y in
        y < 32 ? (x < 48 ? red : green) : (x < 48 ? blue : yellow)
    }

    /// Upright, by Exif 2.32's table: top left, top right, bottom left, bottom right.
    private static let expected: [Int: [[UInt8]]] = [
        1: [red, green, blue, yellow],
        2: [green, red, yellow, blue],
        3: [yellow, blue, green, red],
        4: [blue, yellow, red, green],
        // The stored first row is the left side from here on, or the right one (6 and 7).
        5: [red, blue, green, yellow],
        6: [blue, red, yellow, green],
        7: [yellow, green, blue, red],
        8: [green, yellow, red, blue],
    ]

    private func check(_ run: Run, _ orientation: Int, side: Int = 96, other: Int = 64) throws {
        let picture = try #require(Picture(jpeg: run.picture ?? []))
        let (width, height) = orientation >= 5 ? (other, side) : (side, other)
        #expect(picture.width == width && picture.height == height)
        #expect(run.output?.width == width && run.output?.height == height)
        let (right, bottom) = (width * 7 / 8, height * 7 / 8)
        let corners = [(width / 8, height / 8), (right, height / 8), (width / 8, bottom), (right, bottom)]
        let colors = try #require(Self.expected[orientation])
        for ((x, y), color) in zip(corners, colors) {
            #expect(
                isClose(picture.pixel(x, y), color), "\(orientation): \(picture.pixel(x, y)) at \(x) \(y)")
        }
        #expect(run.record.source?.orientation == orientation)
        #expect(run.record.source?.width == 96 && run.record.source?.height == 64)
    }

    @Test(arguments: 1...8, JPEGParts.ByteOrder.allCases) func jpeg(
        orientation: Int, order: JPEGParts.ByteOrder
    ) throws {
        let exif = JPEGParts.exif(orientation: orientation, order, gps: true)
        let bytes = JPEGParts.inserting(exif, into: Self.stored.jpeg("-quality 95 -sample 1x1"))
        try check(prepare(bytes), orientation)
        try check(prepare(bytes) { $0.maxEdge = 48 }, orientation, side: 48, other: 32)
    }

    @Test(arguments: 1...8) func progressive(orientation: Int) throws {
        let exif = JPEGParts.exif(orientation: orientation)
        try check(
            prepare(JPEGParts.inserting(exif, into: Self.stored.jpeg("-quality 95 -progressive"))),
            orientation)
    }

    @Test(arguments: 1...8, JPEGParts.ByteOrder.allCases) func png(
        orientation: Int, order: JPEGParts.ByteOrder
    ) throws {
        var png = Self.stored.png
        png.before = PNGParts.chunk("eXIf", JPEGParts.tiff(orientation: orientation, order))
        try check(prepare(png.bytes), orientation)
    }

    /// A crop is of the upright picture, and of this one shows all four colours wherever it lies.
    @Test(arguments: 1...8) func icon(orientation: Int) throws {
        let exif = JPEGParts.exif(orientation: orientation)
        let bytes = JPEGParts.inserting(exif, into: Self.stored.jpeg("-quality 95 -sample 1x1"))
        let run = prepare(bytes, profile: .icon)
        try check(run, orientation, side: 64, other: 64)
    }

    /// A picture is never refused for its EXIF; what is no orientation is none.
    @Test(arguments: [0, 9, 65_535]) func impossible(orientation: Int) throws {
        let bytes = JPEGParts.inserting(
            JPEGParts.exif(orientation: orientation), into: Self.stored.jpeg("-quality 95 -sample 1x1"))
        try check(prepare(bytes), 1)
    }
}
