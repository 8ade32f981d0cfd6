#if GIF
    import Codecs
    import Pixels
    import TestSupport
    import Testing

    private let red: [UInt8] = [255, 0, 0]
    private let green: [UInt8] = [0, 255, 0]
    private let blue: [UInt8] = [0, 0, 255]
    /// The matte of these tests.
    private let matte: [UInt8] = [0x40, 0x80, 0xC0]

    @Suite struct GIFDecoderTests {
        private func samples(_ file: GIFBuilder) throws -> [UInt8] {
            try decodeGIF(file.bytes, DecodePlan(background: 0x40_80C0)).bitmap.samples
        }

        private let square = GIFBuilder.Image(width: 2, height: 2, indices: [0, 1, 2, 0])

        @Test func oneImage() throws {
            let decoded = try decodeGIF(GIFBuilder(width: 2, height: 2, images: [square]).bytes)
            #expect(decoded.bitmap.samples == red + green + blue + red)
            #expect(!decoded.notes.isAnimated && !decoded.notes.hasMetadata && !decoded.notes.isOdd)
        }

        @Test func ownColors() throws {
            var image = square
            image.palette = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 0, 0]]
            #expect(
                try samples(GIFBuilder(width: 2, height: 2, images: [image]))
                    == [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3])
            #expect(throws: CodecError.self) {
                try samples(GIFBuilder(width: 2, height: 2, palette: [], images: [square]))
            }
        }

        /// What no pixel covers is the screen's background colour, as ImageMagick and FFmpeg have it; in a picture
        /// with transparency, and where the screen has no colours, it is the matte.
        @Test(arguments: [false, true]) func placedOnItsScreen(isInterlaced: Bool) throws {
            func screen(_ around: [UInt8]) -> [UInt8] {
                let row = around + around + around
                return row + around + green + around + row
            }
            var image = GIFBuilder.Image(x: 1, y: 1, width: 1, height: 1, indices: [1])
            image.isInterlaced = isInterlaced
            #expect(
                try samples(GIFBuilder(width: 3, height: 3, background: 2, images: [image])) == screen(blue))
            #expect(
                try samples(GIFBuilder(width: 3, height: 3, background: 9, images: [image]))
                    == screen([0, 0, 0]))
            image.transparent = 0
            #expect(
                try samples(GIFBuilder(width: 3, height: 3, background: 2, images: [image])) == screen(matte))
            image.transparent = nil
            image.palette = [red, green, blue, red]
            #expect(
                try samples(GIFBuilder(width: 3, height: 3, background: 2, palette: [], images: [image]))
                    == screen(matte))
            // A frame that reaches beyond the screen makes it larger.
            image.x = 3
            #expect(
                try samples(GIFBuilder(width: 2, height: 2, images: [image])).count == 4 * 2 * 3)
        }

        /// missing-pixels.gif of pygif's test suite, of which ImageMagick and Pillow show three pixels black.
        ///
        /// One white pixel lies on a screen of 2 x 2 whose background colour is black; nothing is transparent.
        @Test func opaqueOnItsBackgroundColour() throws {
            let palette: [[UInt8]] = [
                [0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 255, 255],
                [255, 0, 255], [255, 255, 0],
            ]
            let bytes: [UInt8] =
                Array("GIF89a".utf8) + [2, 0, 2, 0, 0xF2, 0, 0] + palette.flatMap { $0 }
                + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 3, 2, 0x18, 9, 0, 0x3B]
            let shown = try decodeGIF(bytes, DecodePlan(background: 0x40_80C0)).bitmap.samples
            #expect(shown == [255, 255, 255] + [UInt8](repeating: 0, count: 9))
        }

        @Test func transparency() throws {
            var image = square
            image.transparent = 0
            #expect(
                try samples(GIFBuilder(width: 2, height: 2, images: [image])) == matte + green + blue + matte)
        }

        @Test(arguments: [1, 2, 5, 8, 9, 31]) func interlaced(height: Int) throws {
            var generator = SeededGenerator(seed: UInt64(height))
            let indices = (0..<(7 * height)).map { _ in UInt8.random(in: 0...3, using: &generator) }
            var image = GIFBuilder.Image(width: 7, height: height, indices: indices)
            let plain = try samples(GIFBuilder(width: 7, height: height, images: [image]))
            #expect(plain == indices.flatMap { [red, green, blue, [255, 255, 255]][Int($0)] })
            image.isInterlaced = true
            #expect(try samples(GIFBuilder(width: 7, height: height, images: [image])) == plain)
        }

        /// Tables that fill up, with codes of each size; the encoder is the specification's, in this test.
        ///
        /// giflib takes indices of up to eight bits; of longer ones the table has no more than 256 all the same.
        @Test(arguments: [1, 2, 5, 8, 9, 10, 11]) func longCodes(codeSize: Int) throws {
            var generator = SeededGenerator(seed: 3)
            let top = UInt8(min(255, 1 << codeSize - 1))
            let indices = (0..<30_000).map {
                $0 % 3 == 0 ? UInt8.random(in: 0...top, using: &generator) : UInt8($0 % 2)
            }
            let palette = (0...Int(top)).map { [UInt8($0), UInt8(255 - $0), 7] }
            let image = GIFBuilder.Image(
                width: 200, height: 150, indices: indices, codeSize: codeSize)
            let file = GIFBuilder(width: 200, height: 150, palette: palette, images: [image])
            #expect(try samples(file) == indices.flatMap { palette[Int($0)] })
        }

        /// The code that is about to be defined: five times index 1 is 1, then the new code 6 (1 1), then 6 again.
        @Test func codeThatIsJustDefined() throws {
            var image = GIFBuilder.Image(width: 5, height: 1, indices: [])
            // Clear, 1, 6, 6, end; behind the second 6 the table has eight codes, so the end takes four bits: not read.
            image.data = bits([4, 1, 6, 6, 5], 3)
            #expect(
                try samples(GIFBuilder(width: 5, height: 1, images: [image]))
                    == green + green + green + green + green)
        }

        private func bits(_ codes: [Int], _ size: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: (codes.count * size + 7) / 8)
            for (i, code) in codes.enumerated() {
                for bit in 0..<size where code >> bit & 1 == 1 {
                    bytes[(i * size + bit) / 8] |= 1 << UInt8((i * size + bit) % 8)
                }
            }
            return bytes
        }

        @Test func tooFewPixelsAreOdd() throws {
            var image = square
            image.data = bits([4, 0, 1, 2, 5], 3)
            let file = GIFBuilder(width: 2, height: 2, background: 1, images: [image])
            let decoded = try decodeGIF(file.bytes, DecodePlan(background: 0x40_80C0))
            // The rest of a line that is there in part is the screen's background colour.
            #expect(decoded.bitmap.samples == red + green + blue + green)
            #expect(decoded.notes.isOdd)
            image.data = bits([4, 0, 1, 5], 3)
            #expect(
                try samples(GIFBuilder(width: 2, height: 2, images: [image])) == red + green + matte + matte)
        }

        @Test func damage() throws {
            var image = square
            var kinds: [CodecError.Kind?] = []
            for data in [bits([4, 0, 7, 5], 3), bits([4, 6, 5], 3), [], bits([4, 5], 3)] {
                image.data = data
                let file = GIFBuilder(width: 2, height: 2, images: [image])
                let error = #expect(throws: CodecError.self) { try decodeGIF(file.bytes) }
                kinds.append(error?.kind)
            }
            #expect(kinds == [.corrupt, .corrupt, .corrupt, .corrupt])
            var bytes = GIFBuilder(width: 2, height: 2, images: [square]).bytes
            bytes[1] = 64
            for ranges in [nil, pieces(of: bytes.count, size: 7)] {
                let error = #expect(throws: CodecError.self) { try decodeGIF(bytes, in: ranges) }
                #expect(error?.kind == .corrupt)
            }
            for codeSize in [0, 12] {
                image = square
                image.data = [0]
                image.codeSize = codeSize
                #expect(throws: CodecError.self) {
                    try samples(GIFBuilder(width: 2, height: 2, images: [image]))
                }
            }
        }

        /// The rows so far are shown of what breaks off anywhere, where that will do.
        @Test(arguments: [4, 8, 9]) func whatThereIsOfACutImage(codeSize: Int) throws {
            var generator = SeededGenerator(seed: 6)
            let indices = (0..<(60 * 40)).map { _ in UInt8.random(in: 0...3, using: &generator) }
            let image = GIFBuilder.Image(width: 60, height: 40, indices: indices, codeSize: codeSize)
            let bytes = GIFBuilder(width: 60, height: 40, images: [image]).bytes
            let plan = DecodePlan(background: 0x40_80C0, allowsTruncated: true)
            let whole = try decodeGIF(bytes, plan).bitmap.samples
            func row(_ y: Int, _ samples: [UInt8]) -> ArraySlice<UInt8> {
                samples[(180 * y)..<(180 * (y + 1))]
            }
            let empty = [[UInt8]](repeating: matte, count: 60).flatMap { $0 }
            var shown: [Int] = []
            for count in stride(from: 37, through: bytes.count, by: 11) {
                let cut = try decodeGIF(Array(bytes[..<count]), plan).bitmap.samples
                let rows = (0..<40).prefix { row($0, cut) == row($0, whole) }.count
                shown.append(rows)
                // One more row may be there in part.
                let isEmptyBelow = (min(40, rows + 1)..<40).allSatisfy { row($0, cut).elementsEqual(empty) }
                #expect(isEmptyBelow)
            }
            #expect(shown == shown.sorted() && shown.first == 0 && shown.last ?? 0 >= 39)
            #expect(Set(shown).count > 20)
        }

        /// Codes may end with their blocks, and what follows the last pixel is not looked at.
        @Test func codesWithoutTheirEnd() throws {
            var image = square
            // The last code of the picture takes four bits already.
            for codes in [[4, 0, 1, 2, 0], [0, 1, 2, 0], [4, 0, 1, 2, 0, 0, 7, 7]] {
                image.data = bits(codes, 3)
                let decoded = try decodeGIF(GIFBuilder(width: 2, height: 2, images: [image]).bytes)
                #expect(decoded.bitmap.samples == red + green + blue + red && !decoded.notes.isOdd)
            }
        }

        /// Stray bytes between blocks, and of what stands before the image only what counts is kept.
        @Test func beforeTheImage() throws {
            var image = square
            image.transparent = 1
            image.palette = [red, green, blue, red, red, green, blue, red]
            var file = GIFBuilder(width: 3, height: 4, images: [image])
            let whole = try decodeGIF(file.bytes).bitmap.samples
            file.before = [0, 0]
            for _ in 0..<50 {
                file.before += GIFBuilder.extension(0xFE, [[UInt8](repeating: 65, count: 255)])
                file.before += GIFBuilder.extension(0xF9, [[1, 0, 0, 3]])
            }
            let bytes = file.bytes
            for size in [bytes.count, 1] {
                let decoded = try decodeGIF(bytes, in: pieces(of: bytes.count, size: size))
                #expect(decoded.bitmap.samples == whole && decoded.consumed == bytes.count)
                #expect(decoded.notes.hasMetadata && !decoded.notes.isOdd)
            }
            #expect(try decodeGIF(bytes).bitmap.samples == whole)
        }

        @Test func notes() throws {
            var file = GIFBuilder(width: 2, height: 2, images: [square])
            file.before = GIFBuilder.extension(0xFE, [Array("secret".utf8)])
            #expect(try decodeGIF(file.bytes).notes.hasMetadata)
            file.before = GIFBuilder.extension(0xFF, [Array("XMP DataXMP".utf8), [1, 2, 3]])
            #expect(try decodeGIF(file.bytes).notes.hasMetadata)
            file.before = GIFBuilder.extension(0xFF, [Array("NETSCAPE2.0".utf8), [1, 0, 0]])
            #expect(try !decodeGIF(file.bytes).notes.hasMetadata)
            file.images.append(square)
            #expect(try decodeGIF(file.bytes).notes.isAnimated)
        }

        @Test(arguments: [false, true]) func anyPiecesAndNoCutIsWhole(isInterlaced: Bool) throws {
            var generator = SeededGenerator(seed: 5)
            let indices = (0..<(61 * 40)).map { _ in UInt8.random(in: 0...3, using: &generator) }
            var image = GIFBuilder.Image(x: 2, y: 3, width: 61, height: 40, indices: indices)
            image.isInterlaced = isInterlaced
            image.transparent = 2
            let bytes = GIFBuilder(width: 70, height: 50, images: [image, square]).bytes
            let whole = try decodeGIF(bytes)
            #expect(whole.consumed == bytes.count)
            for size in [1, 7, 1000, 65536] {
                let cut = try decodeGIF(bytes, in: pieces(of: bytes.count, size: size))
                #expect(cut.bitmap.samples == whole.bitmap.samples)
                #expect(cut.consumed == bytes.count)
            }
            for count in stride(from: 0, to: bytes.count - 60, by: 37) {
                let error = #expect(throws: CodecError.self) {
                    try decodeGIF(Array(bytes[..<count]))
                }
                #expect(error?.kind == .truncated)
            }
            // Without its end the first image is still whole.
            #expect(try decodeGIF(Array(bytes.dropLast(3))).bitmap.samples == whole.bitmap.samples)
        }
    }
#endif
