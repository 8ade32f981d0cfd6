/// Walks the chunks of a PNG up to its first `IDAT`, in constant memory (W3C PNG, third edition, 5.3 and
/// 11.3.6).
struct PNGChunkWalk {
    enum Finding {
        /// One picture.
        case still
        /// `acTL` came before `IDAT`.
        case animated
        /// The first chunk is `CgBI`: a file only Apple's own decoders read.
        case crushed
    }

    private(set) var finding: Finding?

    private var skip: UInt64 = 8  // the signature
    private var header: UInt64 = 0
    private var headerCount = 0
    private var isFirstChunk = true

    mutating func push(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count, finding == nil {
            if skip > 0 {
                let step = Int(min(skip, UInt64(bytes.count - index)))
                skip -= UInt64(step)
                index += step
                continue
            }
            header = header << 8 | UInt64(bytes[index])
            headerCount += 1
            index += 1
            if headerCount == 8 { takeHeader() }
        }
    }

    mutating func finish() {
        if finding == nil { finding = .still }
    }

    /// A chunk's header is complete: four bytes of length, four of type.
    private mutating func takeHeader() {
        let length = header >> 32
        let type = FourCC(UInt32(truncatingIfNeeded: header))
        switch type {
        case "CgBI" where isFirstChunk: finding = .crushed
        case "acTL": finding = .animated
        case "IDAT", "IEND": finding = .still
        // Lengths with the highest bit set do not exist.
        default: if length > 0x7FFF_FFFF { finding = .still }
        }
        skip = length + 4  // the check sum
        header = 0
        headerCount = 0
        isFirstChunk = false
    }
}
