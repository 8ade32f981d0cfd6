package import Pixels

/// Reads the orientation tag of an EXIF block (Exif 2.32, 4.6: a TIFF stream) and nothing else.
///
/// Never fails: whatever is broken, out of range or missing is no orientation.
package enum ExifOrientation {
    /// - Parameter segment: an APP1 segment's body, `Exif` and two zeros in front.
    package static func find(inAPP1 body: ArraySlice<UInt8>) -> Orientation? {
        guard body.starts(with: Array("Exif\0".utf8)), body.count > 6 else { return nil }
        return find(inTIFF: body.dropFirst(6))
    }

    /// - Parameter tiff: the TIFF stream itself, as PNG's eXIf chunk holds it.
    package static func find(inTIFF tiff: ArraySlice<UInt8>) -> Orientation? {
        guard let reader = TIFFBytes(tiff) else { return nil }
        guard let offset = reader.long(at: 4), let entries = reader.short(at: offset) else { return nil }
        for i in 0..<entries {
            let entry = offset + 2 + 12 * i
            guard let tag = reader.short(at: entry) else { return nil }
            guard tag == 0x0112 else { continue }
            return value(reader, entry)
        }
        return nil
    }

    /// The tag's value; writers have used LONG where SHORT is right, and both are unmistakable.
    private static func value(_ reader: TIFFBytes, _ entry: Int) -> Orientation? {
        guard let type = reader.short(at: entry + 2), reader.long(at: entry + 4) == 1 else { return nil }
        switch type {
        case 3: return reader.short(at: entry + 8).flatMap(Orientation.init)
        case 4: return reader.long(at: entry + 8).flatMap(Orientation.init)
        default: return nil
        }
    }
}

/// Bounds-checked numbers of a TIFF stream in either byte order.
private struct TIFFBytes {
    private let bytes: ArraySlice<UInt8>
    private let littleEndian: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
            littleEndian = true
        } else if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
            littleEndian = false
        } else {
            return nil
        }
        self.bytes = bytes
    }

    func short(at offset: Int) -> Int? { number(at: offset, count: 2) }
    func long(at offset: Int) -> Int? { number(at: offset, count: 4) }

    private func number(at offset: Int, count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        let field = bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
        return littleEndian
            ? field.reversed().reduce(0) { $0 << 8 | Int($1) } : field.reduce(0) { $0 << 8 | Int($1) }
    }
}
