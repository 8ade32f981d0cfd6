/// A path as the system keeps it: bytes that are most often UTF-8, but need not be.
///
/// A Swift string cannot hold a name in Latin-1 or Shift-JIS, and old photo folders are full of them.
public struct FilePath: Hashable, Sendable {
    /// The bytes, without a terminator.
    ///
    /// A NUL ends a path for the system, so it ends it here too.
    public let bytes: [UInt8]

    /// Creates a path from what the system said.
    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

    /// Creates a path from text.
    public init(_ text: String) { self.init(bytes: text.utf8) }

    /// The path as text, with U+FFFD in the place of what is not UTF-8.
    public var display: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes when `display` does not say them all, else nil: the record's `inputBytes`.
    public var undisplayableBytes: [UInt8]? { display.utf8.elementsEqual(bytes) ? nil : bytes }

    /// `undisplayableBytes` as JSON carries them.
    package var undisplayableBase64: String? { undisplayableBytes.map(Base64.encode) }

    /// Calls `body` with the path as C wants it.
    @safe public func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
        var terminated = bytes
        terminated.append(0)
        return try unsafe terminated.withUnsafeBytes { raw in
            // The array holds at least the terminator, so there is a base address.
            try unsafe raw.withMemoryRebound(to: CChar.self) { chars in
                try unsafe body(chars.baseAddress.unsafelyUnwrapped)
            }
        }
    }
}

extension FilePath: CustomStringConvertible {
    /// The path as text.
    public var description: String { display }
}

extension FilePath {
    /// This path with `name` below it; an empty path or an empty name leaves the other as it is.
    public func appending(_ name: some Sequence<UInt8>) -> FilePath {
        let name = Array(name)
        if bytes.isEmpty { return FilePath(bytes: name) }
        if name.isEmpty { return self }
        return FilePath(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
    }

    /// This path with `name` below it.
    public func appending(_ name: String) -> FilePath { appending(name.utf8) }

    /// This path, or `.` where it is empty.
    package var orHere: FilePath { bytes.isEmpty ? FilePath(".") : self }

    /// What follows the last slash, trailing slashes apart; empty for `/`.
    public var lastComponent: [UInt8] {
        let slash = UInt8(ascii: "/")
        guard let end = bytes.lastIndex(where: { $0 != slash }) else { return [] }
        let start = bytes[...end].lastIndex(of: slash).map { $0 + 1 } ?? 0
        return Array(bytes[start...end])
    }
}
