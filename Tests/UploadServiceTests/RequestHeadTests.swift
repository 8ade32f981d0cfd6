import Testing

@testable import UploadService

/// Expected values from RFC 9110 and 9112, as the comments say.
@Suite struct RequestHeadTests {
    private func head(
        _ headers: [(String, String)], method: String = "POST", target: String = "/v1/attachments",
        version: String = "HTTP/1.1"
    ) throws(HTTPRefusal) -> HTTPRequestHead {
        try HTTPRequestHead(
            method: method, target: target, version: version,
            fields: headers.map { .init(name: Array($0.0.utf8), value: Array($0.1.utf8)) })
    }

    private func status(_ headers: [(String, String)], version: String = "HTTP/1.1") -> Int {
        do throws(HTTPRefusal) {
            _ = try head(headers, version: version)
            return 200
        } catch { return error.status }
    }

    @Test func readsALength() throws {
        let head = try head([("Host", "a"), ("content-length", "12")])
        #expect(head.contentLength == 12)
        #expect(!head.isChunked)
        #expect(head["HOST".lowercased()] == "a")
    }

    /// RFC 9112, 6.3: whatever has two lengths may be read as two requests.
    @Test(arguments: [
        [("Content-Length", "1"), ("Content-Length", "1")],
        [("Content-Length", "1"), ("Content-Length", "2")],
        [("Content-Length", "1"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("Content-Length", "+1")], [("Content-Length", "-1")], [("Content-Length", "0x1")],
        [("Content-Length", "1,1")], [("Content-Length", "")], [("Content-Length", "1 2")],
        [("Content-Length", "9999999999999999999")], [("Content-Length ", "1")], [("", "1")],
        [("X\u{1}", "1")], [("X", "a\u{1}b")], [("X", "a\u{7F}")], [("X(", "1")],
    ])
    func refusesWhatHasTwoReadings(_ headers: [(String, String)]) {
        #expect(status([("Host", "a")] + headers) == 400)
    }

    /// RFC 9112, 3.2: one Host, and none that is a path or names a user.
    @Test func wantsOneHost() {
        #expect(status([]) == 400)
        #expect(status([("Host", "a"), ("Host", "a")]) == 400)
        #expect(status([("Host", "a/b")]) == 400)
        #expect(status([("Host", "user@a")]) == 400)
        #expect(status([("Host", "[::1]:80")]) == 200)
        #expect(status([], version: "HTTP/1.0") == 200)
    }

    @Test func refusesOtherCodingsAndVersions() {
        #expect(status([("Host", "a"), ("Transfer-Encoding", "gzip")]) == 501)
        #expect(status([("Host", "a"), ("Transfer-Encoding", "chunked, identity")]) == 501)
        #expect(status([("Host", "a"), ("Transfer-Encoding", "chunked")], version: "HTTP/1.0") == 400)
        #expect(status([("Host", "a")], version: "HTTP/2.0") == 505)
        #expect(status([("Host", "a"), ("Expect", "200-ok")]) == 417)
        #expect(status([("Host", "a")] + (0..<100).map { ("X-\($0)", "") }) == 431)
        #expect(status([("Host", "a")] + (0..<99).map { ("X-\($0)", "") }) == 200)
    }

    @Test func takesATargetApart() throws {
        let target = try RequestTarget("/v1/a%20b?profile=thumb&profile=a%2Fb&x")
        #expect(target.segments == ["v1", "a b"])
        #expect(
            target.query == [
                .init(name: "profile", value: "thumb"), .init(name: "profile", value: "a/b"),
                .init(name: "x", value: ""),
            ])
        // A plus is a plus in a path's query (RFC 3986); only forms make a space of it.
        #expect(try RequestTarget("/a?b=1+2").query == [.init(name: "b", value: "1+2")])
    }

    @Test(arguments: [
        "", "*", "a", "http://h/a", "//a", "/a//b", "/a/", "/.", "/..", "/a/../b", "/%2e%2e/b", "/a%2fb",
        "/a%2Fb",
        "/a%5cb", "/a\\b", "/a%00", "/a%0a", "/a%", "/a%2", "/a%zz", "/a b", "/a#b", "/%ff", "/%c0%ae",
        "/a?x=%00",
        "/a?%zz=1", "/é",
    ])
    func refusesTargetsWithTwoReadings(_ text: String) {
        #expect(throws: HTTPRefusal.self) { try RequestTarget(text) }
    }

    @Test func refusesALongTarget() {
        do throws(HTTPRefusal) {
            _ = try RequestTarget("/" + String(repeating: "a", count: 16_384))
            Issue.record("it was taken")
        } catch { #expect(error.status == 414) }
    }

    @Test(
        arguments: [
            (nil, 10, ByteRange.whole), ("bytes=0-9", 10, .part(0..<10)), ("bytes=2-3", 10, .part(2..<4)),
            ("bytes=5-", 10, .part(5..<10)), ("bytes=-3", 10, .part(7..<10)),
            ("bytes=-30", 10, .part(0..<10)),
            ("bytes=9-100", 10, .part(9..<10)), ("bytes=10-", 10, .unsatisfiable),
            ("bytes=-0", 10, .unsatisfiable),
            ("bytes=3-2", 10, .whole), ("bytes=0-1,3-4", 10, .whole), ("bytes=a-b", 10, .whole),
            ("bytes=-", 10, .whole), ("items=0-1", 10, .whole), ("bytes=0--1", 10, .whole),
            ("bytes=99999999999999999999-", 10, .whole),
        ] as [(String?, Int, ByteRange)])
    func readsRanges(_ header: String?, _ size: Int, _ expected: ByteRange) {
        #expect(ByteRange(header, size: size) == expected)
    }

    /// RFC 9110, 13.1.2: weak comparison, `*` for anything.
    @Test func comparesEntityTags() {
        #expect(MediaFile.matches("\"a\"", "\"a\""))
        #expect(MediaFile.matches("\"b\", W/\"a\"", "\"a\""))
        #expect(MediaFile.matches(" * ", "\"a\""))
        #expect(!MediaFile.matches("\"b\"", "\"a\""))
        #expect(!MediaFile.matches("a", "\"a\""))
        #expect(!MediaFile.matches("", "\"a\""))
    }

    /// Any cut gives the same frames.
    @Test(arguments: [1, 2, 3, 7, 100]) func readsFramesInAnyPieces(_ size: Int) {
        let bytes: [UInt8] =
            [0x4A, 2, 0, 0, 0, 1, 2] + [0x45, 0, 0, 0, 0] + [0x42, 0, 1, 0, 0]
            + [UInt8](repeating: 9, count: 256)
        var reader = FrameReader()
        var seen: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.push(bytes[start..<min(bytes.count, start + size)])
            while let frame = reader.next() { seen.append([frame.kind.rawValue] + frame.body) }
        }
        #expect(seen == [[0x4A, 1, 2], [0x45], [0x42] + [UInt8](repeating: 9, count: 256)])
        reader.push([0x4A, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(reader.next() == nil)
        #expect(reader.isBroken)
    }
}
