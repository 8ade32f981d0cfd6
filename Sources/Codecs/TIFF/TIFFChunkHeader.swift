#if TIFF
    internal import Pixels

    /// What strips or tiles say of themselves: codecs inside libtiff allocate by that, whatever the directory says.
    enum TIFFChunkHeader {
        /// Refuses a chunk that would take more memory than was reckoned with.
        static func check(_ picture: TIFFPicture, _ chunk: Int, allowsScans: Bool) throws(CodecError) {
            switch picture.compression {
            case 7 where !allowsScans:
                if try hasSeveralScans(picture, chunk) {
                    throw CodecError(.unsupportedVariant, "JPEG of several scans in some parts only")
                }
            case 50_001: try checkWebP(picture, chunk)
            default: break
            }
        }

        /// Whether libjpeg would keep a JPEG's coefficients, whole: progressive, or several scans.
        ///
        /// Also where its header has no end within any sound length.
        static func hasSeveralScans(_ picture: TIFFPicture, _ chunk: Int) throws(CodecError) -> Bool {
            guard let start = try picture.chunks.offset(chunk, picture.directory) else { return false }
            let bytes = picture.directory.bytes
            func byte(_ at: Int) throws(CodecError) -> Int { try bytes.place(at: at, count: 1) ?? 0 }
            var at = start
            var components = 0
            for _ in 0..<64 {
                guard try byte(at) == 0xFF else { return false }
                let marker = try byte(at + 1)
                at += marker == 0xFF ? 1 : 2
                switch marker {
                case 0xD8, 0xFF, 1: continue
                case 0xC0, 0xC1: components = try byte(at + 7)
                case 0xC2: return true
                case 0xDA: return try byte(at + 2) < components
                case 0, 0xD9: return false
                default: break
                }
                at += try byte(at) << 8 | byte(at + 1)
            }
            return true
        }

        /// libwebp decodes to the size its own header gives.
        private static func checkWebP(_ picture: TIFFPicture, _ chunk: Int) throws(CodecError) {
            guard let start = try picture.chunks.offset(chunk, picture.directory) else { return }
            let head = try picture.directory.bytes.bytes(at: start, count: 30)
            guard head.count == 30 else { return }
            func little(_ at: Int, _ count: Int) -> Int {
                (0..<count).reduce(0) { $0 | Int(head[at + $1]) << (8 * $1) }
            }
            let size: (Int, Int)
            switch head[12..<16] {
            case [0x56, 0x50, 0x38, 0x20]: size = (little(26, 2) & 0x3FFF, little(28, 2) & 0x3FFF)
            case [0x56, 0x50, 0x38, 0x4C]:
                let bits = little(21, 4)
                size = ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
            // libwebp compares what follows with this.
            case [0x56, 0x50, 0x38, 0x58]: size = (little(24, 3) + 1, little(27, 3) + 1)
            default: throw CodecError(.unsupportedVariant, "WebP of another kind")
            }
            let chunks = picture.chunks
            let rows =
                chunks.isTiled
                ? chunks.height
                : min(chunks.height, picture.size.height - chunk % chunks.perPlane * chunks.height)
            guard size == (chunks.width, rows) else {
                throw CodecError(
                    .corrupt, "WebP of \(size.0) x \(size.1) where \(chunks.width) x \(rows) is due")
            }
        }
    }
#endif
