import MediaTypes
import Testing

/// The shortest beginning of a file of some type, written by hand from the type's specification.
struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let format: MediaFormat
    let rejection: MediaRejection?

    init(_ name: String, _ bytes: [UInt8], _ format: MediaFormat, _ rejection: MediaRejection? = nil) {
        self.name = name
        self.bytes = bytes
        self.format = format
        self.rejection = rejection
    }

    var testDescription: String { name }
}

extension Sample {
    static let all = images + isoMedia + otherMedia + documents + others

    static let images = [
        Sample("JPEG, JFIF", hex("FFD8FFE0"), .jpeg),
        Sample("JPEG, lowest marker", hex("FFD8FFC0"), .jpeg),
        Sample("JPEG, comment", hex("FFD8FFFE"), .jpeg),
        Sample("JPEG, fill bytes", hex("FFD8FFFFFFFFFFDB"), .jpeg),
        Sample("PNG", pngSignature, .png),
        Sample("GIF 87a", ascii("GIF87a"), .gif),
        Sample("GIF 89a", ascii("GIF89a"), .gif),
        Sample("WebP", ascii("RIFF") + hex("1A000000") + ascii("WEBP"), .webp),
        Sample("TIFF, little-endian", hex("49492A00"), .tiff),
        Sample("TIFF, big-endian", hex("4D4D002A"), .tiff),
        Sample("BigTIFF, little-endian", hex("49492B00"), .tiff),
        Sample("BigTIFF, big-endian", hex("4D4D002B"), .tiff),
        Sample("RW2", hex("49495500"), .tiff, .unsupportedVariant),
        Sample("ORF", ascii("IIRO"), .tiff, .unsupportedVariant),
        Sample("BMP, Windows 3", hex("424D 36000000 00000000 36000000 28000000"), .bmp),
        Sample("BMP, OS/2", hex("424D 36000000 00000000 1A000000 0C000000"), .bmp),
        Sample("BMP, OS/2 2 cut short", hex("424D 36000000 00000000 1E000000 10000000"), .bmp),
        Sample("BMP, version 5", hex("424D 36000000 00000000 8A000000 7C000000"), .bmp),
        Sample("ICO", hex("00000100 0100"), .ico, .unsupportedFormat),
        Sample("CUR", hex("00000200 0300"), .cur, .unsupportedFormat),
        Sample("PSD", ascii("8BPS") + [0, 1], .psd, .unsupportedFormat),
        Sample("PSB", ascii("8BPS") + [0, 2], .psd, .unsupportedFormat),
        Sample("JPEG XL, bare", hex("FF0A"), .jxl, .unsupportedFormat),
        Sample("JPEG XL", hex("0000000C") + ascii("JXL ") + hex("0D0A870A"), .jxl, .unsupportedFormat),
        Sample("JP2", hex("0000000C") + ascii("jP  ") + hex("0D0A870A"), .jp2, .unsupportedFormat),
        Sample("JPEG 2000, bare", hex("FF4FFF51"), .j2k, .unsupportedFormat),
        Sample("JPEG XR", hex("4949BC01"), .jxr, .unsupportedFormat),
    ]

    /// Brands that settle it alone, each as the first twelve bytes of a file.
    static let isoMedia =
        brands([
            (.heic, nil, ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]),
            (.avif, nil, ["avif", "avis"]),
            (.heif, .unsupportedVariant, ["avci", "jpeg"]),
            (.mp4, nil, ["isom", "iso2", "iso4", "iso9", "mp41", "mp42", "avc1", "mmp4", "dash"]),
            (.m4v, nil, ["M4V ", "M4VH", "M4VP"]),
            (.m4a, nil, ["M4A ", "M4B "]),
            (.m4a, .unsupportedVariant, ["M4P "]),
            (.mov, nil, ["qt  "]),
            (.threeGP, nil, ["3gp4", "3gp5", "3gp6", "3gp9", "3gr6", "3gs6", "3g2a"]),
        ]) + [
            Sample("QuickTime, moov first", hex("00000100") + ascii("moov"), .mov),
            Sample("brand in a box of 256 bytes", hex("00000100") + ascii("ftypM4A "), .m4a),
            Sample("QuickTime, mdat without end", hex("00000000") + ascii("mdat"), .mov),
            Sample("QuickTime, large mdat", hex("00000001") + ascii("mdat"), .mov),
            Sample("QuickTime, wide", hex("00000008") + ascii("wide"), .mov),
            Sample("QuickTime, free", hex("00000010") + ascii("free"), .mov),
            Sample("QuickTime, skip", hex("00000010") + ascii("skip"), .mov),
            Sample("QuickTime, pnot", hex("00000014") + ascii("pnot"), .mov),
        ]

    private static func brands(_ rows: [(MediaFormat, MediaRejection?, [String])]) -> [Sample] {
        rows.flatMap { format, rejection, brands in
            brands.map { Sample("brand \($0)", hex("00000014") + ascii("ftyp" + $0), format, rejection) }
        }
    }

    static let otherMedia = [
        Sample("MPEG program stream", hex("000001BA"), .mpegPS),
        Sample("MPEG-2 video", hex("000001B3 78043837 FFFFE018 000001B5"), .mpegES),
        Sample("MPEG-1 video", hex("000001B3 16012013 FFFFE018 000001B8"), .mpegES),
        Sample(
            "MPEG-2 video with both matrices",
            hex("000001B3 78043837 FFFFE01A") + zeros(63) + [1] + zeros(64) + hex("000001B5"), .mpegES),
        Sample(
            "MPEG transport stream", [0x47] + zeros(187) + [0x47] + zeros(187) + [0x47], .mpegTS,
            .unsupportedFormat),
        Sample("AVI", ascii("RIFF") + hex("1A000000") + ascii("AVI "), .avi),
        Sample("Matroska", hex("1A45DFA3 8B 4282 88") + ascii("matroska"), .mkv, .unsupportedFormat),
        Sample("WebM", hex("1A45DFA3 8B 428681 01 4282 84") + ascii("webm"), .webm, .unsupportedFormat),
        Sample(
            "WebM, long sizes", hex("1A45DFA3 010000000000000F 4282 0100000000000004") + ascii("webm"), .webm,
            .unsupportedFormat),
        Sample("FLV", ascii("FLV") + [1], .flv, .unsupportedFormat),
        Sample("ASF", hex("3026B275 8E66CF11"), .asf, .unsupportedFormat),
        Sample("MP3", mp3Frame + hex("FFFB9000 000000"), .mp3),
        Sample("MP3, MPEG-2.5, 8 kHz", hex("FFE3 48 C0") + zeros(284) + hex("FFE3 48 C0 000000"), .mp3),
        Sample("MP3 with Xing alone", hex("FFF384C4") + zeros(9) + ascii("Xing"), .mp3),
        Sample(
            "layer II", hex("FFFD8000") + zeros(413) + hex("FFFD8000 000000"), .mp3, .unsupportedVariant
        ),
        Sample("layer I", hex("FFFF2000") + zeros(64) + hex("FFFF2000 000000"), .mp3, .unsupportedVariant),
        Sample("AAC", adtsFrame + adtsFrame.prefix(7), .aac),
        Sample("WAV", ascii("RIFF") + hex("1A000000") + ascii("WAVE"), .wav),
        Sample("RF64", ascii("RF64") + hex("FFFFFFFF") + ascii("WAVE"), .wav, .unsupportedVariant),
        Sample("BW64", ascii("BW64") + hex("FFFFFFFF") + ascii("WAVE"), .wav, .unsupportedVariant),
        Sample("AIFF", ascii("FORM") + hex("0000001A") + ascii("AIFF"), .aiff),
        Sample("AIFF-C", ascii("FORM") + hex("0000001A") + ascii("AIFC"), .aifc),
        Sample("CAF", ascii("caff") + [0, 1], .caf),
        Sample("FLAC", ascii("fLaC"), .flac, .unsupportedFormat),
        Sample("Ogg", ascii("OggS"), .ogg, .unsupportedFormat),
        Sample("AMR", ascii("#!AMR"), .amr, .unsupportedFormat),
    ]

    static let documents = [
        Sample("PDF", ascii("%PDF-"), .pdf, .unsupportedFormat),
        Sample("PDF behind junk", ascii("junk\r\n") + zeros(1013) + ascii("%PDF-"), .pdf, .unsupportedFormat),
        Sample("HTML by type", ascii("<!DOCTYPE html>"), .html, .htmlDocument),
        Sample("HTML", ascii(" \r\n\t<HTML>"), .html, .htmlDocument),
        Sample("head", ascii("<head "), .html, .htmlDocument),
        Sample("body", ascii("<BoDy>"), .html, .htmlDocument),
        Sample("script", ascii("<script>"), .html, .htmlDocument),
        Sample("SVG", ascii("<svg "), .svg, .unsupportedFormat),
        Sample("SVG behind XML", ascii("<?xml version=\"1.0\"?>\n<svg>"), .svg, .unsupportedFormat),
        Sample("XML", ascii("<?xml version=\"1.0\"?>\n<feed>"), .xml, .unsupportedFormat),
        Sample(
            "storage error", ascii("<?xml version=\"1.0\"?>\n<Error><Code>"), .xml, .errorDocument),
        Sample("JSON object", ascii("{\""), .json, .errorDocument),
        Sample("JSON array", ascii("[{"), .json, .errorDocument),
    ]

    static let others = [
        Sample("ZIP", hex("504B0304"), .zip, .unsupportedFormat),
        Sample("ZIP, empty", hex("504B0506"), .zip, .unsupportedFormat),
        Sample("ZIP, spanned", hex("504B0708"), .zip, .unsupportedFormat),
        Sample("gzip", hex("1F8B08"), .gzip, .unsupportedFormat),
        Sample("Zstandard", hex("28B52FFD"), .zstd, .unsupportedFormat),
        Sample("AppleDouble", hex("00051607"), .appleDouble, .unsupportedFormat),
        Sample("AppleSingle", hex("00051600"), .appleDouble, .unsupportedFormat),
        Sample("LFS pointer", ascii("version https://git-lfs"), .lfsPointer, .unsupportedFormat),
    ]
}
