#if HEIF
    import Codecs
    import JPEGCore
    import Pixels
    import TestSupport
    import Testing

    /// Files that heif-enc, avifenc and x265 made of one picture, which arithmetic gives: soft slopes of all three colours.
    @Suite struct HEIFPictureTests {
        static let size = PixelSize(150, 100)

        static func pixel(_ x: Int, _ y: Int) -> [Int] {
            [30 + 200 * x / 149, 30 + 200 * y / 99, 230 - 160 * (x + y) / 248]
        }

        private func decode(
            _ bytes: [UInt8], numerator: Int? = nil, background: UInt32 = 0xFFFFFF,
            allowsTruncated: Bool = false
        ) throws(CodecError) -> (bitmap: Bitmap, header: ImageHeader, notes: DecodeNotes, end: SpoolEnd) {
            var decoder = HEIFSpoolDecoder()
            let file = MemoryBytes(bytes)
            guard let header = try decoder.readHeader(from: file, shouldStop: { false }) else {
                throw CodecError(.corrupt, "no header")
            }
            let numerator = numerator ?? header.numerators.last ?? 8
            let rows = pipeline(header, DecodePlan(numerator: numerator, background: background))
            let job = SpoolJob(
                numerator: numerator, memoryLimit: 64_000_000, allowsTruncated: allowsTruncated)
            let end = try decoder.decode(from: file, job, into: rows)
            return (rows.finish()[0], header, decoder.notes, end)
        }

        /// The largest mean and the largest difference of any sample.
        private func difference(
            _ bitmap: Bitmap, _ expected: (_ x: Int, _ y: Int) -> [Int],
            unless isLeftOut: (_ x: Int, _ y: Int) -> Bool = { _, _ in false }
        ) -> (mean: Double, most: Int) {
            let samples = bitmap.samples
            var (sum, most) = (0, 0)
            for y in 0..<bitmap.size.height {
                for x in 0..<bitmap.size.width where !isLeftOut(x, y) {
                    let want = expected(x, y)
                    for c in 0..<bitmap.channels {
                        let off = abs(
                            Int(samples[(y * bitmap.size.width + x) * bitmap.channels + c]) - want[c])
                        sum += off
                        most = max(most, off)
                    }
                }
            }
            return (Double(sum) / Double(samples.count), most)
        }

        @Test(arguments: [
            "single.heic", "thumbnail.heic", "grid.heic", "ios18.heic", "420-8.avif", "422-12.avif",
            "444-10.avif", "limited-709.avif", "bt2020.avif", "ycgco.avif", "rgb.avif", "sequence.avif",
        ])
        func everySample(_ name: String) throws {
            let bytes = try fixture("heif/\(name)")
            let decoded = try decode(bytes)
            #expect(decoded.bitmap.size == Self.size && decoded.header.orientation == .upright)
            let off = difference(decoded.bitmap, Self.pixel)
            #expect(off.mean < 1.6 && off.most <= 10, "\(off)")
            #expect(decoded.end.end == bytes.count && !decoded.end.isTruncated)
            #expect(decoded.notes.isAnimated == (name == "sequence.avif") && !decoded.notes.isOdd)
            if name == "rgb.avif" { #expect(off.most == 0) }
        }

        @Test func gray() throws {
            let decoded = try decode(try fixture("heif/grey.avif"))
            #expect(decoded.bitmap.channels == 1 && decoded.header.layout == PixelLayout(.gray))
            #expect(difference(decoded.bitmap) { _, y in [30 + 200 * y / 99] }.most <= 3)
        }

        /// Alpha rises from left to right; the matte is linear in light, so that the means follow SRGBCurve.
        @Test(arguments: ["alpha.avif", "premultiplied.avif", "alpha.heic"]) func alpha(_ name: String) throws
        {
            for background: UInt32 in [0, 0xFFFFFF] {
                let decoded = try decode(try fixture("heif/\(name)"), background: background)
                let off = difference(decoded.bitmap) { x, y in
                    let share = Double(255 * x / 149) / 255
                    return Self.pixel(x, y).map { sample in
                        let light = SRGBCurve.linear(Double(sample) / 255) * share
                        let matte = background == 0 ? 0 : 1 - share
                        return Int(SRGBCurve.encoded(light + matte) * 255 + 0.5)
                    }
                }
                // What was multiplied with little alpha keeps few of its levels.
                #expect(off.mean < 2.5 && off.most <= (name == "premultiplied.avif" ? 25 : 16), "\(off)")
            }
        }

        @Test func turns() throws {
            for (name, orientation) in [
                ("irot1.avif", Orientation.rotated270), ("imir1.avif", .mirrored),
                ("turned.avif", .transposed),
            ] {
                let decoded = try decode(try fixture("heif/\(name)"))
                #expect(decoded.header.orientation == orientation, "\(name)")
                let isCut = name == "turned.avif"
                let off = difference(decoded.bitmap) { x, y in
                    isCut ? Self.pixel(x + 20, y + 10) : Self.pixel(x, y)
                }
                #expect(decoded.bitmap.size == (isCut ? PixelSize(100, 60) : Self.size))
                #expect(off.mean < 1.6 && off.most <= 10, "\(name) \(off)")
            }
        }

        /// Of soft slopes the mean of a block is the colour of its middle.
        @Test(arguments: [4, 2, 1]) func means(_ numerator: Int) throws {
            for name in ["420-8.avif", "422-12.avif", "444-10.avif", "grid.heic"] {
                let decoded = try decode(try fixture("heif/\(name)"), numerator: numerator)
                let factor = 8 / numerator
                #expect(
                    decoded.bitmap.size
                        == PixelSize((150 + factor - 1) / factor, (100 + factor - 1) / factor))
                let off = difference(decoded.bitmap) { x, y in
                    let x = min(x * factor + factor / 2, 149)
                    return Self.pixel(x, min(y * factor + factor / 2, 99))
                }
                #expect(off.mean < 3 && off.most <= 12, "\(name) \(off)")
            }
        }

        /// Of the grid's 2 rows of 3 tiles of 64 pixels, which end at these offsets, as much as is there.
        @Test(arguments: [815: 1, 1340: 1, 1341: 2, 1707: 3, 2168: 3, 2169: 4, 2800: 5])
        func cutGrid(_ count: Int, tiles: Int) throws {
            let cut = Array(try fixture("heif/grid.heic").prefix(count))
            #expect(failure(cut) == .truncated)
            let decoded = try decode(cut, background: 0xFFFFFF, allowsTruncated: true)
            #expect(decoded.end.isTruncated && decoded.end.end == count)
            #expect(decoded.bitmap.size == Self.size)
            // A row of tiles of which none is there shows as the background, as in every format. Samples of chroma
            // at an edge are blended with those behind it.
            let rows = tiles > 3 ? 100 : 64
            let off = difference(decoded.bitmap) { x, y in
                guard y < rows else { return [255, 255, 255] }
                return y / 64 * 3 + x / 64 < tiles ? Self.pixel(x, y) : [128, 128, 128]
            } unless: { x, y in
                x % 64 == 63 || x > 0 && x % 64 == 0 || y == 63 || y == 64
            }
            #expect(off.mean < 1.6 && off.most <= 10, "\(off)")
        }

        /// Without a whole tile there is nothing to show.
        @Test func cutBeforeTheFirstTile() throws {
            let bytes = try fixture("heif/grid.heic")
            for count in [680, 814] {
                #expect(failure(Array(bytes.prefix(count)), allowsTruncated: true) == .truncated, "\(count)")
            }
        }

        private func failure(_ bytes: [UInt8], allowsTruncated: Bool = false) -> CodecError.Kind? {
            do {
                _ = try decode(bytes, allowsTruncated: allowsTruncated)
                return nil
            } catch { return error.kind }
        }

        /// Known before the first row is decoded.
        @Test func cutFilesAreRefusedEarly() throws {
            let cut = MemoryBytes(Array(try fixture("heif/grid.heic").dropLast(1)))
            var decoder = HEIFSpoolDecoder()
            _ = try decoder.readHeader(from: cut, shouldStop: { false })
            var kind: CodecError.Kind?
            do {
                _ = try decoder.memoryBeyondHeader(of: cut, allowsTruncated: false, unless: { false })
            } catch { kind = error.kind }
            #expect(kind == .truncated)
            let more = try decoder.memoryBeyondHeader(of: cut, allowsTruncated: true, unless: { false })
            #expect(more == 0)
        }

        @Test func cutSinglePictures() throws {
            for name in ["single.heic", "420-8.avif"] {
                let bytes = try fixture("heif/\(name)")
                for count in stride(from: 0, to: bytes.count, by: 97) {
                    do {
                        _ = try decode(Array(bytes.prefix(count)), allowsTruncated: true)
                        Issue.record("\(name) of \(count) bytes")
                    } catch {
                        #expect([.truncated, .corrupt].contains(error.kind), "\(name) \(count) \(error)")
                    }
                }
            }
        }

        /// Its colours end at 3,4 kB of 4,3: what lacks is alpha, without which a picture is opaque.
        @Test func cutAlpha() throws {
            let bytes = try fixture("heif/alpha.heic")
            for count in [bytes.count - 1, 4000] {
                let cut = Array(bytes.prefix(count))
                #expect(failure(cut) == .truncated)
                let decoded = try decode(cut, allowsTruncated: true)
                #expect(decoded.end.isTruncated)
                let off = difference(decoded.bitmap) { x, y in Self.pixel(x, y) }
                #expect(off.mean < 1.6 && off.most <= 10, "\(count) \(off)")
            }
        }

        /// Any byte changed: a picture or an error, never anything else.
        @Test(
            .timeLimit(.minutes(5)), arguments: ["grid.heic", "alpha.heic", "444-10.avif", "sequence.avif"])
        func damage(_ name: String) throws {
            let bytes = try fixture("heif/\(name)")
            var generator = SeededGenerator(seed: UInt64(bytes.count))
            for _ in 0..<150 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let at = Int.random(in: 0..<min(700, bytes.count), using: &generator)
                    damaged[at] = UInt8.random(in: 0...255, using: &generator)
                }
                var decoder = HEIFSpoolDecoder()
                let file = MemoryBytes(damaged)
                do {
                    guard let header = try decoder.readHeader(from: file, shouldStop: { false }),
                        header.size.area <= 100_000, header.codecNeed(header.numerators[0]) < 64_000_000
                    else { continue }
                    _ = try decode(damaged)
                } catch { #expect(error.kind != .stopped) }
            }
        }
    }
#endif
