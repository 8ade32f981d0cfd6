internal import AttachmentPrep
internal import MediaCache

/// Decides who may ask for what.
struct Gatekeeper: Sendable {
    private let hosts: Set<String>?
    private let token: [UInt8]?

    init(_ settings: ServiceSettings) {
        hosts = settings.hosts
        token = settings.token
    }

    /// Checks a request's host, origin and token.
    ///
    /// A page of another site can make a browser send a request here, and a name that it controls can resolve to
    /// this machine: the one shows in Origin, the other in Host.
    ///
    /// - Parameter isPublic: whether everybody may ask, as for what notifications link to.
    func check(_ head: HTTPRequestHead, isPublic: Bool) throws(HTTPRefusal) {
        if let hosts {
            if let host = head["host"], !hosts.contains(Self.name(of: host)) {
                throw HTTPRefusal(421, .invalidURL, "this host is not served here; --allow-host adds one")
            }
            for origin in head.values("origin") where !isPublic {
                guard let name = Self.host(ofOrigin: origin), hosts.contains(name) else {
                    throw HTTPRefusal(403, .auth, "requests of other sites' pages are not taken")
                }
            }
        }
        guard !isPublic, let token else { return }
        let words = head.values("authorization")
        guard words.count == 1, let given = Self.bearer(words[0]), HMAC.areEqual(given, token) else {
            throw HTTPRefusal(
                401, .auth, "this needs the header 'Authorization: Bearer TOKEN'",
                headers: [("WWW-Authenticate", "Bearer")])
        }
    }

    private static func bearer(_ value: String) -> [UInt8]? {
        let scheme = "bearer "
        guard value.lowercased().hasPrefix(scheme) else { return nil }
        return Array(value.utf8.dropFirst(scheme.utf8.count))
    }

    /// A host without its port, in lower case.
    static func name(of host: String) -> String {
        let lower = host.lowercased()
        if lower.hasPrefix("[") { return String(lower.prefix { $0 != "]" }) + "]" }
        return String(lower.prefix { $0 != ":" })
    }

    private static func host(ofOrigin origin: String) -> String? {
        let lower = origin.lowercased()
        for scheme in ["https://", "http://"] where lower.hasPrefix(scheme) {
            return name(of: String(lower.dropFirst(scheme.count)))
        }
        return nil
    }
}
