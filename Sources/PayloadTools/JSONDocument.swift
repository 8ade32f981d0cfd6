/// A JSON text and where its values stand; values are named by their index, the root's is 0.
package struct JSONDocument: Sendable {
    package let bytes: [UInt8]
    package let nodes: [JSONNode]

    /// Longer ones are nobody's payload.
    package static let longest = 16 << 20

    /// Reads a text.
    package init(_ bytes: [UInt8]) throws(JSONFault) {
        nodes = try JSONScanner.nodes(of: bytes)
        self.bytes = bytes
    }

    /// RFC 8259, 2.
    package static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    func kind(_ node: Int) -> JSONKind { nodes[node].kind }

    /// The value as it is written.
    func raw(_ node: Int) -> ArraySlice<UInt8> { bytes[nodes[node].range] }

    /// The value as it is written, for a message: at most 40 bytes of it.
    func shown(_ node: Int) -> String {
        let raw = raw(node)
        return String(decoding: raw.prefix(40), as: UTF8.self) + (raw.count > 40 ? "..." : "")
    }

    /// Values of an object or array in the order of the text; none of anything else.
    func children(_ node: Int) -> Children {
        Children(nodes: nodes, position: node + 1, end: nodes[node].next)
    }

    struct Children: Sequence, IteratorProtocol {
        let nodes: [JSONNode]
        var position: Int
        let end: Int

        mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = nodes[position].next }
            return position
        }
    }

    /// What a string says; nil for other values.
    func string(_ node: Int) -> String? {
        guard nodes[node].kind == .string else { return nil }
        return text(in: nodes[node].range, hasEscapes: nodes[node].hasEscapes)
    }

    /// The key of a member; nil in arrays and of the root.
    func key(_ node: Int) -> String? {
        nodes[node].keyRange.map { text(in: $0, hasEscapes: nodes[node].keyHasEscapes) }
    }

    func hasKey(_ node: Int, _ name: [UInt8]) -> Bool {
        guard let range = nodes[node].keyRange else { return false }
        if nodes[node].keyHasEscapes { return key(node)?.utf8.elementsEqual(name) == true }
        return range.count == name.count + 2
            && bytes[(range.lowerBound + 1)..<(range.upperBound - 1)] == name[...]
    }

    /// The member of that name; of several the last, which is what most readers take.
    func member(_ object: Int, _ name: String) -> Int? {
        guard nodes[object].kind == .object else { return nil }
        let name = Array(name.utf8)
        var found: Int?
        for child in children(object) where hasKey(child, name) { found = child }
        return found
    }

    /// The member at the end of a path of names.
    func member(_ object: Int, path names: [String]) -> Int? {
        var node = object
        for name in names {
            guard let child = member(node, name) else { return nil }
            node = child
        }
        return node
    }

    /// A path to a value, as JSONPath writes it (RFC 9535): `$.aps['alert']` where a name needs quotes.
    package func path(_ node: Int) -> String {
        var path = "$"
        var container = 0
        while container != node {
            var position = 0
            var found: Int?
            for child in children(container) {
                if child <= node, node < nodes[child].next {
                    found = child
                    break
                }
                position += 1
            }
            guard let found else { return path }
            path += key(found).map(Self.step) ?? "[\(position)]"
            container = found
        }
        return path
    }

    private static func step(_ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
        if isPlain { return "." + name }
        let shown = name.utf8.count > 100 ? String(name.prefix(80)) + "..." : name
        return "['" + shown.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
            + "']"
    }
}

// Strings and sizes.
extension JSONDocument {
    /// The text between the quotes of a range; the scanner has checked every escape.
    private func text(in range: Range<Int>, hasEscapes: Bool) -> String {
        let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard hasEscapes else { return String(decoding: inner, as: UTF8.self) }
        var text = ""
        var plain = inner.startIndex
        var index = inner.startIndex
        var high: UInt32?
        while index < inner.endIndex {
            guard inner[index] == UInt8(ascii: "\\"), index + 1 < inner.endIndex else {
                index += 1
                continue
            }
            text += String(decoding: inner[plain..<index], as: UTF8.self)
            let letter = inner[index + 1]
            index += 2
            if letter == UInt8(ascii: "u") {
                let unit = inner[index...].prefix(4).reduce(UInt32(0)) {
                    $0 << 4 | UInt32(Hexadecimal.value($1) ?? 0)
                }
                index += 4
                if (0xD800...0xDBFF).contains(unit) {
                    high = unit
                } else {
                    let value = high.map { 0x10000 + ($0 & 0x3FF) << 10 + unit & 0x3FF } ?? unit
                    high = nil
                    text.unicodeScalars.append(Unicode.Scalar(value) ?? "\u{FFFD}")
                }
            } else {
                text.unicodeScalars.append(Unicode.Scalar(Self.meaning(of: letter)))
            }
            plain = index
        }
        return text + String(decoding: inner[plain..<inner.endIndex], as: UTF8.self)
    }

    private static func meaning(of letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// A value without the white space between its tokens; nothing else is changed.
    package func minimised(_ node: Int = 0) -> [UInt8] {
        var result: [UInt8] = []
        let range = nodes[node].range
        result.reserveCapacity(range.count)
        var isInString = false
        var isEscaped = false
        for byte in bytes[range] {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if Self.isSpace(byte) {
                continue
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            }
            result.append(byte)
        }
        return result
    }
}
