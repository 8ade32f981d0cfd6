#if WebP
    package import JPEGCore
    package import Pixels

    /// WebP with EXIF, which lies behind the picture: its orientation must be known before the first row.
    package struct WebPSpoolDecoder: ~Copyable, SpoolDecoder {
        private var decoder: WebPDecoder
        private var position = 0

        private static let pieceBytes = 65_536

        package init() throws(CodecError) { decoder = try WebPDecoder() }

        package var notes: DecodeNotes { decoder.notes }

        package mutating func readHeader(
            from file: any RandomAccessBytes, shouldStop: () -> Bool
        ) throws(CodecError) -> ImageHeader? {
            decoder = try WebPDecoder(orientation: try findOrientation(file, shouldStop) ?? .upright)
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            while true {
                if shouldStop() { throw CodecError(.stopped, "stopped") }
                let count = try file.readPiece(at: position, into: &piece)
                guard count > 0 else {
                    throw CodecError(.truncated, "the bytes end before the end of the picture")
                }
                switch try decoder.push(piece.span.extracting(0..<count), into: nil) {
                case .needsInput: position += count
                case .header(let header, let consumed):
                    position += consumed
                    return header
                case .finished: throw CodecError(.corrupt, "no picture in the container")
                }
            }
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            try decoder.start(numerator: job.numerator, memoryLimit: job.memoryLimit)
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            while true {
                if rows.mustStop { throw CodecError(.stopped, "stopped") }
                let count = try file.readPiece(at: position, into: &piece)
                guard count > 0 else { break }
                switch try decoder.push(piece.span.extracting(0..<count), into: rows) {
                case .needsInput, .header: position += count
                case .finished(let consumed): return SpoolEnd(end: position + consumed, isTruncated: false)
                }
            }
            try decoder.finish(padding: job.allowsTruncated, into: rows)
            return SpoolEnd(end: position, isTruncated: !decoder.isWhole)
        }

        /// Looks through the chunks for EXIF, wherever it stands.
        private func findOrientation(
            _ file: any RandomAccessBytes, _ shouldStop: () -> Bool
        ) throws(CodecError) -> Orientation? {
            var lead = [UInt8](repeating: 0, count: 8)
            var at = 12
            while try file.readPiece(at: at, into: &lead) == 8 {
                if shouldStop() { throw CodecError(.stopped, "stopped") }
                let length = WebPWalk.number(lead[4...])
                if lead.starts(with: Array("EXIF".utf8)), length <= WebPDecoder.exifLimit {
                    var body = [UInt8](repeating: 0, count: length)
                    guard try file.readPiece(at: at + 8, into: &body) == length else { return nil }
                    return ExifOrientation.find(inWebP: body)
                }
                at += 8 + length + length & 1
            }
            return nil
        }
    }

    extension RandomAccessBytes {
        /// Reads as many bytes as there are up to the buffer's size.
        func readPiece(at offset: Int, into piece: inout [UInt8]) throws(CodecError) -> Int {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(at: offset, into: $0) }
            guard let count else { throw CodecError(.unreadable, "the input cannot be read again") }
            return count
        }
    }

    extension ExifOrientation {
        /// A chunk's body, with or without the mark that a JPEG has before it.
        static func find(inWebP body: [UInt8]) -> Orientation? {
            find(inTIFF: body.starts(with: Array("Exif\0\0".utf8)) ? body.dropFirst(6) : body[...])
        }
    }
#endif
