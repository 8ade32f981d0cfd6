#if TIFF
    import Codecs
    import Pixels
    import TestSupport
    import Testing

    /// JPEGs inside TIFFs: previews of cameras' raw files, and the old JPEG compression.
    @Suite struct EmbeddedJPEGTests {
        private func jpeg(_ width: Int, _ height: Int, _ options: [String] = []) throws -> [UInt8] {
            try JPEGSamples.make(.waves(width, height), ["-quality", "80"] + options)
        }

        /// Sensor data as a DNG, NEF or ARW has it, in a directory of its own.
        private func sensor(compression: Int = 1, photometric: Int = 32_803) -> TIFFFile.Page {
            TIFFFile.Page(
                400, 300, photometric: photometric, bits: [12], data: [UInt8](repeating: 7, count: 600),
                compression: compression, [254: .long(0)])
        }

        private func thumbnail(_ stream: [UInt8]? = nil, _ more: [Int: TIFFFile.Value] = [:]) -> TIFFFile.Page
        {
            var page = TIFFFile.Page(
                2, 2, photometric: 2, bits: [8, 8, 8], data: [UInt8](repeating: 200, count: 12),
                [254: .long(1)].merging(more) { $1 })
            page.jpeg = stream
            return page
        }

        /// The largest of several, wherever they are; turned as the first directory says.
        @Test func largestPreview() throws {
            let (small, large) = (try jpeg(16, 12), try jpeg(48, 32))
            var first = thumbnail(small, [274: .short(6)])
            first.children = [sensor(), thumbnail(large)]
            let file = TIFFFile(isLittleEndian: false, pages: [first, thumbnail(try jpeg(8, 8))]).bytes()
            let decoded = try decode(file)
            #expect(decoded.header.size == PixelSize(48, 32))
            #expect(decoded.header.orientation == .rotated90)
            #expect(try decoded.picture == JPEGSamples.reference(large))
        }

        /// As a strip of compression 6 or 7, of several scans too (DNG, CR2).
        @Test(arguments: [6, 7], [[], ["-progressive"]]) func previewAsStrip(
            _ compression: Int, _ options: [String]
        ) throws {
            let stream = try jpeg(40, 24, options)
            let preview = TIFFFile.Page(
                40, 24, photometric: 6, bits: [8, 8, 8], data: stream, compression: compression,
                [254: .long(1)])
            let decoded = try decode(
                TIFFFile(pages: [preview, sensor(compression: 34_713, photometric: 1)]).bytes())
            #expect(try decoded.picture == JPEGSamples.reference(stream))
        }

        /// Panasonic's RW2 has a magic number and a tag of its own.
        @Test func panasonic() throws {
            let stream = try jpeg(24, 16)
            let page = TIFFFile.Page(fields: [46: .bytes(stream), 274: .short(8)])
            let decoded = try decode(TIFFFile(magic: 0x55, pages: [page]).bytes())
            #expect(decoded.header.orientation == .rotated270)
            #expect(try decoded.picture == JPEGSamples.reference(stream))
        }

        /// Without a JPEG that can be decoded there is no picture: neither thumbnails nor sensor data are one.
        @Test func rawWithoutPreview() throws {
            var lossless = try jpeg(40, 24)
            let frame = try #require(
                lossless.indices.dropLast().first { lossless[$0] == 0xFF && lossless[$0 + 1] == 0xC0 })
            lossless[frame + 1] = 0xC3
            for pages in [[sensor()], [thumbnail(), sensor()], [thumbnail(lossless), sensor()]] {
                let error = #expect(throws: CodecError.self) { try decode(TIFFFile(pages: pages).bytes()) }
                #expect(error?.kind == .unsupportedVariant)
            }
        }

        /// The old JPEG compression with a whole stream behind JPEGInterchangeFormat.
        @Test func oldJPEG() throws {
            let stream = try jpeg(32, 24)
            var page = TIFFFile.Page(
                32, 24, photometric: 6, bits: [8, 8, 8], data: [], compression: 6,
                [512: .short(1), 274: .short(3)])
            page.jpeg = stream
            let decoded = try decode(TIFFFile(pages: [page]).bytes())
            #expect(try decoded.picture == JPEGSamples.reference(stream))
            #expect(decoded.header.orientation == .rotated180)
        }
    }
#endif
