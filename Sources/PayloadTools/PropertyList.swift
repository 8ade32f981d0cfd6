internal import AttachmentPrep

/// A property list's values, as far as an Info.plist needs them.
enum PropertyList: Equatable {
    case text(String)
    case number(String)
    case flag(Bool)
    case array([PropertyList])
    case dictionary([String: PropertyList])

    subscript(name: String) -> PropertyList? {
        if case .dictionary(let members) = self { members[name] } else { nil }
    }

    var string: String? { if case .text(let text) = self { text } else { nil } }

    /// The texts of an array of them, or the one text that stands in its place.
    var strings: [String]? {
        switch self {
        case .text(let text): [text]
        case .array(let values) where values.allSatisfy { $0.string != nil }: values.compactMap(\.string)
        default: nil
        }
    }
}

/// Reads the XML form of a property list (Apple's PropertyList-1.0.dtd), and of XML only what that needs.
///
/// An internal subset, where entities could be defined, is refused, so nothing can grow.
struct PropertyListReader {
    private static let deepest = 32
    private static let longest = 1 << 20

    private let bytes: [UInt8]
    private var index = 0

    /// - Throws: `invalid-payload`, with the line, for anything that is no property list in XML.
    static func read(_ bytes: [UInt8]) throws(PrepError) -> PropertyList {
        if bytes.starts(with: "bplist".utf8) {
            throw refusal("a binary property list is not read here; convert it: plutil -convert xml1 FILE")
        }
        guard bytes.count <= longest else { throw refusal("it is larger than 1 MiB") }
        let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
        guard isUTF8 else { throw refusal("it is not UTF-8; convert it: plutil -convert xml1 FILE") }
        var reader = PropertyListReader(bytes: Array(bytes.drop { [0xEF, 0xBB, 0xBF].contains($0) }))
        return try reader.document()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static func refusal(_ why: String) -> PrepError {
        PrepError(.invalidPayload, .input, "no property list in XML: \(why)")
    }

    private func fault(_ why: String) -> PrepError {
        Self.refusal("\(TextPlace(of: index, in: bytes)): \(why)")
    }

    private mutating func document() throws(PrepError) -> PropertyList {
        try skipMisc()
        guard let tag = try openTag(), tag.name == "plist", !tag.isEmpty else {
            throw fault("<plist> should stand here")
        }
        try skipMisc()
        let value = try value(depth: 0)
        try skipMisc()
        try close("plist")
        try skipMisc()
        guard index == bytes.count else { throw fault("something follows </plist>") }
        return value
    }

    private mutating func value(depth: Int) throws(PrepError) -> PropertyList {
        guard depth < Self.deepest else { throw fault("values are nested more than \(Self.deepest) deep") }
        guard let tag = try openTag() else { throw fault("a value should stand here") }
        switch tag.name {
        case "true", "false":
            if !tag.isEmpty { try close(tag.name) }
            return .flag(tag.name == "true")
        case "string", "date", "data": return .text(try text(of: tag))
        case "integer", "real": return .number(try text(of: tag))
        case "array":
            var values: [PropertyList] = []
            while try !isClosed(tag) { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case "dict":
            var members: [String: PropertyList] = [:]
            while try !isClosed(tag) {
                guard let key = try openTag(), key.name == "key" else {
                    throw fault("<key> should stand here")
                }
                let name = try text(of: key)
                try skipMisc()
                guard members[name] == nil else { throw fault("the key '\(name.prefix(80))' is there twice") }
                members[name] = try value(depth: depth + 1)
            }
            return .dictionary(members)
        default: throw fault("<\(tag.name.prefix(40))> is no value of a property list")
        }
    }

    // MARK: - Tags

    private struct Tag {
        let name: String
        /// `<dict/>`.
        let isEmpty: Bool
    }

    private func has(_ text: StaticString) -> Bool { bytes[index...].starts(with: text.description.utf8) }

    /// A tag that opens an element; nil where there is none.
    private mutating func openTag() throws(PrepError) -> Tag? {
        guard has("<"), !has("</") else { return nil }
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else {
            throw fault("a tag does not end")
        }
        var inner = bytes[(index + 1)..<end]
        let isEmpty = inner.last == UInt8(ascii: "/")
        if isEmpty { inner.removeLast() }
        // Attributes say nothing here but the version of <plist>.
        let name = inner.prefix { !JSONDocument.isSpace($0) }
        index = end + 1
        return Tag(name: String(decoding: name, as: UTF8.self), isEmpty: isEmpty)
    }

    private mutating func close(_ name: String) throws(PrepError) {
        let tag = Array("</\(name)".utf8)
        guard bytes[index...].starts(with: tag) else { throw fault("</\(name)> should stand here") }
        index += tag.count
        while index < bytes.count, JSONDocument.isSpace(bytes[index]) { index += 1 }
        guard has(">") else { throw fault("</\(name)> should stand here") }
        index += 1
    }

    /// Whether a container ends here; its end is then behind us.
    private mutating func isClosed(_ tag: Tag) throws(PrepError) -> Bool {
        if tag.isEmpty { return true }
        try skipMisc()
        guard has("</") else { return false }
        try close(tag.name)
        return true
    }

    private mutating func text(of tag: Tag) throws(PrepError) -> String {
        if tag.isEmpty { return "" }
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            if bytes[index] == UInt8(ascii: "&") {
                text += try entity()
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        try close(tag.name)
        return String(decoding: text, as: UTF8.self)
    }

    /// One of XML's five, or a character's number.
    private mutating func entity() throws(PrepError) -> [UInt8] {
        guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw fault("an entity does not end")
        }
        let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        let named = ["lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": "\""]
        var character = named[name]
        if name.hasPrefix("#") {
            let isHexadecimal = name.hasPrefix("#x")
            let value = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
            character = value.flatMap(Unicode.Scalar.init).map { String($0) }
        }
        guard let character else { throw fault("there is no entity &\(name);") }
        index = end + 1
        return Array(character.utf8)
    }

    /// White space, comments, the XML declaration and the document type.
    private mutating func skipMisc() throws(PrepError) {
        while index < bytes.count {
            if JSONDocument.isSpace(bytes[index]) {
                index += 1
            } else if has("<!--") {
                try skip(past: "-->")
            } else if has("<?") {
                try skip(past: "?>")
            } else if has("<!DOCTYPE") {
                let start = index
                try skip(past: ">")
                if bytes[start..<index].contains(UInt8(ascii: "[")) {
                    index = start
                    throw fault("a document type with definitions of its own is not read")
                }
            } else {
                return
            }
        }
    }

    private mutating func skip(past end: StaticString) throws(PrepError) {
        let end = Array(end.description.utf8)
        var rest = index
        while rest + end.count <= bytes.count {
            if bytes[rest..<(rest + end.count)] == end[...] {
                index = rest + end.count
                return
            }
            rest += 1
        }
        throw fault("something that begins here does not end")
    }
}
