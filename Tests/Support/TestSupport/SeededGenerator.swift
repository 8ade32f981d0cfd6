/// A generator with a fixed seed (SplitMix64), so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Bytes from 0 to 255.
package func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}

/// Ranges that cut `count` bytes into pieces of `size`.
package func pieces(of count: Int, size: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: size).map { $0..<min(count, $0 + size) }
}

/// Ranges that cut `count` bytes into pieces of random sizes up to `most`.
package func pieces(of count: Int, upTo most: Int, seed: UInt64) -> [Range<Int>] {
    var generator = SeededGenerator(seed: seed)
    var ranges: [Range<Int>] = []
    var at = 0
    while at < count {
        let end = min(count, at + Int.random(in: 1...most, using: &generator))
        ranges.append(at..<end)
        at = end
    }
    return ranges
}
