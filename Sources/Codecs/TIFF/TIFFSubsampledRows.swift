#if TIFF
    internal import CCodecs
    internal import Pixels

    /// Rows of YCbCr whose chroma is shared (TIFF 6.0, section 21): units of some luma samples, Cb and Cr become
    /// pixels of three samples.
    final class TIFFSubsampledRows: TIFFRows {
        private let picture: TIFFPicture
        /// Nil where the data is stored as it is.
        private let library: TIFFLibrary?
        private let columns: Int
        private let rows: Int
        /// Bytes of one unit, of a chunk's row of units, and of a chunk.
        private let unit: Int
        private let unitRow: Int
        private let chunkBytes: Int
        /// The chunks of a row of chunks one behind the other; of stored data only their current rows of units.
        private var units: [UInt8]
        private var y = 0
        private let shouldStop: () -> Bool

        var isOdd: Bool { library?.isOdd ?? false }

        init(
            _ picture: TIFFPicture, _ library: TIFFLibrary?, shouldStop: @escaping () -> Bool
        ) throws(CodecError) {
            self.picture = picture
            self.library = library
            self.shouldStop = shouldStop
            // Of old JPEG libtiff knows better than the tags.
            if let sizes = library?.sizes {
                (columns, rows) = (Int(sizes.columns), Int(sizes.rows))
            } else {
                (columns, rows) = picture.subsampling
            }
            guard [1, 2, 4].contains(columns), [1, 2, 4].contains(rows) else {
                throw CodecError(.corrupt, "chroma for \(columns) x \(rows) pixels")
            }
            let chunks = picture.chunks
            unit = columns * rows + 2
            unitRow = (chunks.width + columns - 1) / columns * unit
            let kept = library == nil ? 1 : (chunks.height + rows - 1) / rows
            chunkBytes = unitRow * kept
            if let sizes = library?.sizes {
                let due = chunks.isTiled ? sizes.tile : sizes.strip
                guard due == UInt64(chunkBytes) else {
                    throw CodecError(.unsupportedVariant, "parts of \(due) bytes for \(chunkBytes)")
                }
            }
            units = [UInt8](repeating: 0, count: chunkBytes * chunks.across)
        }

        /// Bytes held: every pixel has at most three.
        static func memoryNeed(_ picture: TIFFPicture) -> Int {
            let chunks = picture.chunks
            let kept = picture.compression == 1 ? 4 : (chunks.height + 3) & ~3
            return ((chunks.width + 3) & ~3) * kept * 3 * chunks.across
        }

        func next(into row: inout [UInt8]) throws(CodecError) {
            let chunks = picture.chunks
            let inside = y % chunks.height
            if library == nil ? inside % rows == 0 : inside == 0 { try load() }
            let (band, line) = (inside / rows, inside % rows)
            let start = library == nil ? 0 : band * unitRow
            for x in 0..<picture.size.width {
                let (column, place) = (x / chunks.width, x % chunks.width)
                let at = column * chunkBytes + start + place / columns * unit
                row[3 * x] = units[at + line * columns + place % columns]
                row[3 * x + 1] = units[at + unit - 2]
                row[3 * x + 2] = units[at + unit - 1]
            }
            y += 1
        }

        /// Loads the row of chunks, or of stored units, that begins with this row.
        private func load() throws(CodecError) {
            let chunks = picture.chunks
            for column in 0..<chunks.across {
                if shouldStop() { throw CodecError(.stopped, "stopped") }
                let chunk = chunks.index(column: column, row: y / chunks.height, plane: 0)
                if let library {
                    try library.read(chunk: chunk, into: &units, at: column * chunkBytes, count: chunkBytes)
                    continue
                }
                guard let start = try chunks.offset(chunk, picture.directory) else {
                    throw CodecError.cutPicture
                }
                let band = y % chunks.height / rows
                let part = try picture.directory.bytes.bytes(at: start + band * unitRow, count: unitRow)
                guard part.count == unitRow else { throw CodecError.cutPicture }
                units.replaceSubrange((column * unitRow)..<((column + 1) * unitRow), with: part)
            }
        }
    }
#endif
