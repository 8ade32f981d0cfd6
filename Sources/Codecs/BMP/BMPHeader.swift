internal import Pixels

/// The two headers of a BMP with masks and palette: OS/2 1.x and 2.x, Windows 3 to 5 (wingdi.h; OS/2 2.0 Programming
/// Guide, "Bitmap file format").
struct BMPHeader {
    enum Coding: Equatable {
        case plain
        /// Runs of whole pixels of so many bits: RLE4, RLE8 and OS/2's RLE24.
        case runs(bits: Int)
    }

    let size: PixelSize
    let isTopDown: Bool
    let bitsPerPixel: Int
    let coding: Coding
    /// Of red, green, blue and alpha, in pixels of 16 or 32 bits; an alpha of 0 is none.
    let masks: [UInt32]
    /// Red, green and blue of each colour, black where the file has none; nil in pixels that are colours themselves.
    let palette: [UInt8]?
    /// Offset of the pixels.
    let dataOffset: Int
    let hasProfile: Bool
    /// Offset behind a profile that lies in or is named by the file, 0 without one.
    let profileEnd: Int

    var hasAlpha: Bool { masks[3] != 0 }

    /// Bytes of a row as stored, padded to four.
    var rowBytes: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

    /// From OS/2 1.x to Windows 5.
    private static let headerSizes = 12...124

    /// How many bytes from the start must be there to read the header, as far as these bytes tell.
    static func bytesNeeded(_ bytes: [UInt8]) throws(CodecError) -> Int {
        guard bytes.count >= 18 else { return 18 }
        let fields = Fields(bytes)
        guard headerSizes.contains(fields.headerBytes) else {
            throw CodecError(.corrupt, "a header of \(fields.headerBytes) bytes")
        }
        guard bytes.count >= fields.end else { return fields.end }
        return fields.paletteStart + fields.paletteCount * fields.paletteEntry
    }

    /// - Parameter bytes: `bytesNeeded` of them.
    init(_ bytes: [UInt8]) throws(CodecError) {
        let fields = Fields(bytes)
        guard fields.width > 0, fields.height != 0 else {
            throw CodecError(.corrupt, "\(fields.width) x \(fields.height) pixels")
        }
        size = PixelSize(fields.width, abs(fields.height))
        isTopDown = fields.height < 0
        bitsPerPixel = fields.bits
        coding = try Self.coding(fields)
        masks = fields.masks
        if fields.hasMasks, masks[0] | masks[1] | masks[2] == 0 {
            throw CodecError(.corrupt, "no bit of a pixel is a colour's")
        }
        palette = fields.bits <= 8 ? Self.palette(bytes, fields) : nil
        let paletteEnd = fields.paletteStart + fields.paletteCount * fields.paletteEntry
        dataOffset = fields.dataOffset >= fields.paletteStart ? fields.dataOffset : paletteEnd
        hasProfile = fields.hasProfile
        profileEnd = fields.profileEnd
    }

    private static func coding(_ fields: Fields) throws(CodecError) -> Coding {
        switch (fields.compression, fields.bits) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): return .plain
        case (1, 8): return .runs(bits: 8)
        case (2, 4): return .runs(bits: 4)
        case (3, 16), (3, 32), (6, 16), (6, 32): return .plain
        case (4, 24) where fields.isOS2: return .runs(bits: 24)
        case (3, 1): throw CodecError(.unsupportedVariant, "a BMP with Huffman codes")
        case (4, _): throw CodecError(.unsupportedVariant, "a JPEG inside a BMP")
        case (5, _): throw CodecError(.unsupportedVariant, "a PNG inside a BMP")
        case (11...13, _): throw CodecError(.unsupportedVariant, "a BMP of inks")
        case (0, 64): throw CodecError(.unsupportedVariant, "a BMP of 64 bits a pixel")
        default:
            throw CodecError(
                .corrupt, "compression \(fields.compression) at \(fields.bits) bits a pixel")
        }
    }

    private static func palette(_ bytes: [UInt8], _ fields: Fields) -> [UInt8] {
        var palette = [UInt8](repeating: 0, count: 3 << fields.bits)
        for i in 0..<fields.paletteCount {
            let at = fields.paletteStart + i * fields.paletteEntry
            guard at + 3 <= bytes.count else { break }
            for c in 0..<3 { palette[3 * i + c] = bytes[at + 2 - c] }
        }
        return palette
    }
}

/// The numbers of the headers, as far as the bytes reach; what lies behind is 0.
private struct Fields {
    private let bytes: [UInt8]
    let headerBytes: Int
    let width: Int
    let height: Int
    let bits: Int
    let compression: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        headerBytes = Self.number(bytes, 14, 4)
        let isShort = headerBytes == 12
        width = isShort ? Self.number(bytes, 18, 2) : Self.signed(bytes, 18)
        height = isShort ? Self.number(bytes, 20, 2) : Self.signed(bytes, 22)
        bits = Self.number(bytes, isShort ? 24 : 28, 2)
        compression = headerBytes >= 20 ? Self.number(bytes, 30, 4) : 0
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        guard at + count <= bytes.count else { return 0 }
        return bytes[at..<(at + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func signed(_ bytes: [UInt8], _ at: Int) -> Int {
        Int(Int32(truncatingIfNeeded: number(bytes, at, 4)))
    }

    private func long(_ at: Int) -> Int { Self.number(bytes, at, 4) }

    /// OS/2 2.x, which may leave out its last fields.
    var isOS2: Bool { headerBytes < 40 && headerBytes > 12 || headerBytes == 64 }

    var hasMasks: Bool { compression == 3 || compression == 6 }

    /// Windows 3 has the masks behind its header, later ones within.
    private var masksBehind: Int {
        headerBytes == 40 ? (compression == 3 ? 12 : compression == 6 ? 16 : 0) : 0
    }

    /// Where the headers end; all fields lie before, masks too.
    var end: Int { 14 + headerBytes + masksBehind }

    var dataOffset: Int { long(10) }

    var masks: [UInt32] {
        guard hasMasks, !isOS2 else {
            return bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
        }
        let count = (headerBytes == 40 ? masksBehind : headerBytes - 40) / 4
        let top: UInt32 = bits == 16 ? 0xFFFF : .max
        return (0..<4).map { $0 < count ? UInt32(truncatingIfNeeded: long(54 + 4 * $0)) & top : 0 }
    }

    var paletteStart: Int { end }
    var paletteEntry: Int { headerBytes == 12 ? 3 : 4 }

    /// Colours that the palette can have: what the header says, what the bits can name, what fits before the pixels.
    var paletteCount: Int {
        guard bits >= 1, bits <= 8 else { return 0 }
        let used = headerBytes >= 36 ? long(46) : 0
        let count = min(used == 0 ? 1 << bits : used, 1 << bits)
        return dataOffset >= paletteStart ? min(count, (dataOffset - paletteStart) / paletteEntry) : count
    }

    /// bV5CSType: PROFILE_EMBEDDED or PROFILE_LINKED.
    var hasProfile: Bool { headerBytes == 124 && (long(70) == 0x4D42_4544 || long(70) == 0x4C49_4E4B) }

    var profileEnd: Int { hasProfile ? 14 + long(126) + long(130) : 0 }
}
