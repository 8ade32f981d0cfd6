package import Pixels

/// BMP, pushed: one row in memory, in the order of the file.
///
/// Most store the bottom row first, and their picture is then one that lies flipped.
package struct BMPDecoder: ~Copyable, ImageDecoder {
    private enum Stage { case header, gap, pixels, tail, over }

    private var stage = Stage.header
    /// Bytes of the headers, then those of a row that came in pieces.
    private var collected: [UInt8] = []
    private var header: BMPHeader?
    private var pixels: BMPPixels?
    private var runs: BMPRuns?
    /// A row of the layout.
    private var row: [UInt8] = []
    private var rowsLeft = 0
    /// Bytes of the file that were used up.
    private var position = 0
    private(set) package var notes = DecodeNotes()

    package init() {}

    package var isWhole: Bool {
        stage == .tail || stage == .over || stage == .pixels && (runs?.linesLeft ?? rowsLeft) == 0
    }

    package mutating func push(_ bytes: Span<UInt8>, into rows: RowPipeline?) throws(CodecError) -> DecodeStep
    {
        var at = 0
        let start = position
        defer { position = start + at }
        if stage == .header {
            guard let header = try readHeader(bytes, at: &at) else { return .needsInput }
            stage = .gap
            return .header(header, consumed: at)
        }
        guard let header else { throw CodecError(.corrupt, "pixels before a header") }
        if stage == .gap {
            at += min(header.dataOffset - start, bytes.count)
            guard start + at == header.dataOffset else { return .needsInput }
            stage = .pixels
        }
        if stage == .pixels {
            guard let rows else { throw CodecError(.corrupt, "pixels before start") }
            let isWhole =
                runs == nil
                ? try takeRows(bytes, at: &at, header, rows) : try takeRuns(bytes, at: &at, rows)
            guard isWhole else { return .needsInput }
            stage = .tail
        }
        if stage == .tail {
            at += min(max(header.profileEnd - start - at, 0), bytes.count - at)
            guard start + at >= header.profileEnd else { return .needsInput }
            stage = .over
        }
        return .finished(consumed: at)
    }

    package mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError) {
        guard let header else { throw CodecError(.corrupt, "started before a header") }
        let pixels = BMPPixels(header)
        switch header.coding {
        case .plain: row = [UInt8](repeating: 0, count: header.size.width * pixels.layout.bytesPerPixel)
        case .runs(let bits): runs = BMPRuns(header, bits: bits)
        }
        self.pixels = pixels
        rowsLeft = header.size.height
        collected = []
    }

    package mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError) {
        guard stage != .over, stage != .tail else { return }
        // A last row without its padding, or runs without the mark of their end, miss nothing that shows.
        if stage == .pixels, let header, let rows {
            if runs?.isWhole == true { return try endRuns(rows) }
            let used = (header.size.width * header.bitsPerPixel + 7) / 8
            if runs == nil, rowsLeft == 1, collected.count >= used {
                let whole = collected + [UInt8](repeating: 0, count: header.rowBytes - collected.count)
                return try deliver(whole.span, rows)
            }
            if pad, runs != nil { return try endRuns(rows) }
        }
        guard pad, header != nil else {
            throw CodecError(.truncated, "the bytes end before the end of the picture")
        }
    }

    private mutating func readHeader(
        _ bytes: Span<UInt8>, at: inout Int
    ) throws(CodecError) -> ImageHeader? {
        // Each time as many bytes as are known to be needed: headers, masks and palette take 1.2 kB at most.
        while true {
            let missing = try BMPHeader.bytesNeeded(collected) - collected.count
            if missing == 0 { break }
            let end = min(at + missing, bytes.count)
            for i in at..<end { collected.append(bytes[i]) }
            at = end
            if at == bytes.count, try BMPHeader.bytesNeeded(collected) > collected.count { return nil }
        }
        let header = try BMPHeader(collected)
        self.header = header
        let layout = BMPPixels(header).layout
        let rowNeed = header.size.width.multipliedReportingOverflow(by: 8).partialValue
        return ImageHeader(
            size: header.size, orientation: header.isTopDown ? .upright : .flipped, layout: layout,
            numerators: [8], isBottomUp: !header.isTopDown, needsWholeInput: false, mayPassLossless: false,
            subsampling: nil, colour: header.hasProfile ? .ignored : .sRGB,
            codecNeed: { _ in rowNeed + 10_000 })
    }

    /// Takes rows as they are stored; true when the last one is there.
    private mutating func takeRows(
        _ bytes: Span<UInt8>, at: inout Int, _ header: BMPHeader, _ rows: RowPipeline
    ) throws(CodecError) -> Bool {
        let rowBytes = header.rowBytes
        while rowsLeft > 0 {
            if collected.isEmpty, bytes.count - at >= rowBytes {
                try deliver(bytes.extracting(at..<(at + rowBytes)), rows)
                at += rowBytes
                continue
            }
            let part = bytes.extracting(at..<min(at + rowBytes - collected.count, bytes.count))
            unsafe part.withUnsafeBufferPointer { unsafe collected.append(contentsOf: $0) }
            at += part.count
            guard collected.count == rowBytes else { return false }
            let whole = collected
            try deliver(whole.span, rows)
            collected.removeAll(keepingCapacity: true)
        }
        return true
    }

    /// Converts a row of `rowBytes` bytes.
    private mutating func deliver(_ stored: Span<UInt8>, _ rows: RowPipeline) throws(CodecError) {
        rowsLeft -= 1
        let isTaken = unsafe stored.withUnsafeBufferPointer { stored in
            unsafe row.withUnsafeMutableBufferPointer { row in
                guard let from = stored.baseAddress, let to = row.baseAddress else { return false }
                // `rowBytes` hold `width` pixels, and `row` was made for as many.
                unsafe pixels?.convert(from, into: to)
                return unsafe rows.row(to)
            }
        }
        guard isTaken else { throw CodecError(.stopped, "stopped") }
    }

    private mutating func takeRuns(
        _ bytes: Span<UInt8>, at: inout Int, _ rows: RowPipeline
    ) throws(CodecError) -> Bool {
        while true {
            switch runs?.next(bytes, at: &at) {
            case .line: try deliverLine(rows)
            case .end:
                try endRuns(rows)
                return true
            case .needsInput, nil: return false
            }
        }
    }

    private mutating func deliverLine(_ rows: RowPipeline) throws(CodecError) {
        let isTaken = unsafe runs?.line.withUnsafeBytes { line in
            guard let base = line.baseAddress else { return false }
            return unsafe rows.row(base)
        }
        guard isTaken == true else { throw CodecError(.stopped, "stopped") }
        runs?.clear()
    }

    /// The lines that the code did not reach.
    private mutating func endRuns(_ rows: RowPipeline) throws(CodecError) {
        while let left = runs?.linesLeft, left > 0 {
            runs?.endLine()
            try deliverLine(rows)
        }
    }
}
