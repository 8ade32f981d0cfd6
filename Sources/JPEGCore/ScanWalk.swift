/// What becomes of the symbols of a scan; `ScanTally` counts them.
protocol SymbolSink {
    /// A symbol and the `symbol & 15` bits that follow it; `isChroma` chooses between a scan's two tables.
    mutating func put(_ symbol: Int, _ appended: UInt32, isChroma: Bool)
    /// Bits without a code.
    mutating func putBits(_ bits: UInt64, _ count: Int)
}

/// Goes through the blocks of one scan of a progressive file (T.81, annex G).
struct ScanWalk {
    let geometry: ScanGeometry
    let tokens: [BlockTokens]
    let scan: ScanScript.Scan

    /// Most blocks that one symbol can end.
    static let mostEndedBlocks = 0x7FFF
    /// As many correction bits are held back at most; libjpeg-based readers need none of it, memory does.
    static let mostCorrections = 900

    func run(_ sink: inout some SymbolSink) {
        guard scan.band.upperBound > 0 else { return walkDC(&sink) }
        let component = scan.components.lowerBound
        let samples = geometry.samples(of: component)
        let (across, down) = ((samples.across + 7) / 8, (samples.down + 7) / 8)
        var bands = BandWalk(first: scan.band.lowerBound, last: scan.band.upperBound, low: scan.low)
        let blocks = tokens[component]
        unsafe blocks.words.withUnsafeBufferPointer { words in
            guard let words = words.baseAddress else { return }
            for line in 0..<down {
                for column in 0..<across {
                    let start = blocks.starts[geometry.blockIndex(column, line, of: component)]
                    // Every start is that of a whole block.
                    let reader = unsafe TokenReader(words + Int(start))
                    if scan.high == 0 { bands.first(reader, &sink) } else { bands.refine(reader, &sink) }
                }
            }
        }
        bands.flush(&sink)
    }

    private func walkDC(_ sink: inout some SymbolSink) {
        var lastDC = [0, 0, 0]
        var next = [0, 0, 0]
        // A scan of one component has no blocks beyond its picture; `gray` has one block an MCU, so none anyway.
        for _ in 0..<(geometry.mcusAcross * geometry.mcusDown) {
            for component in scan.components {
                for _ in 0..<geometry.blocksPerMCU(of: component) {
                    let blocks = tokens[component]
                    let dc = Int(Int16(bitPattern: blocks.words[Int(blocks.starts[next[component]])]))
                    next[component] += 1
                    let difference = dc - lastDC[component]
                    lastDC[component] = dc
                    let category = 64 - difference.magnitude.leadingZeroBitCount
                    let bits =
                        UInt32(truncatingIfNeeded: difference + (difference >> 63))
                        & ((1 << UInt32(category)) - 1)
                    sink.put(category, bits, isChroma: component > 0)
                }
            }
        }
    }
}

extension ScanGeometry {
    /// Where a component's block lies in the order of the blocks.
    @inline(__always)
    func blockIndex(_ column: Int, _ line: Int, of component: Int) -> Int {
        guard blocksPerMCU(of: component) == 4 else { return line &* mcusAcross &+ column }
        return ((line &>> 1) &* mcusAcross &+ (column &>> 1)) &* 4 &+ (line & 1) &* 2 &+ (column & 1)
    }
}

/// The AC coefficients of a band, block after block.
private struct BandWalk {
    let first: Int
    let last: Int
    /// Bits left out.
    let low: Int
    /// Blocks that ended without further symbols, not yet told.
    private var endedBlocks = 0
    /// Correction bits of those blocks, and of the block at hand.
    private var corrections: [(bits: UInt64, count: Int)] = []
    private var correctionCount = 0
    /// At most one for each coefficient of a block.
    private var pending: (bits: UInt64, count: Int) = (0, 0)

    init(first: Int, last: Int, low: Int) {
        self.first = first
        self.last = last
        self.low = low
    }

    /// The first scan of the band.
    mutating func first(_ block: TokenReader, _ sink: inout some SymbolSink) {
        var block = block
        var position = first - 1
        while true {
            let (here, value) = block.next()
            if here == 0 || here > last { break }
            let size = Int(value.magnitude) >> low
            if here < first || size == 0 { continue }
            flush(&sink)
            var run = here - position - 1
            position = here
            while run > 15 {
                sink.put(0xF0, 0, isChroma: false)
                run -= 16
            }
            let category = 64 - size.leadingZeroBitCount
            let sign = UInt32(truncatingIfNeeded: value >> 63)
            let bits = (UInt32(truncatingIfNeeded: size) ^ sign) & ((1 << UInt32(category)) - 1)
            sink.put(run * 16 + category, bits, isChroma: false)
        }
        if position < last { endBlock(&sink) }
    }

    /// A later scan: one more bit of what is known, and what this bit makes known.
    mutating func refine(_ block: TokenReader, _ sink: inout some SymbolSink) {
        let start = block
        var block = block
        // Found out only where there is a long run, which is rare.
        var end: Int?
        var position = first - 1
        var run = 0
        while true {
            let (here, value) = block.next()
            if here == 0 || here > last { break }
            let size = Int(value.magnitude) >> low
            if here < first || size == 0 { continue }
            run += here - position - 1
            position = here
            while run > 15 {
                let newest = end ?? lastNewPosition(start)
                end = newest
                if here > newest { break }
                flush(&sink)
                sink.put(0xF0, 0, isChroma: false)
                putPending(&sink)
                run -= 16
            }
            if size > 1 {
                pending = (pending.bits << 1 | UInt64(size & 1), pending.count + 1)
                continue
            }
            flush(&sink)
            sink.put(run * 16 + 1, value < 0 ? 0 : 1, isChroma: false)
            putPending(&sink)
            run = 0
        }
        if run + last - position > 0 || pending.count > 0 {
            if pending.count > 0 { corrections.append(pending) }
            correctionCount += pending.count
            pending = (0, 0)
            endBlock(&sink)
        }
    }

    /// The last position that becomes known by this bit.
    private func lastNewPosition(_ block: TokenReader) -> Int {
        var block = block
        var end = 0
        while true {
            let (here, value) = block.next()
            if here == 0 || here > last { return end }
            if here >= first, Int(value.magnitude) >> low == 1 { end = here }
        }
    }

    private mutating func endBlock(_ sink: inout some SymbolSink) {
        endedBlocks += 1
        if endedBlocks == ScanWalk.mostEndedBlocks || correctionCount > ScanWalk.mostCorrections {
            flush(&sink)
        }
    }

    /// Tells the ended blocks and their corrections.
    @inline(__always)
    mutating func flush(_ sink: inout some SymbolSink) {
        if endedBlocks > 0 { putEnds(&sink) }
    }

    private mutating func putEnds(_ sink: inout some SymbolSink) {
        let bits = 63 - endedBlocks.leadingZeroBitCount
        sink.put(bits * 16, 0, isChroma: false)
        sink.putBits(UInt64(endedBlocks) & ((1 << UInt64(bits)) - 1), bits)
        endedBlocks = 0
        guard correctionCount > 0 else { return }
        for part in corrections { sink.putBits(part.bits, part.count) }
        corrections.removeAll(keepingCapacity: true)
        correctionCount = 0
    }

    @inline(__always)
    private mutating func putPending(_ sink: inout some SymbolSink) {
        if pending.count > 0 { sink.putBits(pending.bits, pending.count) }
        pending = (0, 0)
    }
}
