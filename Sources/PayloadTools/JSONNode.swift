/// What a JSON value is (RFC 8259, 3).
package enum JSONKind: UInt8, Sendable {
    case object, array, string, number, `true`, `false`, null
}

/// A value of a JSON text: where it stands, not what it holds.
///
/// Offsets are 32 bits wide, as a text is at most `JSONDocument.longest` bytes: a document of many small
/// values then takes three times its text, not six.
package struct JSONNode: Sendable {
    package let kind: JSONKind
    /// Whether the string has a backslash in it.
    package let hasEscapes: Bool
    let keyHasEscapes: Bool
    private let start: Int32
    private var end: Int32
    private let keyStart: Int32
    private let keyEnd: Int32
    private var after: Int32

    init(
        _ kind: JSONKind, _ range: Range<Int>, hasEscapes: Bool = false, key: Range<Int>, keyHasEscapes: Bool,
        next: Int
    ) {
        self.kind = kind
        self.hasEscapes = hasEscapes
        self.keyHasEscapes = keyHasEscapes
        start = Int32(range.lowerBound)
        end = Int32(range.upperBound)
        keyStart = Int32(key.lowerBound)
        keyEnd = Int32(key.upperBound)
        after = Int32(next)
    }

    /// The value's bytes, quotes and brackets included.
    package var range: Range<Int> { Int(start)..<Int(end) }
    /// The key's bytes with their quotes; nil in arrays and of the root.
    package var keyRange: Range<Int>? { keyEnd > keyStart ? Int(keyStart)..<Int(keyEnd) : nil }
    /// The node that follows this one and everything in it.
    var next: Int { Int(after) }

    /// Notes where a container ends, once that is known.
    mutating func close(at end: Int, next: Int) {
        self.end = Int32(end)
        after = Int32(next)
    }
}
