#if TIFF
    import Codecs
    import TestSupport
    import Testing

    /// Damaged files end in a picture or a `CodecError`, and in nothing else.
    @Suite(.timeLimit(.minutes(5))) struct DamageTests {
        private static let sources: [[UInt8]] = {
            let picture = Picture.waves(20, 14)
            let page = TIFFFile.Page(
                20, 14, photometric: 2, bits: [8, 8, 8], data: picture.samples, [274: .short(5)])
            let plain = TIFFFile(pages: [page, page]).bytes()
            let big = TIFFFile(isLittleEndian: false, isBig: true, pages: [page]).bytes()
            guard let folder = try? TemporaryFolder(), let path = try? folder.file("in.tif", plain) else {
                return []
            }
            let copies = [
                "lzw:2 -r 5", "zip:2 -p separate", "packbits", "jpeg:70 -r 16", "lzw -t -w 16 -l 16", "zstd",
                "webp",
            ]
            return [plain, big]
                + copies.compactMap { options in
                    let words = ("-c " + options).split(separator: " ").map(String.init)
                    guard (try? run("tiffcp", words + [path, folder.path + "/out.tif"])) != nil else {
                        return nil
                    }
                    return try? bytes(of: folder.path + "/out.tif")
                }
        }()

        @Test func damage() throws {
            #expect(Self.sources.count == 9)
            var generator = SeededGenerator(seed: 11)
            for (index, source) in Self.sources.enumerated() {
                for round in 0..<150 {
                    var bytes = source
                    for _ in 0..<Int.random(in: 1...3, using: &generator) {
                        // Most of the interest is at the end, where tiffcp writes directories.
                        let low = round % 2 == 0 ? 0 : max(0, bytes.count - 250)
                        bytes[Int.random(in: low..<bytes.count, using: &generator)] =
                            [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &generator)].randomElement(
                                using: &generator) ?? 0
                    }
                    do throws(CodecError) {
                        _ = try decode(bytes, allowsTruncated: round % 3 == 0)
                    } catch { #expect(error.kind != .stopped, "\(index)") }
                }
            }
        }
    }
#endif
