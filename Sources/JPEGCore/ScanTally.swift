/// What one scan of a progressive file takes, counted from tokens without writing it.
///
/// `ScanWalk` says the same symbols in the same order; here only their numbers matter, so runs of ended blocks and
/// correction bits are kept as counts.
struct ScanTally {
    private(set) var counts = [UInt32](repeating: 0, count: SymbolCounts.size)
    /// Bits without a code.
    private(set) var bits = 0

    /// Counts the AC scan of one component; of these rows of MCUs.
    init(_ scan: ScanScript.Scan, _ geometry: ScanGeometry, _ tokens: [BlockTokens], rows: RowSample) {
        let component = scan.components.lowerBound
        let samples = geometry.samples(of: component)
        let (across, down) = ((samples.across + 7) / 8, (samples.down + 7) / 8)
        let linesPerMCU = geometry.blocksPerMCU(of: component) == 4 ? 2 : 1
        var pass = TallyPass(first: scan.band.lowerBound, last: scan.band.upperBound, low: scan.low)
        unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe tokens[component].withUnsafeBlocks { words, starts in
                guard let counts = counts.baseAddress else { return }
                for line in 0..<down where rows.contains(line / linesPerMCU) {
                    for column in 0..<across {
                        // Every start is that of a whole block.
                        let start = unsafe starts[geometry.blockIndex(column, line, of: component)]
                        let block = unsafe words + Int(start) + 1
                        if scan.high == 0 {
                            unsafe pass.first(block, counts)
                        } else {
                            unsafe pass.refine(block, counts)
                        }
                    }
                }
                unsafe pass.flush(counts)
            }
        }
        bits = pass.bits
    }
}

/// One pass over the blocks of a scan. All addresses: the first token of a whole block, and 256 counts.
private struct TallyPass {
    let first: Int
    let last: Int
    let low: Int
    private(set) var bits = 0
    private var endedBlocks = 0
    private var corrections = 0

    init(first: Int, last: Int, low: Int) {
        self.first = first
        self.last = last
        self.low = low
    }

    /// A token's position, and its magnitude without the bits left out; moves behind it. Position 0 ends a block.
    @inline(__always)
    private func next(_ at: inout UnsafePointer<UInt16>) -> (position: Int, size: Int) {
        let word = unsafe Int(at[0])
        unsafe at += 1
        var value = (word & 1023) &- BlockTokens.offset
        if word & 1023 == 0, word != 0 {
            value = unsafe Int(Int16(bitPattern: at[0]))
            unsafe at += 1
        }
        let sign = value &>> 63
        return (word &>> 10, ((value ^ sign) &- sign) &>> low)
    }

    @inline(__always)
    mutating func first(_ block: UnsafePointer<UInt16>, _ counts: UnsafeMutablePointer<UInt32>) {
        var at = unsafe block
        var position = first &- 1
        while true {
            let (here, size) = unsafe next(&at)
            if here == 0 || here > last { break }
            if here < first || size == 0 { continue }
            if endedBlocks > 0 { unsafe flush(counts) }
            let run = here &- position &- 1
            position = here
            unsafe counts[0xF0] &+= UInt32(truncatingIfNeeded: run &>> 4)
            unsafe counts[(run & 15) &* 16 &+ 64 &- size.leadingZeroBitCount] &+= 1
        }
        if position < last { unsafe endBlock(0, counts) }
    }

    @inline(__always)
    mutating func refine(_ block: UnsafePointer<UInt16>, _ counts: UnsafeMutablePointer<UInt32>) {
        // Found out only where there is a long run, which is rare.
        var end: Int?
        var at = unsafe block
        var position = first &- 1
        var run = 0
        var pending = 0
        while true {
            let (here, size) = unsafe next(&at)
            if here == 0 || here > last { break }
            if here < first || size == 0 { continue }
            run &+= here &- position &- 1
            position = here
            while run > 15 {
                let newest = unsafe end ?? lastNewPosition(block)
                end = newest
                if here > newest { break }
                unsafe flush(counts)
                unsafe counts[0xF0] &+= 1
                bits &+= pending
                pending = 0
                run &-= 16
            }
            if size > 1 {
                pending &+= 1
                continue
            }
            unsafe flush(counts)
            unsafe counts[run &* 16 &+ 1] &+= 1
            bits &+= pending
            pending = 0
            run = 0
        }
        if run &+ last &- position > 0 || pending > 0 { unsafe endBlock(pending, counts) }
    }

    /// The last position that becomes known by this bit.
    @inline(__always)
    private func lastNewPosition(_ block: UnsafePointer<UInt16>) -> Int {
        var at = unsafe block
        var end = 0
        while true {
            let (here, size) = unsafe next(&at)
            if here == 0 || here > last { return end }
            if here >= first, size == 1 { end = here }
        }
    }

    @inline(__always)
    private mutating func endBlock(_ pending: Int, _ counts: UnsafeMutablePointer<UInt32>) {
        endedBlocks &+= 1
        corrections &+= pending
        if endedBlocks == ScanWalk.mostEndedBlocks || corrections > ScanWalk.mostCorrections {
            unsafe flush(counts)
        }
    }

    @inline(__always)
    mutating func flush(_ counts: UnsafeMutablePointer<UInt32>) {
        guard endedBlocks > 0 else { return }
        let category = 63 &- endedBlocks.leadingZeroBitCount
        unsafe counts[category &* 16] &+= 1
        bits &+= category &+ corrections
        endedBlocks = 0
        corrections = 0
    }
}

/// Sizes of the scripts for the same tokens, from a quarter of the rows where there are enough; each scan is
/// counted once.
struct ScanTallies {
    private let geometry: ScanGeometry
    private let tokens: [BlockTokens]
    private let coding: PictureCoding
    private let rows: RowSample
    /// The whole picture's bits per bit of the rows looked at: luma's, chroma's.
    private let wholePerSample: [Double]
    private var known: [ScanScript.Scan: (bits: Double, headerBytes: Int)] = [:]

    /// `sample`: the tokens' symbols in these rows of a sequential file, luma's, then chroma's.
    init(
        _ geometry: ScanGeometry, _ tokens: [BlockTokens], _ coding: PictureCoding, sample: [SymbolCounts],
        rows: RowSample
    ) {
        self.geometry = geometry
        self.tokens = tokens
        self.coding = coding
        self.rows = rows
        let wholes = [coding.luma] + (coding.chroma.map { [$0] } ?? [])
        wholePerSample = zip(wholes, sample).map {
            Double($0.ac.totalBits) / Double(max(1, HuffmanTable(counts: $1.ac).totalBits))
        }
    }

    /// Length of the file with this script.
    mutating func bytes(_ script: ScanScript) -> Int {
        var bits = 0.0
        var bytes = JPEGHeader.byteCountBeforeTables(geometry) + JPEGHeader.end.count
        for scan in script.scans(components: geometry.componentCount) {
            let part = part(scan)
            bits += part.bits
            bytes += 4 + part.headerBytes + 8 + scan.components.count * 2
        }
        return bytes + Int(bits / 8 * 257 / 256)
    }

    private mutating func part(_ scan: ScanScript.Scan) -> (bits: Double, headerBytes: Int) {
        if let part = known[scan] { return part }
        var part = (bits: 0.0, headerBytes: 0)
        if scan.band.upperBound == 0 {
            for table in [coding.luma.dc] + (coding.chroma.map { [$0.dc] } ?? []) {
                part.bits += Double(table.totalBits)
                part.headerBytes += table.headerBytes
            }
        } else {
            let tally = ScanTally(scan, geometry, tokens, rows: rows)
            let table = HuffmanTable(counts: tally.counts[...])
            let share = wholePerSample[min(wholePerSample.count - 1, scan.components.lowerBound)]
            part.bits = Double(tally.bits + table.totalBits) * share
            part.headerBytes = table.headerBytes
        }
        known[scan] = part
        return part
    }
}
