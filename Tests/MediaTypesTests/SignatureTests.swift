import MediaTypes
import Testing

/// Stage one: what the first bytes say.
@Suite struct SignatureTests {
    @Test func samplesCoverEveryFormat() {
        // apng is stage two, generic HEIF has tests of its own.
        let covered = Set(Sample.all.map(\.format)).union([.apng, .heif, .unknown])
        #expect(covered == Set(MediaFormat.allCases))
    }

    @Test(arguments: Sample.all) func recognised(_ sample: Sample) {
        let answer = Answer(sample.bytes)
        #expect(answer.format == sample.format)
        #expect(answer.rejection == sample.rejection)
        #expect(answer.isSettled)
    }

    /// The last byte counts: without it there is no answer yet, with it there is one at once.
    @Test(arguments: Sample.all.filter { $0.name != "MP3 with Xing alone" && $0.name != "PDF behind junk" })
    func neededBytes(_ sample: Sample) {
        #expect(openAnswer(Array(sample.bytes.dropLast())).format == nil)
        // Markup may end within its last tag, and a video's header says enough already.
        if ![.html, .svg, .xml, .mpegES].contains(sample.format) {
            #expect(Answer(Array(sample.bytes.dropLast())).format != sample.format)
        }
        let more = sample.bytes + [UInt8](repeating: UInt8(ascii: ">"), count: 24)
        #expect(openAnswer(more).format == sample.format)
    }

    @Test(arguments: Sample.all, [1, 2, 3, 7, 64, 1000, 65_536])
    func cutAnyWay(_ sample: Sample, size: Int) {
        for tail in [[], ascii("tail"), zeros(5000)] {
            let bytes = sample.bytes + tail
            #expect(Answer(bytes, inPiecesOf: size) == Answer(bytes))
        }
    }

    /// A wrong byte anywhere in a fixed signature is not forgiven.
    @Test(arguments: ["89504E470D0A1A0A", "474946383961", "3026B2758E66CF11", "664C6143", "28B52FFD"])
    func wrongByte(_ signature: String) {
        let bytes = hex(signature)
        for index in bytes.indices {
            var wrong = bytes + zeros(4096)
            wrong[index] ^= 0x40
            #expect(Answer(wrong).format == .unknown, "byte \(index)")
        }
    }

    @Test func nothing() {
        #expect(Answer([]).rejection == .empty)
        #expect(Answer([]).format == .unknown)
        #expect(openAnswer([]).format == nil)
        #expect(openAnswer([]).rejection == nil)
    }

    @Test func unknown() {
        for bytes in [zeros(1), zeros(4096), [UInt8](repeating: 0xFF, count: 9000), ascii("hello, world")] {
            let answer = Answer(bytes)
            #expect(answer.format == .unknown)
            #expect(answer.rejection == .unknownFormat)
            #expect(answer.fileExtension == nil)
        }
    }

    @Test func answersWithinFourKibibytes() {
        var sniffer = MediaSniffer()
        let spaces = [UInt8](repeating: 0x20, count: 4096)
        sniffer.push(spaces.span.extracting(0..<4095))
        #expect(sniffer.format == nil)
        sniffer.push(spaces.span.extracting(0..<1))
        #expect(sniffer.format == .unknown)
        #expect(sniffer.isSettled)
    }

    @Test(arguments: [
        "FFD8FF00", "FFD8FFBF", "FFD8FFFF01", "FFD9FFE0",  // no marker behind SOI
        "424D36000000000000003600000029030000",  // no such header
        "000001000000", "000003000100",  // no entries, no such kind
        "1A45DFA38B428288" + "6D6174726F736B78",  // DocType "matroskx"
        "474946383861", "524946461A00000041434F4E",  // GIF88a, RIFF ACON
        "FFFB9000", "FFFBF0000000000000", "FFEB90000000000000",  // one frame; bad rate; reserved version
    ])
    func notQuite(_ bytes: String) {
        #expect(Answer(hex(bytes)).format == .unknown)
    }

    @Test func textWithABoxNameIsNoMovie() {
        #expect(Answer(ascii("sugar-free recipes")).format == .unknown)
        #expect(Answer(ascii("not skipped")).format == .unknown)
    }

    @Test func framesMustAgree() {
        #expect(Answer(mp3Frame + mp3Frame).format == .mp3)
        #expect(Answer(mp3Frame + adtsFrame).format == .unknown)
        #expect(Answer(mp3Frame + hex("FFFB9400") + zeros(413)).format == .unknown)  // 48 kHz
        #expect(Answer(adtsFrame + hex("FFF14C80 191FFC") + zeros(193)).format == .unknown)  // 48 kHz
        #expect(Answer(adtsFrame + zeros(1) + adtsFrame).format == .unknown)
    }

    @Test func transportStreamNeedsThreePackets() {
        #expect(Answer([0x47] + zeros(187) + [0x47] + zeros(400)).format == .unknown)
        #expect(Answer([0x47] + zeros(187) + [0x47] + zeros(187)).format == .unknown)
    }

    @Test func pdfOnlyWithinAKibibyte() {
        #expect(Answer(zeros(1019) + ascii("%PDF-1.7")).format == .pdf)
        #expect(Answer(zeros(1020) + ascii("%PDF-1.7")).format == .unknown)
    }

    @Test func mpeg1HasItsOwnName() {
        let mpeg1 = Answer(hex("000001B3 16012013 FFFFE018 000001B8 00080040"))
        #expect(mpeg1.fileExtension == "mpg" && mpeg1.typeHint == "public.mpeg")
        let mpeg2 = Answer(hex("000001B3 78043837 FFFFE018 000001B5 14820001"))
        #expect(mpeg2.fileExtension == "m2v" && mpeg2.typeHint == "public.mpeg-2-video")
    }

    @Test func webmWithHugeSizes() {
        #expect(Answer(hex("1A45DFA3 01FFFFFFFFFFFFFF 4282 84") + ascii("webm")).format == .webm)
        #expect(Answer(hex("1A45DFA3 01FFFFFFFFFFFFFE 4286 01FFFFFFFFFFFFFE 00")).format == .unknown)
        #expect(Answer(hex("1A45DFA3 80 18538067")).format == .mkv)
    }
}
