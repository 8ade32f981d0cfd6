internal import Pixels

/// One way to quantise a picture with regard to its bits, and what came of it.
struct TrellisPass {
    let image: CoefficientImage
    let activity: BlockActivity

    /// Quantises components that share a table, replaces their tokens and counts their symbols.
    func run(
        _ components: Range<Int>, table: [UInt8], rates: CodeRates, strength: Strength,
        into tokens: inout [BlockTokens]
    ) -> SymbolCounts {
        let trellis = BlockTrellis(table: table, rates: rates)
        var counts = SymbolCounts()
        for component in components {
            tokens[component].removeAll()
            let count = image.geometry.blockCount(of: component)
            let factors = strength.factors(count: count)
            var lastDC = 0
            unsafe run(component, 0..<factors.boundary, trellis, factors.first, &lastDC, &counts) {
                unsafe tokens[component].append($0)
            }
            unsafe run(component, factors.boundary..<count, trellis, factors.rest, &lastDC, &counts) {
                unsafe tokens[component].append($0)
            }
        }
        return counts
    }

    /// Counts the symbols of some rows of MCUs only, and the values that are finer than half the resolution shows.
    func sample(
        _ components: Range<Int>, table: [UInt8], rates: CodeRates, strength: Strength, rows: RowSample
    ) -> (counts: SymbolCounts, fine: Int) {
        let trellis = BlockTrellis(table: table, rates: rates)
        var counts = SymbolCounts()
        var fine = 0
        let positions = BlockTokens.finePositions
        for component in components {
            let perRow = image.geometry.blocksPerMCURow(of: component)
            let factors = strength.factors(count: image.geometry.blockCount(of: component))
            for row in 0..<image.geometry.mcusDown where rows.contains(row) {
                let blocks = (row * perRow)..<((row + 1) * perRow)
                let split = max(blocks.lowerBound, min(blocks.upperBound, factors.boundary))
                var lastDC = 0
                // The first difference of a row is not worth a lookup.
                unsafe run(component, blocks.lowerBound..<split, trellis, factors.first, &lastDC, &counts) {
                    fine &+= unsafe BlockTokens.count($0, at: positions)
                }
                unsafe run(component, split..<blocks.upperBound, trellis, factors.rest, &lastDC, &counts) {
                    fine &+= unsafe BlockTokens.count($0, at: positions)
                }
            }
        }
        return (counts, fine)
    }

    /// The symbols of the same rows in tokens that were made before, counted in the same way.
    func sample(_ components: Range<Int>, of tokens: [BlockTokens], rows: RowSample) -> SymbolCounts {
        var counts = SymbolCounts()
        for component in components {
            let perRow = image.geometry.blocksPerMCURow(of: component)
            for row in 0..<image.geometry.mcusDown where rows.contains(row) {
                counts.add(tokens[component], blocks: (row * perRow)..<((row + 1) * perRow))
            }
        }
        return counts
    }

    /// Blocks by their numbers within a component.
    @inline(__always)
    private func run(
        _ component: Int, _ blocks: Range<Int>, _ trellis: borrowing BlockTrellis, _ factor: Float,
        _ lastDC: inout Int, _ counts: inout SymbolCounts, _ body: (UnsafeBufferPointer<UInt16>) -> Void
    ) {
        let first = image.geometry.firstBlock(of: component)
        var previous = lastDC
        unsafe counts.withUnsafeCounts { counts in
            unsafe image.coefficients.withUnsafeBufferPointer { coefficients in
                unsafe activity.weights.withUnsafeBufferPointer { weights in
                    guard let coefficients = coefficients.baseAddress else { return }
                    for block in (first + blocks.lowerBound)..<(first + blocks.upperBound) {
                        // The image holds 64 coefficients and a weight for each of its blocks.
                        let words = unsafe trellis.quantise(
                            coefficients + block * 64, weight: weights[block] * factor,
                            counts: counts + SymbolCounts.size)
                        let dc = unsafe Int(Int16(bitPattern: words[0]))
                        let difference = dc &- previous
                        previous = dc
                        unsafe counts[64 &- difference.magnitude.leadingZeroBitCount] &+= 1
                        unsafe body(words)
                    }
                }
            }
        }
        lastDC = previous
    }
}
