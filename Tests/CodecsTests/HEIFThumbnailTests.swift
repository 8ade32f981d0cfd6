#if HEIF
    import Codecs
    import JPEGCore
    import Pixels
    import TestSupport
    import Testing

    /// Of two stored pictures of the same the smaller one is there to be chosen, where it shows the same.
    ///
    /// The file is heif-enc's: 150 × 100 pixels in 3038 bytes, and a thumbnail of 80 × 52 in 943, which is a grid of
    /// one tile. Numbers that are changed in it lie where ISO/IEC 23008-12 has them.
    @Suite struct HEIFThumbnailTests {
        private func file() throws -> [UInt8] { try fixture("heif/thumbnail.heic") }

        private func header(_ bytes: [UInt8]) throws -> ImageHeader {
            var decoder = HEIFSpoolDecoder()
            return try #require(
                try decoder.readHeader(from: MemoryBytes(bytes), shouldStop: { false }))
        }

        /// Offset behind the `count`th (from 1) place of these letters.
        private func end(of letters: String, _ count: Int = 1, in bytes: [UInt8]) throws -> Int {
            let starts = bytes.indices.filter { bytes[$0...].starts(with: letters.utf8) }
            return try #require(starts.count >= count ? starts[count - 1] + letters.utf8.count : nil)
        }

        /// Widths of the pictures that could be decoded.
        private func widths(_ bytes: [UInt8]) throws -> [Int] {
            let header = try header(bytes)
            return header.numerators.map { header.rowSize(numerator: $0).width }
        }

        @Test func isThere() throws {
            let header = try header(try file())
            #expect(header.numerators.map { header.rowSize(numerator: $0).width } == [19, 38, 75, 80, 150])
            #expect(header.rowSize(numerator: header.numerators[3]) == PixelSize(80, 52))
            #expect(header.codecNeed(header.numerators[3]) < header.codecNeed(header.numerators[4]))
        }

        @Test func everySample() throws {
            let bytes = try file()
            var decoder = HEIFSpoolDecoder()
            let header = try #require(
                try decoder.readHeader(from: MemoryBytes(bytes), shouldStop: { false }))
            let numerator = header.numerators[3]
            let rows = pipeline(header, DecodePlan(numerator: numerator, background: 0))
            let job = SpoolJob(
                numerator: numerator, memoryLimit: 64_000_000, allowsTruncated: false)
            _ = try decoder.decode(from: MemoryBytes(bytes), job, into: rows)
            let bitmap = rows.finish()[0]
            #expect(bitmap.size == PixelSize(80, 52))
            var most = 0
            for (i, sample) in bitmap.samples.enumerated() {
                let (x, y) = (i / 3 % 80, i / 240)
                let want = HEIFPictureTests.pixel((2 * x + 1) * 150 / 160, (2 * y + 1) * 100 / 104)
                most = max(most, abs(Int(sample) - want[i % 3]))
            }
            #expect(most <= 10)
        }

        /// Height 44 of a picture that would have 53.3 rows; 51 is too far from it as well, 55 not.
        @Test(arguments: [44: false, 51: false, 52: true, 55: true, 56: false])
        func otherShapes(_ height: Int, isUsed: Bool) throws {
            var bytes = try file()
            let grid = try end(of: "idat", in: bytes)
            #expect(Array(bytes[grid..<(grid + 8)]) == [0, 0, 0, 0, 0, 80, 0, 52])
            bytes[grid + 7] = UInt8(height)
            #expect(try widths(bytes).contains(80) == isUsed)
        }

        @Test func otherTurn() throws {
            var bytes = try file()
            let pixels = try end(of: "pixi", 2, in: bytes)
            bytes.replaceSubrange((pixels - 4)..<(pixels + 1), with: Array("irot".utf8) + [1])
            #expect(try header(bytes).orientation == .upright)
            #expect(try widths(bytes) == [19, 38, 75, 150])
        }

        @Test func noReference() throws {
            var bytes = try file()
            let reference = try end(of: "thmb", in: bytes)
            bytes.replaceSubrange((reference - 4)..<reference, with: Array("cdsc".utf8))
            #expect(try widths(bytes) == [19, 38, 75, 150])
        }

        /// 842 bytes for 4160 pixels are as many a pixel as 3038 for 15 000; fewer tell of a worse picture.
        @Test func fewBytes() throws {
            let bytes = try file()
            let length = try end(of: "iloc", in: bytes) + 8 + 20 + 16
            #expect(Array(bytes[length..<(length + 4)]) == [0, 0, 943 >> 8, 943 & 255])
            for (count, isUsed) in [(843, true), (842, false)] {
                var changed = bytes
                changed[length + 2] = UInt8(count >> 8)
                changed[length + 3] = UInt8(count & 255)
                #expect(try widths(changed).contains(80) == isUsed, "\(count)")
            }
        }

        /// The thumbnail lies last: without it the picture is there.
        @Test func cutThumbnail() throws {
            let cut = Array(try file().dropLast(1))
            #expect(try widths(cut) == [19, 38, 75, 150])
        }
    }
#endif
