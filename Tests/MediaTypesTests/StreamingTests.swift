import MediaTypes
import Testing

/// Stage two: what lies behind the first 4 KiB.
@Suite struct StreamingTests {
    /// Also checks that the way of cutting does not matter.
    private func sniff(_ parts: [UInt8]...) -> Answer {
        let bytes = parts.flatMap { $0 }
        let answer = Answer(bytes)
        for size in [1, 7, 1000, 65_536] { #expect(Answer(bytes, inPiecesOf: size) == answer) }
        return answer
    }

    // MARK: PNG

    @Test func animation() {
        let control = pngChunk("acTL", zeros(8))
        let profile = pngChunk("iCCP", zeros(100_000))
        let data = pngChunk("IDAT", zeros(10))
        let animated = sniff(pngHeader, profile, control, data)
        #expect(animated.format == .apng && animated.isAnimated == true && animated.isSettled)
        #expect(animated.fileExtension == "png" && animated.typeHint == "public.png")
        let still = sniff(pngHeader, profile, data, control)
        #expect(still.format == .png && still.isAnimated == false)
        #expect(sniff(pngHeader, control).format == .apng)
    }

    @Test func animationIsNotGuessed() {
        #expect(openAnswer(pngHeader).format == .png)
        #expect(openAnswer(pngHeader).isAnimated == nil)
        #expect(!openAnswer(pngHeader).isSettled)
        #expect(openAnswer(pngHeader + hex("00000010") + ascii("IDA")).isSettled == false)
        #expect(openAnswer(pngHeader + hex("00000010") + ascii("IDAT")).isSettled)
        // The letters inside a chunk are no chunk.
        #expect(
            sniff(pngHeader, pngChunk("tEXt", ascii("acTL") + zeros(40)), pngChunk("IDAT")).format == .png)
    }

    @Test func crushed() {
        let answer = sniff(pngSignature, pngChunk("CgBI", zeros(4)), pngChunk("IHDR", zeros(13)))
        #expect(answer.format == .png && answer.rejection == .unsupportedVariant)
        #expect(sniff(pngHeader, pngChunk("CgBI", zeros(4)), pngChunk("IDAT")).rejection == nil)
    }

    @Test func impossibleChunkLength() {
        let answer = openAnswer(pngSignature + hex("FFFFFFFF") + ascii("tEXt"))
        #expect(answer.isSettled && answer.format == .png)
        #expect(!openAnswer(pngSignature + hex("7FFFFFFF") + ascii("tEXt")).isSettled)
    }

    // MARK: ID3

    private let frames = mp3Frame + mp3Frame + mp3Frame

    @Test(arguments: [0, 100, 5000, 300_000]) func soundBehindTag(size: Int) {
        let tag = id3Tag(size: size)
        #expect(sniff(tag, frames).format == .mp3)
        #expect(sniff(tag, frames).rejection == nil)
        #expect(sniff(tag, adtsFrame, adtsFrame).format == .aac)
        let flac = sniff(tag, ascii("fLaC"), zeros(40))
        #expect(flac.format == .flac && flac.rejection == .unsupportedFormat)
        #expect(sniff(tag, id3Tag(size: 500), frames).format == .mp3)
    }

    /// Sync bytes within the tag do not count.
    @Test func tagIsSkippedWhole() {
        let tag = id3Tag(size: 1000, fill: 0xFF)
        #expect(sniff(tag, ascii("fLaC")).format == .flac)
        let misleading = ascii("ID3") + [3, 0, 0] + hex("00000F00") + frames + zeros(1920 - frames.count)
        #expect(sniff(misleading, adtsFrame, adtsFrame).format == .aac)
    }

    @Test func footerIsSkipped() {
        let tag = ascii("ID3") + [4, 0, 0x10] + hex("00000020") + zeros(32) + ascii("3DI") + zeros(7)
        #expect(sniff(tag, ascii("fLaC")).format == .flac)
    }

    @Test func tagAlone() {
        for answer in [
            sniff(id3Tag(size: 100)), sniff(id3Tag(size: 100), zeros(9000)),
            sniff(ascii("ID3") + hex("030000 7F7F7F7F"), frames), sniff(id3Tag(size: 20), ascii("GIF89a")),
        ] {
            #expect(answer.format == .mp3)
            #expect(answer.rejection == .unsupportedVariant)
            #expect(answer.isSettled)
        }
    }

    @Test func tagThatIsNone() {
        #expect(sniff(ascii("ID3") + hex("030000 80000000"), frames).format == .unknown)
        #expect(sniff(ascii("ID3") + hex("FF0000 00000000"), frames).format == .unknown)
    }

    @Test func paddingAndLayers() {
        #expect(sniff(id3Tag(size: 50), zeros(1500), frames).format == .mp3)
        #expect(sniff(id3Tag(size: 50), mp3Frame).rejection == nil)
        let layer2 = hex("FFFD8000") + zeros(413)
        #expect(sniff(id3Tag(size: 50), layer2, layer2).rejection == .unsupportedVariant)
    }

    @Test func settledMeansSettled() {
        var sniffer = MediaSniffer()
        sniffer.push((pngHeader + pngChunk("IDAT")).span)
        let before = Answer(sniffer)
        sniffer.push(pngChunk("acTL", zeros(8)).span)
        sniffer.finish()
        sniffer.finish()
        #expect(before.isSettled)
        #expect(Answer(sniffer) == before)
    }
}
