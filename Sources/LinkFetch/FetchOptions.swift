/// How links are fetched.
public struct FetchOptions: Sendable {
    /// Takes `http://` links too.
    ///
    /// Nobody on the way is then kept from changing the picture.
    public var allowsHTTP = false
    /// Private, loopback and reserved addresses, and ports other than 80 and 443, that links may lead to.
    public var allowedAddresses: [AddressRule] = []
    /// Certificates to trust instead of the system's, as a file in PEM.
    public var caFile: String?
    /// Headers for the servers they name.
    public var headers: [HostHeader] = []
    /// Fetches in libcurl's place; nil for libcurl.
    public var transport: (any LinkTransport)?
    /// Told about every connection that only a rule of `allowedAddresses` permits.
    public var log: @Sendable (String) -> Void = { _ in }

    /// The defaults: https, public addresses, the system's certificates.
    public init() {}

    /// Who takes links apart.
    package var reader: AddressReader { transport == nil ? .curl : .foundation }

    /// What of this decides the answer to a link: part of its key in a cache, so that nobody gets what was fetched
    /// with another's rights.
    ///
    /// All headers, as redirects may lead to any of their hosts.
    package var key: String {
        let rules = allowedAddresses.map(\.text).sorted().joined(separator: ",")
        let headers = headers.map { "\($0.host) \($0.line)" }.joined(separator: "\n")
        return "http \(allowsHTTP)\naddresses \(rules)\nca \(caFile ?? "")\nheaders \(headers)\n"
    }
}

/// A header that is sent to one host only, such as a token; never to where that host redirects.
public struct HostHeader: Hashable, Sendable {
    /// Lower case.
    let host: String
    /// `Name: value`.
    let line: String

    /// Reads `HOST: Name: value`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        self.init(host: parts[0].trimmed, name: parts[1].trimmed, value: parts[2].trimmed)
    }

    /// A header for a host, an IPv6 address in brackets; nil for what no header can hold.
    public init?(host: String, name: String, value: String) {
        let host = host.lowercased()
        guard !host.isEmpty, !name.isEmpty, !value.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x2F }),
            name.utf8.allSatisfy(Self.isTokenCharacter), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        self.host = host
        line = "\(name): \(value)"
    }

    /// RFC 9110, 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
        }
    }
}
