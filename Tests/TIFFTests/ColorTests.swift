#if TIFF
    import Codecs
    import Pixels
    import TestSupport
    import Testing

    /// What samples mean, in colours worked out by hand.
    @Suite struct ColorTests {
        /// Colour maps have 16 bits; some writers fill them with 8.
        @Test func palette() throws {
            let map = [0, 0x8080, 0xFFFF, 0x1010] + [0xFFFF, 0, 0x4040, 0] + [0x2020, 0xFFFF, 0, 0x3030]
            let expected: [UInt8] = [255, 64, 0, 0, 255, 32, 16, 0, 48, 128, 0, 255]
            for colors in [map, map.map { $0 >> 8 }] {
                let page = TIFFFile.Page(
                    4, 1, photometric: 3, bits: [2], data: [0b1000_1101], [320: .shorts(colors)])
                #expect(try decode(page) == expected)
            }
        }

        /// Of 50 % cyan and 50 % black a quarter of red is left, and half of green and blue.
        @Test func inks() throws {
            let page = TIFFFile.Page(
                2, 1, photometric: 5, bits: [8, 8, 8, 8], data: [0, 255, 0, 0, 128, 0, 0, 128])
            #expect(try near(decode(page), [255, 0, 255, 63, 127, 127], 1))
            let wide = TIFFFile.Page(
                1, 1, photometric: 5, bits: [16, 16, 16, 16], data: [0, 0, 0, 0, 255, 255, 0, 0])
            #expect(try near(decode(wide), [255, 255, 0], 1))
            let alpha = TIFFFile.Page(
                2, 1, photometric: 5, bits: [8, 8, 8, 8, 8], data: [0, 255, 0, 0, 255, 0, 255, 0, 0, 0],
                [338: .short(2)])
            #expect(try near(decode(alpha), [255, 0, 255, 255, 255, 255], 1))
        }

        /// sRGB's own primaries and white in CIE L*a*b* under D50 (ICC's adaptation of them).
        @Test func lab() throws {
            let values: [(Double, Double, Double, [UInt8])] = [
                (54.29, 80.81, 69.89, [255, 0, 0]), (87.82, -79.27, 80.99, [0, 255, 0]),
                (29.57, 68.30, -112.03, [0, 0, 255]), (100, 0, 0, [255, 255, 255]),
                (53.39, 0, 0, [127, 127, 127]),
            ]
            // Half a step of a* or b* is that much next to black.
            let coarse = 20
            for (l, a, b, rgb) in values {
                func number(_ value: Double) -> UInt8 { UInt8(bitPattern: Int8(value.rounded())) }
                let light = UInt8((l * 2.55).rounded())
                let cie = TIFFFile.Page(
                    1, 1, photometric: 8, bits: [8, 8, 8], data: [light, number(a), number(b)])
                #expect(try near(decode(cie), rgb, coarse))
                let icc = TIFFFile.Page(
                    1, 1, photometric: 9, bits: [8, 8, 8],
                    data: [light, number(a) ^ 0x80, number(b) ^ 0x80])
                #expect(try near(decode(icc), rgb, coarse))
                let axes = [a, b].map { Int(($0 * 256).rounded()) & 0xFFFF }
                let wide = TIFFFile.Page(
                    1, 1, photometric: 8, bits: [16, 16, 16],
                    data: ([Int((l * 655.35).rounded())] + axes).flatMap { TIFFFile(pages: []).number($0, 2) }
                )
                #expect(try near(decode(wide), rgb, 1))
            }
        }

        /// Four grey pixels and one red colour for four, then columns that are padding (TIFF 6.0, section 21).
        @Test(arguments: [(1, 1), (2, 1), (2, 2)]) func sharedChroma(columns: Int, rows: Int) throws {
            let luma: [UInt8] = Array([10, 100, 200, 250].prefix(columns * rows))
            let units = [luma + [128, 128], luma.map { _ in 76 } + [85, 255]]
            let page = TIFFFile.Page(
                columns + 1, rows, photometric: 6, bits: [8, 8, 8], data: units.flatMap(\.self),
                [530: .shorts([columns, rows])])
            var expected: [UInt8] = []
            for y in 0..<rows {
                for x in 0..<columns { expected += [UInt8](repeating: luma[y * columns + x], count: 3) }
                expected += [254, 0, 0]
            }
            #expect(try near(decode(page), expected, 2))
        }

        /// Studio range by the tag ReferenceBlackWhite: 16 is black and 235 white.
        @Test func referenceBlackAndWhite() throws {
            let reference = [16, 235, 128, 240, 128, 240].map { ($0, 1) }
            let page = TIFFFile.Page(
                3, 1, photometric: 6, bits: [8, 8, 8], data: [16, 128, 128, 235, 128, 128, 126, 128, 128],
                [530: .shorts([1, 1]), 532: .fractions(reference)])
            #expect(try near(decode(page), [0, 0, 0, 255, 255, 255, 128, 128, 128], 1))
        }

        /// Over white: nothing of a transparent pixel, all of an opaque one; of half a black one half the light of white,
        /// which sRGB encodes as 188.
        @Test func alpha() throws {
            let unassociated = TIFFFile.Page(
                3, 1, photometric: 2, bits: [8, 8, 8, 8], data: [9, 9, 9, 0, 9, 8, 7, 255, 0, 0, 0, 128],
                [338: .short(2)])
            #expect(try near(decode(unassociated), [255, 255, 255, 9, 8, 7, 187, 187, 187], 1))
            // Multiplied by alpha already: 64 of 128 is 128.
            let associated = TIFFFile.Page(
                2, 1, photometric: 1, bits: [8, 8], data: [255, 255, 64, 128], [338: .short(1)])
            let half = TIFFFile.Page(
                2, 1, photometric: 1, bits: [8, 8], data: [255, 255, 128, 128], [338: .short(2)])
            #expect(try near(decode(associated), decode(half), 1))
        }
    }
#endif
