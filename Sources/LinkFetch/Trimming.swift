extension StringProtocol {
    /// Without the white space of ASCII at both ends: what pasting leaves, and headers allow (RFC 9110, 5.6.3).
    var trimmed: String {
        let isSpace = { (byte: UInt8) -> Bool in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = Array(utf8.drop(while: isSpace))
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
