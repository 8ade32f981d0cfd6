/// Chunks of a PNG, to be put together and taken apart.
struct PNGFile {
    struct Chunk: Equatable {
        var type: String
        var data: [UInt8]
        /// A check sum other than the right one.
        var checkSum: UInt32?

        init(_ type: String, _ data: [UInt8] = [], checkSum: UInt32? = nil) {
            self.type = type
            self.data = data
            self.checkSum = checkSum
        }
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var chunks: [Chunk]

    init(_ chunks: [Chunk]) { self.chunks = chunks }

    /// Takes a sound file apart.
    init(parsing bytes: [UInt8]) {
        chunks = []
        var at = 8
        while at + 12 <= bytes.count {
            let length = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard at + 12 + length <= bytes.count else { return }
            let type = String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self)
            chunks.append(Chunk(type, Array(bytes[(at + 8)..<(at + 8 + length)])))
            at += 12 + length
        }
    }

    var bytes: [UInt8] {
        Self.signature
            + chunks.flatMap { chunk in
                let body = Array(chunk.type.utf8) + chunk.data
                return bigEndian(UInt32(chunk.data.count)) + body
                    + bigEndian(chunk.checkSum ?? Self.checkSum(body))
            }
    }

    /// CRC-32 as the PNG specification defines it (annex D), bit by bit.
    static func checkSum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
    }

    static func header(
        _ width: Int, _ height: Int, depth: UInt8 = 8, colorType: UInt8, interlaced: Bool = false
    ) -> Chunk {
        let size = bigEndian(UInt32(width)) + bigEndian(UInt32(height))
        return Chunk("IHDR", size + [depth, colorType, 0, 0, interlaced ? 1 : 0])
    }

    /// Rows without filters, as one stored block of zlib's format (RFC 1950, RFC 1951).
    static func imageData(rows: [[UInt8]]) -> Chunk {
        let data = rows.flatMap { [0] + $0 } as [UInt8]
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let count = UInt16(data.count)
        var stream: [UInt8] = [0x78, 0x01, 1]
        for length in [count, ~count] { stream += [UInt8(length & 255), UInt8(length >> 8)] }
        return Chunk("IDAT", stream + data + bigEndian(high << 16 | low))
    }

    static let end = Chunk("IEND")
}

func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}
