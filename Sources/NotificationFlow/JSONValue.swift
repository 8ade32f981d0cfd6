internal import MediaTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A JSON value (RFC 8259), as payloads and details are made of.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Deeper ones are nobody's payload, and each level takes of a thread's stack, which is small in an extension.
    static let deepest = 32

    /// Reads a text; nil for anything that is not JSON, or is nested more than 32 levels deep.
    public init?(json bytes: [UInt8]) {
        guard Self.depth(of: bytes) <= Self.deepest,
            let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { return nil }
        self = value
    }

    /// Levels of brackets outside strings, at most.
    private static func depth(of bytes: [UInt8]) -> Int {
        var (depth, deepest) = (0, 0)
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if !isInString { depth += 1 }
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): if !isInString { depth -= 1 }
            default: break
            }
        }
        return deepest
    }

    /// The value as a text.
    package var json: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a string says; nil for other values.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// A text, or a whole number that a JSON reader's double holds exactly, as text; nil for other values.
    var identifier: String? {
        switch self {
        case .string(let text): text
        case .number(let number) where abs(number) < 9_007_199_254_740_992:
            Int(exactly: number).map(String.init)
        default: nil
        }
    }

    /// What a number says; nil for other values.
    public var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// The members of an object; nil for other values.
    public var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The value at a path of names.
    public subscript(path: PayloadPath) -> JSONValue? {
        var value = self
        for name in path.names {
            guard case .object(let members) = value, let next = members[name] else { return nil }
            value = next
        }
        return value
    }

    /// Takes over another's members; objects that both have are merged, of anything else the other's counts.
    mutating func merge(_ other: JSONValue) {
        guard case .object(var members) = self, case .object(let others) = other else {
            self = other
            return
        }
        for (name, value) in others {
            if var own = members[name] {
                own.merge(value)
                members[name] = own
            } else {
                members[name] = value
            }
        }
        self = .object(members)
    }
}

extension JSONValue: Decodable {
    /// Reads whatever there is.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

extension JSONValue: Encodable {
    /// Writes it; whole numbers without a fraction.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .number(let number):
            if let whole = Int(exactly: number) {
                try container.encode(whole)
            } else {
                try container.encode(number)
            }
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

/// Where a value stands in a payload: names with dots between them (`fcm_options.image`), or a JSON pointer
/// (RFC 6901) for names that have dots themselves (`/com.example.media/url`).
public struct PayloadPath: Hashable, Sendable, ExpressibleByStringLiteral {
    let names: [String]

    /// Reads a path; one that names nothing leads nowhere.
    public init(_ text: String) { names = PayloadPathNames.read(text) }

    /// Reads a path.
    public init(stringLiteral text: String) { self.init(text) }
}
