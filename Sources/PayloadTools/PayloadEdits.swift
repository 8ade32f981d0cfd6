/// Changes to a JSON text, each of a few of its bytes.
struct PayloadEdits {
    private let document: JSONDocument
    /// In the order they were made; they never overlap.
    private var changes: [(range: Range<Int>, bytes: [UInt8])] = []

    init(_ document: JSONDocument) { self.document = document }

    var isEmpty: Bool { changes.isEmpty }

    /// Puts another text into a string, with slashes escaped if the old one has them so.
    mutating func replaceString(_ node: Int, with text: String) {
        let escapesSlashes = document.nodes[node].hasEscapes && Self.hasEscapedSlash(document.raw(node))
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        bytes.reserveCapacity(text.utf8.count + 16)
        // Links are almost always plain.
        let isPlain = !escapesSlashes && !text.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
        if isPlain { bytes += text.utf8 }
        for byte in text.utf8 where !isPlain {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "/") where escapesSlashes: bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        changes.append((document.nodes[node].range, bytes))
    }

    private static func hasEscapedSlash(_ raw: ArraySlice<UInt8>) -> Bool {
        var isEscaped = false
        for byte in raw {
            if isEscaped, byte == UInt8(ascii: "/") { return true }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        return false
    }

    /// Makes `mutable-content` the number 1.
    mutating func add(_ place: MutableContentPlace) {
        if let wrong = place.wrong {
            changes.append((document.nodes[wrong].range, Array("1".utf8)))
        } else {
            append(place.missing, to: place.object)
        }
    }

    /// Adds a member, the last name's value 1 and the others objects around it, spaced as the members before
    /// it.
    private mutating func append(_ names: [String], to object: Int) {
        guard let name = names.first else { return }
        let inner = names.dropFirst().reversed().reduce("1") { "{\"\($1)\":\($0)}" }
        var last: Int?
        for child in document.children(object) { last = child }
        guard let last, let key = document.nodes[last].keyRange else {
            let start = document.nodes[object].range.lowerBound + 1
            return changes.append((start..<start, Array("\"\(name)\":\(inner)".utf8)))
        }
        let end = document.nodes[last].range.upperBound
        var space = key.lowerBound
        while space > 0, JSONDocument.isSpace(document.bytes[space - 1]) { space -= 1 }
        let colon = document.bytes[key.upperBound..<document.nodes[last].range.lowerBound]
        var bytes: [UInt8] = [UInt8(ascii: ",")]
        bytes += document.bytes[space..<key.lowerBound]
        bytes += Array("\"\(name)\"".utf8)
        bytes += colon
        bytes += Array(inner.utf8)
        changes.append((end..<end, bytes))
    }

    /// The text with all changes made.
    func applied() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(document.bytes.count + changes.reduce(0) { $0 + $1.bytes.count })
        var done = 0
        for change in changes.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += document.bytes[done..<change.range.lowerBound]
            result += change.bytes
            done = change.range.upperBound
        }
        return result + document.bytes[done...]
    }
}
