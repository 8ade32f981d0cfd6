/// RFC 4648 base64, for the names that JSON cannot carry.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for (i, byte) in group.enumerated() { bits |= UInt32(byte) << UInt32(16 - 8 * i) }
            for i in 0..<4 {
                text.append(
                    i <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * i)) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
