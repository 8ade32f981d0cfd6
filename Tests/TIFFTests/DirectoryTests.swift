#if TIFF
    import Codecs
    import Pixels
    import TestSupport
    import Testing

    /// Directories as they should be, as they are, and as an enemy writes them.
    @Suite struct DirectoryTests {
        private func page(_ value: UInt8, _ more: [Int: TIFFFile.Value] = [:]) -> TIFFFile.Page {
            TIFFFile.Page(1, 1, photometric: 1, data: [value], more)
        }

        private func kind(_ bytes: [UInt8]) -> CodecError.Kind? {
            do throws(CodecError) { _ = try decode(bytes) } catch { return error.kind }
            return nil
        }

        // MARK: Pages

        @Test func firstPage() throws {
            let one = try decode(TIFFFile(pages: [page(11)]).bytes())
            #expect(one.picture.samples == [11] && !one.notes.isMultiPage)
            let two = try decode(TIFFFile(pages: [page(11), page(22)]).bytes())
            #expect(two.picture.samples == [11] && two.notes.isMultiPage)
        }

        /// A thumbnail or mask before the picture is passed over, whichever tag says so; alone it will do.
        @Test func thumbnailsAndMasks() throws {
            let kinds: [[Int: TIFFFile.Value]] = [[254: .long(1)], [254: .long(4)], [255: .short(2)]]
            for kind in kinds {
                let both = try decode(TIFFFile(pages: [page(11, kind), page(22)]).bytes())
                #expect(both.picture.samples == [22] && !both.notes.isMultiPage)
                #expect(try decode(TIFFFile(pages: [page(11, kind)]).bytes()).picture.samples == [11])
            }
            var parent = page(11, [254: .long(1)])
            parent.children = [page(33)]
            #expect(try decode(TIFFFile(pages: [parent]).bytes()).picture.samples == [33])
        }

        @Test func loops() throws {
            var first = page(11)
            let own = TIFFFile(pages: [first]).bytes()
            // The directory follows the header and the data.
            first.next = 10
            #expect(try decode(TIFFFile(pages: [first]).bytes()).picture.samples == [11])
            var second = page(22)
            second.next = 10
            #expect(try decode(TIFFFile(pages: [page(11), second]).bytes()).picture.samples == [11])
            // Its own child.
            let parent = page(11, [330: .long(10)])
            #expect(try decode(TIFFFile(pages: [parent]).bytes()).picture.samples == [11])
            #expect(own.count > 10)
        }

        @Test(arguments: 1...8) func orientation(_ value: Int) throws {
            let decoded = try decode(TIFFFile(pages: [page(11, [274: .short(value)])]).bytes())
            #expect(decoded.header.orientation.rawValue == value)
        }

        @Test func metadata() throws {
            #expect(try !decode(TIFFFile(pages: [page(1)]).bytes()).notes.hasMetadata)
            for tag in [270, 700, 34_665, 34_853] {
                #expect(try decode(TIFFFile(pages: [page(1, [tag: .long(0)])]).bytes()).notes.hasMetadata)
            }
        }

        // MARK: Lies

        @Test func impossibleSizes() {
            #expect(kind(TIFFFile(pages: [page(1, [256: .long(0)])]).bytes()) == .corrupt)
            #expect(kind(TIFFFile(pages: [page(1, [277: .short(0)])]).bytes()) == .corrupt)
            #expect(kind(TIFFFile(pages: [page(1, [278: .long(0)])]).bytes()) == .corrupt)
            // Four thousand million rows, a strip each, of which the file has one.
            let rows = page(1, [257: .long(0x7FFF_FFFF), 278: .long(1)])
            #expect(kind(TIFFFile(pages: [rows]).bytes()) == .corrupt)
            let tiles = page(1, [256: .long(60_000), 257: .long(60_000), 322: .long(1), 323: .long(1)])
            #expect(kind(TIFFFile(pages: [tiles]).bytes()) == .corrupt)
            #expect(kind(TIFFFile(pages: [page(1, [257: .long(Int(UInt32.max))])]).bytes()) == .tooManyPixels)
            #expect(
                kind(TIFFFile(pages: [page(1, [277: .short(65_535), 262: .short(2)])]).bytes())
                    == .unsupportedVariant)
        }

        /// Numbers whose products and sums leave what a machine's numbers hold.
        @Test func overflows() {
            let top = 0x7FFF_FFFF
            let bits = [Int](repeating: 64, count: 200)
            let tile = TIFFFile.Page(
                1, 1, photometric: 1, bits: bits, data: [1], [322: .long(top), 323: .long(top)])
            let strip = TIFFFile.Page(
                1, 1, photometric: 1, bits: bits, data: [1],
                [256: .long(top), 257: .long(top), 278: .long(top)])
            for page in [tile, strip] {
                #expect(kind(TIFFFile(pages: [page]).bytes()) == .tooManyPixels)
                var jpeg = page
                jpeg.fields[259] = .short(7)
                #expect(kind(TIFFFile(pages: [jpeg]).bytes()) != nil)
            }
            for tag in [273, 279, 330, 513] {
                for compression in [1, 5, 7, 8, 50_000] {
                    let far = page(
                        1,
                        [
                            tag: .raw(type: 16, count: 1, field: .max),
                            514: .raw(type: 16, count: 1, field: .max),
                            259: .short(compression),
                        ])
                    let answer = kind(TIFFFile(isBig: true, pages: [far]).bytes())
                    // The others end in any error, or find a pixel in what follows.
                    if compression == 1 { #expect(answer == (tag == 273 ? .truncated : nil), "\(tag)") }
                }
            }
        }

        /// Counts and offsets that leave the file.
        @Test func valuesOutsideTheFile() throws {
            for tag in [273, 279, 258, 320] {
                let lie = page(1, [tag: .raw(type: 4, count: 1_000_000, field: 8)])
                #expect(kind(TIFFFile(pages: [lie]).bytes()) == (tag == 273 ? .corrupt : nil), "\(tag)")
            }
            let outside = page(1, [273: .raw(type: 4, count: 20, field: 180)])
            #expect(kind(TIFFFile(pages: [outside]).bytes()) == .truncated)
            #expect(kind(TIFFFile(pages: [page(1, [273: .long(1_000_000)])]).bytes()) == .truncated)
            var away = page(7)
            away.next = 1_000_000
            #expect(try decode(TIFFFile(pages: [away]).bytes()).picture.samples == [7])
        }

        @Test func headers() {
            let sound = TIFFFile(pages: [page(1)]).bytes()
            // The last four bytes say that no page follows.
            for count in 0..<(sound.count - 4) {
                #expect(kind(Array(sound[..<count])) != nil, "\(count) bytes")
            }
            #expect(kind([0x49, 0x49, 42, 0, 0, 0, 0, 0]) == .corrupt)
            #expect(kind([0x49, 0x49, 42, 0, 200, 0, 0, 0]) == .truncated)
            #expect(kind(TIFFFile(magic: 41, pages: [page(1)]).bytes()) == .unsupportedVariant)
            #expect(kind(TIFFFile(isBig: true, magic: 42, pages: [page(1)]).bytes()) != nil)
        }

        @Test func kindsNobodyDecodes() {
            for (tag, value) in [(262, 32), (259, 60_000), (259, 34_712), (258, 17), (339, 6)] {
                #expect(kind(TIFFFile(pages: [page(1, [tag: .short(value)])]).bytes()) == .unsupportedVariant)
            }
            // No colour map.
            #expect(kind(TIFFFile(pages: [page(1, [262: .short(3)])]).bytes()) == .corrupt)
        }

        // MARK: Cut files

        /// Of a strip that is cut, the whole rows, then white.
        @Test func cutData() throws {
            let sound = TIFFFile(pages: [
                TIFFFile.Page(
                    fields: [
                        256: .long(2), 257: .long(4), 258: .short(8), 262: .short(1), 278: .long(4),
                        273: .long(1000), 279: .long(8),
                    ])
            ]).bytes()
            let file = sound + [UInt8](repeating: 0, count: 1000 - sound.count) + [1, 2, 3, 4, 5]
            #expect(throws: CodecError(.truncated, "the bytes end before the end of the picture")) {
                try decode(file)
            }
            let decoded = try decode(file, allowsTruncated: true)
            #expect(decoded.isTruncated)
            #expect(decoded.picture.samples == [1, 2, 3, 4, 255, 255, 255, 255])
        }
    }
#endif
