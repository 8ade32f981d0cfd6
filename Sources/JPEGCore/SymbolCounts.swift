internal import Pixels

/// How often each Huffman symbol occurs in a component (or in the two chroma components together).
struct SymbolCounts: Sendable {
    static let size = 256
    /// DC categories, then AC run/size symbols.
    private(set) var counts = [UInt32](repeating: 0, count: 2 * SymbolCounts.size)
    /// Values that are finer than half the resolution shows, as far as blocks were counted and not tokens.
    private(set) var fine = 0

    var dc: ArraySlice<UInt32> { counts[..<Self.size] }
    var ac: ArraySlice<UInt32> { counts[Self.size...] }

    /// Gives `body` the 256 DC counts, then the 256 AC counts, to add to.
    mutating func withUnsafeCounts(_ body: (UnsafeMutablePointer<UInt32>) -> Void) {
        unsafe counts.withUnsafeMutableBufferPointer { counts in
            guard let base = counts.baseAddress else { return }
            unsafe body(base)
        }
    }

    /// Adds another picture part's counts.
    mutating func add(_ other: SymbolCounts) {
        for symbol in counts.indices { counts[symbol] += other.counts[symbol] }
        fine += other.fine
    }

    /// Adds the symbols that `rows` of `component` have when quantised by `quantiser`.
    mutating func add(_ image: CoefficientImage, component: Int, quantiser: BlockQuantiser, rows: RowSample) {
        let geometry = image.geometry
        let perRow = geometry.blocksPerMCURow(of: component)
        let first = geometry.firstBlock(of: component)
        var fine = 0
        unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe image.coefficients.withUnsafeBufferPointer { coefficients in
                guard let counts = counts.baseAddress, let blocks = coefficients.baseAddress else {
                    return
                }
                unsafe quantiser.withFactors { factors in
                    for row in 0..<geometry.mcusDown where rows.contains(row) {
                        // Prediction goes on from the row above, counted or not.
                        let start = unsafe blocks + (first + row * perRow) * 64
                        let lastDC = unsafe row > 0 ? quantiser.dc(start[-64]) : 0
                        fine += unsafe count(start, perRow, factors, into: counts, lastDC: lastDC)
                    }
                }
            }
        }
        self.fine += fine
    }
}

/// Which rows of MCUs are looked at.
enum RowSample {
    /// One row in four, enough for a first guess.
    case sampled
    /// The other three.
    case rest
    /// Every row.
    case all

    static let interval = 4

    /// Fewer rows of MCUs than this are looked at whole.
    private static let fewestToSample = 16

    /// The rows for a first guess.
    static func glance(_ geometry: ScanGeometry) -> Self {
        geometry.mcusDown < fewestToSample ? .all : .sampled
    }

    func contains(_ row: Int) -> Bool {
        self == .all || (row % Self.interval == Self.interval / 2) == (self == .sampled)
    }
}

/// Counts the symbols of `blockCount` blocks in a row; returns how many of their values are fine.
///
/// Safety: `blocks` holds as many blocks, `factors` 24 vectors, `counts` 512 numbers. Symbols are below 256:
/// a run is at most 15, and a category at most 11 as coefficients are bounded by the transform.
private func count(
    _ blocks: UnsafePointer<Int16>, _ blockCount: Int, _ factors: UnsafePointer<SIMD8<UInt16>>,
    into counts: UnsafeMutablePointer<UInt32>, lastDC: Int
) -> Int {
    let ac = unsafe counts + SymbolCounts.size
    let finePositions = BlockTokens.finePositions
    return unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { buffer in
        guard let base = buffer.baseAddress else { return 0 }
        let magnitudes = unsafe base.bindMemory(to: UInt16.self, capacity: 64)
        var fine = 0
        var previous = lastDC
        for index in 0..<blockCount {
            let block = unsafe blocks + index &* 64
            var mask = unsafe BlockQuantiser.quantise(block, factors, magnitudes: magnitudes)

            let size = unsafe Int(magnitudes[0])
            let value = unsafe block[0] < 0 ? 0 &- size : size
            let difference = value &- previous
            previous = value
            unsafe counts[64 &- difference.magnitude.leadingZeroBitCount] &+= 1

            mask &= ~1
            fine &+= (mask & finePositions).nonzeroBitCount
            var position = 0
            while mask != 0 {
                let next = mask.trailingZeroBitCount
                mask &= mask &- 1
                var run = next &- position &- 1
                position = next
                if run > 15 {
                    unsafe ac[0xF0] &+= UInt32(truncatingIfNeeded: run &>> 4)
                    run &= 15
                }
                let magnitude = unsafe UInt32(magnitudes[CoefficientOrder.slot(ofZigzag: next)])
                // It is not zero; setting the lowest bit tells the compiler so and changes no length.
                let category = 32 &- (magnitude | 1).leadingZeroBitCount
                unsafe ac[run &* 16 &+ category] &+= 1
            }
            if position != 63 { unsafe ac[0] &+= 1 }
        }
        return fine
    }
}
