public import AttachmentPrep

/// A secret that links are signed with, and the name it goes by.
public struct LinkKey: Hashable, Sendable {
    /// 1 to 32 letters, digits, `_` and `-`.
    public let id: String
    package let secret: [UInt8]

    /// Shorter secrets can be guessed; RFC 2104, 3 asks for the hash's length.
    static let shortestSecret = 32

    /// Creates a key; nil for an id or a secret that will not do.
    public init?(id: String, secret: [UInt8]) {
        guard Self.isID(id), secret.count >= Self.shortestSecret else { return nil }
        self.id = id
        self.secret = secret
    }

    static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}

/// The keys of a server: the first signs, all of them are accepted, so that a key can be changed while links that
/// the old one signed are on their way.
public struct LinkKeys: Sendable {
    /// In the order of the file; never empty.
    public let all: [LinkKey]

    /// Creates a ring; nil where there is no key, or one id twice.
    public init?(_ keys: [LinkKey]) {
        guard !keys.isEmpty, Set(keys.map(\.id)).count == keys.count else { return nil }
        all = keys
    }

    /// The key that signs.
    public var signing: LinkKey { all[0] }

    /// The key of that id.
    public subscript(id: String) -> LinkKey? { all.first { $0.id == id } }

    /// Reads a key file: a line `ID SECRET` for each key, the secret in base64 (of either alphabet), at least 32
    /// bytes; lines that begin with `#` and empty ones say nothing.
    ///
    /// - Throws: `io`, and which line will not do; never what is in it.
    public init(file path: FilePath) throws(PrepError) {
        guard let bytes = path.bytes(atMost: 65_536, followsLink: true) else {
            throw PrepError(.io, .input, "cannot read the key file \(path.display), or it is no file")
        }
        var keys: [LinkKey] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.isEmpty || words[0].hasPrefix("#") { continue }
            guard words.count == 2, let secret = Base64.decode(words[1].utf8),
                let key = LinkKey(id: String(words[0]), secret: secret)
            else {
                throw PrepError(
                    .io, .input,
                    "line \(index + 1) of \(path.display) is no 'ID SECRET' with 32 bytes in base64",
                    detail: "make one: echo \"k1 $(head -c 32 /dev/urandom | base64)\"")
            }
            keys.append(key)
        }
        guard let ring = LinkKeys(keys) else {
            throw PrepError(.io, .input, "\(path.display) holds no key, or one id twice")
        }
        self = ring
    }
}
