import Foundation
import TestSupport
import Testing

/// Addresses that must not be reached, and headers that must not go astray.
@Suite struct AddressCaseTests {
    /// Hosts that are this machine, however they are written, with what must be allowed to reach them.
    static let loopback: [(host: String, allowed: String)] = [
        ("127.0.0.1", "127.0.0.0/8"), ("127.1", "127.0.0.0/8"), ("127.0.1", "127.0.0.1/32"),
        ("2130706433", "127.0.0.0/8"), ("0x7f000001", "127.0.0.0/8"), ("0x7f.0.0.1", "127.0.0.0/8"),
        ("017700000001", "127.0.0.0/8"), ("0177.0.0.01", "127.0.0.0/8"),
        ("localhost", "127.0.0.0/8"), ("LOCALHOST", "127.0.0.0/8"),
        ("[::ffff:127.0.0.1]", "127.0.0.0/8"), ("[::ffff:7f00:1]", "127.0.0.0/8"),
        ("[0:0:0:0:0:ffff:7f00:0001]", "127.0.0.0/8"),
    ]

    @Test func thisMachine() async throws {
        let rig = try Rig.shared.get()
        let links = Self.loopback.map { "http://\($0.host):{plain-port}/files/photo" }
        let refused = try await rig.fetch(links, ["--allow-http"])
        #expect(refused.status == 1 && refused.files.isEmpty)
        #expect(refused.records.count == links.count)
        for record in refused.records { #expect(Verdict(record) == .blocked, "\(record.input)") }
    }

    @Test(arguments: loopback) func thisMachineAllowed(_ host: String, _ allowed: String) async throws {
        let rig = try Rig.shared.get()
        let reached = try await rig.fetch(
            ["http://\(host):{plain-port}/files/photo"], ["--allow-http", "--allow-address", allowed])
        #expect(reached.verdict == "passedThrough", "\(host): \(reached.words)")
    }

    /// Written in other ways, embedded in other addresses, or of other networks that are nobody's business.
    static let elsewhere = [
        "0.0.0.0", "0", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "0.1.2.3", "10.0.0.1",
        "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.255.255.254", "169.254.0.1",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
        "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.250", "240.0.0.1", "255.255.255.255", "2852039166", "0xa9fea9fe",
        "0251.0376.0251.0376", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]",
        "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::1]", "[100::1]", "[2001::1]", "[2001:db8::1]",
        "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2002:0a00:0001::]", "[fc00::1]", "[fd00:ec2::254]",
        "[fe80::1]", "[febf::1]", "[fec0::1]", "[ff02::1]", "[fe80::5efe:127.0.0.1]",
        "[2606:4700::5efe:10.0.0.1]",
    ]

    @Test(arguments: ["http", "https"]) func otherReservedAddresses(_ scheme: String) async throws {
        let rig = try Rig.shared.get()
        // Allowing other addresses does not help, and neither does a usual port.
        let found = try await rig.fetch(
            Self.elsewhere.map { "\(scheme)://\($0)/photo" },
            [
                "--allow-http", "--timeout", "5", "--allow-address", "127.0.0.9/32", "--allow-address",
                "1.0.0.0/8",
            ])
        #expect(found.records.count == Self.elsewhere.count)
        for record in found.records { #expect(Verdict(record) == .blocked, "\(record.input)") }
    }

    /// Of a public address, which is never asked, as its port is refused first.
    @Test(arguments: ["1.1.1.1:25", "1.1.1.1:22", "93.184.216.34:8443", "[2606:4700::1111]:11211"])
    func otherPorts(_ place: String) async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(
            ["https://\(place)/photo", "http://\(place)/photo"], ["--allow-http", "--timeout", "5"])
        #expect(found.records.map { Verdict($0) } == [.blocked, .blocked], "\(found.words)")
    }

    static let allowances: [(options: [String], link: String, verdict: Verdict)] = [
        (["127.0.0.1/32:{tls-port}"], "{tls}/files/photo?p1", .passedThrough),
        (["127.0.0.1/32:{plain-port}"], "{tls}/files/photo?p2", .blocked),
        (["127.0.0.1/32:443"], "{tls}/files/photo?p3", .blocked),
        (["127.0.0.1/32"], "{tls2}/files/photo?p4", .blocked),
        (["127.0.0.2/31"], "{tls}/files/photo?p5", .blocked),
        (["127.0.0.2/31"], "{tls2}/files/photo?p6", .passedThrough),
        (["127.0.0.1/32", "127.0.0.2/32"], "{tls2}/files/photo?p7", .passedThrough),
        (["127.0.0.1/32:{plain-port}", "127.0.0.0/8:{tls-port}"], "{tls2}/files/photo?p8", .passedThrough),
        (["10.0.0.0/8"], "{tls}/files/photo?p9", .blocked),
        (["::/0"], "{tls}/files/photo?p10", .blocked),
        (["0.0.0.0/0"], "{tls}/files/photo?p11", .passedThrough),
    ]

    @Test(arguments: allowances)
    func allowedIsWhatIsNamed(_ allowed: [String], _ link: String, _ verdict: Verdict) async throws {
        let rig = try Rig.shared.get()
        let options = allowed.flatMap { ["--allow-address", $0] } + ["--ca-file", rig.nginx.authority]
        let found = try await rig.fetch([link], options)
        #expect(found.verdict == verdict.description, "\(found.words)")
        let mark = try #require(link.firstMatch(of: /\?p[0-9]+/)?.output)
        let asked = try rig.nginx.requests(with: mark + " ", atLeast: verdict == .passedThrough ? 1 : 0)
        #expect(asked.count == (verdict == .passedThrough ? 1 : 0))
    }

    @Test(arguments: [
        "127.0.0.1/33", "127.0.0/8", "localhost", "127.0.0.0/8:", "127.0.0.0/8:70000", "::/129", "",
    ])
    func whatIsNoNetworkIsWrongUsage(_ network: String) async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(["{tls}/files/photo"], ["--allow-address", network])
        #expect(found.status == 64)
        #expect(found.records.isEmpty)
    }

    @Test func whatIsAllowedIsLogged() async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(["{tls}/files/photo"], rig.reachable)
        #expect(found.errors.contains("--allow-address") && found.errors.contains("127.0.0.1"))
    }

    /// Each step of a redirect is looked at again.
    @Test(arguments: [
        "metadata", "private", "mapped", "six", "decimal", "mail-port", "neighbour",
    ])
    func redirectsToPrivateAddresses(_ name: String) async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(
            ["{plain}/to/\(name)?from-\(name)"],
            ["--allow-http", "--allow-address", "127.0.0.1/32:{plain-port}", "--timeout", "5"])
        #expect(found.verdict == Verdict.blocked.description, "\(found.words)")
        #expect(try rig.nginx.requests(with: "?from-\(name) ").count == 1)
    }

    /// What one link may do does not open the way for the next, and a connection that is kept changes nothing.
    @Test func everyLinkIsCheckedAnew() async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(
            [
                "{tls}/files/photo?anew-1", "{tls2}/files/photo?anew-2", "{tls}/files/drawing?anew-3",
                "{tls}/to/neighbour?anew-4", "{tls}/files/photo?anew-5",
            ],
            ["--allow-address", "127.0.0.1/32", "--ca-file", rig.nginx.authority])
        #expect(
            found.records.map { Verdict($0) } == [
                .passedThrough, .blocked, .prepared, .blocked, .passedThrough,
            ])
        let seen = try rig.nginx.requests(with: "?anew-", atLeast: 4)
        #expect(Set(seen.map(\.address)) == ["127.0.0.1"])
        #expect(seen.count == 4)
    }

    /// A proxy would see what the checks of addresses are for, and would be asked by name.
    @Test func proxiesOfTheEnvironmentAreNotUsed() async throws {
        let rig = try Rig.shared.get()
        let proxy = try RawServer()
        defer { proxy.stop() }
        let place = "http://127.0.0.1:\(proxy.port)"
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, place) })
        let found = try await rig.fetch(
            ["{tls}/files/photo?no-proxy", "{plain}/files/photo?no-proxy", "http://10.0.0.1/photo"],
            rig.reachable + ["--allow-http"], environment: environment)
        #expect(found.records.map { Verdict($0) } == [.passedThrough, .passedThrough, .blocked])
        #expect(proxy.connections == 0)
    }

    @Test func passwordsOfTheHomeFolderAreNotSent() async throws {
        let rig = try Rig.shared.get()
        let home = try TemporaryFolder()
        let netrc = try home.file(".netrc", Array("machine 127.0.0.1 login somebody password secret\n".utf8))
        _ = try home.file(".curlrc", Array("user = somebody:secret\n".utf8))
        let found = try await rig.fetch(
            ["{tls}/files/photo?netrc", "{tls}/status/401?netrc"], rig.reachable,
            environment: ["HOME": home.path, "CURL_HOME": home.path, "NETRC": netrc])
        #expect(found.records.map { Verdict($0) } == [.passedThrough, .rejected("auth")])
        let seen = try rig.nginx.requests(with: "?netrc", atLeast: 2)
        #expect(seen.map(\.authorization) == ["", ""])
    }

    @Test func headersGoToTheirHostOnly() async throws {
        let rig = try Rig.shared.get()
        let options =
            rig.reachable + [
                "--header", "127.0.0.1: Authorization: Bearer one", "--header", "127.0.0.1: X-Token: first",
                "--header", "127.0.0.2: X-Token: second", "--header", "localhost: X-Token: third",
            ]
        let found = try await rig.fetch(
            ["{tls}/to/neighbour?headers-1", "{tls2}/files/drawing?headers-2", "{tls}/to/name?headers-3"],
            options)
        #expect(found.records.map { Verdict($0) } == [.passedThrough, .prepared, .passedThrough])
        let first = try #require(try rig.nginx.requests(with: "?headers-1").first)
        #expect([first.authorization, first.token] == ["Bearer one", "first"])
        let second = try #require(try rig.nginx.requests(with: "?headers-2").first)
        #expect([second.authorization, second.token] == ["", "second"])
    }

    /// What follows a redirect to another host gets that host's headers and no others.
    @Test func headersAfterARedirect() async throws {
        let rig = try Rig.shared.get()
        let site = try RawServer(["/photo": [.send(HTTP.answer(200, rig.site.jpeg))]])
        let other = try RawServer(["/away": HTTP.redirect("http://localhost:\(site.port)/photo")])
        defer {
            site.stop()
            other.stop()
        }
        let found = try await rig.fetch(
            ["http://127.0.0.1:\(other.port)/away"],
            rig.reachable + [
                "--allow-http", "--header", "127.0.0.1: Authorization: Bearer one", "--header",
                "localhost: X-Token: there", "--header", "127.0.0.1: Cookie: id=1",
            ])
        #expect(found.verdict == "passedThrough", "\(found.words)")
        let away = try #require(other.requests(of: "/away").first).lowercased()
        #expect(away.contains("authorization: bearer one") && away.contains("cookie: id=1"))
        #expect(!away.contains("x-token"))
        let there = try #require(site.requests(of: "/photo").first).lowercased()
        #expect(there.contains("x-token: there"))
        #expect(!there.contains("authorization") && !there.contains("cookie"))
    }

    /// A line feed in a header would be a second header.
    @Test(arguments: [
        "127.0.0.1", "127.0.0.1: X-Token", "127.0.0.1: X-Token: a\r\nX-Other: b", ": X-Token: a",
    ])
    func whatIsNoHeaderIsWrongUsage(_ header: String) async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(["{tls}/files/photo"], rig.reachable + ["--header", header])
        #expect(found.status == 64)
        #expect(found.records.isEmpty)
    }
}
