/// Base64 (RFC 4648), for the names that JSON cannot carry and for links.
package enum Base64 {
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let alphabet = Array((letters + "+/").utf8)
    private static let alphabetForLinks = Array((letters + "-_").utf8)

    /// The bytes as text, padded.
    package static func encode(_ bytes: [UInt8]) -> String { text(of: bytes, in: alphabet, isPadded: true) }

    /// The alphabet that needs no escapes in a link, without padding (RFC 4648, 5).
    package static func encodeForLink(_ bytes: [UInt8]) -> String {
        text(of: bytes, in: alphabetForLinks, isPadded: false)
    }

    private static func text(of bytes: [UInt8], in alphabet: [UInt8], isPadded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for i in 0..<count { bits |= UInt32(bytes[start + i]) << UInt32(16 - 8 * i) }
            for i in 0..<4 {
                if i <= count {
                    text.append(alphabet[Int(bits >> UInt32(18 - 6 * i)) & 63])
                } else if isPadded {
                    text.append(UInt8(ascii: "="))
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Both alphabets of RFC 4648; white space and missing padding are forgiven, as browsers do.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var group: UInt32 = 0
        var bits = 0
        var sawPadding = false
        for byte in text where byte != 0x20 && !(0x09...0x0D).contains(byte) {
            if byte == UInt8(ascii: "=") {
                sawPadding = true
                continue
            }
            guard !sawPadding, let value = sextet(byte) else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        // One character alone is no byte.
        return bits < 6 ? bytes : nil
    }

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
