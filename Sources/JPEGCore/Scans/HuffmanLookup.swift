/// A Huffman code as a decoder wants it: short codes by table, long ones by canonical search.
@safe final class HuffmanLookup {
    /// Codes up to this length are found by table.
    static let shortBits = 10

    /// Entries for the next `shortBits` bits: the symbol, its code's length, and that with the bits that follow.
    ///
    /// The symbol is in the low byte, the length from bit 8 on, their sum from bit 16 on (the symbol's low half
    /// says how many bits follow). 0 where the code is longer, or there is none.
    ///
    /// Safety: 1 << shortBits entries, so no index of that many bits leaves it; freed in deinit only.
    @safe let short: UnsafeMutablePointer<UInt32>
    private var longest = [Int32](repeating: -1, count: 17)
    private var firstSymbols = [Int32](repeating: 0, count: 17)
    private let symbols: [UInt8]

    /// - Parameter table: 16 counts and the symbols, as in a DHT segment.
    /// - Returns: nil for counts that no code can have, or symbols that a DC code may not have.
    init?(_ table: [UInt8], isDC: Bool) {
        guard table.count >= 16 else { return nil }
        symbols = Array(table[16...])
        short = .allocate(capacity: 1 << Self.shortBits)
        unsafe short.initialize(repeating: 0, count: 1 << Self.shortBits)
        if isDC, symbols.contains(where: { $0 > 15 }) { return nil }
        guard fill(table[..<16].map { Int($0) }) else { return nil }
    }

    deinit { unsafe short.deallocate() }

    private func fill(_ counts: [Int]) -> Bool {
        var code = 0
        var index = 0
        for length in 1...16 {
            let count = counts[length - 1]
            // No code may be all ones (T.81, C.2), so the codes of a length end before its last one.
            guard index + count <= symbols.count, count == 0 || code + count < 1 << length else {
                return false
            }
            firstSymbols[length] = Int32(index - code)
            for _ in 0..<count {
                if length <= Self.shortBits { enter(code, length, symbols[index]) }
                index += 1
                code += 1
            }
            if count > 0 { longest[length] = Int32(code - 1) }
            code <<= 1
        }
        return true
    }

    private func enter(_ code: Int, _ length: Int, _ symbol: UInt8) {
        let free = Self.shortBits - length
        let entry = UInt32(symbol) | UInt32(length) << 8 | UInt32(length + Int(symbol & 15)) << 16
        for i in 0..<(1 << free) { short[code << free + i] = entry }
    }

    /// The entry for a code longer than `shortBits`, at the top of `bits`; nil when there is no such code.
    @inline(never)
    func long(_ bits: UInt64) -> UInt32? {
        for length in (Self.shortBits + 1)...16 {
            let code = Int32(truncatingIfNeeded: bits >> UInt64(64 - length))
            guard code <= longest[length] else { continue }
            let symbol = symbols[Int(code + firstSymbols[length])]
            return UInt32(symbol) | UInt32(length) << 8 | UInt32(length + Int(symbol & 15)) << 16
        }
        return nil
    }
}
