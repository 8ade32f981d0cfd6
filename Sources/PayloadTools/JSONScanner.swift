/// Reads a JSON text (RFC 8259, and nothing more lenient) into a list of where its values stand.
///
/// The toolchain's own coder says what a text means, but not where it says so; and what it writes has its
/// keys in another order, its numbers shortened and its slashes escaped. Here no byte is copied or changed.
/// There is no recursion, so depth is a number to check and no stack to overflow.
struct JSONScanner {
    static let deepest = 512
    /// 24 bytes each.
    static let mostNodes = 1 << 18

    private let bytes: [UInt8]
    private var index = 0
    private var nodes: [JSONNode] = []
    /// The containers that are open, outermost first.
    private var open: [Int] = []
    private var key = 0..<0
    private var keyHasEscapes = false

    /// The values of a text, each before those in it.
    static func nodes(of bytes: [UInt8]) throws(JSONFault) -> [JSONNode] {
        guard bytes.count <= JSONDocument.longest else { throw JSONFault(reason: .tooLong, offset: 0) }
        var scanner = JSONScanner(bytes)
        try scanner.run()
        return scanner.nodes
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        nodes.reserveCapacity(min(Self.mostNodes, bytes.count / 24 + 4))
    }

    private mutating func run() throws(JSONFault) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONFault(reason: .byteOrderMark, offset: 0) }
        skipSpace()
        if index == bytes.count { throw fault(.empty) }
        while true {
            let isComplete = try takeValue()
            guard isComplete else { continue }
            guard try climb() else { break }
        }
        skipSpace()
        if index < bytes.count { throw fault(.trailing) }
    }

    /// After a value: to where the next one stands; false behind the root.
    private mutating func climb() throws(JSONFault) -> Bool {
        while let container = open.last {
            skipSpace()
            let isObject = nodes[container].kind == .object
            switch try byte(or: .ends) {
            case UInt8(ascii: ","):
                index += 1
                skipSpace()
                if isObject { try takeKey() }
                return true
            case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"): close(container)
            default: throw fault(.noComma)
            }
        }
        return false
    }

    private mutating func close(_ container: Int) {
        index += 1
        nodes[container].close(at: index, next: nodes.count)
        open.removeLast()
    }

    /// Takes a value, or the beginning of one; says whether it is complete.
    private mutating func takeValue() throws(JSONFault) -> Bool {
        let start = index
        switch try byte(or: .ends) {
        case UInt8(ascii: "{"): return try begin(.object, closer: UInt8(ascii: "}"))
        case UInt8(ascii: "["): return try begin(.array, closer: UInt8(ascii: "]"))
        case UInt8(ascii: "\""):
            let hasEscapes = try takeString()
            try append(.string, start, hasEscapes: hasEscapes)
        case UInt8(ascii: "-"), 0x30...0x39:
            try takeNumber()
            try append(.number, start)
        case UInt8(ascii: "t"): try takeWord("true", .true)
        case UInt8(ascii: "f"): try takeWord("false", .false)
        case UInt8(ascii: "n"): try takeWord("null", .null)
        default: throw fault(.noValue)
        }
        return true
    }

    private mutating func begin(_ kind: JSONKind, closer: UInt8) throws(JSONFault) -> Bool {
        guard open.count < Self.deepest else { throw fault(.tooDeep) }
        open.append(nodes.count)
        index += 1
        try append(kind, index - 1)
        skipSpace()
        if try byte(or: .ends) == closer {
            close(nodes.count - 1)
            return true
        }
        if kind == .object { try takeKey() }
        return false
    }

    private mutating func append(_ kind: JSONKind, _ start: Int, hasEscapes: Bool = false) throws(JSONFault) {
        guard nodes.count < Self.mostNodes else { throw JSONFault(reason: .tooMany, offset: start) }
        nodes.append(
            JSONNode(
                kind, start..<index, hasEscapes: hasEscapes, key: key, keyHasEscapes: keyHasEscapes,
                next: nodes.count + 1))
        key = 0..<0
        keyHasEscapes = false
    }

    private mutating func takeKey() throws(JSONFault) {
        let start = index
        guard try byte(or: .ends) == UInt8(ascii: "\"") else { throw fault(.noKey) }
        keyHasEscapes = try takeString()
        key = start..<index
        skipSpace()
        guard try byte(or: .ends) == UInt8(ascii: ":") else { throw fault(.noColon) }
        index += 1
        skipSpace()
    }

    private mutating func takeWord(_ word: StaticString, _ kind: JSONKind) throws(JSONFault) {
        let start = index
        for letter in word.description.utf8 {
            guard try byte(or: .ends) == letter else { throw JSONFault(reason: .noValue, offset: start) }
            index += 1
        }
        try append(kind, start)
    }
}

// Tokens.
extension JSONScanner {
    private func fault(_ reason: JSONFault.Reason) -> JSONFault { JSONFault(reason: reason, offset: index) }

    private func byte(or reason: JSONFault.Reason) throws(JSONFault) -> UInt8 {
        guard index < bytes.count else { throw fault(reason) }
        return bytes[index]
    }

    private mutating func skipSpace() {
        while index < bytes.count, JSONDocument.isSpace(bytes[index]) { index += 1 }
    }

    private mutating func takeNumber() throws(JSONFault) {
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        let first = index
        let isZero = try byte(or: .ends) == UInt8(ascii: "0")
        try takeDigits()
        if isZero, index > first + 1 { throw JSONFault(reason: .leadingZero, offset: first) }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try takeDigits()
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            try takeDigits()
        }
    }

    private mutating func takeDigits() throws(JSONFault) {
        let start = index
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
        if index == bytes.count, index == start { throw fault(.ends) }
        if index == start { throw fault(.badNumber) }
    }

    /// Takes a string with its quotes; says whether there is a backslash in it.
    private mutating func takeString() throws(JSONFault) -> Bool {
        index += 1
        var hasEscapes = false
        while true {
            let byte = try byte(or: .ends)
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try takeEscape()
            case 0..<0x20: throw fault(.control)
            case 0..<0x80: index += 1
            default: try takeCharacter(byte)
            }
        }
    }

    private mutating func takeEscape() throws(JSONFault) {
        let start = index
        index += 1
        switch try byte(or: .ends) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            switch try takeUnit() {
            case 0xD800...0xDBFF:
                // RFC 8259, 7: the other half must follow; alone it is no character (8.2).
                guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                    bytes[index + 1] == UInt8(ascii: "u")
                else { throw JSONFault(reason: .loneSurrogate, offset: start) }
                index += 1
                guard (0xDC00...0xDFFF).contains(try takeUnit()) else {
                    throw JSONFault(reason: .loneSurrogate, offset: start)
                }
            case 0xDC00...0xDFFF: throw JSONFault(reason: .loneSurrogate, offset: start)
            default: break
            }
        default: throw JSONFault(reason: .badEscape, offset: start)
        }
    }

    /// Four hexadecimal digits behind the `u` this stands on.
    private mutating func takeUnit() throws(JSONFault) -> UInt32 {
        index += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(try byte(or: .ends)) else { throw fault(.badEscape) }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    /// A character of two to four bytes, well formed (Unicode, table 3-7).
    private mutating func takeCharacter(_ lead: UInt8) throws(JSONFault) {
        let second: ClosedRange<UInt8>
        let count: Int
        switch lead {
        case 0xC2...0xDF: (second, count) = (0x80...0xBF, 2)
        case 0xE0: (second, count) = (0xA0...0xBF, 3)
        case 0xED: (second, count) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, count) = (0x80...0xBF, 3)
        case 0xF0: (second, count) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, count) = (0x80...0xBF, 4)
        case 0xF4: (second, count) = (0x80...0x8F, 4)
        default: throw fault(.badUTF8)
        }
        // Where what follows does not belong to it, it is the lead that is wrong: a letter of Latin-1, as a rule.
        let alone = fault(.badUTF8)
        index += 1
        guard second.contains(try byte(or: .ends)) else { throw alone }
        index += 1
        for _ in 2..<count {
            guard try byte(or: .ends) & 0xC0 == 0x80 else { throw alone }
            index += 1
        }
    }
}

/// Digits of base 16.
enum Hexadecimal {
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x57
        default: nil
        }
    }
}
