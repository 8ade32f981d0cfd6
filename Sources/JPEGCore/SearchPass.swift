/// One search: tries links of the chain, remembers what they cost, and writes the winner.
struct SearchPass {
    private let image: CoefficientImage
    private let chain: TableChain
    private let maxBytes: Int
    private let target: Double
    private var lumaCosts: [TableCost] = []
    private var chromaCosts: [TableCost] = []
    /// Whole picture's bits per sampled rows' bits, from the last link counted whole.
    private var wholePerSample = 1.0

    /// Symbol counts and Huffman tables of all tries, generously.
    static let tableBytes = 262_144

    /// Tries that count whole pictures; the bracket is closed long before in practice.
    private static let maximumTries = 24
    /// Typical change of log size for log scale, until two tries tell better.
    private static let typicalSlope = -0.65
    /// Fewer rows of MCUs than this are always counted whole.
    private static let rowsWorthSampling = 16

    init(image: CoefficientImage, chain: TableChain, maxBytes: Int) {
        self.image = image
        self.chain = chain
        self.maxBytes = maxBytes
        target = approximateLog2(Double(max(1, maxBytes)))
    }
}

/// What is known of one table.
private struct TableCost {
    let table: [UInt8]
    let quantiser: BlockQuantiser
    let sampled: SymbolCounts
    var whole: ComponentCoding?
}

extension SearchPass {
    private struct Try {
        let link: Int
        let logSize: Double
    }

    mutating func run(_ isCancelled: () -> Bool) -> BudgetFit? {
        if isCancelled() { return nil }
        let ceiling = coding(0)
        if let bytes = write(ceiling) { return .fits(result(bytes, ceiling, .quality)) }
        var over = Try(link: 0, logSize: logSize(ceiling))
        var under: Try?
        var link = firstGuess(over, isCancelled)
        for _ in 0..<Self.maximumTries {
            if under.map({ $0.link - over.link <= 1 }) ?? (over.link >= chain.last) { break }
            if isCancelled() { return nil }
            link = max(over.link + 1, min((under?.link ?? chain.last + 1) - 1, link))
            let attempt = coding(link)
            let tried = Try(link: link, logSize: logSize(attempt))
            let nearest = tried.link
            if estimatedBytes(attempt) <= maxBytes {
                under = tried
            } else {
                over = tried
            }
            link = next(over: over, under: under, latest: nearest)
        }
        return finish(from: under?.link ?? chain.last, isCancelled)
    }

    /// Writes the link found; should the estimate of stuffed bytes have been too low, coarser ones.
    private mutating func finish(from first: Int, _ isCancelled: () -> Bool) -> BudgetFit? {
        var link = first
        while link <= chain.last {
            if isCancelled() { return nil }
            let attempt = coding(link)
            if let bytes = write(attempt) { return .fits(result(bytes, attempt, .budget)) }
            link += 1
        }
        return .tooLarge(bytesAtFloor: max(maxBytes + 1, estimatedBytes(coding(chain.last))))
    }

    private func result(
        _ bytes: [UInt8], _ coding: PictureCoding, _ limit: EncodedJPEG.Limit
    ) -> EncodedJPEG {
        EncodedJPEG(
            bytes: bytes, quality: coding.quantisation.quality, subsampling: image.subsampling,
            limitedBy: limit)
    }

    /// The file if it fits; not even begun if it cannot.
    private func write(_ coding: PictureCoding) -> [UInt8]? {
        let unstuffed = coding.unstuffedBytes(image.geometry)
        guard unstuffed <= maxBytes else { return nil }
        // Stuffing at most doubles a file.
        return JPEGWriter.write(image, coding, limit: min(maxBytes, unstuffed * 2))
    }
}

/// Where to look.
extension SearchPass {
    /// Two steps of the secant method on a quarter of the rows.
    private mutating func firstGuess(_ ceiling: Try, _ isCancelled: () -> Bool) -> Int {
        var slope = Self.typicalSlope * chain.logRatio
        var from = ceiling
        for step in 0..<3 {
            let guess = max(1, min(chain.last, from.link + Int((target - from.logSize) / slope)))
            if step == 2 || guess == from.link || image.geometry.mcusDown < Self.rowsWorthSampling
                || isCancelled()
            {
                return guess
            }
            let tried = Try(link: guess, logSize: approximateLog2(sampledBytes(guess)))
            let measured = (tried.logSize - from.logSize) / Double(tried.link - from.link)
            if measured < slope / 4, measured > slope * 4 { slope = measured }
            from = tried
        }
        return from.link
    }

    /// The link where the straight line through the nearest tries meets the budget.
    private func next(over: Try, under: Try?, latest: Int) -> Int {
        guard let under else {
            let slope = Self.typicalSlope * chain.logRatio
            return over.link + max(1, Int((target - over.logSize) / slope))
        }
        let rise = over.logSize - under.logSize
        guard rise > 0 else { return (over.link + under.link) / 2 }
        let part = (over.logSize - target) / rise
        let meeting = Double(over.link) + part * Double(under.link - over.link)
        // Round to the side not tried last, so that the bracket closes from both sides.
        let rounded = latest == under.link ? meeting.rounded(.down) : meeting.rounded(.up)
        return Int(rounded)
    }

    private func logSize(_ coding: PictureCoding) -> Double {
        approximateLog2(Double(estimatedBytes(coding)))
    }

    /// Length of the file with the stuffing that random bits would need.
    private func estimatedBytes(_ coding: PictureCoding) -> Int {
        coding.unstuffedBytes(image.geometry) + coding.entropyBytes / 256
    }
}

/// What a link costs.
extension SearchPass {
    /// The coding of a link, from counts of the whole picture.
    private mutating func coding(_ link: Int) -> PictureCoding {
        let tables = chain.tables(link)
        let luma = whole(tables.luma, components: 0..<1, &lumaCosts)
        var chroma: ComponentCoding?
        if image.geometry.componentCount == 3 {
            chroma = whole(tables.chroma, components: 1..<3, &chromaCosts)
        }
        let coding = PictureCoding(quantisation: tables, luma: luma, chroma: chroma)
        let sampled = sampledBits(tables)
        if sampled > 0 { wholePerSample = Double(coding.entropyBytes * 8) / Double(sampled) }
        return coding
    }

    private mutating func sampledBytes(_ link: Int) -> Double {
        Double(sampledBits(chain.tables(link))) / 8 * wholePerSample * (1 + 1.0 / 256) + 600
    }

    private mutating func sampledBits(_ tables: QuantisationTables) -> Int {
        var bits = sampledBits(tables.luma, components: 0..<1, &lumaCosts)
        if image.geometry.componentCount == 3 {
            bits += sampledBits(tables.chroma, components: 1..<3, &chromaCosts)
        }
        return bits
    }

    private func sampledBits(_ table: [UInt8], components: Range<Int>, _ costs: inout [TableCost]) -> Int {
        let cost = costs[index(of: table, components: components, &costs)]
        return HuffmanTable(counts: cost.sampled.dc).totalBits
            + HuffmanTable(counts: cost.sampled.ac).totalBits
    }

    private func whole(_ table: [UInt8], components: Range<Int>, _ costs: inout [TableCost])
        -> ComponentCoding
    {
        let index = index(of: table, components: components, &costs)
        if let known = costs[index].whole { return known }
        var counts = costs[index].sampled
        for component in components {
            counts.add(image, component: component, quantiser: costs[index].quantiser, rows: .rest)
        }
        let coding = ComponentCoding(table: table, quantiser: costs[index].quantiser, counts: counts)
        costs[index].whole = coding
        return coding
    }

    /// Where `table` is remembered, its sampled rows counted.
    private func index(of table: [UInt8], components: Range<Int>, _ costs: inout [TableCost]) -> Int {
        if let known = costs.firstIndex(where: { $0.table == table }) { return known }
        let quantiser = BlockQuantiser(table)
        var sampled = SymbolCounts()
        for component in components {
            sampled.add(image, component: component, quantiser: quantiser, rows: .sampled)
        }
        costs.append(TableCost(table: table, quantiser: quantiser, sampled: sampled))
        return costs.count - 1
    }
}

/// Base-2 logarithm of a positive number to about 1e-5, from additions, multiplications and a division only, so
/// that it is the same everywhere.
func approximateLog2(_ value: Double) -> Double {
    guard value > 0 else { return 0 }
    // atanh series around 1 for a significand in 0.75…1.5.
    let large = value.significand > 1.5
    let significand = large ? value.significand / 2 : value.significand
    let t = (significand - 1) / (significand + 1)
    let square = t * t
    let series = t * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square / 7)))
    return Double(value.exponent) + (large ? 1 : 0) + series * 2.8853900817779268
}
