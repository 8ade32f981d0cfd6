import MediaTypes
import Testing

/// Brands, and what the boxes add to them.
@Suite struct ISOMediaTests {
    private let sound = track("soun", codec: "mp4a")
    private let pictures = track("vide", codec: "avc1")

    /// Also checks that the way of cutting does not matter.
    private func sniff(_ parts: [UInt8]...) -> Answer {
        let bytes = parts.flatMap { $0 }
        let answer = Answer(bytes)
        for size in [1, 7, 1000] { #expect(Answer(bytes, inPiecesOf: size) == answer) }
        return answer
    }

    // MARK: Brands

    @Test func codecBrandAmongGenericOnes() {
        #expect(sniff(fileType("mif1", "mif1", "avif", "miaf")).format == .avif)
        #expect(sniff(fileType("mif1", "mif1", "heic")).format == .heic)
        #expect(sniff(fileType("msf1", "hevc", "msf1")).format == .heic)
        #expect(sniff(fileType("heic", "mif1", "avif")).format == .heic)
        #expect(sniff(fileType("mif1", "miaf", "MiHB")).format == .heif)
    }

    @Test func unknownMajorBrand() {
        #expect(sniff(fileType("xxxx", "isom", "mp42")).format == .mp4)
        #expect(sniff(fileType("xxxx", "yyyy", "3gp6")).format == .threeGP)
        #expect(sniff(fileType("xxxx", "yyyy", "M4V ", "mp42")).format == .m4v)
        #expect(sniff(fileType("crx ", "crx ", "yyyy")).format == .unknown)
        #expect(sniff(fileType("xxxx")).rejection == .unknownFormat)
    }

    /// Only brands inside the box count.
    @Test func brandsEndWithTheirBox() {
        #expect(sniff(fileType("xxxx", "yyyy"), ascii("avifavif")).format == .unknown)
        #expect(
            sniff(bigEndian(0xFFFF_FFFF, size: 4), ascii("ftypmif1"), zeros(4), ascii("avif")).format == .avif
        )
        #expect(sniff(largeBox("ftyp", ascii("mif1") + zeros(4) + ascii("avif"))).format == .avif)
    }

    // MARK: Items

    @Test(arguments: [UInt8(2), 3]) func primaryItem(version: UInt8) {
        let generic = fileType("mif1", "miaf")
        #expect(sniff(generic, itemList(["av01"], primary: 1, version: version)).format == .avif)
        #expect(sniff(generic, itemList(["hvc1"], primary: 1, version: version)).format == .heif)
        #expect(sniff(generic, itemList(["hvc1", "av01"], primary: 2, version: version)).format == .avif)
        #expect(sniff(generic, itemList(["av01", "hvc1"], primary: 2, version: version)).format == .heif)
        #expect(
            sniff(generic, itemList(["Exif", "av01", "grid"], primary: 3, version: version)).format == .avif)
        let jpeg = sniff(generic, itemList(["hvc1", "jpeg"], primary: 2, version: version))
        #expect(jpeg.format == .heif && jpeg.rejection == .unsupportedVariant)
    }

    @Test func bothCodecBrandsAskTheItems() {
        #expect(sniff(fileType("mif1", "heic", "avif"), itemList(["av01"], primary: 1)).format == .avif)
        #expect(sniff(fileType("mif1", "heic", "avif"), itemList(["hvc1"], primary: 1)).format == .heif)
    }

    @Test func sequenceWithoutItemsAsksItsTrack() {
        #expect(sniff(fileType("msf1"), movie(track("pict", codec: "av01"))).format == .avif)
        #expect(sniff(fileType("msf1"), movie(track("pict", codec: "hvc1"))).format == .heif)
    }

    @Test func itemsBehindOtherBoxes() {
        let items = itemList(["av01"], primary: 1)
        #expect(sniff(fileType("mif1"), box("free", zeros(50_000)), items).format == .avif)
        // Too far away to wait for: settled as soon as that is clear.
        let far = openAnswer(fileType("mif1") + hex("00200000") + ascii("mdat"))
        #expect(far.isSettled && far.format == .heif)
    }

    // MARK: Tracks

    @Test func tracksTellSoundFromFilm() {
        #expect(sniff(fileType("isom"), movie(sound)).format == .m4a)
        #expect(sniff(fileType("mp42", "M4A ", "mp42", "isom"), movie(sound)).format == .m4a)
        #expect(sniff(fileType("mp42", "M4A "), movie(sound, pictures)).format == .mp4)
        #expect(sniff(fileType("isom"), movie(pictures, sound)).format == .mp4)
        #expect(sniff(fileType("isom"), movie(pictures)).format == .mp4)
        #expect(sniff(fileType("isom"), movie()).format == .mp4)
        #expect(sniff(fileType("isom"), movie(track("text", codec: "tx3g"))).format == .mp4)
        #expect(sniff(fileType("M4A "), movie(sound, pictures)).format == .m4a)
        #expect(sniff(fileType("M4V "), movie(sound)).format == .m4v)
    }

    @Test func soundHasItsNames() {
        let answer = sniff(fileType("isom"), movie(sound))
        #expect(answer.fileExtension == "m4a" && answer.typeHint == "public.mpeg-4-audio")
    }

    @Test func movieBehindItsData() {
        let data = zeros(70_000)
        #expect(sniff(fileType("isom"), box("mdat", data), movie(sound)).format == .m4a)
        #expect(sniff(fileType("isom"), largeBox("mdat", data), movie(sound)).format == .m4a)
        #expect(
            sniff(fileType("isom"), box("free", []), box("mdat", data), movie(sound, pictures)).format == .mp4
        )
        #expect(sniff(fileType("isom"), endlessBox("mdat", movie(sound))).format == .mp4)
        #expect(openAnswer(fileType("isom") + endlessBox("mdat", [])).isSettled)
    }

    @Test func movieToTheEndOfTheFile() {
        let endless = endlessBox("moov", box("mvhd", zeros(100)) + sound)
        #expect(!openAnswer(fileType("isom") + endless).isSettled)
        #expect(sniff(fileType("isom"), endless).format == .m4a)
        #expect(sniff(fileType("isom"), endlessBox("moov", sound + pictures)).format == .mp4)
    }

    /// Before `moov` has ended, a track of pictures may still come.
    @Test func truncatedMovieStaysMP4() {
        let whole = fileType("isom") + movie(sound)
        for count in [whole.count - 1, whole.count - 100, 40] {
            #expect(sniff(Array(whole.prefix(count))).format == .mp4)
        }
        #expect(!openAnswer(Array(whole.dropLast())).isSettled)
        #expect(openAnswer(whole).isSettled)
    }

    @Test func trackInLargeBoxes() {
        let large = largeBox("moov", largeBox("trak", largeBox("mdia", box("hdlr", zeros(8), ascii("soun")))))
        #expect(sniff(fileType("isom"), large).format == .m4a)
    }

    @Test func protectedSound() {
        #expect(sniff(fileType("M4A "), movie(track("soun", codec: "drms"))).rejection == .unsupportedVariant)
        #expect(sniff(fileType("isom"), movie(track("vide", codec: "encv"))).rejection == .unsupportedVariant)
        #expect(sniff(fileType("M4A "), movie(sound)).rejection == nil)
        #expect(sniff(fileType("M4P "), movie(sound)).rejection == .unsupportedVariant)
    }

    @Test(arguments: [
        "00000007", "00000001" + "00", "FFFFFFFF", "00000002",
    ])
    func nonsenseSizes(_ size: String) {
        let bad = hex(size) + ascii("trak") + zeros(20)
        #expect(sniff(fileType("isom"), box("moov", bad)).format == .mp4)
        #expect(sniff(fileType("isom"), hex(size), ascii("moov"), zeros(40)).format == .mp4)
        #expect(sniff(fileType("mif1"), box("meta", zeros(4), bad)).format == .heif)
    }

    @Test func sizesThatOverflow() {
        let end = hex("00000001") + ascii("mdat") + hex("FFFFFFFFFFFFFFFF")
        #expect(sniff(fileType("isom"), end, movie(sound)).format == .mp4)
        #expect(
            sniff(fileType("isom"), hex("00000001"), ascii("moov"), hex("FFFFFFFFFFFFFFF0")).format == .mp4)
        #expect(
            sniff(fileType("isom"), hex("00000001"), ascii("moov"), hex("000000000000000F")).format == .mp4)
    }

    /// What is left at the end of a container, too little for a box, is skipped.
    @Test func leftoverBytesInContainers() {
        #expect(sniff(fileType("isom"), box("moov", sound, zeros(4)), pictures).format == .m4a)
        #expect(sniff(fileType("isom"), box("moov", sound, zeros(7), [])).format == .m4a)
        #expect(
            sniff(fileType("mif1"), box("meta", zeros(2)), itemList(["av01"], primary: 1)).format == .avif)
    }
}
