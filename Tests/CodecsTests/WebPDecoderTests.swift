#if WebP
    import Codecs
    import JPEGCore
    import Pixels
    import TestSupport
    import Testing

    private let matte: [UInt8] = [0x40, 0x80, 0xC0]

    @Suite struct WebPDecoderTests {
        private func decodeWebP(
            _ bytes: [UInt8], in ranges: [Range<Int>]? = nil, _ plan: DecodePlan = DecodePlan()
        ) throws(CodecError) -> Decoded {
            try decode(try WebPDecoder(), bytes, in: ranges, plan)
        }

        static let kinds: [[String]] = [
            ["-q", "60"], ["-q", "95", "-segments", "1"], ["-lossless"], ["-lossless", "-z", "9"],
            ["-near_lossless", "60"],
        ]

        @Test(arguments: kinds) func asDwebp(_ options: [String]) throws {
            for picture in [Picture.waves(71, 45), Picture.waves(16, 16), Picture.waves(1, 1)] {
                let bytes = try WebPSamples.make(picture, options)
                let decoded = try decodeWebP(bytes)
                #expect(Picture(decoded.bitmap) == (try WebPSamples.reference(bytes)))
                #expect(decoded.consumed == bytes.count)
            }
        }

        @Test(arguments: [["-q", "100"], ["-lossless"]]) func alpha(_ options: [String]) throws {
            // Left half transparent, right half opaque and of one colour.
            let rgba = (0..<(16 * 16)).flatMap { i -> [UInt8] in
                i % 16 < 8 ? [128, 128, 128, 0] : [128, 128, 128, 255]
            }
            let bytes = try WebPSamples.make(width: 16, height: 16, rgba: rgba, options)
            let decoded = try decodeWebP(bytes, DecodePlan(background: 0x40_80C0))
            #expect(decoded.header.layout == PixelLayout(.rgba))
            let row = decoded.bitmap.samples.prefix(48)
            #expect(Array(row.prefix(24)) == (0..<8).flatMap { _ in matte })
            #expect(row.suffix(24).allSatisfy { abs(Int($0) - 128) <= 2 })
        }

        /// The first frame lies where it says, the rest of the canvas is the matte.
        @Test func firstFrameOnItsCanvas() throws {
            let picture = Picture.waves(6, 4)
            let whole = try WebPSamples.make(picture, ["-lossless"])
            let image = Array(whole.dropFirst(12))
            let bytes = WebPSamples.file(
                WebPSamples.extended(flags: 2, 12, 10) + WebPSamples.chunk("ANIM", [255, 0, 0, 255, 0, 0])
                    + WebPSamples.frame(x: 4, y: 2, 6, 4, image) + WebPSamples.frame(x: 0, y: 0, 6, 4, image))
            let decoded = try decodeWebP(bytes, DecodePlan(background: 0x40_80C0))
            #expect(decoded.notes.isAnimated)
            #expect(decoded.bitmap.size == PixelSize(12, 10))
            var expected = (0..<(12 * 10)).flatMap { _ in matte }
            for y in 0..<4 {
                let row = picture.samples[(18 * y)..<(18 * y + 18)]
                let at = 3 * (12 * (y + 2) + 4)
                expected.replaceSubrange(at..<(at + 18), with: row)
            }
            #expect(decoded.bitmap.samples == expected)
            // One frame that covers its canvas is a picture like any other.
            let still = WebPSamples.file(
                WebPSamples.extended(flags: 2, 6, 4) + WebPSamples.frame(x: 0, y: 0, 6, 4, image))
            #expect(Picture(try decodeWebP(still).bitmap) == picture)
            #expect(try !decodeWebP(still).notes.isAnimated)
        }

        @Test func wrongHeaders() throws {
            let image = Array(try WebPSamples.make(Picture.waves(6, 4), ["-lossless"]).dropFirst(12))
            let broken = [
                WebPSamples.file(WebPSamples.extended(flags: 0, 7, 4) + image),
                WebPSamples.file(
                    WebPSamples.extended(flags: 2, 12, 10) + WebPSamples.frame(x: 8, y: 2, 6, 4, image)),
                WebPSamples.file(WebPSamples.frame(x: 0, y: 0, 6, 4, image)),
                WebPSamples.file(WebPSamples.chunk("VP8 ", [UInt8](repeating: 0, count: 40))),
                WebPSamples.file(WebPSamples.chunk("EXIF", [1, 2])),
            ]
            for (i, bytes) in broken.enumerated() {
                let error = #expect(throws: CodecError.self) { try decodeWebP(bytes) }
                #expect(error?.kind == .corrupt || error?.kind == .truncated, "\(i)")
            }
        }

        /// Whatever the container says of its length, the picture is read; what follows is left alone.
        @Test(arguments: [0, 10, 0xFFFF_FFFF, 1_000_000]) func wrongSize(_ size: Int) throws {
            let picture = Picture.waves(6, 4)
            let image = Array(try WebPSamples.make(picture, ["-lossless"]).dropFirst(12))
            let bytes = WebPSamples.file(image, size: size)
            #expect(Picture(try decodeWebP(bytes).bitmap) == picture)
        }

        @Test func notes() throws {
            let image = Array(try WebPSamples.make(Picture.waves(6, 4), ["-lossless"]).dropFirst(12))
            let extended = WebPSamples.extended(flags: 4, 6, 4)
            let xmp = WebPSamples.file(extended + image + WebPSamples.chunk("XMP ", [1, 2, 3]))
            #expect(try decodeWebP(xmp).notes.hasMetadata)
            #expect(try !decodeWebP(WebPSamples.file(extended + image)).notes.hasMetadata)
            let profile = WebPSamples.file(
                WebPSamples.extended(flags: 32, 6, 4) + WebPSamples.chunk("ICCP", [1, 2, 3]) + image)
            #expect(try decodeWebP(profile).header.colour.isIgnored)
        }

        @Test(arguments: kinds.prefix(3)) func anyPiecesAndNoCutIsWhole(_ options: [String]) throws {
            let bytes = try WebPSamples.make(Picture.waves(171, 145), options)
            let whole = try decodeWebP(bytes)
            for size in [1, 7, 1000, 65536] {
                let cut = try decodeWebP(bytes, in: pieces(of: bytes.count, size: size))
                #expect(cut.bitmap.samples == whole.bitmap.samples)
                #expect(cut.consumed == bytes.count)
            }
            for count in stride(from: 0, to: bytes.count - 2, by: bytes.count / 30) {
                let error = #expect(throws: CodecError.self) { try decodeWebP(Array(bytes[..<count])) }
                #expect(error?.kind == .truncated || error?.kind == .corrupt)
            }
        }

        /// Rows that libwebp reduces are those of the reduced picture, whatever their number is rounded to.
        @Test func reduced() throws {
            let waves = Picture.waves(2500, 1800)
            let flat = Picture(
                width: 2500, height: 1800, channels: 3,
                samples: waves.samples.indices.map { UInt8($0 % 3 * 60 + 40) })
            let bytes = try WebPSamples.make(flat, ["-q", "90", "-m", "0"])
            let header = try decodeWebP(
                bytes, DecodePlan(numerator: 64, size: PixelSize(10, 10), maxPixels: 5_000_000)
            ).header
            #expect(header.steps == 64)
            let numerator = try #require(header.numerators.last)
            let rows = header.rowSize(numerator: numerator)
            // 4.5 million pixels are brought below 4.4.
            #expect(rows.area <= 4_400_000 && rows.area > 4_100_000)
            let decoded = try decodeWebP(
                bytes, DecodePlan(numerator: numerator, size: PixelSize(20, 10), maxPixels: 5_000_000))
            #expect(decoded.rowsTaken == rows.height)
            for (i, sample) in decoded.bitmap.samples.enumerated() {
                #expect(abs(Int(sample) - (i % 3 * 60 + 40)) <= 3)
            }
        }

        /// EXIF stands behind the picture: the pushed decoder leaves such a file to the spooled one.
        @Test(arguments: [false, true]) func orientation(hasMark: Bool) throws {
            let picture = Picture.waves(6, 4)
            let image = Array(try WebPSamples.make(picture, ["-lossless"]).dropFirst(12))
            let tiff: [UInt8] = [
                0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
            ]
            let exif = (hasMark ? Array("Exif\0\0".utf8) : []) + tiff
            let bytes = WebPSamples.file(
                WebPSamples.extended(flags: 8, 6, 4) + image + WebPSamples.chunk("EXIF", exif))
            var pushed = try WebPDecoder()
            guard case .header(let header, _) = try pushed.push(bytes.span, into: nil) else {
                Issue.record("no header")
                return
            }
            #expect(header.isProvisional && header.needsWholeInput)
            var spooled = try WebPSpoolDecoder()
            let file = MemoryFile(bytes)
            let found = try #require(try spooled.readHeader(from: file, shouldStop: { false }))
            #expect(found.orientation == .rotated90 && !found.isProvisional)
            let scaler = RowScaler(
                source: SourceRegion(x: 0, y: 0, width: 6, height: 4, usable: PixelSize(6, 4)),
                size: PixelSize(6, 4), channels: 3)
            let rows = RowPipeline(layout: found.layout, width: 6, background: 0, scalers: [scaler])
            let end = try spooled.decode(
                from: file, SpoolJob(numerator: 64, memoryLimit: 1 << 20, allowsTruncated: false), into: rows)
            #expect(end.end == bytes.count && !end.isTruncated)
            #expect(Picture(rows.finish()[0]) == picture)
            #expect(spooled.notes.hasMetadata)
        }
    }

    /// Bytes in memory that can be read anywhere.
    private final class MemoryFile: RandomAccessBytes {
        let bytes: [UInt8]
        var size: Int { bytes.count }

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            guard offset >= 0, offset < bytes.count else { return 0 }
            let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
            unsafe buffer.copyBytes(from: part)
            return part.count
        }
    }
#endif
