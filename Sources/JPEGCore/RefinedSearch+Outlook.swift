internal import Pixels

/// What a quarter of the rows tells.
extension RefinedSearch {
    private func bits(_ counts: [SymbolCounts]) -> Int {
        counts.reduce(0) {
            $0 + HuffmanTable(counts: $1.dc).totalBits + HuffmanTable(counts: $1.ac).totalBits
        }
    }

    /// Counts a choice makes with the rates at hand, and how many of luma's values are fine.
    func sample(_ choice: Choice) -> (counts: [SymbolCounts], fine: Int) {
        let tables = ladder.tables(choice.step)
        let luma = pass.sample(
            0..<1, table: tables.luma, rates: rates[0], strength: choice.strength, rows: rows)
        guard rates.count > 1 else { return ([luma.counts], luma.fine) }
        let chroma = pass.sample(
            1..<3, table: tables.chroma, rates: rates[1], strength: choice.strength, rows: rows)
        return ([luma.counts, chroma.counts], luma.fine)
    }

    /// Symbols of the latest try in the sampled rows.
    func tokenSample() -> [SymbolCounts] {
        let luma = pass.sample(0..<1, of: tokens, rows: rows)
        return image.geometry.componentCount == 3
            ? [luma, pass.sample(1..<3, of: tokens, rows: rows)] : [luma]
    }

    /// Notes how the whole picture of the latest try goes with its sampled rows.
    mutating func compare(_ sample: [SymbolCounts], with latest: Try) {
        wholePerSample = Double(latest.coding.entropyBytes * 8) / Double(max(1, bits(sample)))
    }

    /// Base-2 log size of a file whose sampled rows are these.
    func logSize(_ counts: [SymbolCounts], header: Int) -> Double {
        let entropy = Double(bits(counts)) / 8 * wholePerSample * 257 / 256
        return approximateLog2((entropy + Double(header)) * scriptShare)
    }

    /// What the rows let expect at `maxBytes`, by any step of a ladder.
    mutating func look(_ ladder: ScaleLadder) -> Outlook {
        let own = self.ladder
        self.ladder = ladder
        defer { self.ladder = own }
        let goal = approximateLog2(Double(max(1, maxBytes)))
        // Near the finest tables sizes hardly change with scale.
        let base = ladder.step(ofScale: Self.baseScale)
        let header = JPEGHeader.byteCount(image.geometry, huffmanBytes: Self.typicalTableBytes)
        let size = logSize(plainCounts(ladder.tables(base)), header: header)
        var slope = Self.typicalStepSlope * ladder.logRatio
        // Weighing bits saves a fourth at the same tables, and scans a little more.
        scriptShare = progressive == .never ? 1 : 0.975
        var step = max(0, min(ladder.last, base + jump(goal - size + 0.4, slope)))
        var last: (step: Int, logSize: Double)?
        var fine = 0
        for _ in 0..<5 {
            if rates.isEmpty { rates = plainCounts(ladder.tables(step)).map { CodeRates(counts: $0.ac) } }
            let sample = sample(Choice(step: step))
            fine = sample.fine
            rates = sample.counts.map { CodeRates(counts: $0.ac) }
            let logSize = logSize(sample.counts, header: header)
            if let last, last.step != step {
                let measured = (logSize - last.logSize) / Double(step - last.step)
                slope = max(slope * 2, min(slope / 2, measured))
            }
            last = (step, logSize)
            let distance = goal - logSize
            let next = max(0, min(ladder.last, step + jump(distance, slope)))
            let isNear = distance.magnitude < Self.withinGlance || next == step
            step = next
            if isNear { break }
        }
        scriptShare = 1
        let blocks =
            (0..<image.geometry.mcusDown).reduce(0) { $0 + (rows.contains($1) ? 1 : 0) }
            * image.geometry.blocksPerMCURow(of: 0)
        let outlook = Outlook(
            scale: ladder.scale(step), tables: ladder.tables(step),
            fineDetail: Double(fine) / Double(max(1, blocks)))
        self.outlook = outlook
        return outlook
    }
}

/// What can be expected of a budget before anything is coded whole.
struct Outlook {
    /// Scale of the tables, in percent of the shapes.
    let scale: Double
    let tables: QuantisationTables
    var quality: Double { tables.quality }
    /// Luma values a block that half the resolution would not show.
    let fineDetail: Double
}
