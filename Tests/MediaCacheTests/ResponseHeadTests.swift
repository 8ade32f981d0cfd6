import AttachmentPrep
import TestSupport
import Testing

@testable import LinkFetch

@Suite struct ResponseHeadTests {
    private func head(_ lines: String...) -> ResponseHead {
        var head = ResponseHead()
        for line in ["HTTP/1.1 200 OK"] + lines { head.take(line) }
        return head
    }

    /// RFC 9110's example, and `date -d ... +%s` of others.
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Fri, 31 Dec 2100 12:00:00 GMT", 4_133_937_600),
    ])
    func datesAreRead(_ text: String, _ expected: Int) { #expect(HTTPDate.seconds(text) == expected) }

    @Test(arguments: [
        "", "0", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
    ])
    func otherDatesAreNone(_ text: String) { #expect(HTTPDate.seconds(text) == nil) }

    /// RFC 9111, 4.2: max-age before Expires before a tenth of the age, and what was spent in other caches.
    @Test func freshnessFollowsTheServer() {
        let now = 784_111_777
        let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
        let later = "Expires: Sun, 06 Nov 1994 09:49:37 GMT"
        #expect(head("Cache-Control: public, max-age=60").lifetime(now: now) == 60)
        #expect(head("cache-control: MAX-AGE=\"60\"", "Age: 20").lifetime(now: now) == 40)
        #expect(head("Cache-Control: max-age=60", "Age: 90").lifetime(now: now) == 0)
        #expect(head("Cache-Control: max-age=60, no-cache").lifetime(now: now) == 0)
        #expect(head("Cache-Control: no-cache, max-age=60").lifetime(now: now) == 0)
        #expect(head("Cache-Control: max-age=99999999999").lifetime(now: now) == 30 * 86_400)
        #expect(head("Cache-Control: max-age=-5").lifetime(now: now) == 0)
        #expect(head(date, later).lifetime(now: now + 50) == 3600)
        #expect(head(date, later, "Cache-Control: max-age=5").lifetime(now: now) == 5)
        #expect(head(date, "Expires: 0").lifetime(now: now) == 0)
        #expect(head("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT").lifetime(now: now + 1000) == 100)
        #expect(head("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT").lifetime(now: now + 8_640_001) == 86_400)
        #expect(head("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT").lifetime(now: now - 5) == 0)
        #expect(head().lifetime(now: now) == 0)
        #expect(head("Cache-Control: max-age=60", "Age: -9223372036854775808").lifetime(now: now) == 60)
        #expect(head("Cache-Control: max-age=9223372036854775807", "Age: -1").lifetime(now: now) == 2_592_000)
    }

    @Test func aRedirectEndsFreshness() {
        var kept = head("Cache-Control: max-age=6000")
        kept.follow(head("Cache-Control: max-age=60"))
        #expect(kept.lifetime(now: 0) == 60)
        kept.follow(head())
        #expect(kept.lifetime(now: 0) == 0)
        #expect(!kept.isNotStored)
        kept.follow(head("Cache-Control: no-store"))
        #expect(kept.isNotStored)
    }

    @Test func aLineEndInAnETagBeginsNoHeader() {
        #expect(Validators(etag: "\"a\"", lastModified: "b").lines.count == 2)
        #expect(Validators(etag: "a\r\nX: 1", lastModified: "b").lines == ["If-Modified-Since: b"])
        #expect(Validators(etag: "a\r").lines.isEmpty)
    }

    @Test func theLastAnswerCounts() {
        var head = ResponseHead()
        for line in ["HTTP/1.1 103 Early Hints", "ETag: \"a\"", "", "HTTP/2 200", "Last-Modified: b", ""] {
            head.take(line)
        }
        #expect(head.status == 200)
        #expect(head.validators == Validators(etag: nil, lastModified: "b"))
        #expect(head.bytes == 24 + 2 + 9 + 2 + 2 + 10 + 2 + 16 + 2 + 2)
    }

    @Test func trailersAreNoneOfTheHead() {
        var head = head("ETag: \"a\"", "")
        for line in ["ETag: \"b\"", "HTTP/1.1 404 No", ""] { head.take(line) }
        #expect(head.status == 200)
        #expect(head.isWhole)
        #expect(head.validators.etag == "\"a\"")
    }

    @Test func someAnswersAreNotKept() {
        #expect(head("Cache-Control: private, No-Store").isNotStored)
        #expect(!head("Cache-Control: private").isNotStored)
    }

    @Test(
        arguments: [
            (200, nil), (204, .httpStatus), (206, .httpStatus), (304, .httpStatus), (400, .httpStatus),
            (401, .auth), (403, .auth), (404, .notFound), (410, .expired), (418, .httpStatus),
            (429, .httpStatus),
            (500, .httpStatus), (503, .httpStatus), (0, .httpStatus),
        ] as [(Int, PrepError.Code?)])
    func aStatusMeansSomething(_ status: Int, _ expected: PrepError.Code?) {
        #expect(LinkRefusal.status(status, body: [])?.code == expected)
    }

    @Test func aSignedLinkThatRanOutSaysSo() {
        let s3 = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
        #expect(LinkRefusal.status(403, body: Array(s3.utf8))?.code == .expired)
    }
}

@Suite struct GzipLayerTests {
    private func undone(_ bytes: [UInt8], chunk: Int) throws(PrepError) -> [UInt8] {
        let layer = GzipLayer()
        var out: [UInt8] = []
        let take = { (span: Span<UInt8>) throws(PrepError) in
            for index in span.indices { out.append(span[index]) }
        }
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            try layer.push(bytes.span.extracting(start..<min(start + chunk, bytes.count)), take)
        }
        try layer.finish(take)
        return out
    }

    private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        return try run("gzip", ["-c", folder.file("plain", bytes)])
    }

    @Test(arguments: [1, 2, 3, 7, 1000, 65_536]) func oneLayerIsUndoneInAnyPieces(_ chunk: Int) throws {
        var generator = SeededGenerator(seed: 1)
        let plain = (0..<200_000).map { index in
            index % 3 == 0 ? UInt8.random(in: 0...255, using: &generator) : UInt8(index / 1000)
        }
        #expect(try undone(plain, chunk: chunk) == plain)
        let packed = try gzip(plain)
        #expect(try undone(packed, chunk: chunk) == plain)
        #expect(try undone(packed + packed + [0, 0], chunk: chunk) == plain + plain)
        // One layer and no more: what is inside is the picture's own business.
        #expect(try undone(gzip(packed), chunk: chunk) == packed)
    }

    @Test(
        arguments: [[], [0x1F], [0x1F, 0x8B], [0x1F, 0x8B, 0x07], [0x1F, 0x8C, 0x08], [0xFF, 0xD8]]
            as [[UInt8]])
    func whatOnlyBeginsLikeItIsLeftAlone(_ bytes: [UInt8]) throws {
        #expect(try undone(bytes, chunk: 1) == bytes)
    }

    @Test func aCutOrDamagedLayerIsAnError() throws {
        let packed = try gzip(Array(repeating: 7, count: 5000))
        let cut = #expect(throws: PrepError.self) { try undone(packed.dropLast(), chunk: 16) }
        #expect(cut?.code == .truncated)
        var damaged = packed
        damaged[packed.count - 5] ^= 1  // of the checksum
        let broken = #expect(throws: PrepError.self) { try undone(damaged, chunk: 16) }
        #expect(broken?.code == .corrupt)
    }
}
