/// A Huffman code as its DHT segment gives it (T.81, annex C).
struct StrictCode {
    /// Symbols by length and code.
    private var symbols: [Int: UInt8] = [:]

    /// Nil where a code would consist of ones only, or a symbol has two codes.
    init?(counts: [Int], symbols list: [UInt8]) {
        var code = 0
        var next = list.startIndex
        for (index, count) in counts.enumerated() {
            let length = index + 1
            for _ in 0..<count {
                guard code < 1 << length - 1 else { return nil }
                symbols[length << 16 | code] = list[next]
                code += 1
                next += 1
            }
            code <<= 1
        }
        guard Set(list).count == list.count else { return nil }
    }

    func symbol(_ bits: inout StrictBits) throws -> UInt8 {
        var code = 0
        for length in 1...16 {
            code = try code << 1 | bits.take()
            if let symbol = symbols[length << 16 | code] { return symbol }
        }
        throw StrictJPEG.Fault(description: "no such code, before byte \(bits.at)")
    }
}

/// The bits of entropy-coded data.
struct StrictBits {
    private let bytes: [UInt8]
    private(set) var at: Int
    private var current = 0
    private var left = 0

    init(_ bytes: [UInt8], at: Int) {
        self.bytes = bytes
        self.at = at
    }

    mutating func take() throws -> Int {
        if left == 0 {
            guard at < bytes.count, bytes[at] != 0xFF || at + 1 < bytes.count && bytes[at + 1] == 0 else {
                throw StrictJPEG.Fault(description: "scan ends early, at byte \(at)")
            }
            current = Int(bytes[at])
            at += current == 0xFF ? 2 : 1
            left = 8
        }
        left -= 1
        return current >> left & 1
    }

    mutating func take(_ count: Int) throws -> Int {
        var value = 0
        for _ in 0..<count { value = try value << 1 | take() }
        return value
    }

    /// A number of so many bits, negative ones as the complement of their magnitude (table F.1).
    mutating func number(_ category: Int) throws -> Int {
        guard category > 0 else { return 0 }
        let value = try take(category)
        return value < 1 << (category - 1) ? value - (1 << category) + 1 : value
    }

    /// Ones fill the last byte (F.1.2.3); gives the place behind it, where a marker must follow.
    mutating func finish() throws -> Int {
        while left > 0 {
            guard try take() == 1 else { throw StrictJPEG.Fault(description: "padding, at byte \(at)") }
        }
        return at
    }
}

/// The blocks of one scan: F.2.2 for sequential files, G.1.2 for progressive ones.
struct StrictScan {
    struct Part {
        let component: Int
        let dc: StrictCode?
        let ac: StrictCode?
    }

    private var bits: StrictBits
    private let isProgressive: Bool
    private let band: ClosedRange<Int>
    private let high: Int
    private let low: Int
    private var predictions: [Int: Int] = [:]
    /// Blocks that are known to end before their next coefficient.
    private var ended = 0

    init(bits: StrictBits, isProgressive: Bool, band: ClosedRange<Int>, high: Int, low: Int) {
        self.bits = bits
        self.isProgressive = isProgressive
        self.band = band
        self.high = high
        self.low = low
    }

    mutating func finish() throws -> Int {
        try require(ended == 0, "a run of ended blocks goes beyond the scan")
        return try bits.finish()
    }

    private func require(_ condition: Bool, _ text: String) throws {
        if !condition { throw StrictJPEG.Fault(description: "\(text), before byte \(bits.at)") }
    }

    mutating func block(_ part: Part, _ start: Int, _ values: inout [Int]) throws {
        if band.lowerBound == 0 {
            if high > 0 {
                values[start] |= try bits.take() << low
            } else if let code = part.dc {
                predictions[part.component, default: 0] += try bits.number(Int(code.symbol(&bits)))
                values[start] = predictions[part.component, default: 0] << low
                try require(-2048...2047 ~= values[start], "DC out of range")
            }
        }
        guard band.upperBound > 0, let code = part.ac else { return }
        if high > 0 {
            try refine(code, start, &values)
        } else {
            try first(code, start, &values)
        }
    }

    private mutating func first(_ code: StrictCode, _ start: Int, _ values: inout [Int]) throws {
        if ended > 0 {
            ended -= 1
            return
        }
        var position = max(1, band.lowerBound)
        var afterRun = false
        while position <= band.upperBound {
            let symbol = try Int(code.symbol(&bits))
            let (run, category) = (symbol >> 4, symbol & 15)
            if category == 0, run < 15 {
                try require(isProgressive || run == 0, "a run of ended blocks in a sequential file")
                try require(!afterRun, "sixteen zeros before an end of block")
                ended = try 1 << run + bits.take(run) - 1
                return
            }
            position += run
            try require(position <= band.upperBound, "a run beyond the band")
            if category > 0 { values[start + position] = try bits.number(category) << low }
            afterRun = category == 0
            position += 1
        }
        try require(!afterRun, "sixteen zeros before an end of block")
    }

    private mutating func refine(_ code: StrictCode, _ start: Int, _ values: inout [Int]) throws {
        var position = band.lowerBound
        if ended > 0 {
            ended -= 1
            try correct(start, &position, zeros: .max, &values)
            return
        }
        while position <= band.upperBound {
            let symbol = try Int(code.symbol(&bits))
            let (run, category) = (symbol >> 4, symbol & 15)
            try require(category < 2, "a new coefficient of more than one bit")
            if category == 0, run < 15 {
                ended = try 1 << run + bits.take(run) - 1
                try correct(start, &position, zeros: .max, &values)
                return
            }
            let sign = category == 0 ? 0 : try bits.take() == 1 ? 1 : -1
            try correct(start, &position, zeros: run, &values)
            try require(position <= band.upperBound, "a run beyond the band")
            if sign != 0 { values[start + position] = sign * (1 << low) }
            position += 1
        }
    }

    /// Passes coefficients, with a bit for each that is not zero, up to the zero behind so many others.
    private mutating func correct(
        _ start: Int, _ position: inout Int, zeros: Int, _ values: inout [Int]
    ) throws {
        var zeros = zeros
        while position <= band.upperBound {
            let value = values[start + position]
            if value == 0 {
                if zeros == 0 { return }
                zeros -= 1
            } else if try bits.take() == 1 {
                values[start + position] += value.signum() * (1 << low)
            }
            position += 1
        }
    }
}
