import Codecs
import Pixels
import TestSupport
import Testing

private let red: [UInt8] = [255, 0, 0]
private let green: [UInt8] = [0, 255, 0]
private let blue: [UInt8] = [0, 0, 255]
private let white: [UInt8] = [255, 255, 255]
private let black: [UInt8] = [0, 0, 0]
/// The matte of these tests.
private let matte: [UInt8] = [0x40, 0x80, 0xC0]

/// Pixels of every form a BMP stores, worked out by hand from the header's fields.
@Suite struct BMPDecoderTests {
    /// Rows from the top, as the file means them.
    private func rows(_ file: BMPBuilder) throws -> [[UInt8]] {
        let decoded = try decode(
            BMPDecoder(), file.bytes, DecodePlan(background: 0x40_80C0))
        let samples = decoded.bitmap.upright(from: decoded.header.orientation).samples
        let bytes = decoded.bitmap.size.width * 3
        #expect(decoded.header.isBottomUp == (file.height > 0 || file.headerBytes == 12))
        return stride(from: 0, to: samples.count, by: bytes).map { Array(samples[$0..<($0 + bytes)]) }
    }

    @Test func bottomRowFirst() throws {
        // Two pixels of three bytes, padded to eight.
        let file = BMPBuilder(
            width: 2, height: 2, data: [255, 0, 0, 255, 255, 255, 9, 9, 0, 0, 255, 0, 255, 0, 9, 9])
        #expect(try rows(file) == [red + green, blue + white])
    }

    @Test func topRowFirst() throws {
        let file = BMPBuilder(width: 1, height: -2, data: [0, 0, 255, 9, 255, 0, 0, 9])
        #expect(try rows(file) == [red, blue])
    }

    @Test func indicesOfEachSize() throws {
        let palette: [[UInt8]] = [[0, 0, 255], [0, 255, 0], [255, 0, 0], [255, 255, 255]]
        // From the highest bit down.
        for (bits, first) in [(1, 0b0100_0000), (2, 0b0001_1011), (4, 0x01)] as [(Int, UInt8)] {
            let file = BMPBuilder(
                width: 2, height: 1, bits: bits, palette: Array(palette.prefix(1 << bits)),
                data: [first, 0, 0, 0])
            #expect(try rows(file) == [red + green], "\(bits) bits")
        }
        let bytes = BMPBuilder(
            width: 3, height: 1, bits: 8, palette: palette, gap: 5, data: [3, 2, 200, 9])
        // What the palette lacks is black.
        #expect(try rows(bytes) == [white + blue + black])
    }

    @Test func oldHeaders() throws {
        let palette: [[UInt8]] = [[0, 0, 255], [0, 255, 0]]
        for headerBytes in [12, 16, 64] {
            let file = BMPBuilder(
                width: 2, height: 1, bits: 1, headerBytes: headerBytes,
                // Where no field says how many, the bits do.
                palette: palette, data: [0x40, 0, 0, 0])
            #expect(try rows(file) == [red + green], "\(headerBytes)")
        }
    }

    @Test func masks() throws {
        // 5 bits of 31 levels: 0b10000 is 16 × 255 / 31 = 131.6.
        let five = BMPBuilder(
            width: 2, height: 1, bits: 16, data: [0b0001_1111, 0b0100_0000, 0, 0b0111_1100])
        #expect(try rows(five) == [[132, 0, 255] + red])
        // 565 behind the header: 6 bits of 63 levels, 32 is 129.5.
        let six = BMPBuilder(
            width: 1, height: 1, bits: 16, compression: 3, masks: [0xF800, 0x7E0, 0x1F],
            data: [0, 0x04, 0, 0])
        #expect(try rows(six) == [[0, 130, 0]])
        // Ten bits, inside the header: 512 of 1023 is 127.6.
        let ten = BMPBuilder(
            width: 1, height: 1, bits: 32, compression: 3, headerBytes: 56,
            masks: [0x3FF0_0000, 0xFFC00, 0x3FF, 0], data: [0x00, 0xFE, 0x0F, 0x20])
        #expect(try rows(ten) == [[128, 255, 128]])
    }

    @Test func alphaWhereTheHeaderSaysSo() throws {
        let pixels: [UInt8] = [0, 0, 255, 0, 0, 0, 255, 255]
        let plain = BMPBuilder(width: 2, height: 1, bits: 32, data: pixels)
        #expect(try rows(plain) == [red + red])
        let masks: [UInt32] = [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000]
        for file in [
            BMPBuilder(
                width: 2, height: 1, bits: 32, compression: 3, headerBytes: 124, masks: masks, data: pixels),
            BMPBuilder(width: 2, height: 1, bits: 32, compression: 6, masks: masks, data: pixels),
        ] {
            #expect(try rows(file) == [matte + red], "\(file.headerBytes)")
        }
    }

    @Test func runs() throws {
        let palette: [[UInt8]] = [[0, 0, 255], [0, 255, 0], [255, 0, 0], [255, 255, 255]]
        // Bottom row: two of green, three as they are and their padding. Top row: a run beyond its end.
        let eight = BMPBuilder(
            width: 5, height: 2, bits: 8, compression: 1, palette: palette,
            data: [2, 1, 0, 3, 0, 2, 3, 9, 0, 0, 7, 2, 0, 1])
        #expect(
            try rows(eight) == [blue + blue + blue + blue + blue, green + green + red + blue + white])
        // Runs of two values in turn; five pixels as they are in three bytes and one of padding.
        let four = BMPBuilder(
            width: 5, height: 2, bits: 4, compression: 2, palette: palette,
            data: [5, 0x01, 0, 0, 0, 5, 0x01, 0x23, 0x00, 9, 0, 1])
        #expect(
            try rows(four) == [red + green + blue + white + red, red + green + red + green + red])
        let whole = BMPBuilder(
            width: 2, height: 1, bits: 24, compression: 4, headerBytes: 64,
            data: [1, 0, 0, 255, 0, 3, 255, 0, 0, 1, 1, 1, 2, 2, 2, 9, 0, 1])
        #expect(try rows(whole) == [red + blue])
    }

    /// Pixels that the code jumps over are transparent, as browsers show them.
    @Test func jumps() throws {
        let palette: [[UInt8]] = [[0, 0, 255], [0, 255, 0]]
        let file = BMPBuilder(
            width: 3, height: 3, bits: 8, compression: 1, palette: palette,
            // A pixel; one to the right and one up; a pixel; the end.
            data: [1, 1, 0, 2, 1, 1, 1, 0, 0, 1])
        #expect(
            try rows(file) == [matte + matte + matte, matte + matte + red, green + matte + matte])
    }

    @Test func kindsThatAreNotDecoded() {
        let kinds: [(BMPBuilder, CodecError.Kind)] = [
            (BMPBuilder(width: 1, height: 1, bits: 0, compression: 4, headerBytes: 124), .unsupportedVariant),
            (BMPBuilder(width: 1, height: 1, bits: 0, compression: 5, headerBytes: 124), .unsupportedVariant),
            (BMPBuilder(width: 1, height: 1, bits: 1, compression: 3, headerBytes: 64), .unsupportedVariant),
            (BMPBuilder(width: 1, height: 1, bits: 64), .unsupportedVariant),
            (BMPBuilder(width: 1, height: 1, bits: 3), .corrupt),
            (BMPBuilder(width: 0, height: 1), .corrupt),
            (BMPBuilder(width: -1, height: 1), .corrupt),
            (BMPBuilder(width: 1, height: 0), .corrupt),
            (BMPBuilder(width: 1, height: 1, bits: 16, compression: 3, masks: [0, 0, 0]), .corrupt),
        ]
        for (file, kind) in kinds {
            let error = #expect(throws: CodecError.self) { try decode(BMPDecoder(), file.bytes) }
            #expect(error?.kind == kind, "\(file)")
        }
    }

    /// Sizes of the second header that no kind of BMP has, the least and the largest number among them.
    @Test(arguments: [0, 11, 125, Int(UInt32.max)]) func headersOfNoKind(_ size: Int) {
        var bytes = BMPBuilder(width: 1, height: 1, data: [0, 0, 0, 0]).bytes
        for i in 0..<4 { bytes[14 + i] = UInt8(size >> (8 * i) & 255) }
        for pieces in [nil, pieces(of: bytes.count, size: 1)] {
            let error = #expect(throws: CodecError.self) { try decode(BMPDecoder(), bytes, in: pieces) }
            #expect(error?.kind == .corrupt)
        }
    }

    @Test func anyPiecesAndNoCutIsWhole() throws {
        let waves = Picture.waves(37, 29)
        let palette: [[UInt8]] = (0..<256).map { [UInt8($0), UInt8(255 - $0), UInt8($0 / 2)] }
        var runs: [UInt8] = []
        for y in 0..<29 {
            runs += [30, UInt8(y), 0, 7]
            for x in 0..<7 { runs.append(UInt8(x * 30 + y)) }
            runs += [0, 0, 0]
        }
        var rows: [UInt8] = []
        for y in 0..<29 { rows += waves.samples[(y * 111)..<(y * 111 + 111)] + [0] }
        let files = [
            BMPBuilder(width: 37, height: 29, data: rows),
            BMPBuilder(
                width: 37, height: 29, bits: 8, compression: 1, palette: palette, data: runs + [0, 1]),
        ]
        for file in files {
            let whole = try decode(BMPDecoder(), file.bytes)
            #expect(whole.consumed == file.bytes.count)
            for size in [1, 7, 1000, 65536] {
                let cut = try decode(BMPDecoder(), file.bytes, in: pieces(of: file.bytes.count, size: size))
                #expect(cut.bitmap.samples == whole.bitmap.samples)
                #expect(cut.consumed == file.bytes.count)
            }
            for count in stride(from: 0, to: file.bytes.count - 20, by: 61) {
                let error = #expect(throws: CodecError.self) {
                    try decode(BMPDecoder(), Array(file.bytes[..<count]))
                }
                #expect(error?.kind == .truncated)
            }
        }
    }
}
