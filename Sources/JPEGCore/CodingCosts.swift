/// What the tables tried so far cost, for one picture: each is counted once, a quarter of the rows first.
struct CodingCosts {
    private let image: CoefficientImage
    private var lumaCosts: [TableCost] = []
    private var chromaCosts: [TableCost] = []
    /// The whole picture's bits per bit of the sampled rows, from the last tables counted whole.
    private var wholePerSample = Double(RowSample.interval)

    init(image: CoefficientImage) { self.image = image }

    /// The coding from counts of the whole picture.
    mutating func coding(_ tables: QuantisationTables, deadZone: Int) -> PictureCoding {
        let luma = whole(tables.luma, deadZone, components: 0..<1, &lumaCosts)
        var chroma: ComponentCoding?
        if image.geometry.componentCount == 3 {
            chroma = whole(tables.chroma, deadZone, components: 1..<3, &chromaCosts)
        }
        let coding = PictureCoding(quantisation: tables, luma: luma, chroma: chroma)
        let sampled = sampledBits(tables, deadZone)
        if sampled > 0 { wholePerSample = Double(coding.entropyBytes * 8) / Double(sampled) }
        return coding
    }

    /// Size of the entropy-coded data as a quarter of the rows let expect it.
    mutating func expectedBytes(_ tables: QuantisationTables, deadZone: Int = 0) -> Double {
        Double(sampledBits(tables, deadZone)) / 8 * wholePerSample
    }

    /// Luma values in a quarter of the rows that are finer than half the resolution shows.
    mutating func sampledFineValues(_ tables: QuantisationTables) -> Int {
        lumaCosts[index(of: tables.luma, 0, components: 0..<1, &lumaCosts)].sampled.fine
    }

    private mutating func sampledBits(_ tables: QuantisationTables, _ deadZone: Int) -> Int {
        var bits = sampledBits(tables.luma, deadZone, components: 0..<1, &lumaCosts)
        if image.geometry.componentCount == 3 {
            bits += sampledBits(tables.chroma, deadZone, components: 1..<3, &chromaCosts)
        }
        return bits
    }

    private func sampledBits(
        _ table: [UInt8], _ deadZone: Int, components: Range<Int>, _ costs: inout [TableCost]
    ) -> Int {
        let index = index(of: table, deadZone, components: components, &costs)
        if let known = costs[index].sampledBits { return known }
        let sampled = costs[index].sampled
        let bits = HuffmanTable(counts: sampled.dc).totalBits + HuffmanTable(counts: sampled.ac).totalBits
        costs[index].sampledBits = bits
        return bits
    }

    private func whole(
        _ table: [UInt8], _ deadZone: Int, components: Range<Int>, _ costs: inout [TableCost]
    ) -> ComponentCoding {
        let index = index(of: table, deadZone, components: components, &costs)
        if let known = costs[index].whole { return known }
        var counts = costs[index].sampled
        for component in components {
            counts.add(image, component: component, quantiser: costs[index].quantiser, rows: .rest)
        }
        let coding = ComponentCoding(quantiser: costs[index].quantiser, counts: counts)
        costs[index].whole = coding
        return coding
    }

    /// Where a table is remembered, its sampled rows counted.
    private func index(
        of table: [UInt8], _ deadZone: Int, components: Range<Int>, _ costs: inout [TableCost]
    ) -> Int {
        if let known = costs.firstIndex(where: { $0.deadZone == deadZone && $0.table == table }) {
            return known
        }
        let quantiser = BlockQuantiser(table, deadZone: deadZone)
        var sampled = SymbolCounts()
        for component in components {
            sampled.add(image, component: component, quantiser: quantiser, rows: .sampled)
        }
        costs.append(TableCost(table: table, deadZone: deadZone, quantiser: quantiser, sampled: sampled))
        return costs.count - 1
    }
}

/// What is known of one table with one dead zone.
private struct TableCost {
    let table: [UInt8]
    let deadZone: Int
    let quantiser: BlockQuantiser
    let sampled: SymbolCounts
    var sampledBits: Int?
    var whole: ComponentCoding?
}
