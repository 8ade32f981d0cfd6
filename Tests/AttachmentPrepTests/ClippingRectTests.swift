import AttachmentPrep
import Testing

/// The square a thumbnail should show, from a prepared file.
@Suite struct ClippingRectTests {
    /// Grey, with a red square of 60 at `left`, `top`.
    private static func drawn(_ width: Int, _ height: Int, _ left: Int, _ top: Int) -> Picture {
        Picture(width: width, height: height) { x, y in
            (left..<(left + 60)).contains(x) && (top..<(top + 60)).contains(y)
                ? [210, 40, 40] : [128, 128, 128]
        }
    }

    private func clip(_ bytes: [UInt8]) throws -> ClippingRect? {
        let scratch = Scratch()
        return try ClippingRect(ofPictureAt: scratch.write("picture", bytes))
    }

    private func isSquare(_ rect: ClippingRect, _ width: Int, _ height: Int) -> Bool {
        let side = Double(min(width, height))
        let (right, bottom) = (rect.x + rect.width, rect.y + rect.height)
        return abs(rect.width * Double(width) - side) < 1e-6
            && abs(rect.height * Double(height) - side) < 1e-6
            && rect.x >= 0 && rect.y >= 0 && right <= 1 + 1e-9 && bottom <= 1 + 1e-9
    }

    /// The red square is whole inside, in each kind of file a cache may hold.
    @Test(arguments: [(30, 100), (400, 200), (900, 20)]) func aThing(along: Int, across: Int) throws {
        for (width, height) in [(1038, 500), (500, 1038)] {
            let isWide = width > height
            let picture =
                isWide ? Self.drawn(width, height, along, across) : Self.drawn(width, height, across, along)
            for bytes in [picture.jpeg(), picture.jpeg("-progressive"), picture.png.bytes] {
                let rect = try #require(try clip(bytes))
                #expect(isSquare(rect, width, height), "\(rect)")
                let start = (isWide ? rect.x : rect.y) * 1038
                #expect(start <= Double(along) + 1 && start + 500 >= Double(along) + 59, "\(rect)")
                #expect(try ClippingRect(of: .bytes(bytes, name: "-")) == rect)
            }
        }
    }

    /// Apple's own example of the centre is half of each side; of a flat picture twice as wide as high that is x.
    @Test func flat() throws {
        func flat(_ width: Int, _ height: Int) -> [UInt8] {
            Picture(width: width, height: height) { _, _ in [90, 120, 150] }.jpeg()
        }
        #expect(try clip(flat(200, 100)) == ClippingRect(x: 0.25, y: 0, width: 0.5, height: 1))
        #expect(try clip(flat(300, 1200)) == ClippingRect(x: 0, y: 0.375, width: 1, height: 0.25))
        #expect(try clip(flat(700, 700)) == ClippingRect(x: 0, y: 0, width: 1, height: 1))
        #expect(try clip(flat(1, 1)) == ClippingRect(x: 0, y: 0, width: 1, height: 1))
        // Square once it is small, not quite as it is.
        let nearly = try #require(try clip(flat(1038, 1037)))
        #expect(isSquare(nearly, 1038, 1037) && nearly.y == 0)
    }

    /// Shares of the picture as it is shown.
    @Test func turned() throws {
        // Stored 300 wide, 600 high; upright the first row is the right side: what is above lies right.
        let stored = Self.drawn(300, 600, 100, 20)
        let bytes = JPEGParts.inserting(JPEGParts.exif(orientation: 6), into: stored.jpeg())
        let rect = try #require(try clip(bytes))
        #expect(isSquare(rect, 600, 300) && rect.x > 0.4 && rect.y == 0, "\(rect)")
    }

    /// What `prepare` made of a photograph and the photograph itself have about the same square, and so has the icon.
    @Test(arguments: ["perched-osprey-progressive.jpg", "kitten-on-lawn.jpg"]) func photographs(name: String)
        throws
    {
        let bytes = try #require(contents(Photos.path(name)))
        let picture = try #require(prepare(bytes).picture)
        let prepared = try #require(try clip(picture))
        let source = try #require(try clip(bytes))
        #expect(abs(prepared.x - source.x) < 0.03 && abs(prepared.y - source.y) < 0.03)
    }

    /// What passes through as it is: an animation's first frame, and nothing of sound.
    @Test func otherMedia() throws {
        #if GIF
            // 2 x 1 pixels of one colour.
            let gif: [UInt8] =
                Array("GIF89a".utf8) + [
                    2, 0, 1, 0, 0x80, 0, 0, 9, 9, 9, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0,
                ]
                + [2, 2, 0x04, 0x05, 0, 0x3B]
            #expect(try clip(gif)?.height == 1)
        #endif
        #expect(try clip(Array("%PDF-1.7\n%".utf8) + [UInt8](repeating: 32, count: 4096)) == nil)
        #expect(try clip(Array("ID3\u{4}".utf8) + [UInt8](repeating: 0, count: 4096)) == nil)
    }

    @Test func errors() throws {
        let jpeg = Self.drawn(300, 200, 20, 20).jpeg()
        func code(_ bytes: [UInt8]) -> PrepError.Code? {
            do throws(PrepError) {
                _ = try ClippingRect(of: .bytes(bytes, name: "x"))
                return nil
            } catch { return error.code }
        }
        #expect(code([]) == .empty && code(Array(jpeg[..<(jpeg.count / 2)])) == .truncated)
        var limited = PreparationOptions(preset: .extension)
        limited.limits.memory = 1000
        #expect(throws: PrepError.self) { try ClippingRect(of: .bytes(jpeg, name: "x"), options: limited) }
        let stopped = Cancellation()
        stopped.cancel()
        #expect(throws: PrepError.self) {
            try ClippingRect(of: .bytes(jpeg, name: "x"), cancellation: stopped)
        }
        #expect(throws: PrepError.self) { try ClippingRect(ofPictureAt: "/nowhere/at/all.jpg") }
    }
}
