#if HEIF
    @testable import Codecs
    import Pixels
    import Testing

    /// Turns, cuts and colours by the formulas of their standards.
    @Suite struct HEIFGeometryTests {
        private func turned(_ steps: [HEIFProperty]) throws -> TurnedRect {
            var rect = TurnedRect(PixelSize(100, 60))
            for step in steps { try rect.apply(step) }
            return rect
        }

        private func aperture(_ width: Int, _ height: Int, _ across: Int, _ down: Int) -> HEIFProperty {
            .cleanAperture(
                CleanAperture(width: (width, 1), height: (height, 1), across: (across, 2), down: (down, 2)))
        }

        /// A turn anticlockwise by 90° is undone by one clockwise: EXIF's 8; and so on.
        @Test func rotationsAndMirrors() throws {
            #expect(try turned([.rotation(0)]).orientation == .upright)
            #expect(try turned([.rotation(1)]).orientation == .rotated270)
            #expect(try turned([.rotation(2)]).orientation == .rotated180)
            #expect(try turned([.rotation(3)]).orientation == .rotated90)
            #expect(try turned([.mirror(isAcross: true)]).orientation == .mirrored)
            #expect(try turned([.mirror(isAcross: false)]).orientation == .flipped)
            // Turned to the left, right ends up on top; top and bottom exchanged, it ends up below: x and y exchanged.
            #expect(try turned([.rotation(1), .mirror(isAcross: false)]).orientation == .transposed)
            #expect(try turned([.mirror(isAcross: false), .rotation(1)]).orientation == .transversed)
        }

        @Test func everyTurnTwice() {
            for turn in Orientation.allCases {
                #expect(turn.followed(by: .upright) == turn && Orientation.upright.followed(by: turn) == turn)
                let back: Orientation =
                    turn == .rotated90 ? .rotated270 : turn == .rotated270 ? .rotated90 : turn
                #expect(turn.followed(by: back) == .upright)
            }
        }

        @Test func cuts() throws {
            // Centred: (100 - 40) / 2 and (60 - 20) / 2; offsets are halves here.
            #expect(
                try turned([aperture(40, 20, 0, 0)]).part == PixelRect(x: 30, y: 20, size: PixelSize(40, 20)))
            #expect(
                try turned([aperture(40, 20, -60, 40)]).part
                    == PixelRect(x: 0, y: 40, size: PixelSize(40, 20)))
            // After a turn to the left the picture is 60 x 100; its top left is the stored top right.
            let cut = try turned([.rotation(1), aperture(20, 40, -40, -60)])
            #expect(cut.part == PixelRect(x: 60, y: 0, size: PixelSize(40, 20)))
            #expect(throws: CodecError.self) { _ = try turned([aperture(40, 20, -62, 0)]) }
            #expect(throws: CodecError.self) { _ = try turned([aperture(101, 20, 0, 0)]) }
        }

        // MARK: Colours

        private func color(
            _ codes: ColorCodes, bits: Int = 8, _ y: Int, _ u: Int, _ v: Int
        ) throws -> [Int] {
            let outBits = bits > 8 ? 16 : 8
            let matrix = try ColorMatrix(codes, bits: bits, outBits: outBits, isMonochrome: false)
            return [matrix.red, matrix.green, matrix.blue].map { row in
                let (l, cb, cr) = (Int32(16 * y), Int32(16 * u), Int32(16 * v))
                let sum = l * row.y + cb * row.u + cr * row.v + row.bias
                return Int(min(max(sum >> matrix.shift, 0), (1 << outBits) - 1))
            }
        }

        /// Pure colours as ITU-R BT.601, BT.709 and BT.2020 code them, rounded.
        @Test func primaries() throws {
            func near(_ a: [Int], _ b: [Int], _ room: Int = 2) -> Bool {
                zip(a, b).allSatisfy { abs($0 - $1) <= room }
            }
            let limited709 = ColorCodes(matrix: 1)
            #expect(try color(limited709, 16, 128, 128) == [0, 0, 0])
            #expect(try color(limited709, 235, 128, 128) == [255, 255, 255])
            // Y = 16 + 219 * 0.2126 = 63, Cb = 128 - 224 * 0.2126 / 1.8556 = 102, Cr = 128 + 112.
            #expect(near(try color(limited709, 63, 102, 240), [255, 0, 0]))
            let full601 = ColorCodes(matrix: 6, isFullRange: true)
            // Y = 255 * 0.114 = 29, Cb = 128 + 127.5, Cr = 128 - 255 * 0.114 / 1.402 = 107.
            #expect(near(try color(full601, 29, 255, 107), [0, 0, 255]))
            // Y = 255 * 0.6780 = 173, Cb = 128 - 173 / 1.8814 = 36, Cr = 128 - 173 / 1.4746 = 11.
            #expect(near(try color(ColorCodes(matrix: 9, isFullRange: true), 173, 36, 11), [0, 255, 0], 3))
            #expect(try color(ColorCodes(matrix: 0, isFullRange: true), 10, 20, 30) == [30, 10, 20])
            // YCgCo: G = Y + Cg, B = Y - Cg - Co, R = Y - Cg + Co.
            #expect(
                near(try color(ColorCodes(matrix: 8, isFullRange: true), 100, 148, 118), [70, 120, 90], 1))
            // What is not told is taken as JPEG has it.
            #expect(
                try color(ColorCodes(isFullRange: true), 90, 50, 200) == (try color(full601, 90, 50, 200)))
        }

        @Test func depths() throws {
            let full = ColorCodes(matrix: 1, isFullRange: true)
            for (bits, top) in [(10, 1023), (12, 4095)] {
                #expect(
                    try color(full, bits: bits, top, 1 << (bits - 1), 1 << (bits - 1)).allSatisfy {
                        $0 >= 65533
                    })
                // A third of the way to white.
                let third = try color(full, bits: bits, top / 3, 1 << (bits - 1), 1 << (bits - 1))
                #expect(third.allSatisfy { abs($0 - 21845) < 8 })
            }
        }

        /// The weights of BT.709 follow from its primaries: they were made so.
        @Test func derivedWeights() throws {
            for (y, u, v) in [(63, 102, 240), (120, 90, 30), (200, 150, 140)] {
                let derived = try color(ColorCodes(primaries: 1, matrix: 12), y, u, v)
                let named = try color(ColorCodes(matrix: 1), y, u, v)
                #expect(zip(derived, named).allSatisfy { abs($0 - $1) <= 1 })
            }
        }

        @Test func matricesThatAreNotKnown() {
            for matrix in [10, 11, 13, 14, 15, 200] {
                #expect(throws: CodecError.self) { _ = try color(ColorCodes(matrix: matrix), 1, 1, 1) }
            }
        }
    }
#endif
