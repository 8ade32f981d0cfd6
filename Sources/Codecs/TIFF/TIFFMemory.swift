#if TIFF
    internal import Pixels

    /// What decoding a picture will hold, from its directory alone.
    enum TIFFMemory {
        static func need(
            _ picture: TIFFPicture, allowsScans: Bool, shouldStop: () -> Bool
        ) throws(CodecError) -> Int {
            let width = picture.size.width
            let row = picture.rowBytes(width: width)
            let planes = picture.isPlanar ? picture.shown : 1
            // Rows as stored, unpacked and converted.
            var need = row + 3 * width + width * picture.shown * 3 + 65_536
            if picture.isSubsampled { need += TIFFSubsampledRows.memoryNeed(picture) }
            guard picture.compression != 1 else {
                return need + planes * (2 * max(row, TIFFStoredRows.pieceBytes) + 4096)
            }
            if try TIFFStreamRows.serves(picture) {
                return need + planes * (TIFFStreamRows.memoryNeed + row)
            }
            let chunks = picture.chunks
            let largest = try chunks.largest(
                picture.directory, fileSize: picture.directory.bytes.size, shouldStop: shouldStop)
            // libtiff's own, a chunk as it is stored, and the tables of where chunks lie while they are loaded.
            var each = libtiff + largest + 24 * chunks.perPlane * chunks.planes
            each += codec(picture, allowsScans: allowsScans)
            if chunks.isTiled, !picture.isSubsampled {
                each += picture.rowBytes(width: chunks.width) * chunks.height * chunks.across
            }
            return need + planes * each
        }

        /// The library's pages once loaded, a handle, and the tables of LZW, inflate or fax.
        private static let libtiff = 1_500_000

        /// What the codec of a compression holds besides; most hold nothing of a chunk's size.
        private static func codec(_ picture: TIFFPicture, allowsScans: Bool) -> Int {
            let chunks = picture.chunks
            let area = chunks.width * chunks.height
            let bytes = picture.rowBytes(width: chunks.width) * chunks.height
            switch picture.compression {
            case 6: return 600_000 + chunks.width * 3 * 64
            case 7:
                let scans =
                    allowsScans ? (chunks.width + 32) * (chunks.height + 32) * picture.sampleCount * 2 : 0
                return 600_000 + chunks.width * picture.sampleCount * 64 + scans
            case 2, 3, 4, 32_771: return chunks.width * 16
            case 34_676, 34_677: return area * 4
            case 32_909: return 2 * bytes + 400_000
            // The window of what was decoded, as far as it reaches.
            case 34_925, 50_000: return min(bytes, 1 << 27) + 2_000_000
            case 50_001: return area * (4 + picture.sampleCount) + 2_000_000
            default: return 0
            }
        }
    }
#endif
