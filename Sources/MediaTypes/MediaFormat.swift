/// A type of file this package recognises by its bytes.
///
/// One case for each row of the package's table of media types (`types.tsv`); the raw value is the table's
/// `format` word, which is also what records and command line output show.
public enum MediaFormat: String, CaseIterable, Sendable, Hashable {
    /// JPEG (ITU-T T.81), MPO and Ultra HDR included.
    case jpeg
    /// PNG (W3C PNG, third edition) with one picture.
    case png
    /// PNG with an `acTL` chunk before its first `IDAT`: animated.
    case apng
    /// GIF 87a and 89a.
    case gif
    /// WebP, lossy, lossless and extended (RFC 9649).
    case webp
    /// HEIF with an HEVC brand (ISO/IEC 23008-12 annex B).
    case heic
    /// HEIF with generic brands only (ISO/IEC 23008-12), unless its primary item turns out to be AV1.
    case heif
    /// AV1 image file (AOM AVIF 1.1).
    case avif
    /// TIFF 6.0 and BigTIFF, camera raw files built on them included.
    case tiff
    /// Windows and OS/2 bitmap.
    case bmp
    /// Windows icon.
    case ico
    /// Windows cursor.
    case cur
    /// Photoshop document, PSB included.
    case psd
    /// SVG, not compressed.
    case svg
    /// JPEG XL, bare or in its container (ISO/IEC 18181-2).
    case jxl
    /// JPEG 2000 in the JP2 container family (ISO/IEC 15444-1 annex I).
    case jp2
    /// JPEG 2000 code stream without a container.
    case j2k
    /// JPEG XR (ITU-T T.832).
    case jxr
    /// MPEG-4 file (ISO/IEC 14496-14).
    case mp4
    /// MPEG-4 file with Apple's video brands.
    case m4v
    /// MPEG-4 file with sound only.
    case m4a
    /// QuickTime movie.
    case mov
    /// 3GPP and 3GPP2 file.
    case threeGP = "3gp"
    /// MPEG program stream (ISO/IEC 13818-1).
    case mpegPS = "mpeg-ps"
    /// MPEG-1 or MPEG-2 video elementary stream.
    case mpegES = "mpeg-es"
    /// MPEG transport stream (ISO/IEC 13818-1).
    case mpegTS = "mpeg-ts"
    /// AVI.
    case avi
    /// Matroska (RFC 9559).
    case mkv
    /// WebM.
    case webm
    /// Flash video.
    case flv
    /// Advanced Systems Format: WMV and WMA.
    case asf
    /// MPEG audio; only layer III is accepted.
    case mp3
    /// AAC in ADTS frames (ISO/IEC 13818-7).
    case aac
    /// RIFF wave; RF64 and BW64 are told apart by their rejection.
    case wav
    /// AIFF, uncompressed.
    case aiff
    /// AIFF-C.
    case aifc
    /// Core Audio format.
    case caf
    /// FLAC (RFC 9639).
    case flac
    /// Ogg (RFC 3533), whatever it carries.
    case ogg
    /// AMR, narrow and wide band (RFC 4867).
    case amr
    /// PDF.
    case pdf
    /// HTML, XHTML included.
    case html
    /// XML other than SVG and XHTML.
    case xml
    /// JSON.
    case json
    /// ZIP and the document types made of it.
    case zip
    /// gzip (RFC 1952).
    case gzip
    /// Zstandard (RFC 8878).
    case zstd
    /// AppleDouble or AppleSingle: a Mac's resource fork beside the real file.
    case appleDouble = "appledouble"
    /// The text file Git LFS leaves in the place of a file it has not fetched.
    case lfsPointer = "lfs-pointer"
    /// Nothing of the above.
    case unknown
}

extension MediaFormat {
    /// The file name extension without a dot, or nil where the table has none (`fileExtension` of types.tsv).
    public var fileExtension: String? { row.fileExtension }

    /// The MIME type, or nil where the table has none (`mimeType` of types.tsv).
    public var mimeType: String? { row.mimeType }

    /// The uniform type identifier given to iOS as type hint, or nil for none (`typeHint` of types.tsv).
    public var typeHint: String? { row.typeHint }

    /// What kind of media this is (`family` of types.tsv).
    public var family: MediaFamily { row.family }

    /// Apple's size limit in bytes for media of this type, or nil where it cannot become an attachment as it
    /// is.
    ///
    /// `capBytes` of types.tsv, after the table in Apple's documentation of `UNNotificationAttachment`. Types
    /// that are rewrapped carry the limit of what they are rewrapped to.
    public var capBytes: Int? { row.capBytes }

    /// What is done with such a file under the default options (`action` of types.tsv).
    public var action: MediaAction { row.action }
}
