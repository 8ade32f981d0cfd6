import MediaContainers
import MediaTypes
import Testing

/// QuickTime movies and 3GP that become MP4.
@Suite struct QuickTimeTests {
    private static let brand = box("ftyp", text("qt  "), be(512), text("qt  "))

    private func rewrap(_ movie: Movie, _ source: MediaFormat = .mov) throws -> Rewritten {
        try #require(Rewritten.inAnyPieces(movie.bytes, ISORewriter(source)))
    }

    /// A movie as QuickTime writes it.
    private func quickTime() -> Movie {
        var movie = Movie(fileType: Self.brand)
        for index in movie.tracks.indices {
            movie.tracks[index].component = text("mhlr")
            movie.tracks[index].handlerName = [18] + text("Core Media Handler")
            movie.tracks[index].language = 0
            movie.tracks[index].data = box("alis", [0, 0, 0, 1], text("a path on somebody's disk"))
        }
        movie.tracks[0].header = box("vmhd", [0, 0, 0, 1], be(0x40, 2), zeros(6))
        return movie
    }

    @Test func becomesMP4InPlace() throws {
        let input = quickTime()
        let result = try rewrap(input)
        let media = try #require(result.media)
        #expect(media.format == .mp4 && media.isRewrapped && !media.isIndexLast)
        #expect(result.bytes.count == input.bytes.count)
        // The same size, so one compatible brand.
        #expect(result.bytes.starts(with: box("ftyp", text("mp42"), zeros(4), text("isom"))))
        #expect(
            FoundBox.all("mdat", in: result.bytes).map(\.start)
                == FoundBox.all("mdat", in: input.bytes).map(\.start))
        let tables = "moov/trak/mdia/minf/stbl/stco"
        #expect(
            FoundBox.all(tables, in: result.bytes).map { $0.numbers(skip: 8) }
                == FoundBox.all(tables, in: input.bytes).map { $0.numbers(skip: 8) })
        for handler in FoundBox.all("moov/trak/mdia/hdlr", in: result.bytes) {
            #expect(
                handler.content.prefix(8).allSatisfy { $0 == 0 }
                    && handler.content.dropFirst(12).allSatisfy { $0 == 0 })
        }
        #expect(
            FoundBox.all("moov/trak/mdia/mdhd", in: result.bytes).map { $0.numbers(skip: 20, size: 2)[0] }
                == [0x55C4, 0x55C4])
        let reference = try #require(
            FoundBox.all("moov/trak/mdia/minf/dinf/dref/url ", in: result.bytes).first)
        #expect(Array(reference.content) == [0, 0, 0, 1] + zeros(25))
        #expect(
            FoundBox.all("moov/trak/mdia/minf/vmhd", in: result.bytes).map { Array($0.content) } == [
                [0, 0, 0, 1] + zeros(8)
            ])
        #expect(Rewritten(result.bytes, ISORewriter(.mp4)).bytes == result.bytes)
    }

    /// Before there was `ftyp`: one of 28 bytes is put before everything, and every chunk lies that much further on.
    @Test(arguments: [true, false], [true, false]) func classic(isIndexFirst: Bool, hasLongPlaces: Bool)
        throws
    {
        var movie = Movie(fileType: nil, isIndexFirst: isIndexFirst, hasLongPlaces: hasLongPlaces)
        movie.before = [box("wide")]
        let result = try rewrap(movie)
        movie.shift = 28
        #expect(result.bytes.count == movie.bytes.count + 28)
        #expect(
            result.bytes.starts(with: box("ftyp", text("mp42"), zeros(4), text("mp42isomiso4")) + box("free"))
        )
        let size = hasLongPlaces ? 8 : 4
        let table = "moov/trak/mdia/minf/stbl/" + (hasLongPlaces ? "co64" : "stco")
        let places = FoundBox.all(table, in: result.bytes).map { $0.numbers(skip: 8, size: size) }
        #expect(places == FoundBox.all(table, in: movie.bytes).map { $0.numbers(skip: 8, size: size) })
        // What the places say: the first sample of each track.
        for (track, place) in zip(movie.tracks, places) {
            #expect(result.bytes[place[0]...].starts(with: track.samples[0]))
        }
    }

    /// 2^32 - 1 - 28 is the last place that can move.
    @Test func placeBeyondFourGigabytes() throws {
        var movie = Movie(fileType: nil)
        var bytes = movie.bytes
        let table = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/stco", in: bytes).first)
        bytes.replaceSubrange((table.start + 16)..<(table.start + 20), with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Rewritten(bytes, ISORewriter(.mov)).error?.kind == .truncated)
        movie.hasLongPlaces = true
        bytes = movie.bytes
        let long = try #require(FoundBox.all("moov/trak/mdia/minf/stbl/co64", in: bytes).first)
        bytes.replaceSubrange(
            (long.start + 16)..<(long.start + 24), with: [0x7F] + [UInt8](repeating: 0xFF, count: 7))
        #expect(Rewritten(bytes, ISORewriter(.mov)).error?.kind == .truncated)
    }

    @Test func soundAloneIsM4A() throws {
        let result = try rewrap(Movie(fileType: Self.brand, tracks: [TrackParts(.sound)]))
        #expect(
            result.media?.format == .m4a
                && result.bytes.starts(with: box("ftyp", text("M4A "), zeros(4), text("isom"))))
    }

    /// A brand list with room: what is not needed of it becomes a box of its own.
    @Test func longFileType() throws {
        let result = try rewrap(
            Movie(fileType: box("ftyp", text("qt  "), zeros(4), text("qt  qt  qt  qt  qt  qt  "))))
        #expect(
            result.bytes.starts(
                with: box("ftyp", text("mp42"), zeros(4), text("mp42isomiso4")) + box("free", zeros(4))))
    }

    @Test(arguments: [
        (0, TrackParts.decoder), (0, box("wave", box("frma", text("mp4a")), TrackParts.decoder, zeros(8))),
        (1, TrackParts.decoder),
        (
            1,
            box(
                "wave", box("frma", text("mp4a")), box("mp4a", zeros(4)), TrackParts.decoder,
                [0, 0, 0, 8, 0, 0, 0, 0])
        ),
        (2, TrackParts.decoder), (2, box("chan", zeros(12)) + box("wave", TrackParts.decoder)),
    ])
    func soundEntryBecomesISOs(version: Int, boxes: [UInt8]) throws {
        var movie = Movie(fileType: Self.brand)
        movie.tracks[1].entry = TrackParts.sound("mp4a", version: version, rate: 48_000, boxes)
        let result = try rewrap(movie)
        let entries = FoundBox.all("moov/trak/mdia/minf/stbl/stsd/mp4a", in: result.bytes)
        // Two channels of 16 bits at 48 kHz, and the decoder's configuration.
        let expected =
            zeros(6) + [0, 1] + zeros(8) + be(2, 2) + be(16, 2) + zeros(4) + be(48_000 << 16)
            + TrackParts.decoder
        #expect(entries.map { Array($0.content) } == [expected])
        #expect(result.bytes.count == movie.bytes.count)
        #expect(FoundBox.all("moov/trak/mdia/minf/stbl/stco", in: result.bytes).count == 2)
    }

    /// `nclc` is one byte shorter than `nclx`, which finds room only where something else goes.
    @Test func colour() throws {
        let old = box("colr", text("nclc"), be(1, 2), be(1, 2), be(1, 2))
        let new = box("colr", text("nclx"), be(1, 2), be(1, 2), be(1, 2), [0])
        let configuration = box("avcC", zeros(7))
        for (extra, expected) in [(box("fiel", [1, 0]), new), ([], old)] {
            var movie = Movie(fileType: Self.brand)
            movie.tracks[0].entry = TrackParts.visual("avc1", configuration + old + extra)
            let entry = try #require(
                FoundBox.all("moov/trak/mdia/minf/stbl/stsd/avc1", in: try rewrap(movie).bytes).first)
            #expect(
                Array(entry.content.dropFirst(78).prefix(configuration.count + expected.count))
                    == configuration + expected)
        }
    }

    @Test func timecodeGoes() throws {
        var movie = quickTime()
        movie.tracks.append(TrackParts(.timecode))
        movie.tracks[0].reference = box("tref", box("tmcd", be(3)))
        let result = try rewrap(movie)
        #expect(
            FoundBox.all("moov/trak", in: result.bytes).count == 2
                && FoundBox.all("moov/trak/tref", in: result.bytes).isEmpty)
        #expect(FoundBox.all("mdat", in: result.bytes).first.map { Array($0.content.suffix(4)) } == zeros(4))
    }

    /// Composition offsets below zero ask for version 1.
    @Test func negativeOffsets() throws {
        for (offset, version) in [(-100, UInt8(1)), (100, 0)] {
            var movie = Movie(fileType: Self.brand)
            movie.tracks[0].tableExtras = [box("ctts", zeros(4), be(2), be(1), be(200), be(2), be(offset))]
            let table = FoundBox.all("moov/trak/mdia/minf/stbl/ctts", in: try rewrap(movie).bytes).first
            #expect(table?.content.first == version)
        }
    }

    @Test(arguments: ["sowt", "twos", "lpcm", "ima4", "samr", "ulaw"]) func soundRefusedByName(codec: String)
    {
        var movie = Movie(fileType: Self.brand)
        movie.tracks[1].entry = TrackParts.sound(codec, version: 1, [])
        let error = Rewritten(movie.bytes, ISORewriter(.mov)).error
        #expect(error?.kind == .unsupportedVariant && error?.detail.contains("'\(codec)'") == true)
    }

    @Test(arguments: [MediaFormat.mov, .threeGP], ["jpeg", "apcn", "s263", "SVQ3", "rle "])
    func picturesRefusedByName(source: MediaFormat, codec: String) {
        var movie = Movie(fileType: Self.brand)
        movie.tracks[0].entry = TrackParts.visual(codec, [])
        let error = Rewritten(movie.bytes, ISORewriter(source)).error
        #expect(error?.kind == .unsupportedVariant && error?.detail.contains("'\(codec)'") == true)
    }

    @Test func noConfiguration() {
        var movie = Movie(fileType: Self.brand)
        movie.tracks[1].entry = TrackParts.sound("mp4a", version: 1, box("chan", zeros(12)))
        #expect(Rewritten(movie.bytes, ISORewriter(.mov)).error?.detail == "'mp4a' without esds")
    }

    @Test func threeGP() throws {
        let movie = Movie(fileType: box("ftyp", text("3gp6"), zeros(4), text("isom3gp6")))
        let result = try rewrap(movie, .threeGP)
        #expect(result.media?.format == .mp4 && result.media?.isRewrapped == true)
        #expect(result.bytes.starts(with: box("ftyp", text("mp42"), zeros(4), text("mp42isom"))))
    }
}
