package import AttachmentPrep

/// An http or https address in the one form in which it is fetched, cached and signed.
///
/// What a sender may have left out is put in once: characters that no address may hold (RFC 3986, 2) become
/// percent signs and digits, a host in Unicode becomes IDNA's ASCII, a fragment goes. The parts are as whoever
/// connects to it reads them, so that what is checked is where it will go.
package struct LinkURL: Hashable, Sendable {
    package enum Scheme: String, Sendable { case http, https }

    /// The whole address.
    package let text: String
    package let scheme: Scheme
    /// Lower case; an IPv6 address in brackets.
    package let host: String
    /// The last component of the path, which may claim a type.
    package let fileName: String
    /// Who took it apart.
    let reader: AddressReader

    /// Longer ones are nobody's picture.
    static let longest = 16_384

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - base: what it may be relative to, as a redirect's is to the address that sent it.
    ///   - reader: whoever will connect to it.
    /// - Throws: `invalid-url`, and what is wrong with it.
    package init(
        _ text: String, relativeTo base: LinkURL? = nil, readBy reader: AddressReader = .curl
    ) throws(PrepError) {
        let trimmed = Array(text.trimmed.utf8)
        guard trimmed.count <= Self.longest else {
            throw Self.invalid("longer than \(Self.longest) bytes")
        }
        if trimmed.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw Self.invalid("a control character is in it")
        }
        if Self.lacksHost(text) { throw Self.invalid("there is no host in it") }
        let encoded = String(decoding: Self.encodedOnce(trimmed), as: UTF8.self)
        guard let parts = try reader.parts(of: encoded, relativeTo: base) else {
            throw Self.invalid("it is no absolute address")
        }
        guard let scheme = Scheme(rawValue: parts.scheme.lowercased()) else {
            throw Self.invalid("'\(parts.scheme.lowercased())' links are not fetched, only https")
        }
        guard !parts.host.isEmpty else { throw Self.invalid("there is no host in it") }
        guard !parts.hasUser else {
            throw Self.invalid("a user's name is in it; give --header 'HOST: Authorization: ...' instead")
        }
        self.reader = reader
        self.scheme = scheme
        host = parts.host.lowercased()
        self.text = parts.text
        fileName =
            parts.path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    }

    /// Whether a text is a link rather than a path.
    package static func isLink(_ text: String) -> Bool {
        let scheme = text.utf8.prefix { isSchemeCharacter($0) }
        let rest = text.utf8.dropFirst(scheme.count)
        // One letter is a drive, and no scheme.
        if scheme.count > 1, rest.starts(with: "://".utf8) { return true }
        return DataLink.isOne(text)
    }

    /// Whether a third slash stands where the host should: libcurl would take the path for one.
    static func lacksHost(_ text: String) -> Bool {
        text.trimmed.utf8.drop { isSchemeCharacter($0) }.starts(with: ":///".utf8)
    }

    /// RFC 3986, 3.1.
    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    static let noLibrary = PrepError(
        .io, .input, "cannot load libcurl.so.4, which links need; install libcurl4")

    /// The link itself is not repeated: there may be a password in it.
    private static func invalid(_ why: String) -> PrepError {
        PrepError(.invalidURL, .input, "not a link that can be fetched: \(why)")
    }
}

// Text to address.
extension LinkURL {
    /// Percent-encodes what may not stand behind the host; what is encoded already stays as it is.
    static func encodedOnce(_ bytes: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        // A colon behind a slash or a question mark ends no scheme: the address is relative, to a redirect's.
        let end = bytes.firstIndex { [UInt8(ascii: ":"), slash, 0x3F, 0x23].contains($0) } ?? bytes.count
        let start = end < bytes.count && bytes[end] == UInt8(ascii: ":") ? end + 1 : 0
        let authority = bytes[start...].prefix(while: { $0 == slash }).endIndex
        let hasHost = start > 0 || authority == start + 2
        let rest =
            hasHost ? bytes[authority...].firstIndex { [slash, 0x3F, 0x23].contains($0) } ?? bytes.count : 0
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded = Array(bytes[..<rest])
        for index in rest..<bytes.count {
            let byte = bytes[index]
            let isEscape = byte == UInt8(ascii: "%") && isHexPair(bytes[(index + 1)...])
            if isEscape || mayStand(byte) && byte != UInt8(ascii: "%") {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return encoded
    }

    private static func isHexPair(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 2
            && bytes.prefix(2).allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
            }
    }

    /// RFC 3986's reserved and unreserved characters, and the percent sign.
    private static func mayStand(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !Array("\"<>\\^`{|}".utf8).contains(byte)
    }
}
