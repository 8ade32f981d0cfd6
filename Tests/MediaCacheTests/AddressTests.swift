import Testing

@testable import LinkFetch

@Suite struct AddressTests {
    private func verdict(
        _ address: String, port: UInt16 = 443, allowing rules: [String] = []
    ) throws -> AddressPolicy.Verdict {
        let rules = try rules.map { try #require(AddressRule($0)) }
        return AddressPolicy(rules: rules).verdict(try #require(SocketAddress(text: address)), port: port)
    }

    /// First and last address of each special-purpose block (IANA's registries), and what lies just beside them.
    @Test(arguments: [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255", "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0",
        "192.0.0.255", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
        "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
        "2001::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "100::1", "64:ff9b:1::1",
        // IPv4 inside IPv6: mapped, compatible, NAT64's prefix, ISATAP.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.1.2.3",
        "2a00:1450::5efe:192.168.1.1", "2a00:1450::200:5efe:10.0.0.1",
    ])
    func whatIsNotPublicIsRefused(_ address: String) throws {
        #expect(try verdict(address) == .reserved)
        #expect(try verdict(address, allowing: ["0.0.0.0/0:80", "::/0:80"]) == .reserved)
        #expect(try verdict(address, allowing: ["0.0.0.0/0", "::/0"]) == .allowedByRule)
    }

    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "93.184.216.34",
        "2606:2800:220:1::1", "2a00:1450:4001::1", "::ffff:93.184.216.34", "64:ff9b::93.184.216.34",
    ])
    func whatIsPublicIsAllowed(_ address: String) throws {
        #expect(try verdict(address) == .allowed)
        #expect(try verdict(address, port: 80) == .allowed)
        #expect(try verdict(address, port: 25) == .port)
        #expect(
            try verdict(address, port: 8443, allowing: ["0.0.0.0/0:8443", "::/0:8443"]) == .allowedByRule)
    }

    @Test(arguments: [
        ("127.0.0.0/8", "127.1.2.3", 8080, AddressPolicy.Verdict.allowedByRule),
        ("127.0.0.0/8:8080", "127.1.2.3", 8080, .allowedByRule),
        ("127.0.0.0/8:8080", "127.1.2.3", 8081, .reserved),
        ("127.0.0.1", "127.0.0.1", 443, .allowedByRule), ("127.0.0.1", "127.0.0.2", 443, .reserved),
        ("127.0.0.1:443", "127.0.0.1", 443, .allowedByRule), ("10.0.0.0/9", "10.127.0.0", 80, .allowedByRule),
        ("10.0.0.0/9", "10.128.0.0", 80, .reserved), ("127.0.0.0/8", "::ffff:127.0.0.1", 80, .allowedByRule),
        ("::1", "::1", 80, .allowedByRule), ("::/0", "127.0.0.1", 80, .reserved),
        ("::ffff:127.0.0.0/104", "127.0.0.1", 80, .allowedByRule),
        ("[::1]:8443", "::1", 8443, .allowedByRule),
        ("[::1]:8443", "::1", 80, .reserved), ("[fd00::]/8:80", "fd12::1", 80, .allowedByRule),
        ("fd00::/8:80", "fd12::1", 443, .reserved),
        // NAT64 reaches the IPv4 address, whose rule therefore counts; a rule for the outside alone is none.
        ("127.0.0.0/8", "64:ff9b::127.0.0.1", 443, .allowedByRule),
        ("64:ff9b:1::/48", "64:ff9b::127.0.0.1", 443, .reserved),
    ])
    func rulesAllowWhatTheyName(
        _ rule: String, _ address: String, _ port: Int, _ expected: AddressPolicy.Verdict
    ) throws {
        #expect(try verdict(address, port: UInt16(port), allowing: [rule]) == expected)
    }

    @Test(arguments: [
        "", "10.0.0.0/33", "10.0.0/8", "::/129", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:", "[::1",
        "localhost",
        "10.0.0.0/", "10.0.0.0/8:80:80", "[::1]8443", "10.0.0.0/-1",
    ])
    func whatIsNoRuleIsRefused(_ text: String) { #expect(AddressRule(text) == nil) }

    @Test func everyReservedBlockWasUnderstood() { #expect(AddressPolicy.reserved.count == 28) }

    @Test(arguments: [
        ("img.example: Authorization: Bearer a:b", "img.example", "Authorization: Bearer a:b"),
        ("IMG.example:X-Key:1", "img.example", "X-Key: 1"),
    ])
    func headersNameTheirHost(_ text: String, _ host: String, _ line: String) throws {
        let header = try #require(HostHeader(text))
        #expect(header.host == host)
        #expect(header.line == line)
    }

    @Test(arguments: ["", "a", "a:b", "a: b:", ":b:c", "a: b c: d", "a: b: c\nd", "a/b: c: d"])
    func whatIsNoHeaderIsRefused(_ text: String) { #expect(HostHeader(text) == nil) }
}
