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
    /// What a block without any value takes.
    let emptyBlock: Float
    /// Costs of the lowest frequencies where those have a scan of their own, `costs` being those of the others.
    let low: Low?

    struct Low: Sendable {
        let costs: [Float]
        let endOfBlock: Float
        /// The last zigzag position of the band.
        static let last = 2
    }

    /// Rates of a code for these AC symbol counts.
    init(counts: ArraySlice<UInt32>) {
        (costs, endOfBlock) = Self.costs(counts)
        emptyBlock = endOfBlock
        low = nil
    }

    /// Rates of scans with these symbol counts, in which one symbol ends many blocks.
    ///
    /// A block that is empty only makes a run of ended blocks longer; one that is not begins a new run.
    init(scan: ArraySlice<UInt32>, low: ArraySlice<UInt32>?) {
        (costs, endOfBlock) = Self.costs(scan)
        emptyBlock = 0
        self.low = low.map {
            let (costs, endOfBlock) = Self.costs($0)
            return Low(costs: costs, endOfBlock: endOfBlock)
        }
    }

    /// Costs of values and the mean cost of an end.
    private static func costs(_ counts: ArraySlice<UInt32>) -> ([Float], Float) {
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
        // Symbol 16 n ends up to 2^(n + 1) blocks and has n bits; a sequential file has only n = 0.
        var (ends, endBits) = (0.0, 0.0)
        for bit in 0..<15 where counts[first + bit * 16] > 0 {
            ends += Double(counts[first + bit * 16])
            endBits += Double(counts[first + bit * 16]) * (bits(bit * 16) + Double(bit))
        }
        return (costs, Float(ends > 0 ? endBits / ends : bits(0)))
    }
}
