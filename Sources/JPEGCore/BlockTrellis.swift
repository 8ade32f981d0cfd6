/// Chooses the quantised values of blocks that cost least in bits and error together.
///
/// Candidates are the coefficients that rounding does not make zero. Each may keep its value, fall to the next
/// shorter category, or become zero, which lengthens the run to the next one; the cheapest path through them is
/// found exactly, except that what rounds to 2 or more is never dropped.
///
/// Plain IEEE arithmetic in a fixed order: the same choice on every machine.
@safe struct BlockTrellis: ~Copyable {
    /// All of the below in one piece.
    private let storage: UnsafeMutableRawPointer
    private let factors: UnsafeMutablePointer<SIMD8<UInt16>>
    private let magnitudes: UnsafeMutablePointer<UInt16>
    private let words: UnsafeMutablePointer<UInt16>
    /// See `CodeRates.costs`.
    private let costs: UnsafeMutablePointer<Float>
    /// One over the divisor, by zigzag position, in the coefficients' unit.
    private let reciprocals: UnsafeMutablePointer<Float>
    /// Cost of the best path to a kept candidate, less what dropping it and all before it would have cost.
    private let gains: UnsafeMutablePointer<Float>
    private let kept: UnsafeMutablePointer<Candidate>
    private let endOfBlock: Float
    private let emptyBlock: Float
    /// Those of the lowest band, where it is coded apart, and its last position; 0 where it is not.
    private let lowCosts: UnsafeMutablePointer<Float>
    private let lowEnd: Float
    private let lowLast: Int

    /// How much lost energy counts besides error: grain that goes to zero leaves smears, grain that comes out
    /// wrong hardly shows.
    private static let energyWorth: Float = 0.13

    private struct Candidate {
        var position: Int32
        var value: Int32
        /// The kept candidate before this one on the best path.
        var previous: Int32
        var isNegative: Bool
        /// Where the run of zeros to the next candidate starts.
        var start: Int16
    }

    init(table: [UInt8], rates: CodeRates) {
        let quantiser = BlockQuantiser(table, deadZone: 0)
        unsafe storage = .allocate(byteCount: 8192, alignment: 16)
        unsafe factors = storage.bindMemory(to: SIMD8<UInt16>.self, capacity: BlockQuantiser.vectorCount)
        unsafe magnitudes = (storage + 384).bindMemory(to: UInt16.self, capacity: 64)
        unsafe words = (storage + 512).bindMemory(to: UInt16.self, capacity: BlockTokens.wordsPerBlock)
        unsafe reciprocals = (storage + 768).bindMemory(to: Float.self, capacity: 64)
        unsafe gains = (storage + 1024).bindMemory(to: Float.self, capacity: 64)
        unsafe kept = (storage + 1280).bindMemory(to: Candidate.self, capacity: 64)
        unsafe costs = (storage + 2304).bindMemory(to: Float.self, capacity: CodeRates.count)
        unsafe lowCosts = (storage + 5120).bindMemory(to: Float.self, capacity: CodeRates.count)
        endOfBlock = rates.endOfBlock
        emptyBlock = rates.emptyBlock
        lowEnd = rates.low?.endOfBlock ?? 0
        lowLast = rates.low == nil ? 0 : CodeRates.Low.last
        unsafe quantiser.withFactors {
            unsafe factors.initialize(from: $0, count: BlockQuantiser.vectorCount)
        }
        unsafe magnitudes.initialize(repeating: 0, count: 64)
        unsafe words.initialize(repeating: 0, count: BlockTokens.wordsPerBlock)
        unsafe gains.initialize(repeating: 0, count: 64)
        unsafe kept.initialize(
            repeating: Candidate(position: 0, value: 0, previous: 0, isNegative: false, start: 0), count: 64)
        for index in 0..<CodeRates.count {
            unsafe costs[index] = rates.costs[index]
            unsafe lowCosts[index] = rates.low?.costs[index] ?? 0
        }
        for (position, natural) in CoefficientOrder.naturalOfZigzag.enumerated() {
            let divisor = Float(max(1, table[natural])) * Float(1 << ForwardDCT.fractionBits)
            unsafe reciprocals[position] = 1 / divisor
        }
    }

    deinit { unsafe storage.deallocate() }

    /// Quantises a block: adds its AC symbols to `counts` and gives its words, to be used at once.
    ///
    /// `weight` is what an error of one divisor, squared, is worth in bits.
    ///
    /// Safety: 64 values at `block`, aligned for `SIMD8<Int16>`, and 256 counts.
    @inline(__always)
    func quantise(
        _ block: UnsafePointer<Int16>, weight: Float, counts: UnsafeMutablePointer<UInt32>
    ) -> UnsafeBufferPointer<UInt16> {
        let mask = unsafe BlockQuantiser.quantise(block, factors, magnitudes: magnitudes)
        let size = unsafe Int16(truncatingIfNeeded: Int(magnitudes[0]))
        unsafe words[0] = UInt16(bitPattern: block[0] < 0 ? 0 &- size : size)
        let last = mask & ~1 == 0 ? 0 : unsafe solve(block, mask & ~1, weight)
        let length = unsafe emit(endingAt: last, counts)
        return unsafe UnsafeBufferPointer(start: words, count: length)
    }

    /// The last candidate that is kept, the others linked behind it; 0 for none.
    ///
    /// Safety: `mask` marks the coefficients whose magnitudes are not zero, DC not among them.
    @inline(__always)
    private func solve(_ block: UnsafePointer<Int16>, _ mask: UInt64, _ weight: Float) -> Int {
        var mask = mask
        var count = 0
        // Candidate before which a path cannot stop; 0 stands for the start of the block.
        var barrier = 0
        unsafe kept[0].start = 0
        var isLow = lowLast > 0
        while mask != 0 {
            let position = mask.trailingZeroBitCount
            mask &= mask &- 1
            if isLow, position > lowLast {
                closeLow(count)
                isLow = false
            }
            let slot = CoefficientOrder.slot(ofZigzag: position)
            let size = unsafe Int32(magnitudes[slot])
            let exact = unsafe Float(block[slot].magnitude) * reciprocals[position]
            let category = 31 &- (size | 1).leadingZeroBitCount
            // Costs by the position of the candidate before.
            let row = unsafe (isLow ? lowCosts : costs) + (category &* CodeRates.runs &+ position &- 1)
            count &+= 1
            var best = unsafe gains[barrier] + row[0 &- Int(kept[barrier].start)]
            var from = barrier
            for earlier in (barrier &+ 1)..<max(count, barrier &+ 1) {
                let cost = unsafe gains[earlier] + row[0 &- Int(kept[earlier].start)]
                if cost < best {
                    best = cost
                    from = earlier
                }
            }
            var value = size
            best += error(exact, size) * weight
            // Only a power of two has a value just below it that takes fewer bits.
            if size > 1, size & (size &- 1) == 0 {
                let shorter = unsafe row - CodeRates.runs
                let loss = error(exact, size &- 1) * weight
                for earlier in barrier..<count {
                    let cost = unsafe gains[earlier] + shorter[0 &- Int(kept[earlier].start)] + loss
                    if cost < best {
                        best = cost
                        from = earlier
                        value = size &- 1
                    }
                }
            }
            unsafe gains[count] = best - exact * exact * weight
            unsafe kept[count] = Candidate(
                position: Int32(truncatingIfNeeded: position), value: value,
                previous: Int32(truncatingIfNeeded: from), isNegative: block[slot] < 0,
                start: Int16(truncatingIfNeeded: position))
            if size > 1 { barrier = count }
        }
        if isLow { closeLow(count) }
        return cheapestEnd(barrier...count)
    }

    /// Ends the lowest band: its paths pay for their end there, and runs of zeros begin anew behind it.
    @inline(__always)
    private func closeLow(_ count: Int) {
        for candidate in 0...count {
            let position = unsafe Int(kept[candidate].position)
            if position > 0, position < lowLast { unsafe gains[candidate] += lowEnd }
            unsafe kept[candidate].start = Int16(truncatingIfNeeded: lowLast)
        }
    }

    /// Squared error less a bonus for the energy kept; dropping a value is then its square.
    @inline(__always)
    private func error(_ exact: Float, _ value: Int32) -> Float {
        let difference = exact - Float(value)
        return difference * difference - Self.energyWorth * Float(value &* value)
    }

    /// What it takes to end behind a position, 0 for an empty block.
    @inline(__always)
    private func endCost(_ position: Int) -> Float {
        if position > lowLast { return position < 63 ? endOfBlock : 0 }
        return lowLast > 0 ? 0 : emptyBlock
    }

    @inline(__always)
    private func cheapestEnd(_ ends: ClosedRange<Int>) -> Int {
        var best = Float.infinity
        var last = 0
        for end in ends {
            let cost = unsafe gains[end] + endCost(Int(kept[end].position))
            if cost < best {
                best = cost
                last = end
            }
        }
        return last
    }

    /// Writes the words behind DC and counts the symbols; number of words in all.
    ///
    /// Safety: 256 counts.
    @inline(__always)
    private func emit(endingAt last: Int, _ counts: UnsafeMutablePointer<UInt32>) -> Int {
        // Turn the links round.
        var next = 0
        var at = last
        while at > 0 {
            let before = unsafe Int(kept[at].previous)
            unsafe kept[at].previous = Int32(truncatingIfNeeded: next)
            next = at
            at = before
        }
        var length = 1
        var position = 0
        at = next
        while at > 0 {
            let candidate = unsafe kept[at]
            let here = Int(candidate.position)
            let run = here &- position &- 1
            unsafe counts[0xF0] &+= UInt32(truncatingIfNeeded: run &>> 4)
            let category = 32 &- (candidate.value | 1).leadingZeroBitCount
            unsafe counts[(run & 15) &* 16 &+ category] &+= 1
            position = here
            let value = candidate.isNegative ? 0 &- candidate.value : candidate.value
            if candidate.value < BlockTokens.offset {
                unsafe words[length] = UInt16(
                    truncatingIfNeeded: here &<< 10 | (Int(value) &+ BlockTokens.offset))
            } else {
                unsafe words[length] = UInt16(truncatingIfNeeded: here &<< 10)
                length &+= 1
                unsafe words[length] = UInt16(truncatingIfNeeded: value)
            }
            length &+= 1
            at = Int(candidate.previous)
        }
        if position < 63 { unsafe counts[0] &+= 1 }
        unsafe words[length] = 0
        return length &+ 1
    }
}
