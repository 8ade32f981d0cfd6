// PNG written by hand: filter 0, deflate without compression (PNG, third edition; RFC 1950, RFC 1951).

struct PNGParts {
    enum Color: UInt8 {
        case gray = 0, rgb = 2, palette = 3, grayAlpha = 4, rgba = 6
    }

    var width: Int
    var height: Int
    var color = Color.rgb
    var depth: UInt8 = 8
    var isInterlaced = false
    /// Chunks between IHDR and the image data.
    var before: [UInt8] = []
    /// Chunks between the image data and IEND.
    var after: [UInt8] = []
    /// Bytes of one pixel.
    var pixel: (_ x: Int, _ y: Int) -> [UInt8]

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let end = chunk("IEND", [])

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return big(data.count) + body + big(Int(crc(body)))
    }

    static func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }

    private static let crcTable: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crcTable[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }

    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: 65_535) {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            out += [start + block.count == bytes.count ? 1 : 0, low, high, ~low, ~high] + block
        }
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return out + big(b << 16 | a)
    }

    /// The rows that the image data holds: the picture's own, or those of Adam7's seven passes.
    private var rows: [UInt8] {
        let passes =
            isInterlaced
            ? [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                (0, 1, 1, 2),
            ]
            : [(0, 0, 1, 1)]
        var bytes: [UInt8] = []
        for (left, top, across, down) in passes where left < width {
            for y in stride(from: top, to: height, by: down) {
                bytes.append(0)
                for x in stride(from: left, to: width, by: across) { bytes += pixel(x, y) }
            }
        }
        return bytes
    }

    var bytes: [UInt8] {
        let header =
            Self.big(width) + Self.big(height) + [depth, color.rawValue, 0, 0, isInterlaced ? 1 : 0]
        let data = Self.zlib(rows)
        var out = Self.signature + Self.chunk("IHDR", header) + before
        for start in stride(from: 0, to: data.count, by: 8192) {
            out += Self.chunk("IDAT", Array(data[start..<min(start + 8192, data.count)]))
        }
        return out + after + Self.end
    }
}

extension Picture {
    /// The picture as a PNG, for the caller to change.
    var png: PNGParts {
        PNGParts(width: width, height: height, color: channels == 3 ? .rgb : .gray, pixel: pixel)
    }
}
