/// One row of the table of media types (`types.tsv`).
struct MediaFormatRow {
    let fileExtension: String?
    let mimeType: String?
    let typeHint: String?
    let family: MediaFamily
    let capBytes: Int?
    let action: MediaAction

    init(
        _ fileExtension: String?, _ mimeType: String?, _ typeHint: String?, _ family: MediaFamily,
        _ capBytes: Int?, _ action: MediaAction
    ) {
        self.fileExtension = fileExtension
        self.mimeType = mimeType
        self.typeHint = typeHint
        self.family = family
        self.capBytes = capBytes
        self.action = action
    }
}

extension MediaFormat {
    /// This format's row; the columns are those of `types.tsv` in the same order.
    var row: MediaFormatRow {
        switch self {
        case .jpeg: .init("jpg", "image/jpeg", "public.jpeg", .image, 10_000_000, .transcode)
        case .png: .init("png", "image/png", "public.png", .image, 10_000_000, .transcode)
        case .apng: .init("png", "image/apng", "public.png", .image, 10_000_000, .transcode)
        case .gif: .init("gif", "image/gif", "com.compuserve.gif", .image, 10_000_000, .transcode)
        case .webp: .init("webp", "image/webp", "org.webmproject.webp", .image, nil, .transcode)
        case .heic: .init("heic", "image/heic", "public.heic", .image, nil, .transcode)
        case .heif: .init("heif", "image/heif", "public.heif", .image, nil, .transcode)
        case .avif: .init("avif", "image/avif", "public.avif", .image, nil, .transcode)
        case .tiff: .init("tif", "image/tiff", "public.tiff", .image, nil, .transcode)
        case .bmp: .init("bmp", "image/bmp", "com.microsoft.bmp", .image, nil, .transcode)
        case .ico: .init("ico", "image/vnd.microsoft.icon", "com.microsoft.ico", .image, nil, .reject)
        case .cur: .init("cur", "image/vnd.microsoft.cursor", nil, .image, nil, .reject)
        case .psd:
            .init("psd", "image/vnd.adobe.photoshop", "com.adobe.photoshop-image", .image, nil, .reject)
        case .svg: .init("svg", "image/svg+xml", "public.svg-image", .image, nil, .reject)
        case .jxl: .init("jxl", "image/jxl", "public.jpeg-xl", .image, nil, .reject)
        case .jp2: .init("jp2", "image/jp2", "public.jpeg-2000", .image, nil, .reject)
        case .j2k: .init("j2k", "image/j2k", nil, .image, nil, .reject)
        case .jxr: .init("jxr", "image/jxr", nil, .image, nil, .reject)
        case .mp4: .init("mp4", "video/mp4", "public.mpeg-4", .video, 50_000_000, .pass)
        case .m4v: .init("m4v", "video/x-m4v", "public.mpeg-4", .video, 50_000_000, .pass)
        case .m4a: .init("m4a", "audio/mp4", "public.mpeg-4-audio", .audio, 5_000_000, .pass)
        case .mov: .init("mov", "video/quicktime", "com.apple.quicktime-movie", .video, 50_000_000, .rewrap)
        case .threeGP: .init("3gp", "video/3gpp", "public.3gpp", .video, 50_000_000, .rewrap)
        case .mpegPS: .init("mpg", "video/mpeg", "public.mpeg", .video, 50_000_000, .pass)
        case .mpegES: .init("m2v", "video/mpeg", "public.mpeg-2-video", .video, 50_000_000, .pass)
        case .mpegTS: .init("ts", "video/mp2t", "public.mpeg-2-transport-stream", .video, nil, .reject)
        case .avi: .init("avi", "video/x-msvideo", "public.avi", .video, 50_000_000, .pass)
        case .mkv: .init("mkv", "video/x-matroska", "org.matroska.mkv", .video, nil, .reject)
        case .webm: .init("webm", "video/webm", "org.webmproject.webm", .video, nil, .reject)
        case .flv: .init("flv", "video/x-flv", nil, .video, nil, .reject)
        case .asf: .init("asf", "video/x-ms-asf", nil, .video, nil, .reject)
        case .mp3: .init("mp3", "audio/mpeg", "public.mp3", .audio, 5_000_000, .pass)
        case .aac: .init("aac", "audio/aac", "public.aac-audio", .audio, 5_000_000, .rewrap)
        case .wav: .init("wav", "audio/wav", "com.microsoft.waveform-audio", .audio, 5_000_000, .pass)
        case .aiff: .init("aiff", "audio/aiff", "public.aiff-audio", .audio, 5_000_000, .pass)
        case .aifc: .init("aifc", "audio/aiff", "public.aifc-audio", .audio, nil, .rewrap)
        case .caf: .init("caf", "audio/x-caf", "com.apple.coreaudio-format", .audio, 5_000_000, .rewrap)
        case .flac: .init("flac", "audio/flac", "org.xiph.flac", .audio, nil, .reject)
        case .ogg: .init("ogg", "audio/ogg", nil, .audio, nil, .reject)
        case .amr: .init("amr", "audio/amr", nil, .audio, nil, .reject)
        case .pdf: .init("pdf", "application/pdf", "com.adobe.pdf", .document, nil, .reject)
        case .html: .init("html", "text/html", "public.html", .document, nil, .reject)
        case .xml: .init("xml", "application/xml", "public.xml", .document, nil, .reject)
        case .json: .init("json", "application/json", "public.json", .document, nil, .reject)
        case .zip: .init("zip", "application/zip", "public.zip-archive", .archive, nil, .reject)
        case .gzip: .init("gz", "application/gzip", "org.gnu.gnu-zip-archive", .archive, nil, .reject)
        case .zstd: .init("zst", "application/zstd", nil, .archive, nil, .reject)
        case .appleDouble: .init(nil, nil, nil, .other, nil, .reject)
        case .lfsPointer: .init(nil, "text/plain", nil, .other, nil, .reject)
        case .unknown: .init(nil, "application/octet-stream", nil, .other, nil, .reject)
        }
    }
}
