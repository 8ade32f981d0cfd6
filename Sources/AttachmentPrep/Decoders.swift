internal import Codecs
internal import MediaTypes

/// Which decoder serves which type: the one place a new format is added.
enum Decoders {
    /// A decoder for the type, or nil when it is recognised but not decoded.
    static func make(
        _ format: MediaFormat, _ options: PreparationOptions
    ) throws(PrepError) -> (any ImageDecoder & ~Copyable)? {
        do {
            switch format {
            case .jpeg: return try JPEGDecoder(maxScans: options.limits.scans)
            case .png, .apng: return try PNGDecoder()
            case .bmp: return BMPDecoder()
            #if GIF
                case .gif: return try GIFDecoder()
            #endif
            #if WebP
                case .webp: return try WebPDecoder()
            #endif
            default: return nil
            }
        } catch {
            throw Refusal.error(error, options)
        }
    }

    /// A decoder for the type's pictures that need all of their bytes, or nil when it has none.
    static func makeSpooled(
        _ format: MediaFormat, _ options: PreparationOptions
    ) throws(PrepError) -> (any SpoolDecoder & ~Copyable)? {
        do {
            switch format {
            case .jpeg: return try JPEGSpoolDecoder(maxScans: options.limits.scans)
            #if GIF
                case .gif: return GIFSpoolDecoder()
            #endif
            #if WebP
                case .webp: return try WebPSpoolDecoder()
            #endif
            #if TIFF
                case .tiff: return TIFFDecoder(maxScans: options.limits.scans)
            #endif
            #if canImport(ImageIO)
                case .heic, .heif, .avif: return ImageIODecoder()
            #elseif HEIF
                case .heic, .heif, .avif: return HEIFSpoolDecoder()
            #endif
            default: return nil
            }
        } catch {
            throw Refusal.error(error, options)
        }
    }
}
