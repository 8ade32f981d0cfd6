/// A reader of whole JPEG files that takes nothing that T.81 does not allow a writer of 8-bit baseline and
/// progressive files, written from the standard's figures only: what it reads, any reader can.
///
/// Stricter than the standard in two things that our writer never needs: no restart intervals, and no run of sixteen
/// zeros before an end of block.
package struct StrictJPEG {
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    package struct Component {
        package let identifier: UInt8
        package let across: Int
        package let down: Int
        let quantisation: Int
        /// Blocks that the picture covers, and with those that fill up the last MCUs.
        package fileprivate(set) var blocksWide = 0
        package fileprivate(set) var blocksHigh = 0
        fileprivate(set) var stride = 0
        /// For each block 64 values in zigzag order, dummy blocks included.
        var values: [Int] = []
        /// For each zigzag position the bits still missing (Al of T.81), nil before its first scan.
        var missing = [Int?](repeating: nil, count: 64)
    }

    package private(set) var width = 0
    package private(set) var height = 0
    package private(set) var isProgressive = false
    package private(set) var components: [Component] = []
    package private(set) var scanCount = 0
    private var quantisation = [[Int]?](repeating: nil, count: 4)
    private var huffman = [StrictCode?](repeating: nil, count: 8)
    private let bytes: [UInt8]
    private var at = 0

    package init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        try require(bytes.starts(with: [0xFF, 0xD8]), "no SOI")
        at = 2
        while try segment() {}
        try require(at == bytes.count, "bytes behind EOI")
        try require(!components.isEmpty && scanCount > 0, "no picture")
        for component in components {
            try require(component.missing.allSatisfy { $0 == 0 }, "coefficients without their last bits")
        }
    }

    /// The values of the blocks that the picture covers, row-major in and among the blocks.
    package func coefficients(_ index: Int) -> [Int16] {
        let component = components[index]
        var result: [Int16] = []
        for row in 0..<component.blocksHigh {
            for column in 0..<component.blocksWide {
                let block = (row * component.stride + column) * 64
                var natural = [Int16](repeating: 0, count: 64)
                for (zigzag, place) in Self.naturalOrder.enumerated() {
                    natural[place] = Int16(component.values[block + zigzag])
                }
                result += natural
            }
        }
        return result
    }

    /// Places in a block by zigzag position: up and down the diagonals (figure A.6).
    private static let naturalOrder: [Int] = (0..<15).flatMap { diagonal in
        let rows = max(0, diagonal - 7)...min(7, diagonal)
        let ordered = diagonal % 2 == 0 ? rows.reversed() : Array(rows)
        return ordered.map { $0 * 8 + diagonal - $0 }
    }

    private func require(_ condition: Bool, _ text: String) throws {
        if !condition { throw Fault(description: "\(text), before byte \(at)") }
    }

    // MARK: Segments

    /// One marker with what belongs to it; false at EOI.
    private mutating func segment() throws -> Bool {
        try require(at + 2 <= bytes.count && bytes[at] == 0xFF, "no marker")
        let marker = bytes[at + 1]
        at += 2
        if marker == 0xD9 { return false }
        try require(at + 2 <= bytes.count, "cut segment")
        let length = Int(bytes[at]) << 8 | Int(bytes[at + 1])
        try require(length >= 2 && at + length <= bytes.count, "segment longer than the file")
        var payload = bytes[(at + 2)..<(at + length)]
        at += length
        switch marker {
        case 0xE0...0xEF, 0xFE: break
        case 0xDB: while !payload.isEmpty { try quantisationTable(&payload) }
        case 0xC4: while !payload.isEmpty { try huffmanTable(&payload) }
        case 0xC0, 0xC2: try frame(Array(payload), isProgressive: marker == 0xC2)
        case 0xDA: try scan(Array(payload))
        default: throw Fault(description: "marker \(marker)")
        }
        return true
    }

    private mutating func quantisationTable(_ payload: inout ArraySlice<UInt8>) throws {
        try require(payload.count >= 65, "short DQT")
        let head = payload.removeFirst()
        try require(head < 4, "quantisation table of 16 bits or of number \(head & 15)")
        try require(payload.prefix(64).allSatisfy { $0 > 0 }, "divisor 0")
        quantisation[Int(head)] = payload.prefix(64).map { Int($0) }
        payload.removeFirst(64)
    }

    private mutating func huffmanTable(_ payload: inout ArraySlice<UInt8>) throws {
        try require(payload.count >= 17, "short DHT")
        let head = payload.removeFirst()
        try require(head & 0xEF < 4, "Huffman table of class or number \(head)")
        let counts = payload.prefix(16).map { Int($0) }
        let total = counts.reduce(0, +)
        payload.removeFirst(16)
        try require(total > 0 && total <= payload.count, "short DHT")
        let symbols = Array(payload.prefix(total))
        payload.removeFirst(total)
        let isAC = head & 16 != 0
        try require(isAC || symbols.allSatisfy { $0 <= 11 }, "DC category over 11")
        try require(!isAC || symbols.allSatisfy { $0 & 15 <= 10 }, "AC category over 10")
        guard let code = StrictCode(counts: counts, symbols: symbols) else {
            throw Fault(description: "code of all ones, too many codes, or a symbol twice")
        }
        huffman[(isAC ? 4 : 0) + Int(head & 3)] = code
    }

    private mutating func frame(_ payload: [UInt8], isProgressive: Bool) throws {
        try require(components.isEmpty, "second frame")
        try require(payload.count >= 6 && payload[0] == 8, "not 8 bits")
        height = Int(payload[1]) << 8 | Int(payload[2])
        width = Int(payload[3]) << 8 | Int(payload[4])
        let count = Int(payload[5])
        try require(width > 0 && height > 0 && [1, 3].contains(count), "sides or components")
        try require(payload.count == 6 + 3 * count, "length of SOF")
        self.isProgressive = isProgressive
        components = (0..<count).map { index in
            let fields = payload[(6 + 3 * index)...]
            return Component(
                identifier: fields[fields.startIndex], across: Int(fields[fields.startIndex + 1] >> 4),
                down: Int(fields[fields.startIndex + 1] & 15),
                quantisation: Int(fields[fields.startIndex + 2]))
        }
        try require(Set(components.map(\.identifier)).count == count, "a component twice")
        try require(components.allSatisfy { 1...4 ~= $0.across && 1...4 ~= $0.down }, "sampling factor")
        try require(components.allSatisfy { $0.quantisation < 4 }, "number of a quantisation table")
        for index in components.indices {
            let component = components[index]
            func blocks(_ side: Int, _ factor: Int, _ most: Int) -> Int {
                ((side * factor + most - 1) / most + 7) / 8
            }
            components[index].blocksWide = blocks(width, component.across, mostAcross)
            components[index].blocksHigh = blocks(height, component.down, mostDown)
            components[index].stride = mcusAcross * component.across
            let all = mcusAcross * component.across * mcusDown * component.down
            components[index].values = [Int](repeating: 0, count: all * 64)
        }
    }

    private var mostAcross: Int { components.map(\.across).max() ?? 1 }
    private var mostDown: Int { components.map(\.down).max() ?? 1 }
    private var mcusAcross: Int { (width + 8 * mostAcross - 1) / (8 * mostAcross) }
    private var mcusDown: Int { (height + 8 * mostDown - 1) / (8 * mostDown) }

    // MARK: Scans

    private mutating func scan(_ payload: [UInt8]) throws {
        let count = payload.first.map { Int($0) } ?? 0
        try require(!components.isEmpty && payload.count == 4 + 2 * count, "SOS without SOF, or its length")
        let band = Int(payload[1 + 2 * count])...max(Int(payload[1 + 2 * count]), Int(payload[2 + 2 * count]))
        let (high, low) = (Int(payload[3 + 2 * count] >> 4), Int(payload[3 + 2 * count] & 15))
        try require(payload[2 + 2 * count] == band.upperBound && band.upperBound < 64, "band")
        var chosen: [StrictScan.Part] = []
        var last = -1
        for number in 0..<count {
            let tables = payload[2 + 2 * number]
            guard let index = components.firstIndex(where: { $0.identifier == payload[1 + 2 * number] }),
                index > last
            else { throw Fault(description: "components of SOS not those of SOF in their order") }
            last = index
            try require(quantisation[components[index].quantisation] != nil, "no quantisation table")
            try require(tables >> 4 < 4 && tables & 15 < 4, "table number")
            try require(isProgressive || tables & 0xEE == 0, "table number in a baseline file")
            let part = StrictScan.Part(
                component: index, dc: huffman[Int(tables >> 4)], ac: huffman[4 + Int(tables & 15)])
            try require(part.dc != nil || band.lowerBound > 0 || high > 0, "no DC table")
            try require(part.ac != nil || band.upperBound == 0, "no AC table")
            chosen.append(part)
        }
        let blocks = chosen.reduce(0) { $0 + components[$1.component].across * components[$1.component].down }
        try require(count == 1 || blocks <= 10, "more than 10 blocks in an MCU")
        try progression(chosen.map(\.component), band, high: high, low: low)
        scanCount += 1
        var reader = StrictScan(
            bits: StrictBits(bytes, at: at), isProgressive: isProgressive, band: band, high: high, low: low)
        try readBlocks(chosen, &reader)
        at = try reader.finish()
    }

    /// The rules for the order of scans: T.81 G.1.1.1 and B.2.3.
    private mutating func progression(
        _ indices: [Int], _ band: ClosedRange<Int>, high: Int, low: Int
    ) throws {
        if isProgressive {
            try require(band.lowerBound > 0 || band.upperBound == 0, "DC and AC in one scan")
            try require(band.lowerBound == 0 || indices.count == 1, "AC of several components in one scan")
            try require(low <= 13 && (high == 0 || high == low + 1), "bits of a scan")
        } else {
            try require(band == 0...63 && high == 0 && low == 0, "band of a sequential scan")
        }
        for index in indices {
            for position in band {
                let missing = components[index].missing[position]
                try require(missing ?? 0 == high, "a scan that does not follow from the one before")
                try require((missing == nil) == (high == 0), "a coefficient's first scan twice, or none")
                try require(
                    position == 0 || !isProgressive || components[index].missing[0] != nil, "AC before DC")
                components[index].missing[position] = low
            }
        }
    }

    private mutating func readBlocks(_ chosen: [StrictScan.Part], _ reader: inout StrictScan) throws {
        if chosen.count == 1 {
            let component = components[chosen[0].component]
            for row in 0..<component.blocksHigh {
                for column in 0..<component.blocksWide {
                    try reader.block(
                        chosen[0], (row * component.stride + column) * 64,
                        &components[chosen[0].component].values)
                }
            }
            return
        }
        for mcu in 0..<(mcusAcross * mcusDown) {
            for part in chosen {
                let component = components[part.component]
                for y in 0..<component.down {
                    for x in 0..<component.across {
                        let row = mcu / mcusAcross * component.down + y
                        let column = mcu % mcusAcross * component.across + x
                        try reader.block(
                            part, (row * component.stride + column) * 64,
                            &components[part.component].values)
                    }
                }
            }
        }
    }
}
