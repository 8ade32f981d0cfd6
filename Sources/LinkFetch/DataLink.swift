internal import AttachmentPrep

/// A `data:` link (RFC 2397): the picture itself, written into the link.
package enum DataLink {
    /// Bytes of link text; a picture this small is as well kept as a file.
    static let longest = 1_048_576

    package static func isOne(_ text: String) -> Bool { text.prefix(5).lowercased() == "data:" }

    /// As it is shown: whoever reads a record does not want the picture in it.
    static func short(_ text: String) -> String { text.utf8.count <= 100 ? text : text.prefix(80) + "..." }

    /// The bytes it holds.
    ///
    /// - Throws: `input-too-large`, or `invalid-url` where it is none.
    static func bytes(of text: String) throws(PrepError) -> [UInt8] {
        let body = Array(text.utf8.dropFirst(5))
        guard body.count <= longest else {
            throw PrepError(
                .inputTooLarge, .input,
                "a data: link this long is not taken; host the picture, or send a file",
                detail: "limit \(longest) bytes of text")
        }
        guard let comma = body.firstIndex(of: UInt8(ascii: ",")) else {
            throw PrepError(.invalidURL, .input, "a data: link without a comma holds no data")
        }
        let kind = String(decoding: body[..<comma], as: UTF8.self).lowercased()
        let data = unescaped(body[(comma + 1)...])
        guard kind.hasSuffix(";base64") else { return data }
        guard let bytes = Base64.decode(data) else {
            throw PrepError(.invalidURL, .input, "the base64 of a data: link is damaged")
        }
        return bytes
    }

    /// Percent signs and two digits become bytes; what is no such group stays.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexDigit),
                let low = rest.dropFirst().first.flatMap(hexDigit)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x57
        default: nil
        }
    }
}
