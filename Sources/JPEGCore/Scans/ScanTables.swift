/// The tables of a JPEG as they stand at some point of it: what DQT, DHT and DRI have said so far.
struct ScanTables {
    /// Divisors in zigzag order, by number.
    private(set) var quantisers: [[UInt16]?] = [nil, nil, nil, nil]
    /// Counts and symbols as the segment has them, by number; DC from 0 on, AC from 4 on.
    private(set) var huffman: [[UInt8]?] = [nil, nil, nil, nil, nil, nil, nil, nil]
    /// MCUs between restart markers; 0 means none.
    private(set) var restartInterval = 0

    /// Takes a segment (marker, length, body), if it is one of tables.
    mutating func take(_ segment: [UInt8], marker: UInt8) throws(ScanError) {
        let body = segment.dropFirst(4)
        switch marker {
        case JPEGMarker.dqt: try quantisation(body)
        case JPEGMarker.dht: try codes(body)
        case JPEGMarker.dri:
            guard body.count == 2 else { throw .corrupt("DRI of \(body.count) bytes") }
            restartInterval = Int(segment[4]) << 8 | Int(segment[5])
        default: break
        }
    }

    private mutating func quantisation(_ body: ArraySlice<UInt8>) throws(ScanError) {
        var rest = body
        while let head = rest.popFirst() {
            let bytes = head >> 4 == 0 ? 1 : 2
            guard head & 15 < 4, rest.count >= 64 * bytes else { throw .corrupt("damaged DQT") }
            let data = Array(rest.prefix(64 * bytes))
            rest = rest.dropFirst(64 * bytes)
            quantisers[Int(head & 15)] =
                bytes == 1
                ? data.map { UInt16($0) }
                : (0..<64).map { UInt16(data[2 * $0]) << 8 | UInt16(data[2 * $0 + 1]) }
        }
    }

    private mutating func codes(_ body: ArraySlice<UInt8>) throws(ScanError) {
        var rest = body
        while let head = rest.popFirst() {
            let count = rest.prefix(16).reduce(0) { $0 + Int($1) }
            guard head & 0xEF < 4, rest.count >= 16 + count, count <= 256 else {
                throw .corrupt("damaged DHT")
            }
            huffman[Int(head >> 4) * 4 + Int(head & 15)] = Array(rest.prefix(16 + count))
            rest = rest.dropFirst(16 + count)
        }
    }
}
