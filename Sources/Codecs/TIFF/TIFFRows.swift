#if TIFF
    internal import CCodecs
    internal import Pixels

    /// Rows of one plane, from the top: samples packed as they are stored, numbers in the machine's order.
    protocol TIFFRows: AnyObject {
        /// Fills `row`, whose length is a whole row's, with the next one.
        func next(into row: inout [UInt8]) throws(CodecError)

        /// Whether the decoder complained without failing.
        var isOdd: Bool { get }
    }

    /// Rows that are not compressed, read from where they lie.
    final class TIFFStoredRows: TIFFRows {
        private let picture: TIFFPicture
        private let plane: Int
        private let swaps: Int
        private var y = 0
        /// Rows of a strip read at once, and how many of them are left.
        private var ahead: [UInt8] = []
        private var taken = 0

        /// Bytes read at once where rows are short.
        static let pieceBytes = 65_536

        let isOdd = false

        init(_ picture: TIFFPicture, plane: Int) {
            self.picture = picture
            self.plane = plane
            let isForeign = picture.directory.bytes.isLittleEndian != (1.littleEndian == 1)
            swaps = isForeign && [16, 24, 32, 64].contains(picture.bits) ? picture.bits / 8 : 1
        }

        func next(into row: inout [UInt8]) throws(CodecError) {
            let chunks = picture.chunks
            if chunks.isTiled {
                try readTiles(into: &row)
            } else {
                if taken == ahead.count { try readAhead(rowBytes: row.count) }
                row.withUnsafeBytesReplaced(by: ahead, from: taken)
                taken += row.count
            }
            y += 1
            if picture.isReversed { row.reverseBits() }
            if swaps > 1 { row.swapNumbers(of: swaps) }
        }

        private func readAhead(rowBytes: Int) throws(CodecError) {
            let height = picture.chunks.height
            let left = min(height - y % height, picture.size.height - y)
            let rows = min(left, max(1, Self.pieceBytes / rowBytes))
            let start = try start(column: 0) + y % height * rowBytes
            ahead = try picture.directory.bytes.bytes(at: start, count: rows * rowBytes)
            // Of a cut file the rows that are whole.
            ahead.removeLast(ahead.count % rowBytes)
            taken = 0
            if ahead.isEmpty { throw CodecError.cutPicture }
        }

        private func readTiles(into row: inout [UInt8]) throws(CodecError) {
            let chunks = picture.chunks
            let tileRow = picture.rowBytes(width: chunks.width)
            for column in 0..<chunks.across {
                let start = try start(column: column) + y % chunks.height * tileRow
                let to = column * tileRow
                let part = try picture.directory.bytes.bytes(at: start, count: min(tileRow, row.count - to))
                guard part.count == min(tileRow, row.count - to) else { throw CodecError.cutPicture }
                row.replaceSubrange(to..<(to + part.count), with: part)
            }
        }

        /// Where the data of the chunk in this row begins.
        private func start(column: Int) throws(CodecError) -> Int {
            let chunks = picture.chunks
            let chunk = chunks.index(column: column, row: y / chunks.height, plane: plane)
            guard let offset = try chunks.offset(chunk, picture.directory) else {
                throw CodecError.cutPicture
            }
            return offset
        }
    }

    /// Rows of compressed strips: one row at a time through libtiff.
    final class TIFFStripRows: TIFFRows {
        private let library: TIFFLibrary
        private let plane: Int
        private var y = 0

        var isOdd: Bool { library.isOdd }

        init(_ library: TIFFLibrary, plane: Int, rowBytes: Int) throws(CodecError) {
            self.library = library
            self.plane = plane
            guard library.sizes.row == UInt64(rowBytes) else {
                throw CodecError(.unsupportedVariant, "rows of \(library.sizes.row) bytes for \(rowBytes)")
            }
        }

        func next(into row: inout [UInt8]) throws(CodecError) {
            try library.read(row: y, plane: plane, into: &row)
            y += 1
        }
    }

    /// Rows of compressed tiles: one row of tiles at a time through libtiff.
    final class TIFFTileRows: TIFFRows {
        private let library: TIFFLibrary
        private let picture: TIFFPicture
        private let plane: Int
        private let tileRow: Int
        private let tileBytes: Int
        private var tiles: [UInt8]
        private var y = 0
        private let shouldStop: () -> Bool

        var isOdd: Bool { library.isOdd }

        init(
            _ library: TIFFLibrary, _ picture: TIFFPicture, plane: Int, shouldStop: @escaping () -> Bool
        ) throws(CodecError) {
            self.library = library
            self.picture = picture
            self.plane = plane
            self.shouldStop = shouldStop
            tileRow = picture.rowBytes(width: picture.chunks.width)
            tileBytes = tileRow * picture.chunks.height
            guard library.sizes.tile == UInt64(tileBytes) else {
                throw CodecError(.unsupportedVariant, "tiles of \(library.sizes.tile) bytes for \(tileBytes)")
            }
            tiles = [UInt8](repeating: 0, count: tileBytes * picture.chunks.across)
        }

        func next(into row: inout [UInt8]) throws(CodecError) {
            let chunks = picture.chunks
            let inside = y % chunks.height
            if inside == 0 {
                for column in 0..<chunks.across {
                    if shouldStop() { throw CodecError(.stopped, "stopped") }
                    let index = chunks.index(column: column, row: y / chunks.height, plane: plane)
                    try library.read(chunk: index, into: &tiles, at: column * tileBytes, count: tileBytes)
                }
            }
            for column in 0..<chunks.across {
                let to = column * tileRow
                let from = column * tileBytes + inside * tileRow
                row.replaceSubrange(
                    to..<min(row.count, to + tileRow),
                    with: tiles[from..<(from + min(tileRow, row.count - to))])
            }
            y += 1
        }
    }

    extension [UInt8] {
        /// Replaces all bytes by as many of `source`, from `start` on.
        fileprivate mutating func withUnsafeBytesReplaced(by source: [UInt8], from start: Int) {
            replaceSubrange(0..<count, with: source[start..<(start + count)])
        }

        /// Turns the bits of each byte round.
        fileprivate mutating func reverseBits() {
            for i in indices {
                var byte = self[i]
                byte = byte >> 4 | byte << 4
                byte = (byte & 0xCC) >> 2 | (byte & 0x33) << 2
                self[i] = (byte & 0xAA) >> 1 | (byte & 0x55) << 1
            }
        }

        /// Turns the bytes of each number of `bytes` bytes round.
        mutating func swapNumbers(of bytes: Int) {
            for start in stride(from: 0, to: count - bytes + 1, by: bytes) {
                var (low, high) = (start, start + bytes - 1)
                while low < high {
                    swapAt(low, high)
                    low += 1
                    high -= 1
                }
            }
        }
    }
#endif
