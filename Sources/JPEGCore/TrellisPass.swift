/// One way to quantise a picture with regard to its bits, and what came of it.
struct TrellisPass {
    let image: CoefficientImage
    let activity: BlockActivity

    /// Quantises components that share a table, replaces their tokens and counts their symbols.
    ///
    func run(
        _ components: Range<Int>, table: [UInt8], rates: CodeRates, strength: Strength,
        into tokens: inout [BlockTokens]
    ) -> SymbolCounts {
        let trellis = BlockTrellis(table: table, rates: rates)
        var counts = SymbolCounts()
        for component in components {
            let first = image.geometry.firstBlock(of: component)
            let blocks = first..<(first + image.geometry.blockCount(of: component))
            run(blocks, trellis, strength, &tokens[component], &counts)
        }
        return counts
    }

    private func run(
        _ blocks: Range<Int>, _ trellis: borrowing BlockTrellis, _ strength: Strength,
        _ tokens: inout BlockTokens,
        _ counts: inout SymbolCounts
    ) {
        tokens.removeAll()
        let factors = strength.factors(count: blocks.count)
        let boundary = blocks.lowerBound + factors.boundary
        unsafe counts.withUnsafeCounts { counts in
            unsafe image.coefficients.withUnsafeBufferPointer { coefficients in
                unsafe activity.weights.withUnsafeBufferPointer { weights in
                    guard let coefficients = coefficients.baseAddress else { return }
                    var lastDC = 0
                    for block in blocks {
                        let factor = block < boundary ? factors.first : factors.rest
                        // The image holds 64 coefficients and a weight for each of its blocks.
                        let words = unsafe trellis.quantise(
                            coefficients + block * 64, weight: weights[block] * factor,
                            counts: counts + SymbolCounts.size)
                        let dc = unsafe Int(Int16(bitPattern: words[0]))
                        let difference = dc &- lastDC
                        lastDC = dc
                        unsafe counts[64 &- difference.magnitude.leadingZeroBitCount] &+= 1
                        unsafe tokens.append(words)
                    }
                }
            }
        }
    }
}
