/// An optimal Huffman code for given symbol counts, within JPEG's rules: at most 16 bits, no code of all ones.
struct HuffmanTable: Sendable {
    static let maximumLength = 16
    /// How many codes have 1, 2, … 16 bits.
    let lengthCounts: [UInt8]
    /// The symbols, shortest code first.
    let symbols: [UInt8]
    /// Bits all codes and their appended bits take with the counts the code was made for.
    let totalBits: Int

    /// Bytes of the table in a DHT segment.
    var headerBytes: Int { 1 + Self.maximumLength + symbols.count }

    /// `counts`: one for each symbol, whose low four bits say how many bits follow its code.
    init(counts: ArraySlice<UInt32>) {
        // Ascending by count, then symbol. The first leaf has no symbol and no weight: it reserves the code of
        // all ones, because it gets one of the longest codes and is taken for the last of them.
        var leaves: [UInt64] = [0]
        for (symbol, count) in counts.enumerated() where count > 0 {
            leaves.append(UInt64(count) << 8 | UInt64(symbol))
        }
        leaves[1...].sort()
        var lengths = Self.limited(Self.lengthCounts(ofLeaves: leaves))
        if let longest = lengths.lastIndex(where: { $0 > 0 }) { lengths[longest] -= 1 }

        var bits = 0
        var ordered: [UInt8] = []
        ordered.reserveCapacity(leaves.count)
        var next = leaves.count - 1
        for length in 1...Self.maximumLength {
            for _ in 0..<lengths[length] where next > 0 {
                let symbol = UInt8(truncatingIfNeeded: leaves[next])
                bits += Int(leaves[next] >> 8) * (length + Int(symbol & 15))
                ordered.append(symbol)
                next -= 1
            }
        }
        lengthCounts = lengths[1...].map { UInt8(truncatingIfNeeded: $0) }
        symbols = ordered
        totalBits = bits
    }

    /// Number of codes of each length (index) that Huffman's construction gives; `leaves` ascending.
    private static func lengthCounts(ofLeaves leaves: [UInt64]) -> [Int] {
        let nodes = leaves.count - 1
        guard nodes > 0 else { return [Int](repeating: 0, count: maximumLength + 1) }
        // Inner nodes are made in ascending order of weight, so two queues suffice. Children point upwards.
        var weights = [UInt64](repeating: 0, count: nodes)
        var leafParents = [Int](repeating: 0, count: leaves.count)
        var nodeParents = [Int](repeating: 0, count: nodes)
        var leaf = 0
        var node = 0
        for made in 0..<nodes {
            for _ in 0..<2 {
                if leaf < leaves.count, node >= made || leaves[leaf] >> 8 <= weights[node] {
                    weights[made] += leaves[leaf] >> 8
                    leafParents[leaf] = made
                    leaf += 1
                } else {
                    weights[made] += weights[node]
                    nodeParents[node] = made
                    node += 1
                }
            }
        }
        // The last node is the root; parents come after their children.
        var depths = [Int](repeating: 0, count: nodes)
        for child in stride(from: nodes - 2, through: 0, by: -1) {
            depths[child] = depths[nodeParents[child]] + 1
        }
        var counts = [Int](repeating: 0, count: max(leaves.count, maximumLength) + 1)
        for parent in leafParents { counts[depths[parent] + 1] += 1 }
        return counts
    }

    /// Shortens codes to 16 bits (T.81, K.2): a pair of too long ones gives up a bit, one keeps their
    /// prefix, the other one goes below a shorter code.
    private static func limited(_ counts: [Int]) -> [Int] {
        var counts = counts
        for length in stride(from: counts.count - 1, to: maximumLength, by: -1) {
            while counts[length] > 0 {
                var shorter = length - 2
                while shorter > 0, counts[shorter] == 0 { shorter -= 1 }
                counts[length] -= 2
                counts[length - 1] += 1
                counts[shorter + 1] += 2
                counts[shorter] -= 1
            }
        }
        return Array(counts[...maximumLength])
    }

    /// For each symbol, its code shifted left by the bits that follow, below a 5-bit total length at bit 27.
    ///
    /// A code has 16 bits and at most 11 follow, so both fit.
    var packedCodes: [UInt32] {
        var packed = [UInt32](repeating: 0, count: 256)
        var code: UInt32 = 0
        var index = 0
        for length in 1...Self.maximumLength {
            for _ in 0..<lengthCounts[length - 1] {
                let following = UInt32(symbols[index] & 15)
                packed[Int(symbols[index])] = (UInt32(length) + following) << 27 | code << following
                code += 1
                index += 1
            }
            code <<= 1
        }
        return packed
    }
}
