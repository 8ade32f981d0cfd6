internal import AttachmentPrep

/// What a request asks for: a path in origin form, taken apart, and its query.
///
/// What a file system or another server might read differently is refused: empty and dotted segments, encoded
/// slashes, backslashes, NUL and other control characters, whatever is not UTF-8.
struct RequestTarget: Equatable {
    /// Decoded.
    let segments: [String]
    /// Decoded, in their order.
    let query: [Item]

    struct Item: Equatable {
        let name: String
        let value: String
    }

    static let longest = 16_384

    init(_ text: String) throws(HTTPRefusal) {
        guard text.utf8.count <= Self.longest else {
            throw HTTPRefusal(414, .invalidURL, "the request's target is too long")
        }
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.utf8.contains(UInt8(ascii: "#"))
        else { throw Self.bad("a target is a path such as /v1/attachments?profile=apns") }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for part in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = Self.decode(part), !segment.isEmpty, segment != ".", segment != "..",
                !segment.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C })
            else { throw Self.bad("a part of the path is empty, dotted or encoded in a way it need not be") }
            segments.append(segment)
        }
        self.segments = segments
        var query: [Item] = []
        for part in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(pair[0]), let value = Self.decode(pair.count > 1 ? pair[1] : "")
            else {
                throw Self.bad("the query is no list of NAME=VALUE in UTF-8")
            }
            query.append(Item(name: name, value: value))
        }
        self.query = query
    }

    private static func bad(_ message: String) -> HTTPRefusal { HTTPRefusal(400, .invalidURL, message) }

    /// Undoes percent-encoding, once; nil for what is no text, or has control characters.
    static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
