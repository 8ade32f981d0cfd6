/// What AC symbols cost in bits, appended bits included, by category and run.
///
/// Fractions of a bit are kept, as if the code were arithmetic: the counts are those of an earlier try, and the
/// lengths of a Huffman code would exaggerate small differences.
struct CodeRates: Sendable {
    /// One for each run of zeros.
    static let runs = 64
    private static let categories = 11
    static let count = categories * runs

    /// `runs` costs for category 1, then for category 2 and so on.
    let costs: [Float]
    let endOfBlock: Float

    /// Rates of a code for these AC symbol counts.
    init(counts: ArraySlice<UInt32>) {
        let first = counts.startIndex
        // A symbol not seen so far may still be used; a quarter of a count keeps it dear.
        let total = counts.reduce(0.0) { $0 + Double($1) } + 64
        let whole = approximateLog2(total)
        func bits(_ symbol: Int) -> Double {
            min(
                Double(HuffmanTable.maximumLength),
                whole - approximateLog2(Double(counts[first + symbol]) + 0.25))
        }
        let sixteenZeros = bits(0xF0)
        var costs: [Float] = []
        costs.reserveCapacity(Self.count)
        for category in 1...Self.categories {
            for run in 0..<Self.runs {
                let code = bits((run & 15) * 16 + category) + Double(run / 16) * sixteenZeros
                costs.append(Float(code + Double(category)))
            }
        }
        self.costs = costs
        endOfBlock = Float(bits(0))
    }
}
