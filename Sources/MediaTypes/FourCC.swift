/// Four characters that name a box, a brand, a chunk or a codec.
package struct FourCC: Hashable, Sendable, ExpressibleByStringLiteral {
    package let value: UInt32

    package init(_ value: UInt32) { self.value = value }

    package init(stringLiteral text: String) {
        value = text.utf8.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The characters as a file has them.
    package var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
}

extension FourCC: CustomStringConvertible {
    /// The characters, with a dot in the place of what is no printable ASCII.
    package var description: String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }
}
