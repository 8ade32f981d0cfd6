package import AttachmentPrep

/// Why some bytes are no JSON text, and where that shows.
package struct JSONFault: Error, Hashable, Sendable {
    package enum Reason: String, Sendable {
        case empty = "there is nothing in it"
        case ends = "it ends in the middle of a value"
        case byteOrderMark = "it begins with a byte order mark, which APNs and FCM do not skip"
        case noValue = "a value should stand here"
        case noKey = "a key in double quotes should stand here"
        case noColon = "a colon should stand here"
        case noComma = "a comma or the closing bracket should stand here"
        case trailing = "something follows the end of the payload"
        case leadingZero = "a number may not begin with a zero"
        case badNumber = "a digit should stand here"
        case control = "a control character stands in a string; write it as an escape"
        case badEscape = "there is no such escape"
        case loneSurrogate = "half of a surrogate pair stands alone"
        case badUTF8 = "this byte is not UTF-8"
        case tooDeep = "values are nested more than 512 deep"
        case tooMany = "there are more values in it than a payload can have"
        case tooLong = "it is longer than 16 MiB"
    }

    package let reason: Reason
    /// Of the byte that does not belong there.
    package let offset: Int

    package init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The fault as an error that says where it is.
    package func error(in bytes: [UInt8]) -> PrepError {
        let place = TextPlace(of: offset, in: bytes)
        let message = "no JSON: \(reason.rawValue)"
        guard reason != .tooLong else {
            return PrepError(.inputTooLarge, .input, "\(reason.rawValue); a payload is at most 4096 bytes")
        }
        return PrepError(
            .invalidPayload, .input, "\(place): \(message)",
            detail: "byte \(offset)" + (offset < bytes.count ? ", \(Self.name(bytes[offset]))" : ""))
    }

    private static func name(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

/// A place in a text as editors count: from 1, columns in characters.
package struct TextPlace: Hashable, Sendable, CustomStringConvertible {
    package let line: Int
    package let column: Int

    package init(of offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<min(offset, bytes.count)]
        let newline = UInt8(ascii: "\n")
        line = 1 + before.count { $0 == newline }
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        // Bytes that continue a character of UTF-8 are none of their own.
        column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
    }

    package var description: String { "line \(line), column \(column)" }
}
