#if TIFF
    internal import Pixels

    /// Rows of strips in the compressions that nearly all files have, decoded here a row at a time: libtiff would
    /// keep a whole strip's data, which is often the whole picture's.
    final class TIFFStreamRows: TIFFRows {
        private let picture: TIFFPicture
        private let plane: Int
        private let predictor: TIFFPredictor
        private var input: TIFFChunkInput
        private let decoder: any TIFFStreamDecoder
        private var y = 0

        let isOdd = false

        /// Whether a picture is of the kinds that are decoded here.
        static func serves(_ picture: TIFFPicture) throws(CodecError) -> Bool {
            guard !picture.chunks.isTiled, !picture.isSubsampled, !picture.isReversed,
                TIFFPredictor(picture) != nil
            else { return false }
            switch picture.compression {
            case 5: return try !TIFFLZW.isOldStyle(picture)
            case 8, 32_946, 32_773: return true
            default: return false
            }
        }

        /// Nil for what only libtiff decodes.
        init?(_ picture: TIFFPicture, plane: Int) throws(CodecError) {
            guard try Self.serves(picture), let predictor = TIFFPredictor(picture) else { return nil }
            switch picture.compression {
            case 5: decoder = TIFFLZW()
            case 32_773: decoder = TIFFPackBits()
            default: decoder = try TIFFInflate()
            }
            self.picture = picture
            self.plane = plane
            self.predictor = predictor
            input = TIFFChunkInput(picture.directory.bytes)
        }

        /// Bytes held besides the row: the piece of input and the largest decoder's tables.
        static let memoryNeed = TIFFChunkInput.pieceBytes + 100_000

        func next(into row: inout [UInt8]) throws(CodecError) {
            let chunks = picture.chunks
            if y % chunks.height == 0 {
                let chunk = chunks.index(column: 0, row: y / chunks.height, plane: plane)
                guard let offset = try chunks.offset(chunk, picture.directory) else {
                    throw CodecError.cutPicture
                }
                input.begin(at: offset, count: try chunks.byteCount(chunk, picture.directory))
                decoder.begin()
            }
            guard try decoder.fill(&row, from: &input) else {
                throw input.isCut
                    ? CodecError.cutPicture
                    : CodecError(.corrupt, "the data of a strip ends before row \(y % chunks.height)")
            }
            predictor.undo(&row)
            y += 1
        }
    }

    /// Decodes a strip, as much at a time as is asked for.
    protocol TIFFStreamDecoder: AnyObject {
        /// Forgets the strip before.
        func begin()

        /// Fills `row`; false when the data ends before.
        func fill(_ row: inout [UInt8], from input: inout TIFFChunkInput) throws(CodecError) -> Bool
    }

    /// The encoded bytes of one strip, piece by piece.
    struct TIFFChunkInput {
        private let bytes: TIFFBytes
        private(set) var piece: [UInt8] = []
        /// The next byte in `piece`.
        var at = 0
        private var place = 0
        private var end = 0
        /// Whether the strip goes on behind the end of the file.
        private(set) var isCut = false

        static let pieceBytes = 65_536

        init(_ bytes: TIFFBytes) { self.bytes = bytes }

        /// - Parameter count: nil when the file does not say.
        mutating func begin(at offset: Int, count: Int?) {
            piece = []
            at = 0
            place = offset
            let left = max(0, bytes.size - offset)
            end = offset + min(count ?? left, left)
            isCut = count ?? 1 > left
        }

        /// Gets the next piece; false at the end.
        mutating func refill() throws(CodecError) -> Bool {
            piece = try bytes.bytes(at: place, count: min(Self.pieceBytes, end - place))
            place += piece.count
            at = 0
            return !piece.isEmpty
        }

        /// The next byte; nil at the end.
        @inline(__always)
        mutating func next() throws(CodecError) -> UInt8? {
            if at == piece.count, try !refill() { return nil }
            at += 1
            return piece[at - 1]
        }
    }

    /// Macintosh RLE (TIFF 6.0, section 9).
    final class TIFFPackBits: TIFFStreamDecoder {
        /// Bytes left of a run, and its byte; nil of bytes that stand for themselves.
        private var left = 0
        private var repeated: UInt8?

        func begin() { left = 0 }

        // Runs should end with the row; those of some writers go on.
        func fill(_ row: inout [UInt8], from input: inout TIFFChunkInput) throws(CodecError) -> Bool {
            var to = 0
            while to < row.count {
                if left == 0 {
                    guard let head = try input.next() else { return false }
                    if head == 128 { continue }
                    left = head < 128 ? Int(head) + 1 : 257 - Int(head)
                    repeated = nil
                    if head > 128 {
                        guard let byte = try input.next() else { return false }
                        repeated = byte
                    }
                }
                let count = min(left, row.count - to)
                for i in to..<(to + count) {
                    if let repeated {
                        row[i] = repeated
                    } else {
                        guard let byte = try input.next() else { return false }
                        row[i] = byte
                    }
                }
                to += count
                left -= count
            }
            return true
        }
    }
#endif
