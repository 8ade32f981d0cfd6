import MediaContainers
import MediaTypes
import Testing

/// MP4 and its kin: metadata goes, nothing moves.
@Suite struct MP4Tests {
    /// A movie with metadata wherever it can be, or with what must be left of that.
    private func movie(isIndexFirst: Bool, hasSecrets: Bool) -> Movie {
        let secrets = hasSecrets ? Secrets.all : Secrets.all.map(emptied)
        var movie = Movie(isIndexFirst: isIndexFirst, time: hasSecrets ? 3_700_000_000 : 0)
        movie.movieExtras = secrets
        movie.before = [secrets[1]]
        movie.after = secrets + [box("free", hasSecrets ? text("once was metadata") : zeros(17))]
        for index in movie.tracks.indices {
            movie.tracks[index].extras = secrets
            movie.tracks[index].mediaExtras = [secrets[0]]
            movie.tracks[index].tableExtras = [secrets[3]]
            movie.tracks[index].handlerName = hasSecrets ? text("Some program's name\0") : zeros(20)
        }
        if !hasSecrets {
            movie.tracks[0].entry = TrackParts.visual(
                "avc1", box("avcC", [1, 66, 0, 30, 0xFF, 0xE1]), isNamed: false)
        }
        return movie
    }

    @Test(arguments: [true, false]) func metadataBecomesFree(isIndexFirst: Bool) throws {
        let input = movie(isIndexFirst: isIndexFirst, hasSecrets: true).bytes
        let result = try #require(Rewritten.inAnyPieces(input, ISORewriter(.mp4)))
        #expect(result.bytes == movie(isIndexFirst: isIndexFirst, hasSecrets: false).bytes)
        let media = try #require(result.media)
        #expect(media.format == .mp4 && media.hadMetadata && media.isIndexLast == !isIndexFirst)
        #expect(!media.isRewrapped && !media.hadTrailingData)
        // What it made has nothing to hide.
        let again = Rewritten(result.bytes, ISORewriter(.mp4))
        #expect(again.bytes == result.bytes && again.media?.hadMetadata == false)
    }

    @Test(arguments: [
        (MediaFormat.mp4, true, true, MediaFormat.mp4), (.mp4, false, true, .m4a), (.m4v, true, true, .m4v),
        (.m4v, false, true, .m4a), (.m4a, false, true, .m4a), (.m4a, true, true, .mp4),
        (.mp4, true, false, .mp4),
    ])
    func tracksDecide(source: MediaFormat, hasPictures: Bool, hasSound: Bool, expected: MediaFormat) {
        let tracks = (hasPictures ? [TrackParts(.picture)] : []) + (hasSound ? [TrackParts(.sound)] : [])
        #expect(Rewritten(Movie(tracks: tracks).bytes, ISORewriter(source)).media?.format == expected)
    }

    @Test func noTrackIsRefused() {
        let none = Rewritten(Movie(tracks: [TrackParts(.timecode)]).bytes, ISORewriter(.mp4))
        #expect(none.error?.kind == .unsupportedVariant)
    }

    /// Cut anywhere it is no film; cut behind all it needs it is one with a tail.
    @Test func cutFiles() {
        var movie = Movie(isIndexFirst: false)
        let whole = movie.bytes
        for count in 0..<whole.count {
            let kind = Rewritten(Array(whole[..<count]), ISORewriter(.mp4)).error?.kind
            #expect(kind == .truncated || kind == .corrupt, "\(count) bytes")
        }
        movie.after = [box("uuid", zeros(40))]
        for count in (whole.count + 1)..<movie.bytes.count {
            let result = Rewritten(Array(movie.bytes[..<count]), ISORewriter(.mp4))
            #expect(
                result.media?.hadTrailingData == true
                    && result.bytes == Rewritten(whole, ISORewriter(.mp4)).bytes)
        }
    }

    /// An `mdat` without a size reaches to the end; then only the samples' places tell that the end is missing.
    @Test func cutMediaWithoutSize() throws {
        var whole = Movie().bytes
        let media = try #require(FoundBox.all("mdat", in: whole).first)
        whole.replaceSubrange(media.start..<(media.start + 4), with: zeros(4))
        #expect(Rewritten(whole, ISORewriter(.mp4)).media?.format == .mp4)
        #expect(Rewritten(whole.dropLast(), ISORewriter(.mp4)).error?.kind == .truncated)
    }

    /// Places of people and cameras are samples of a track nobody sees: they go with it.
    @Test func timedMetadataGoesWithItsSamples() throws {
        var movie = Movie(tracks: [TrackParts(.picture), TrackParts(.metadata), TrackParts(.sound)])
        movie.tracks[0].reference = box("tref", box("cdsc", be(2)))
        let result = try #require(Rewritten.inAnyPieces(movie.bytes, ISORewriter(.mp4)))
        let media = try #require(FoundBox.all("mdat", in: result.bytes).first)
        let gone = movie.tracks[1].samples.flatMap(\.self).count
        let expected =
            movie.tracks[0].samples.flatMap(\.self) + zeros(gone) + movie.tracks[2].samples.flatMap(\.self)
        #expect(Array(media.content) == expected)
        #expect(
            FoundBox.all("moov/trak", in: result.bytes).count == 2 && result.bytes.count == movie.bytes.count)
        #expect(FoundBox.all("moov/trak/tref", in: result.bytes).isEmpty)
    }

    @Test func chaptersGo() throws {
        var movie = Movie(tracks: [TrackParts(.sound), TrackParts(.chapters)])
        movie.tracks[0].reference = box("tref", box("chap", be(2)))
        let result = Rewritten(movie.bytes, ISORewriter(.m4a))
        #expect(!result.bytes.isEmpty && !String(decoding: result.bytes, as: UTF8.self).contains("Home"))
        #expect(FoundBox.all("moov/trak", in: result.bytes).count == 1)
        // Text nobody calls chapters is a subtitle.
        movie.tracks[0].reference = []
        let subtitles = Rewritten(movie.bytes, ISORewriter(.mp4))
        #expect(String(decoding: subtitles.bytes, as: UTF8.self).contains("Home"))
    }

    @Test func refusals() {
        var tracks = [TrackParts(.picture)]
        tracks[0].data = box("url ", zeros(4), text("http://example.org/film"))
        #expect(
            Rewritten(Movie(tracks: tracks).bytes, ISORewriter(.mp4)).error?.detail == "media in another file"
        )
        for type in ["encv", "drmi"] {
            tracks = [TrackParts(.picture)]
            tracks[0].entry = TrackParts.visual(type, [])
            let error = Rewritten(Movie(tracks: tracks).bytes, ISORewriter(.mp4)).error
            #expect(error?.kind == .unsupportedVariant && error?.detail.contains(type) == true)
        }
        let compressed =
            box("ftyp", text("qt  "), zeros(4)) + box("moov", box("cmov", zeros(20))) + box("mdat", zeros(9))
        #expect(Rewritten(compressed, ISORewriter(.mov)).error?.kind == .unsupportedVariant)
    }

    @Test func fragments() throws {
        let traf = { (extra: [UInt8]) in
            box("traf", box("tfhd", [0, 2, 0, 0], be(1)), box("trun", zeros(4), be(0)), extra)
        }
        let fragment = { (extra: [UInt8]) in
            box("moof", box("mfhd", zeros(4), be(1)), traf(extra), extra) + box("mdat", text("samples"))
        }
        var empty = TrackParts(.picture)
        empty.samples = []
        var movie = Movie(tracks: [empty], time: 0)
        movie.tracks[0].entry = TrackParts.visual("avc1", box("avcC", zeros(6)), isNamed: false)
        movie.tracks[0].handlerName = zeros(4)
        movie.movieExtras = [box("mvex", box("trex", zeros(4), be(1), be(1), zeros(12)))]
        movie.after = [fragment(Secrets.meta)]
        let input = movie.bytes
        movie.after = [fragment(emptied(Secrets.meta))]
        let result = try #require(Rewritten.inAnyPieces(input, ISORewriter(.mp4)))
        #expect(result.bytes == movie.bytes && result.media?.isIndexLast == false)
    }
}
