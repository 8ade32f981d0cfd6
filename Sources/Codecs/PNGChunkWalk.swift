/// Walks the chunks of a PNG (PNG specification, 5.3) while its bytes arrive, in constant memory.
struct PNGChunkWalk {
    enum Event: Equatable {
        case needsInput
        /// A chunk begins; its eight bytes of length and type lie in `lead`.
        case chunk(type: [UInt8])
        /// Data of the chunk, its four bytes of CRC included, at these indices of the given bytes.
        case data(Range<Int>)
        /// The chunk is over.
        case chunkEnd
        /// What stands where a chunk should cannot be one.
        case malformed
    }

    private(set) var lead: [UInt8] = []
    private var missing = 0
    private var isInside = false

    /// Length of the current chunk's data.
    private(set) var length = 0

    /// The next event at `at`, which moves on; the signature must be consumed before.
    mutating func next(_ bytes: Span<UInt8>, at: inout Int) -> Event {
        if isInside {
            if missing == 0 {
                isInside = false
                return .chunkEnd
            }
            guard at < bytes.count else { return .needsInput }
            let end = at + min(missing, bytes.count - at)
            defer { at = end }
            missing -= end - at
            return .data(at..<end)
        }
        if lead.count == 8 { lead.removeAll(keepingCapacity: true) }
        while lead.count < 8 {
            guard at < bytes.count else { return .needsInput }
            lead.append(bytes[at])
            at += 1
        }
        length = lead[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let type = Array(lead[4...])
        guard length <= 0x7FFF_FFFF, type.allSatisfy({ $0 | 32 >= 97 && $0 | 32 <= 122 }) else {
            return .malformed
        }
        missing = length + 4
        isInside = true
        return .chunk(type: type)
    }
}
