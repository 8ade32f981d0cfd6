import MediaTypes

/// All a sniffer says of a file once it has ended.
struct Answer: Equatable {
    var format: MediaFormat?
    var rejection: MediaRejection?
    var fileExtension: String?
    var typeHint: String?
    var isAnimated: Bool?
    var isSettled: Bool
}

extension Answer {
    /// Sniffs `bytes` in pieces of `size`, all at once if nil; as told, bytes after settling are not pushed.
    init(_ bytes: [UInt8], inPiecesOf size: Int? = nil) {
        var sniffer = MediaSniffer()
        var index = 0
        while index < bytes.count, !sniffer.isSettled {
            let end = min(bytes.count, index + (size ?? bytes.count))
            sniffer.push(bytes.span.extracting(index..<end))
            index = end
        }
        sniffer.finish()
        self.init(sniffer)
    }

    init(_ sniffer: MediaSniffer) {
        format = sniffer.format
        rejection = sniffer.rejection
        fileExtension = sniffer.fileExtension
        typeHint = sniffer.typeHint
        isAnimated = sniffer.isAnimated
        isSettled = sniffer.isSettled
    }
}

/// What a sniffer says of `bytes` before it knows that nothing follows.
func openAnswer(_ bytes: [UInt8]) -> Answer {
    var sniffer = MediaSniffer()
    sniffer.push(bytes.span)
    return Answer(sniffer)
}

/// Bytes written in hexadecimal; spaces may stand anywhere.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
}

/// A chunk of a PNG; the check sum is not looked at.
func pngChunk(_ type: String, _ content: [UInt8] = []) -> [UInt8] {
    bigEndian(UInt64(content.count), size: 4) + ascii(type) + content + zeros(4)
}

let pngSignature = hex("89504E47 0D0A1A0A")
let pngHeader = pngSignature + pngChunk("IHDR", hex("00000010 00000010 08 02 00 00 00"))

/// A box with a size of 32 bits.
func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let content = content.flatMap { $0 }
    return bigEndian(UInt64(content.count + 8), size: 4) + ascii(type) + content
}

/// A box with a size of 64 bits.
func largeBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bigEndian(1, size: 4) + ascii(type) + bigEndian(UInt64(content.count + 16), size: 8) + content
}

/// A box whose size 0 means that it reaches to the end of the file.
func endlessBox(_ type: String, _ content: [UInt8]) -> [UInt8] { zeros(4) + ascii(type) + content }

func fileType(_ major: String, _ compatible: String...) -> [UInt8] {
    box("ftyp", ascii(major), zeros(4), compatible.flatMap(ascii))
}

/// A track as ISO/IEC 14496-12 nests it, with what real files put in between.
func track(_ handler: String, codec: String) -> [UInt8] {
    box(
        "trak", box("tkhd", zeros(84)),
        box(
            "mdia", box("mdhd", zeros(24)),
            box("hdlr", zeros(8), ascii(handler), zeros(12), ascii("Handler\0")),
            box(
                "minf", box("dinf", box("dref", zeros(8))),
                box("stbl", box("stsd", bigEndian(1, size: 8), box(codec, zeros(28))), box("stts", zeros(8))))
        ))
}

func movie(_ tracks: [UInt8]...) -> [UInt8] {
    box("moov", box("mvhd", zeros(100)), tracks.flatMap { $0 }, box("udta", zeros(4)))
}

/// The `meta` of a HEIF file whose items have the given codecs, numbered from 1.
func itemList(_ codecs: [String], primary: Int, version: UInt8 = 2) -> [UInt8] {
    let idSize = version == 2 ? 2 : 4
    let entries = codecs.enumerated().flatMap { index, codec in
        box(
            "infe", [version, 0, 0, 0], bigEndian(UInt64(index + 1), size: idSize), zeros(2), ascii(codec),
            [0])
    }
    let count = bigEndian(UInt64(codecs.count), size: version == 2 ? 2 : 4)
    let listVersion: UInt8 = version == 2 ? 0 : 1
    return box(
        "meta", zeros(4), box("hdlr", zeros(8), ascii("pict"), zeros(13)),
        box("pitm", [listVersion, 0, 0, 0], bigEndian(UInt64(primary), size: idSize)),
        box("iinf", [listVersion, 0, 0, 0], count, entries), box("iprp", zeros(20)))
}

/// A frame of MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes.
let mp3Frame = hex("FFFB9000") + zeros(413)

/// A frame of AAC LC, 44.1 kHz, stereo, in ADTS, 200 bytes: the length stands in bits 30 to 42.
let adtsFrame = hex("FFF15080 191FFC") + zeros(193)

/// An ID3v2.3 tag with `size` bytes behind its header, written in four times seven bits.
func id3Tag(size: Int, fill: UInt8 = 0) -> [UInt8] {
    let digits = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
    return ascii("ID3") + [3, 0, 0] + digits + [UInt8](repeating: fill, count: size)
}

/// A generator with a fixed seed (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
