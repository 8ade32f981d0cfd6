/// Numbers in bytes that are known to be there.
enum Bytes {
    static func bigEndian(_ bytes: some RandomAccessCollection<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    static func bigEndian(_ bytes: [UInt8], at offset: Int, size: Int) -> Int {
        bigEndian(bytes[offset..<(offset + size)])
    }

    static func littleEndian(_ bytes: [UInt8], at offset: Int, size: Int) -> Int {
        bigEndian(bytes[offset..<(offset + size)].reversed())
    }

    /// A number as `size` bytes, the most significant first.
    static func bigEndian(_ value: Int, size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    /// A number as `size` bytes, the least significant first.
    static func littleEndian(_ value: Int, size: Int) -> [UInt8] { bigEndian(value, size: size).reversed() }
}
