import MediaContainers
import MediaTypes
import Testing

/// Files that mean harm: an answer in time and work that go with their size.
@Suite(.timeLimit(.minutes(2))) struct HostileBoxTests {
    private static let brand = box("ftyp", text("mp42"), zeros(4))

    /// What it answers, after no more work than `factor` for each byte.
    private func answer(
        _ input: [UInt8], _ source: MediaFormat = .mp4, factor: Int = 40
    ) -> Rewritten {
        let result = Rewritten(input, ISORewriter(source))
        #expect(result.work <= factor * (input.count + 4096), "\(result.work) for \(input.count) bytes")
        return result
    }

    /// Sizes that lead nowhere: too small for their own header, beyond the file, beyond any number.
    @Test(arguments: [0, 1, 4, 7, 9, 100, 0x7FFF_FFFF, 0xFFFF_FFFF]) func sizes(size: Int) throws {
        let whole = Movie().bytes
        for path in [
            "moov", "moov/trak", "moov/trak/mdia/minf/stbl", "moov/trak/mdia/minf/stbl/stsd", "mdat",
        ] {
            var bytes = whole
            let place = try #require(FoundBox.all(path, in: whole).first)
            bytes.replaceSubrange(place.start..<(place.start + 4), with: be(size))
            let result = answer(bytes)
            #expect((result.media == nil) == (result.error != nil) && result.bytes.count <= bytes.count)
        }
    }

    @Test(arguments: [0, 15, 16, 1 << 40, Int.max, -1, Int.min]) func longSizes(size: Int) throws {
        let head = be(1) + text("mdat") + be(size, 8) + text("media")
        for bytes in [Self.brand + head, Self.brand + box("moov", head), Self.brand + head + Movie().bytes] {
            #expect(answer(bytes).error != nil)
        }
    }

    /// A size of 64 bits that is right.
    @Test func longSizeThatHolds() throws {
        var movie = Movie()
        movie.after = [be(1) + text("uuid") + be(16 + 20, 8) + text("twenty secret bytes!")]
        let result = answer(movie.bytes)
        let expected: [UInt8] = be(1) + text("free") + be(36, 8) + zeros(20)
        #expect(Array(result.bytes.suffix(36)) == expected)
    }

    @Test func deepNesting() {
        for type in ["trak", "moov", "mdia", "udta", "meta"] {
            var bytes: [UInt8] = []
            // Each box holds the next: the sizes of the headers around it.
            for depth in 0..<20_000 { bytes += be(8 * (20_000 - depth)) + text(type) }
            _ = answer(Self.brand + box("moov", bytes) + box("mdat", zeros(9)))
        }
    }

    @Test func millionBoxes() {
        let media = box("mdat", zeros(9))
        let boxes = Array(repeatElement(box("free"), count: 1_000_000).joined())
        #expect(answer(Self.brand + boxes).error?.kind == .unsupportedVariant)
        #expect(answer(Self.brand + box("moov", boxes) + media).error?.kind == .unsupportedVariant)
        let tracks = Array(repeatElement(box("trak"), count: 1_000_000).joined())
        #expect(answer(Self.brand + box("moov", tracks) + media).error?.kind == .unsupportedVariant)
    }

    /// A hundred thousand chunks of a dropped track that all cover the same media: to clear each of them would
    /// take a hundred thousand times the file.
    @Test func chunksUponEachOther() {
        var movie = Movie(tracks: [TrackParts(.picture), TrackParts(.metadata)])
        movie.tracks[1].samples = [zeros(100_000)]
        let count = 100_000
        let place = movie.bytes.count - 100_000 - 5
        let table = box(
            "stbl",
            box("stsd", zeros(4), be(1), box("mebx", zeros(6), [0, 1])),
            box("stsc", zeros(4), be(1), be(1), be(1), be(1)),
            box("stsz", zeros(4), be(100_000), be(count)),
            box("stco", zeros(4), be(count), (0..<count).flatMap { _ in be(place) }))
        let track = box(
            "trak", box("tkhd", zeros(12), be(7), zeros(8)),
            box("mdia", box("hdlr", zeros(8), text("meta"), zeros(13)), box("minf", table)))
        movie.tracks.removeLast()
        movie.movieExtras = [track]
        movie.isIndexFirst = false
        movie.before = [box("mdat", zeros(500_000))]
        #expect(answer(movie.bytes).error == MediaError(.corrupt, "chunks lie upon each other"))
    }

    /// Counts that lie.
    @Test(arguments: ["stsc", "stsz", "stco"], [1000, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func counts(table: String, count: Int) throws {
        var bytes = Movie().bytes
        let place = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/\(table)", in: bytes).first)
        let offset = place.start + (table == "stsz" ? 16 : 12)
        bytes.replaceSubrange(offset..<(offset + 4), with: be(count))
        #expect(answer(bytes).error?.kind == .corrupt)
    }

    /// Samples of one size have no table that would have to be there: only arithmetic bounds them.
    @Test func samplesWithoutEnd() throws {
        var bytes = Movie().bytes
        let sizes = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/stsz", in: bytes).first)
        bytes.replaceSubrange(
            (sizes.start + 12)..<(sizes.start + 20), with: [UInt8](repeating: 0xFF, count: 8))
        let runs = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/stsc", in: bytes).first)
        bytes.replaceSubrange((runs.start + 20)..<(runs.start + 24), with: [UInt8](repeating: 0xFF, count: 4))
        #expect(answer(bytes).error?.detail == "a chunk without end")
    }

    @Test func runsOutOfOrder() throws {
        var bytes = Movie().bytes
        let runs = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/stsc", in: bytes).first)
        bytes.replaceSubrange((runs.start + 28)..<(runs.start + 32), with: be(0))
        #expect(answer(bytes).error?.detail == "stsc is not in order")
    }

    /// Every byte of a movie, changed: an answer each time.
    @Test func everyByte() {
        let movies = [Movie().bytes, Movie(fileType: nil).bytes]
        for (source, whole) in zip([MediaFormat.mp4, .mov], movies) {
            for index in whole.indices {
                for value: UInt8 in [0, 0xFF] {
                    var bytes = whole
                    bytes[index] = value
                    let result = Rewritten(bytes, ISORewriter(source))
                    #expect(result.media != nil || result.error != nil)
                }
            }
        }
    }
}
