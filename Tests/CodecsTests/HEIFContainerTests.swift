#if HEIF
    @testable import Codecs
    import JPEGCore
    import MediaTypes
    import Pixels
    import TestSupport
    import Testing

    /// Boxes made by hand: what they say is found, and what cannot be is refused for its reason.
    @Suite struct HEIFContainerTests {
        private func read(_ bytes: [UInt8]) throws(CodecError) -> HEIFContainer {
            try HEIFContainer(HEIFFile(file: MemoryBytes(bytes))) { false }
        }

        private func kind(_ bytes: [UInt8]) -> CodecError.Kind? {
            do {
                _ = try read(bytes)
                return nil
            } catch { return error.kind }
        }

        /// The error of the primary picture.
        private func failure(_ writer: HEIFWriter) -> CodecError? {
            let file = HEIFFile(file: MemoryBytes(writer.file))
            do {
                _ = try HEIFContainer(file) { false }.primaryPicture(file)
                return nil
            } catch { return error }
        }

        @Test func itemsAndTheirPlaces() throws {
            var writer = HEIFWriter()
            writer.primary = 7
            writer.items = [(7, "hvc1", 0), (9, "Exif", 0)]
            writer.place([(7, 0, [(3, 5), (20, 2)]), (9, 1, [(1, 3)])])
            writer.itemData = [1, 2, 3, 4, 5]
            let file = writer.file
            let container = try read(file)
            #expect(container.primary == 7)
            #expect(container.items[7]?.type == "hvc1" && container.items[9]?.type == "Exif")
            #expect(try container.data(of: 7, fileSize: file.count).ranges == [3..<8, 20..<22])
            // The last box of the file is idat: its content are the last five bytes.
            let start = file.count - 5 + 1
            #expect(try container.data(of: 9, fileSize: file.count).ranges == [start..<(start + 3)])
            #expect(container.end == file.count)
        }

        @Test(arguments: [(4, 4, 0, 0), (8, 8, 8, 8), (4, 0, 4, 0), (8, 4, 0, 4)])
        func fieldSizes(offset: Int, length: Int, base: Int, index: Int) throws {
            var writer = HEIFWriter()
            writer.items = [(1, "hvc1", 0)]
            func fields(_ sizes: [Int], _ values: [Int]) -> [UInt8] {
                zip(values, sizes).flatMap { BoxWriter.number($0, $1) }
            }
            writer.iloc = BoxWriter.full(
                "iloc", 2, 0, [UInt8(offset << 4 | length), UInt8(base << 4 | index)],
                BoxWriter.number(1, 4), BoxWriter.number(1, 4), BoxWriter.number(0, 2),
                BoxWriter.number(0, 2), BoxWriter.number(10, base), BoxWriter.number(1, 2),
                fields([index, offset, length], [5, 4, 6]))
            let start = base > 0 ? 14 : 4
            let file = writer.file
            // Without a length the part reaches to the end of the file.
            let end = length > 0 ? start + 6 : file.count
            #expect(try read(file).data(of: 1, fileSize: file.count).ranges == [start..<end])
        }

        @Test func placesThatCannotBe() throws {
            var writer = HEIFWriter()
            writer.items = [(1, "hvc1", 0)]
            writer.itemData = [1, 2, 3]
            func kind(_ method: Int, _ parts: [(Int, Int)]) -> CodecError.Kind? {
                writer.place([(1, method, parts)])
                let file = writer.file
                do {
                    let data = try read(file).data(of: 1, fileSize: file.count)
                    return data.isWhole ? nil : .truncated
                } catch { return error.kind }
            }
            #expect(kind(0, [(0, 4)]) == nil)
            #expect(kind(0, [(100_000, 4)]) == .truncated)
            #expect(kind(0, [(0xFFFF_FFFF, 0xFFFF_FFFF)]) == .truncated)
            #expect(kind(0, [(0, 200), (0, 200), (0, 200)]) == .corrupt)
            #expect(kind(1, [(0, 4)]) == .corrupt)
            #expect(kind(1, [(3, 0)]) == nil)
            #expect(kind(2, [(0, 4)]) == .unsupportedVariant)
        }

        @Test func boxesOfOddSizes() throws {
            var writer = HEIFWriter()
            writer.items = [(1, "hvc1", 0)]
            writer.place([(1, 0, [(0, 4)])])
            let meta = writer.meta
            // A size of 64 bits, and one that means the rest of the file.
            let long =
                BoxWriter.number(1, 4) + Array("meta".utf8) + BoxWriter.number(meta.count + 8, 8)
                + meta.dropFirst(8)
            #expect(try read(HEIFWriter.fileType + long).items.count == 1)
            #expect(
                try read(HEIFWriter.fileType + BoxWriter.number(0, 4) + meta.dropFirst(4)).items.count == 1)
            // What follows the last box is no part of the picture.
            let trailing = HEIFWriter.fileType + meta + [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4, 5]
            #expect(try read(trailing).end == trailing.count - 9)
            #expect(kind(HEIFWriter.fileType + meta.dropLast(1)) == .truncated)
            #expect(kind(HEIFWriter.fileType) == .truncated)
            #expect(kind(HEIFWriter.fileType + BoxWriter.number(4, 4) + Array("meta".utf8)) == .corrupt)
            // A box that leaves its parent.
            let inner = BoxWriter.number(100, 4) + Array("pitm".utf8) + [0, 0, 0, 0, 0, 1]
            #expect(kind(HEIFWriter.fileType + BoxWriter.full("meta", 0, 0, inner)) == .corrupt)
            let huge = BoxWriter.box("free", [UInt8](repeating: 0, count: 1 << 20))
            let described = BoxWriter.full("meta", 0, 0, BoxWriter.box("iprp", huge))
            #expect(kind(HEIFWriter.fileType + described) == .corrupt)
        }

        @Test func countsThatNoBytesFollow() {
            let counts: [(String, [UInt8])] = [
                ("iloc", BoxWriter.number(0x4400, 2) + BoxWriter.number(0xFFFF, 2)),
                ("iloc", BoxWriter.number(0, 2) + BoxWriter.number(1, 2) + [0, 1, 0, 0, 0xFF, 0xFF]),
                ("iloc", BoxWriter.number(0x5400, 2) + BoxWriter.number(0, 2)),
                ("iref", BoxWriter.box("dimg", [0, 1, 0xFF, 0xFF])),
                ("iprp", BoxWriter.full("ipma", 0, 0, BoxWriter.number(0xFFFF_FFFF, 4))),
            ]
            for (type, content) in counts {
                let box = type == "iprp" ? BoxWriter.box(type, content) : BoxWriter.full(type, 0, 0, content)
                #expect(kind(HEIFWriter.fileType + BoxWriter.full("meta", 0, 0, box)) == .corrupt, "\(type)")
            }
        }

        private static let configured = { () -> HEIFWriter in
            var writer = HEIFWriter()
            writer.items = [(1, "hvc1", 0)]
            writer.place([(1, 0, [(0, 4)])])
            writer.properties = [BoxWriter.box("hvcC", [UInt8](repeating: 0, count: 23))]
            writer.associations = [(1, [1])]
            return writer
        }()

        /// Of heifmake.py's grid: what it has itself counts, else what its first tile has.
        @Test func coloursOfTiles() throws {
            let bytes = try fixture("heif/grid.heic")
            let places = bytes.indices.filter { bytes[$0...].starts(with: "ipma".utf8) }
            // Version and flags, count, six tiles with properties 1 and 2, then the grid: its size and its colours.
            let first = try #require(places.first) + 12
            let grid = first + 6 * 5
            #expect(Array(bytes[first..<(first + 5)]) == [0, 1, 2, 0x81, 2])
            #expect(Array(bytes[grid..<(grid + 5)]) == [0, 7, 2, 3, 4])
            func hasCodes(_ own: UInt8, _ tile: UInt8) throws -> Bool {
                var changed = bytes
                changed[first + 4] = tile
                changed[grid + 4] = own
                let file = HEIFFile(file: MemoryBytes(changed))
                return try HEIFContainer(file) { false }.primaryPicture(file).codes?.transfer == 13
            }
            #expect(try hasCodes(4, 2) && hasCodes(3, 4))
            #expect(try !hasCodes(3, 2))
        }

        @Test func essentialProperties() {
            var writer = Self.configured
            writer.properties.append(BoxWriter.box("what", [1]))
            writer.associations = [(1, [1, 2])]
            #expect(failure(writer) == nil)
            writer.associations = [(1, [1, -2])]
            #expect(failure(writer)?.kind == .unsupportedVariant)
            #expect(failure(writer)?.detail.contains("what") == true)
            writer.associations = [(1, [1, 3])]
            #expect(failure(writer)?.kind == .corrupt)
        }

        @Test(arguments: [
            ("jpeg", "JPEG in HEIF"), ("vvc1", "VVC"), ("unci", "uncompressed"), ("j2k1", "JPEG 2000"),
            ("iovl", "overlay"), ("avc1", "AVC"), ("lhv1", "layered"), ("abcd", "abcd"),
        ])
        func codecsThatAreNotDecoded(type: String, word: String) {
            var writer = Self.configured
            writer.items = [(1, type, 0)]
            #expect(failure(writer)?.kind == .unsupportedVariant)
            #expect(failure(writer)?.detail.contains(word) == true)
        }

        @Test func picturesThatCannotBe() {
            var writer = Self.configured
            writer.items = [(1, "hvc1", 1)]
            #expect(failure(writer)?.kind == .unsupportedVariant, "protected")
            writer.items = [(2, "hvc1", 0)]
            #expect(failure(writer)?.kind == .corrupt, "primary item missing")
            writer.items = [(1, "iden", 0)]
            #expect(failure(writer)?.kind == .corrupt, "derived of nothing")
            writer.references = [("dimg", 1, [1])]
            #expect(failure(writer)?.kind == .corrupt, "derived of itself")
            writer = Self.configured
            writer.handler = "vide"
            #expect(failure(writer)?.kind == .unsupportedVariant, "another handler")
        }

        /// A grid of 1 x 2 tiles, whose data lies in idat.
        private func grid(_ data: [UInt8], tiles: [Int]) -> HEIFWriter {
            var writer = Self.configured
            writer.primary = 5
            writer.items.append((5, "grid", 0))
            writer.items.append((2, "av01", 0))
            writer.itemData = data
            writer.place([(1, 0, [(0, 4)]), (5, 1, [(0, data.count)])])
            writer.references = [("dimg", 5, tiles)]
            return writer
        }

        @Test func grids() throws {
            let data: [UInt8] = [0, 0, 0, 1, 1, 0, 0, 200]
            let file = HEIFFile(file: MemoryBytes(grid(data, tiles: [1, 1]).file))
            let color = try HEIFContainer(file) { false }.primaryPicture(file).color
            #expect(color.rows == 1 && color.columns == 2 && color.size == PixelSize(256, 200))
            let wide: [UInt8] = [0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 200]
            let wideFile = HEIFFile(file: MemoryBytes(grid(wide, tiles: [1, 1]).file))
            #expect(
                try HEIFContainer(wideFile) { false }.primaryPicture(wideFile).color.size
                    == PixelSize(65536, 200))
            #expect(failure(grid(data, tiles: [1]))?.kind == .corrupt)
            #expect(failure(grid(data, tiles: [1, 2]))?.kind == .unsupportedVariant)
            #expect(failure(grid(data, tiles: [5, 5]))?.kind == .unsupportedVariant)
            #expect(failure(grid([0, 0, 0, 1, 0, 0, 0, 200], tiles: [1, 1]))?.kind == .corrupt)
            #expect(failure(grid([0, 0, 0, 1, 1, 0], tiles: [1, 1]))?.kind == .corrupt)
        }

        @Test func gainMapsShowTheirBase() throws {
            var writer = Self.configured
            writer.primary = 3
            writer.items.append((2, "hvc1", 0))
            writer.items.append((3, "tmap", 0))
            writer.properties.append(BoxWriter.box("irot", [1]))
            writer.associations = [(1, [1]), (2, [1]), (3, [2])]
            writer.references = [("dimg", 3, [1, 2]), ("auxl", 2, [1, 3])]
            let file = HEIFFile(file: MemoryBytes(writer.file))
            let picture = try HEIFContainer(file) { false }.primaryPicture(file)
            #expect(picture.color.tiles == [1] && picture.alpha == nil && picture.steps.isEmpty)
        }
    }
#endif
