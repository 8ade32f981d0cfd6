/// Where a link may lead: to public addresses and the web's two ports, unless a rule says more.
///
/// Asked for every address that is about to be connected to, so that neither a redirect nor a name that changes
/// its mind (DNS rebinding) gets around it.
struct AddressPolicy: Sendable {
    enum Verdict: Equatable {
        case allowed
        /// Only by a rule, which is worth a line in the log.
        case allowedByRule
        /// Private, loopback or reserved.
        case reserved
        case port
    }

    let rules: [AddressRule]

    func verdict(_ address: SocketAddress, port: UInt16) -> Verdict {
        // Both the address and the IPv4 address inside it must be fit to be talked to.
        let forms = [address] + (address.embedded.map { [$0] } ?? [])
        let rules = rules.filter { $0.port == nil || $0.port == port }
        var neededRule = false
        for form in forms where Self.reserved.contains(where: { $0.contains(form) }) {
            guard rules.contains(where: { $0.contains(form) }) else { return .reserved }
            neededRule = true
        }
        if port != 80, port != 443 {
            guard rules.contains(where: { rule in forms.contains { rule.contains($0) } }) else {
                return .port
            }
            neededRule = true
        }
        return neededRule ? .allowedByRule : .allowed
    }

    /// IANA's special-purpose registries for IPv4 and IPv6 (RFC 6890 and its updates), multicast, and the ranges
    /// that carry IPv4 addresses in ways of their own (6to4, Teredo, NAT64's local prefix).
    static let reserved: [AddressRule] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
        "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap { AddressRule($0) }
}
