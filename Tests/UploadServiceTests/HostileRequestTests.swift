import Foundation
import TestSupport
import Testing

/// What a service gets that stands where everybody can reach it.
@Suite struct HostileRequestTests {
    private static let service = Result { try ServiceProcess() }

    enum Expected: Equatable, Sendable {
        case status(Int)
        /// The line is cut without an answer.
        case cut
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let expected: [Expected]

        init(_ name: String, _ text: String, _ expected: Expected...) {
            self.name = name
            bytes = Array(text.utf8)
            self.expected = expected
        }

        var testDescription: String { name }
    }

    private static func post(_ headers: String, _ body: String = "") -> String {
        "POST /v1/attachments HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\(body)"
    }

    private static func get(_ target: String, _ headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n"
    }

    private static let long = String(repeating: "a", count: 70_000)

    /// Each with the one answer it must have, or one of two where libmicrohttpd decides before us.
    static let attacks: [Attack] = [
        // Smuggling.
        Attack(
            "length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            .status(400)),
        Attack("two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"), .status(400)),
        Attack(
            "the same length twice", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), .status(400)
        ),
        Attack("a space before the colon", post("Content-Length : 5\r\n", "hello"), .status(400)),
        Attack("a length with a sign", post("Content-Length: +5\r\n", "hello"), .status(400)),
        Attack("a hexadecimal length", post("Content-Length: 0x5\r\n", "hello"), .status(400)),
        Attack("a list as length", post("Content-Length: 5, 5\r\n", "hello"), .status(400)),
        Attack(
            "a length beyond all numbers", post("Content-Length: 99999999999999999999\r\n"), .status(400),
            .status(413)),
        Attack("another coding", post("Transfer-Encoding: gzip\r\n"), .status(501), .status(400)),
        Attack(
            "two codings", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), .status(501),
            .status(400)),
        Attack(
            "chunks in HTTP/1.0",
            "POST /v1/attachments HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            .status(400)),
        Attack(
            "a chunk without end", post("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\nx"),
            .status(413)),
        Attack(
            "a chunk of no size", post("Transfer-Encoding: chunked\r\n", "zz\r\nhello\r\n0\r\n\r\n"),
            .status(400), .cut),
        Attack("a folded header", post("X-A: b\r\n Content-Length: 5\r\n", ""), .status(411), .status(400)),
        // Hosts and targets.
        Attack("no host", "GET /healthz HTTP/1.1\r\n\r\n", .status(400)),
        Attack(
            "two hosts", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", .status(400)),
        Attack("a foreign host", "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", .status(421)),
        Attack("a host with a path", "GET /healthz HTTP/1.1\r\nHost: localhost/a\r\n\r\n", .status(400)),
        Attack("an absolute target", get("http://localhost/healthz"), .status(400)),
        Attack("a climbing target", get("/media/../../../etc/passwd"), .status(400)),
        Attack("an encoded climb", get("/media/%2e%2e/%2e%2e/etc/passwd"), .status(400)),
        Attack("an encoded slash", get("/media/aa%2f..%2f..%2fetc"), .status(400)),
        Attack("an encoded NUL", get("/media/aa/aa%00.jpg"), .status(400)),
        Attack("a backslash", get("/media/..%5c..%5cetc"), .status(400)),
        Attack("a name that is no hash", get("/media/aa/aa.jpg"), .status(404)),
        Attack("a name that climbs", get("/aa/aa..jpg"), .status(404)),
        Attack(
            "the cache's own files", get("/facts/aa/" + String(repeating: "a", count: 64) + ".json"),
            .status(404)),
        Attack(
            "a profile that climbs",
            post("", "").replacing("/v1/attachments", with: "/v1/attachments?profile=../../x"), .status(400)),
        Attack(
            "a query of anything",
            post("", "").replacing("/v1/attachments", with: "/v1/attachments?path=/etc/passwd"), .status(400)),
        Attack(
            "a forged signature", get("/s/k1.0.AAAA/apns/aHR0cHM6Ly9hLmV4YW1wbGUv.jpg"), .status(404),
            .status(403)),
        Attack("a link that climbs", get("/s/../../apns/x.jpg"), .status(400)),
        // Methods and versions.
        Attack("another method", "DELETE /v1/attachments HTTP/1.1\r\nHost: localhost\r\n\r\n", .status(405)),
        Attack("TRACE", "TRACE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", .status(405)),
        Attack(
            "CONNECT", "CONNECT 10.0.0.1:80 HTTP/1.1\r\nHost: 10.0.0.1:80\r\n\r\n", .status(400), .status(421)
        ),
        Attack("HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .status(505), .status(400), .cut),
        Attack("an expectation", post("Content-Length: 1\r\nExpect: 200-ok\r\n", "a"), .status(417)),
        // Floods.
        Attack("a long header", get("/healthz", "X: \(long)\r\n"), .status(431), .status(413)),
        Attack("a long target", get("/" + long), .status(414)),
        Attack("many headers", get("/healthz", (0..<150).map { "X-\($0): 1\r\n" }.joined()), .status(431)),
        Attack("a control character", get("/healthz", "X: a\u{1}b\r\n"), .status(400)),
        Attack("a body that is too long", post("Content-Length: 999999999999\r\n"), .status(413)),
        Attack(
            "a boundary without end",
            post(
                "Content-Type: multipart/form-data; boundary=\(String(repeating: "b", count: 9000))\r\nContent-Length: 9\r\n",
                "--bbbbbbb"), .status(400)),
        Attack(
            "another site's page", post("Origin: https://evil.example\r\nContent-Length: 1\r\n", "a"),
            .status(403)),
    ]

    @Test(arguments: attacks) func isAnsweredAsWritten(_ attack: Attack) throws {
        let service = try Self.service.get()
        let client = try RawClient(service.address, patience: 30)
        client.send(attack.bytes)
        client.finish()
        let answer = client.answer()
        let got: Expected = answer.map { .status($0.status) } ?? .cut
        #expect(attack.expected.contains(got), "\(answer?.text ?? "nothing")")
        #expect(try ask(service.address, "GET", "/healthz")?.status == 200)
    }

    /// A request hidden in another's body is a body.
    @Test func aBodyIsNoRequest() throws {
        let service = try Self.service.get()
        let client = try RawClient(service.address)
        let hidden = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        client.send(Self.post("Content-Length: \(hidden.utf8.count)\r\nConnection: close\r\n", hidden))
        let all = String(decoding: client.rest(), as: UTF8.self)
        #expect(all.hasPrefix("HTTP/1.1 415 "))
        #expect(all.components(separatedBy: "HTTP/1.1 ").count == 2)
    }

    /// A head that comes a byte a second, and a body that does: both are cut, and nobody else waits.
    @Test(.timeLimit(.minutes(2))) func slowClientsAreCut() throws {
        let service = try ServiceProcess()
        let head = try RawClient(service.address, patience: 40)
        let body = try RawClient(service.address, patience: 40)
        head.send("GET /healthz HTTP/1.1\r\nHost: local")
        body.send(Self.post("Content-Length: 100000\r\n", "a"))
        var headIsOpen = true
        var bodyIsOpen = true
        for _ in 0..<60 where headIsOpen || bodyIsOpen {
            Thread.sleep(forTimeInterval: 0.5)
            headIsOpen = headIsOpen && head.send("x")
            bodyIsOpen = bodyIsOpen && body.send("x")
            #expect(try ask(service.address, "GET", "/healthz")?.status == 200)
        }
        #expect(!headIsOpen)
        #expect(!bodyIsOpen)
        let text = try #require(try ask(service.address, "GET", "/metrics")).text
        #expect(text.contains("attachprep_connections_cut_total 2\n"))
    }

    @Test func anAddressHasItsShareOfConnections() throws {
        let service = try ServiceProcess(["--max-per-address", "4"])
        var held = try (0..<4).map { _ in try RawClient(service.address) }
        for client in held { client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n") }
        Thread.sleep(forTimeInterval: 0.3)
        let fifth = try RawClient(service.address)
        fifth.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(fifth.answer() == nil)
        held.removeAll()
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try ask(service.address, "GET", "/healthz")?.status == 200)
    }

    @Test func idleConnectionsDoNotKeepOthersOut() throws {
        let service = try ServiceProcess()
        let idle = try (0..<200).map { _ in try RawClient(service.address) }
        #expect(try ask(service.address, "GET", "/healthz")?.status == 200)
        #expect(
            try ask(service.address, "POST", "/v1/attachments", body: sample("rocket-small.jpg"))?.status
                == 201)
        withExtendedLifetime(idle) {}
    }

    @Test func uploadsNeedTheToken() throws {
        let folder = try TemporaryFolder()
        let token = "correct-horse-battery-staple"
        let file = try folder.file("token", Array("\(token)\n".utf8))
        let service = try ServiceProcess(["--token-file", file])
        let picture = try sample("rocket-small.jpg")
        for (headers, status) in [
            ([], 401), (["Authorization: Bearer wrong"], 401), (["Authorization: Bearer \(token)x"], 401),
            (["Authorization: Basic \(token)"], 401),
            (["Authorization: Bearer \(token)", "Authorization: Bearer \(token)"], 401),
            (["Authorization: bearer \(token)"], 201),
        ] as [([String], Int)] {
            let answer = try ask(service.address, "POST", "/v1/attachments", headers: headers, body: picture)
            #expect(answer?.status == status, "\(headers)")
        }
        #expect(try ask(service.address, "GET", "/metrics")?.status == 401)
        #expect(try ask(service.address, "GET", "/healthz")?.status == 200)
    }

    /// Without a token nobody but this machine may upload.
    @Test func anOpenAddressNeedsAToken() throws {
        let result = try finish(
            [ServiceProcess.program, "serve", "--cache", "/tmp/never", "--listen", "0.0.0.0:0"],
            environment: ServiceProcess.environment)
        #expect(result.status == 64)
        #expect(String(decoding: result.errors, as: UTF8.self).contains("--token-file"))
    }
}
