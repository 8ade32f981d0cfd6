#if GIF
    package import JPEGCore
    package import Pixels

    /// GIF through giflib: the first image on its screen, one line in memory, interlaced or not.
    package struct GIFSpoolDecoder: ~Copyable, SpoolDecoder {
        private var scan = GIFScan()
        private var isOdd = false

        private static let pieceBytes = 16_384

        package init() {}

        package var notes: DecodeNotes {
            var notes = scan.notes
            notes.isOdd = isOdd
            return notes
        }

        package mutating func watch(_ bytes: Span<UInt8>) throws(CodecError) {
            var at = 0
            while case .image = try scan.next(bytes, at: &at) {}
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            try scanOn(file, rows)
            guard let plan = scan.plan else { throw CodecError.cutGIF }
            let library = try GIFLibrary(file, scan.place)
            let area = plan.frame.size.area
            let count = try library.count(most: area) { rows.mustStop }
            if scan.isImageWhole {
                guard count > 0 else { throw CodecError(.corrupt, "no pixels") }
                isOdd = count < area || !scan.isOver
            } else if !job.allowsTruncated {
                throw CodecError.cutGIF
            }
            try deliver(count, plan, library, rows)
            return SpoolEnd(
                end: scan.isOver ? scan.position : file.size, isTruncated: !scan.isImageWhole)
        }

        /// Looks at what was not watched.
        private mutating func scanOn(
            _ file: any RandomAccessBytes, _ rows: RowPipeline
        ) throws(CodecError) {
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            while !scan.isOver {
                if rows.mustStop { throw CodecError(.stopped, "stopped") }
                let place = scan.position
                let count = unsafe piece.withUnsafeMutableBytes { unsafe file.read(at: place, into: $0) }
                guard let count else { throw CodecError(.unreadable, "the input cannot be read again") }
                if count == 0 { return }
                try watch(piece.span.extracting(0..<count))
            }
        }

        /// Hands on the rows of so many indices; what is missing shows the matte.
        private func deliver(
            _ count: Int, _ plan: GIFPlan, _ library: GIFLibrary, _ rows: RowPipeline
        ) throws(CodecError) {
            let width = plan.frame.size.width
            var row = plan.emptyRow
            if scan.hasCodes { try give(row, plan.rowsBefore, rows) }
            if count > 0 { try library.rewind() }
            var line = [UInt8](repeating: 0, count: width)
            var left = count
            while left > 0 {
                let indices = min(left, width)
                try library.read(into: &line, count: indices)
                plan.put(line, count: indices, into: &row)
                try give(row, 1, rows)
                left -= indices
            }
            if count > plan.frame.size.area - width {
                row = plan.emptyRow
                try give(row, plan.rowsAfter, rows)
            } else {
                rows.fill(to: plan.size.height)
            }
        }

        /// Hands on a row so many times.
        private func give(_ row: [UInt8], _ count: Int, _ rows: RowPipeline) throws(CodecError) {
            for _ in 0..<count {
                let isTaken = unsafe row.withUnsafeBytes { row in
                    guard let base = row.baseAddress else { return false }
                    return unsafe rows.row(base)
                }
                guard isTaken else { throw CodecError(.stopped, "stopped") }
            }
        }
    }
#endif
