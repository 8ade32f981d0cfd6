/// Quantised blocks as lists of what is not zero: memory goes with the file's size, not with the picture's.
///
/// Of each block the DC value, then a token for each other coefficient that is not zero, in zigzag order, then 0.
/// A token is the position in the upper 6 bits and the value, offset by 512, in the lower 10; a value that needs
/// more has 0 there and follows whole.
struct BlockTokens: Sendable {
    private(set) var words: [UInt16] = []
    /// Where each block starts, in the order of the blocks.
    private(set) var starts: [UInt32] = []

    static let offset = 512

    /// Most words a block can take.
    static let wordsPerBlock = 2 + 63 * 2

    /// Room for the blocks of a file of `maxBytes`, so that nothing is copied and left behind while it grows.
    init(blocks: Int, maxBytes: Int) {
        words.reserveCapacity(Self.mostWords(blocks: blocks, maxBytes: maxBytes))
        starts.reserveCapacity(blocks)
    }

    mutating func removeAll() {
        words.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    /// Adds a block's words.
    @inline(__always)
    mutating func append(_ block: UnsafeBufferPointer<UInt16>) {
        starts.append(UInt32(truncatingIfNeeded: words.count))
        unsafe words.append(contentsOf: block)
    }

    /// Zigzag positions whose horizontal or vertical frequency is beyond half the resolution.
    static let finePositions = CoefficientOrder.naturalOfZigzag.enumerated().reduce(UInt64(0)) {
        $1.element / 8 >= 4 || $1.element % 8 >= 4 ? $0 | 1 << UInt64($1.offset) : $0
    }

    /// How many of a block's values are at these positions.
    @inline(__always)
    static func count(_ block: UnsafeBufferPointer<UInt16>, at positions: UInt64) -> Int {
        guard let words = block.baseAddress else { return 0 }
        // A whole block.
        var reader = unsafe TokenReader(words)
        var count = 0
        while true {
            let here = reader.next().position
            if here == 0 { return count }
            count &+= Int(truncatingIfNeeded: (positions &>> UInt64(here)) & 1)
        }
    }

    /// Gives `body` the words and where each block starts in them.
    @inline(__always)
    func withUnsafeBlocks(_ body: (UnsafePointer<UInt16>, UnsafePointer<UInt32>) -> Void) {
        unsafe words.withUnsafeBufferPointer { words in
            unsafe starts.withUnsafeBufferPointer { starts in
                guard let words = words.baseAddress, let starts = starts.baseAddress else { return }
                unsafe body(words, starts)
            }
        }
    }

    /// Bytes for blocks that a file of `maxBytes` holds.
    ///
    static func memoryNeed(blocks: Int, maxBytes: Int) -> Int {
        mostWords(blocks: blocks, maxBytes: maxBytes) * 2 + blocks * 4
    }

    /// A token stands for two bits of the file at least: a code and a sign.
    private static func mostWords(blocks: Int, maxBytes: Int) -> Int {
        blocks * 2 + min(blocks * (wordsPerBlock - 2), min(max(0, maxBytes), .max / 8) * 4)
    }
}

/// The AC coefficients of one block, in zigzag order.
@safe struct TokenReader {
    private var at: UnsafePointer<UInt16>
    let dc: Int

    /// Safety: `block` points to a whole block in `BlockTokens.words`.
    @inline(__always)
    init(_ block: UnsafePointer<UInt16>) {
        unsafe dc = Int(Int16(bitPattern: block[0]))
        unsafe at = block + 1
    }

    /// The next coefficient, or position 0 after the last one.
    @inline(__always)
    mutating func next() -> (position: Int, value: Int) {
        let word = unsafe Int(at[0])
        if word == 0 { return (0, 0) }
        unsafe at += 1
        if word & 1023 != 0 { return (word &>> 10, (word & 1023) &- BlockTokens.offset) }
        let value = unsafe Int(Int16(bitPattern: at[0]))
        unsafe at += 1
        return (word &>> 10, value)
    }

    /// Behind the last coefficient: where the next block begins.
    @inline(__always)
    var end: UnsafePointer<UInt16> { unsafe at + 1 }
}

extension SymbolCounts {
    /// Adds the symbols of a row of blocks in a sequential file.
    mutating func add(_ tokens: BlockTokens, blocks: Range<Int>) {
        unsafe withUnsafeCounts { counts in
            unsafe tokens.withUnsafeBlocks { words, starts in
                let ac = unsafe counts + SymbolCounts.size
                var lastDC = 0
                for block in blocks {
                    // Every start is that of a whole block.
                    var reader = unsafe TokenReader(words + Int(starts[block]))
                    let difference = reader.dc &- lastDC
                    lastDC = reader.dc
                    unsafe counts[64 &- difference.magnitude.leadingZeroBitCount] &+= 1
                    var position = 0
                    while true {
                        let (here, value) = reader.next()
                        if here == 0 { break }
                        let run = here &- position &- 1
                        position = here
                        unsafe ac[0xF0] &+= UInt32(truncatingIfNeeded: run &>> 4)
                        let category = 64 &- value.magnitude.leadingZeroBitCount
                        unsafe ac[(run & 15) &* 16 &+ category] &+= 1
                    }
                    if position < 63 { unsafe ac[0] &+= 1 }
                }
            }
        }
    }
}
