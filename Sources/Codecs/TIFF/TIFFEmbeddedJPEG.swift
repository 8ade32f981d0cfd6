#if TIFF
    internal import JPEGCore
    internal import Pixels

    /// A whole JPEG inside a TIFF: the preview of a camera's raw file, or a picture of the old JPEG compression.
    @safe struct TIFFEmbeddedJPEG {
        let header: ImageHeader
        private let range: Range<Int>
        private let maxScans: Int

        /// The largest of those that the directories point to, nil when none can be decoded.
        init?(
            _ directories: [TIFFDirectory], maxScans: Int, shouldStop: () -> Bool
        ) throws(CodecError) {
            var best: (header: ImageHeader, range: Range<Int>)?
            var seen: Set<Range<Int>> = []
            for directory in directories {
                for range in try Self.ranges(directory) where seen.insert(range).inserted {
                    if shouldStop() { throw CodecError(.stopped, "stopped") }
                    guard let header = try Self.header(directory.bytes.file, range, maxScans) else {
                        continue
                    }
                    if header.size.area > best?.header.size.area ?? 0 { best = (header, range) }
                }
            }
            guard let best else { return nil }
            header = best.header
            range = best.range
            self.maxScans = maxScans
        }

        /// Where a directory may have a whole JPEG.
        private static func ranges(_ directory: TIFFDirectory) throws(CodecError) -> [Range<Int>] {
            var ranges: [Range<Int>] = []
            let size = directory.bytes.size
            func add(_ start: Int?, _ count: Int?) {
                guard let start, let count, start > 0, start < size, count > 3 else { return }
                ranges.append(start..<min(size, start + min(count, size)))
            }
            try add(directory.value(TIFFTag.jpegOffset), directory.value(TIFFTag.jpegBytes))
            if let field = directory.fields[TIFFTag.jpgFromRaw] { add(field.place, field.bytes) }
            let compression = try directory.value(TIFFTag.compression)
            if compression == 6 || compression == 7, directory.fields[TIFFTag.stripOffsets]?.count == 1 {
                try add(directory.value(TIFFTag.stripOffsets), directory.value(TIFFTag.stripBytes))
            }
            return ranges
        }

        /// The header of a JPEG we decode; nil of anything else, lossless sensor data above all.
        private static func header(
            _ file: any RandomAccessBytes, _ range: Range<Int>, _ maxScans: Int
        ) throws(CodecError) -> ImageHeader? {
            var decoder = try JPEGDecoder(maxScans: maxScans)
            var piece = [UInt8](repeating: 0, count: 4096)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: piece.count) {
                let due = min(piece.count, range.upperBound - start)
                let count = min(due, try piece.fill(from: file, at: start))
                do {
                    switch try decoder.push(piece.span.extracting(0..<count), into: nil) {
                    case .needsInput: break
                    case .header(let header, _): return header
                    case .finished: return nil
                    }
                } catch { return nil }
                if count < due { return nil }
            }
            return nil
        }

        func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline,
            notes: inout DecodeNotes
        ) throws(CodecError) -> Bool {
            if header.needsWholeInput {
                var decoder = try JPEGSpoolDecoder(maxScans: maxScans)
                let end = try decoder.decode(from: FileWindow(file, range), job, into: rows)
                notes.isOdd = notes.isOdd || decoder.notes.isOdd
                return end.isTruncated
            }
            var decoder = try JPEGDecoder(maxScans: maxScans)
            let isTruncated = try push(from: file, job, into: rows, &decoder)
            notes.isOdd = notes.isOdd || decoder.notes.isOdd
            return isTruncated
        }

        private func push(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline,
            _ decoder: inout JPEGDecoder
        ) throws(CodecError) -> Bool {
            var piece = [UInt8](repeating: 0, count: 65_536)
            var start = range.lowerBound
            while start < range.upperBound {
                let count = min(range.upperBound - start, try piece.fill(from: file, at: start))
                if count == 0 { break }
                switch try decoder.push(piece.span.extracting(0..<count), into: rows) {
                case .needsInput: start += count
                case .header(_, let consumed):
                    try decoder.start(numerator: job.numerator, memoryLimit: job.memoryLimit)
                    start += consumed
                case .finished: return false
                }
            }
            try decoder.finish(padding: job.allowsTruncated, into: rows)
            rows.fill(to: header.rowSize(numerator: job.numerator).height)
            return true
        }
    }

    /// A part of a file as a file.
    private final class FileWindow: RandomAccessBytes {
        private let file: any RandomAccessBytes
        private let range: Range<Int>

        var size: Int { range.count }

        init(_ file: any RandomAccessBytes, _ range: Range<Int>) {
            self.file = file
            self.range = range
        }

        func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            guard offset >= 0, offset < range.count else { return 0 }
            let count = min(buffer.count, range.count - offset)
            return unsafe file.read(
                at: range.lowerBound + offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            )
        }
    }
#endif
