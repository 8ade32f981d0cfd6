#if TIFF
    import Codecs
    import Pixels
    import TestSupport
    import Testing

    /// Every compression and arrangement that libtiff's tiffcp writes decodes to the samples it was given.
    @Suite struct CompressionTests {
        private static let picture = Picture.waves(71, 53)

        /// The picture as a plain file.
        private static let plain = TIFFFile(pages: [
            TIFFFile.Page(
                picture.width, picture.height, photometric: 2, bits: [8, 8, 8], data: picture.samples)
        ]).bytes()

        /// A copy by tiffcp.
        private func copy(_ bytes: [UInt8], _ options: String) throws -> [UInt8] {
            let folder = try TemporaryFolder()
            let source = try folder.file("in.tif", bytes)
            _ = try run(
                "tiffcp", options.split(separator: " ").map(String.init) + [source, folder.path + "/out.tif"])
            return try TestSupport.bytes(of: folder.path + "/out.tif")
        }

        @Test(
            arguments: [
                "none", "lzw", "lzw:2", "zip", "zip:2", "packbits", "lzma", "zstd:2",
            ],
            [
                "-r 200", "-r 7", "-r 1 -B", "-p separate -r 9", "-t -w 16 -l 32",
                "-t -w 64 -l 16 -p separate",
                "-8 -r 20",
            ])
        func withoutLoss(_ compression: String, _ arrangement: String) throws {
            let decoded = try decode(copy(Self.plain, "-c \(compression) \(arrangement)"))
            #expect(decoded.picture == Self.picture, "\(compression) \(arrangement)")
            #expect(!decoded.notes.isOdd)
        }

        /// 16 bits and floating point, with their predictors. (Of floats in the other byte order libtiff 4.5's writer
        /// sorts bytes the wrong way round, and its reader does not.)
        @Test(
            arguments: [
                "-L -c lzw:2", "-B -c lzw:2", "-L -c zip:2", "-B -c zip:2 -r 3", "-B -c zip:2 -t -w 16 -l 16",
                "-L -c zip:3", "-L -c lzw:3 -r 4", "-L -c lzw:3 -t -w 16 -l 16", "-B -c zip",
            ])
        func wideSamples(_ compression: String) throws {
            let isFloat = compression.contains(":3")
            let maker = TIFFFile(pages: [])
            let grey = Picture.waves(40, 31, channels: 1)
            var data: [UInt8] = []
            for sample in grey.samples {
                let bits = (Float(sample) / 255).bitPattern
                data += isFloat ? maker.number(Int(bits), 4) : maker.number(Int(sample) * 257, 2)
            }
            let page = TIFFFile.Page(
                40, 31, photometric: 1, bits: [isFloat ? 32 : 16], data: data,
                isFloat ? [339: .short(3)] : [:])
            let copied = try copy(TIFFFile(pages: [page]).bytes(), compression)
            #expect(try near(decode(copied).picture.samples, grey.samples, 0))
        }

        @Test(arguments: [
            "g3:1d", "g3:2d", "g3:2d:fill", "g4", "g4 -r 8", "g4 -t -w 32 -l 32", "none -f lsb2msb",
            "packbits",
        ])
        func bilevel(_ compression: String) throws {
            var bits: [Int] = []
            for y in 0..<60 {
                for x in 0..<80 { bits.append((x * x / 9 + y * y / 7) % 23 < 9 ? 1 : 0) }
            }
            let data: [UInt8] = stride(from: 0, to: bits.count, by: 8).map { start in
                bits[start..<(start + 8)].reduce(0) { $0 << 1 | UInt8($1) }
            }
            for photometric in [0, 1] {
                let page = TIFFFile.Page(80, 60, photometric: photometric, bits: [1], data: data)
                let decoded = try decode(copy(TIFFFile(pages: [page]).bytes(), "-c \(compression)"))
                let expected: [UInt8] = bits.map { $0 == photometric ? 255 : 0 }
                #expect(decoded.picture.samples == expected, "\(compression), \(photometric)")
            }
        }

        /// Differences worked out by hand: bytes, numbers of 16 bits, and the sorted bytes of 1 and ½.
        @Test func predictors() throws {
            func page(_ width: Int, _ bits: [Int], _ predictor: Int, _ data: [UInt8]) -> TIFFFile.Page {
                TIFFFile.Page(
                    width, 1, photometric: bits.count == 3 ? 2 : 1, bits: bits, data: storedDeflate(data),
                    compression: 8,
                    [317: .short(predictor), 339: .shorts(bits.map { _ in predictor == 3 ? 3 : 1 })])
            }
            let color = page(3, [8, 8, 8], 2, [10, 20, 30, 1, 2, 3, 255, 254, 253])
            #expect(try decode(color) == [10, 20, 30, 11, 22, 33, 10, 20, 30])
            for isLittleEndian in [true, false] {
                var file = TIFFFile(isLittleEndian: isLittleEndian, pages: [])
                file.pages = [page(3, [16], 2, [0x10F0, 0x0120, 0xEDF0].flatMap { file.number($0, 2) })]
                #expect(try near(decode(file.bytes()).picture.samples, [0x11, 0x12, 0], 1))
                file.pages = [page(2, [32], 3, [0x3F, 0, 0x41, 0x80, 0, 0, 0, 0])]
                #expect(try near(decode(file.bytes()).picture.samples, [255, 128], 1))
            }
        }

        /// A zlib stream of one stored block (RFC 1950, RFC 1951).
        private func storedDeflate(_ data: [UInt8]) -> [UInt8] {
            var (low, high): (UInt32, UInt32) = (1, 0)
            for byte in data {
                low = (low + UInt32(byte)) % 65_521
                high = (high + low) % 65_521
            }
            let count = UInt16(data.count)
            return [
                0x78, 0x01, 1, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
            ]
                + data + [high >> 8, high & 255, low >> 8, low & 255].map { UInt8($0) }
        }

        /// Noise fills LZW's table over and over, and strings run across rows; long runs of one colour make the longest.
        @Test(arguments: ["lzw -r 1000", "zip -r 1000", "packbits -r 1000"]) func longStrips(
            _ options: String
        ) throws {
            var picture = Picture.waves(700, 400, channels: 1, seed: 5)
            for i in 100_000..<200_000 { picture.samples[i] = 77 }
            let page = TIFFFile.Page(700, 400, photometric: 1, data: picture.samples)
            let copied = try copy(TIFFFile(pages: [page]).bytes(), "-c \(options)")
            #expect(try decode(copied).picture.samples == picture.samples)
        }

        /// A JPEG as a strip is what djpeg makes of it, of several scans too.
        @Test(arguments: ["4:4:4", "4:2:0", "grey", "progressive", "restarts", "RGB"]) func jpeg(
            _ name: String
        ) throws {
            let stream = try JPEGSamples.named(name)
            let reference = try JPEGSamples.reference(stream)
            let isGrey = reference.channels == 1
            let page = TIFFFile.Page(
                reference.width, reference.height, photometric: isGrey ? 1 : name == "RGB" ? 2 : 6,
                bits: isGrey ? [8] : [8, 8, 8], data: stream, compression: 7,
                [530: .shorts(["4:4:4", "grey", "RGB"].contains(name) ? [1, 1] : [2, 2])])
            let decoded = try decode(TIFFFile(pages: [page]).bytes())
            #expect(near(decoded.picture.samples, reference.samples, 1))
        }

        /// Where libjpeg keeps all coefficients, two bytes each, they are reckoned with; a strip that hides it is refused.
        @Test func jpegOfSeveralScans() throws {
            let colour = Picture.waves(64, 16)
            let plain = try JPEGSamples.make(colour, ["-sample", "1x1"])
            let scans = try JPEGSamples.make(colour, ["-sample", "1x1", "-progressive"])
            func page(_ strips: [[UInt8]]) -> TIFFFile.Page {
                var page = TIFFFile.Page(
                    64, 16 * strips.count, photometric: 6, bits: [8, 8, 8], data: [], compression: 7,
                    [530: .shorts([1, 1]), 278: .long(16)])
                page.chunks = strips
                return page
            }
            let need = try decode(TIFFFile(pages: [page([plain, plain])]).bytes()).header.codecNeed(8)
            let more = try decode(TIFFFile(pages: [page([scans, scans])]).bytes()).header.codecNeed(8)
            #expect(more - need >= 64 * 16 * 3 * 2 + scans.count - plain.count)
            let error = #expect(throws: CodecError.self) { try decode(page([plain, scans])) }
            #expect(error?.kind == .unsupportedVariant)
        }

        @Test(arguments: ["jpeg:90 -r 16", "jpeg:r:90 -t -w 32 -l 16", "webp:90"]) func withLoss(
            _ options: String
        ) throws {
            var smooth = Picture(width: 64, height: 48, channels: 3, samples: [])
            for y in 0..<48 {
                for x in 0..<64 { smooth.samples += [UInt8(x * 3), UInt8(y * 4), 90] }
            }
            let page = TIFFFile.Page(64, 48, photometric: 2, bits: [8, 8, 8], data: smooth.samples)
            let decoded = try decode(copy(TIFFFile(pages: [page]).bytes(), "-c \(options)"))
            #expect(near(decoded.picture.samples, smooth.samples, 30))
            let mean = zip(decoded.picture.samples, smooth.samples).reduce(0) {
                $0 + abs(Int($1.0) - Int($1.1))
            }
            #expect(mean < 4 * smooth.samples.count)
        }

        /// PackBits of a writer whose runs go on in the next row, and of one that fills with no operation.
        @Test func packBitsAcrossRows() throws {
            let page = TIFFFile.Page(
                3, 2, photometric: 1, data: [0x80, UInt8(bitPattern: -3), 9, 1, 5, 6], compression: 32_773)
            #expect(try decode(page) == [9, 9, 9, 9, 5, 6])
        }

        /// Codes no encoder makes end in an error, never in pixels.
        @Test func damagedData() {
            let streams: [(Int, [UInt8])] = [
                (5, [0x80, 0x7F, 0xFF, 0xFF]), (5, [0x80, 0x40]), (8, [1, 2, 3, 4]), (32_773, [5, 1]),
                (8, []),
            ]
            for (compression, data) in streams {
                let page = TIFFFile.Page(4, 4, photometric: 1, data: data + [0], compression: compression)
                let error = #expect(throws: CodecError.self) { try decode(page) }
                #expect(error?.kind == .corrupt, "\(compression)")
            }
        }

        /// Cut anywhere, a file is truncated or has no directory left; allowed, its rows are the first ones.
        @Test(arguments: [
            "lzw -r 4", "zip -r 1000", "packbits -r 1000", "zstd -r 4", "jpeg -r 16", "lzw -t -w 16 -l 16",
            "lzw -t -w 80 -l 16",
        ])
        func cutFiles(_ options: String) throws {
            // The directory comes first, so that it survives.
            let sound = try directoryFirst(copy(Self.plain, "-c \(options)"))
            let whole = try decode(sound).picture.samples
            // A strip of JPEG has one row of blocks, which is whole or not at all.
            for share in options.hasPrefix("jpeg") ? [8, 9] : [5, 7, 9] {
                let cut = Array(sound[..<(sound.count * share / 10)])
                let error = #expect(throws: CodecError.self) { try decode(cut) }
                #expect(error?.kind == .truncated, "\(options) \(share)")
                let part = try decode(cut, allowsTruncated: true)
                #expect(part.isTruncated)
                let rowBytes = 3 * Self.picture.width
                let kinds = (0..<Self.picture.height).map { y -> Int in
                    let row = part.picture.samples[(y * rowBytes)..<((y + 1) * rowBytes)]
                    return row == whole[(y * rowBytes)..<((y + 1) * rowBytes)]
                        ? 0 : row.allSatisfy { $0 == 255 } ? 1 : 2
                }
                #expect(kinds == kinds.sorted() && kinds[10] == 0 && kinds.max() == 1, "\(options) \(share)")
                #expect(part.picture.samples.suffix(rowBytes).allSatisfy { $0 == 255 })
            }
        }

        /// Moves the data of a little-endian classic file behind its directory.
        private func directoryFirst(_ bytes: [UInt8]) -> [UInt8] {
            func number(_ at: Int, _ count: Int) -> Int {
                (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
            }
            let start = number(4, 4)
            var page = TIFFFile.Page(fields: [:])
            var (places, sizes): ([Int], [Int]) = ([], [])
            for i in 0..<number(start, 2) {
                let entry = start + 2 + 12 * i
                let (tag, type, count) = (number(entry, 2), number(entry + 2, 2), number(entry + 4, 4))
                let size = [3: 2, 4: 4, 7: 1][type] ?? 0
                guard size > 0 else { continue }
                let at = size * count <= 4 ? entry + 8 : number(entry + 8, 4)
                let values = (0..<count).map { number(at + size * $0, size) }
                switch tag {
                case 273, 324: places = values
                case 279, 325: sizes = values
                default:
                    page.fields[tag] =
                        type == 7
                        ? .bytes(values.map(UInt8.init)) : type == 3 ? .shorts(values) : .longs(values)
                }
            }
            let offsets = page.fields[322] == nil ? 273 : 324
            page.fields[offsets == 273 ? 279 : 325] = .longs(sizes)
            page.fields[offsets] = .longs(sizes.map { _ in 0 })
            let head = TIFFFile(pages: [page]).bytes().count
            var at = head
            page.fields[offsets] = .longs(
                sizes.map { size in
                    defer { at += size }; return at
                })
            return TIFFFile(pages: [page]).bytes() + zip(places, sizes).flatMap { bytes[$0..<($0 + $1)] }
        }
    }
#endif
