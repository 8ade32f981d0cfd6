#if TIFF
    import Codecs
    import Pixels
    import TestSupport
    import Testing

    /// Samples of every size and meaning, in pixels worked out by hand.
    @Suite struct SampleTests {
        /// Five pixels in both byte orders and both flavours.
        @Test(arguments: [(true, false), (false, false), (true, true), (false, true)])
        func flavours(isLittleEndian: Bool, isBig: Bool) throws {
            var file = TIFFFile(isLittleEndian: isLittleEndian, isBig: isBig, pages: [])
            let data = [0x0000, 0x8080, 0xFFFF, 0x4040, 0xC0C0].flatMap { file.number($0, 2) }
            file.pages = [TIFFFile.Page(5, 1, photometric: 1, bits: [16], data: data)]
            #expect(try decode(file.bytes()).picture.samples == [0, 0x80, 255, 0x40, 0xC0])
        }

        /// Packed samples, highest bit first, rows ending with their byte.
        @Test(
            arguments: [
                (1, [0b1010_0000, 0b0110_0000], [255, 0, 255, 0, 255, 255]),
                (2, [0b0001_1000, 0b1111_0000], [0, 85, 170, 255, 255, 0]),
                (4, [0x0F, 0x70, 0x18, 0xF0], [0, 255, 119, 17, 136, 255]),
                // 3 bits: 0 7 1, then 4 2 5 (sevenths of 255).
                (3, [0b0001_1100, 0b1000_0000, 0b1000_1010, 0b1000_0000], [0, 255, 36, 146, 73, 182]),
                // 12 bits: 0 FFF 808 and 010 F0F 7F8.
                (
                    12, [0x00, 0x0F, 0xFF, 0x80, 0x80, 0x01, 0x0F, 0x0F, 0x7F, 0x80],
                    [0, 255, 128, 1, 240, 127]
                ),
            ] as [(Int, [UInt8], [UInt8])])
        func packed(bits: Int, data: [UInt8], expected: [UInt8]) throws {
            let page = TIFFFile.Page(3, 2, photometric: 1, bits: [bits], data: data)
            #expect(try near(decode(page), expected, 1))
            let inverse = TIFFFile.Page(3, 2, photometric: 0, bits: [bits], data: data)
            #expect(try near(decode(inverse), expected.map { 255 - $0 }, 1))
        }

        @Test func lowestBitFirst() throws {
            let page = TIFFFile.Page(4, 1, photometric: 1, bits: [1], data: [0b0000_1101], [266: .short(2)])
            #expect(try decode(page) == [255, 0, 255, 255])
        }

        /// The highest bits of wide numbers count; of signed ones the lowest value is black.
        @Test func wideNumbers() throws {
            let little: [(Int, Int, [UInt8], UInt8)] = [
                (24, 1, [1, 2, 0x80], 0x80), (32, 1, [1, 2, 3, 0x40], 0x40),
                (64, 1, [1, 2, 3, 4, 5, 6, 7, 0xC0], 0xC0), (8, 2, [0x00], 0x80), (8, 2, [0x80], 0),
                (16, 2, [0xFF, 0x7F], 255), (32, 2, [0, 0, 0, 0x80], 0),
            ]
            for (bits, format, data, expected) in little {
                let page = TIFFFile.Page(
                    1, 1, photometric: 1, bits: [bits], data: data, [339: .short(format)])
                #expect(try near(decode(page), [expected], 1), "\(bits) bits")
            }
        }

        /// 0, ½, 1, 2 (clipped), −1 (clipped) and what is no number, in the four sizes of TIFF's floating point.
        @Test func floats() throws {
            let halves: [[Int]] = [
                [0, 0x3800, 0x3C00, 0x4000, 0xBC00, 0x7E00],
                [0, 0x3E_0000, 0x3F_0000, 0x40_0000, 0xBF_0000, 0x7F_8000],
                [0, 0x3F00_0000, 0x3F80_0000, 0x4000_0000, 0xBF80_0000, 0x7FC0_0000],
                [0, 0.5, 1, 2, -1, Double.nan].map { Int(truncatingIfNeeded: $0.bitPattern) },
            ]
            for (bytes, values) in zip([2, 3, 4, 8], halves) {
                for isLittleEndian in [true, false] {
                    var file = TIFFFile(isLittleEndian: isLittleEndian, pages: [])
                    let data = values.flatMap { file.number($0, bytes) }
                    file.pages = [
                        TIFFFile.Page(6, 1, photometric: 1, bits: [8 * bytes], data: data, [339: .short(3)])
                    ]
                    let samples = try decode(file.bytes()).picture.samples
                    #expect(near(samples, [0, 128, 255, 255, 0, 0], 1), "\(8 * bytes) bits")
                }
            }
        }

        @Test func planesApart() throws {
            var page = TIFFFile.Page(2, 1, photometric: 2, bits: [8, 8, 8], data: [], [284: .short(2)])
            page.chunks = [[1, 2], [3, 4], [5, 6]]
            #expect(try decode(page) == [1, 3, 5, 2, 4, 6])
        }

        /// Tiles of 16 columns and 16 rows, of which 4 and 2 show in the last ones.
        @Test func tiles() throws {
            var page = TIFFFile.Page(20, 18, photometric: 1, data: [], [322: .long(16), 323: .long(16)])
            page.chunks = (0..<4).map { tile in (0..<256).map { UInt8($0 % 16 * 4 + tile) } }
            var expected: [UInt8] = []
            for y in 0..<18 {
                for x in 0..<20 { expected.append(UInt8(x % 16 * 4 + y / 16 * 2 + x / 16)) }
            }
            #expect(try decode(page) == expected)
        }

        @Test func stripsWithAShorterLastOne() throws {
            var page = TIFFFile.Page(1, 5, photometric: 1, data: [], [278: .long(2)])
            page.chunks = [[10, 20], [30, 40], [50]]
            #expect(try decode(page) == [10, 20, 30, 40, 50])
        }

        /// What is beside colours and alpha does not show.
        @Test func extraSamples() throws {
            let grey = TIFFFile.Page(
                2, 1, photometric: 1, bits: [8, 8, 8], data: [9, 1, 2, 8, 3, 4], [338: .shorts([0, 0])])
            #expect(try decode(grey) == [9, 8])
            let color = TIFFFile.Page(
                1, 1, photometric: 2, bits: [8, 8, 8, 8], data: [7, 6, 5, 0], [338: .short(0)])
            #expect(try decode(color) == [7, 6, 5])
        }
    }
#endif
