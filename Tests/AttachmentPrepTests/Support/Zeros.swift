// Deflate written by hand (RFC 1950, RFC 1951): thirteen bits for 258 zeros.

enum Zeros {
    /// A zlib stream of so many zeros, at least one.
    static func zlib(_ count: Int) -> [UInt8] {
        var bits = Bits()
        // The last block, of fixed codes; then the literal 0.
        bits.append(0b110, 3)
        bits.append(0x30, 8)
        let matches = (count - 1) / 258
        for _ in 0..<(matches % 8) { bits.appendMatch() }
        if matches >= 8 {
            // Eight of them are thirteen bytes, whatever lies before them.
            let start = bits.bytes.count
            for _ in 0..<8 { bits.appendMatch() }
            bits.repeatEnd(from: start, times: matches / 8)
        }
        for _ in 0..<(count - 1 - matches * 258) { bits.append(0x30, 8) }
        // The end, and zeros up to a whole byte.
        bits.append(0, 14)
        // Of zeros, the first half of Adler-32 stays 1.
        return [0x78, 0x01] + bits.bytes + PNGParts.big((count % 65_521) << 16 | 1)
    }

    /// Bytes are filled from the lowest bit up, with codes from their highest bit down.
    private struct Bits {
        /// The whole ones.
        private(set) var bytes: [UInt8] = []
        private var rest: UInt8 = 0
        private var restCount = 0

        mutating func append(_ code: UInt32, _ count: Int) {
            for i in 0..<count {
                rest |= UInt8(code >> UInt32(count - 1 - i) & 1) << UInt8(restCount)
                restCount += 1
                if restCount == 8 {
                    bytes.append(rest)
                    (rest, restCount) = (0, 0)
                }
            }
        }

        /// Length 258 (the code 285) and distance 1 (the code 0).
        mutating func appendMatch() { append(0b1_1000_1010_0000, 13) }

        mutating func repeatEnd(from start: Int, times: Int) {
            let part = Array(bytes[start...])
            var run = part
            while run.count < part.count * times { run += run }
            bytes += run[..<(part.count * (times - 1))]
        }
    }
}
