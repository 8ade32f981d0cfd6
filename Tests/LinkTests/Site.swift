import Foundation
import TestSupport

/// What the servers of the tests hold and how they answer.
struct Site {
    /// A baseline JPEG of a few kilobytes that needs nothing done: it passes through.
    let jpeg: [UInt8]
    let png: [UInt8]
    private let gzippedJPEG: [UInt8]
    private let bomb: [UInt8]

    /// The start of a JPEG, and a segment that may follow it as often as one likes.
    static let start: [UInt8] = [0xFF, 0xD8]
    static let filler: [UInt8] = [0xFF, 0xE5, 0xFF, 0xFF] + [UInt8](repeating: 0x20, count: 0xFFFD)

    static let page = Array("<!DOCTYPE html><html><head><title>Sign in</title></head></html>".utf8)
    static let json = Array(#"{"error": {"code": 404, "message": "no such object"}}"#.utf8)

    init() throws {
        jpeg = try JPEGSamples.named("4:4:4")
        png = try fixture("pngsuite/basn2c08.png")
        gzippedJPEG = try Self.gzip(jpeg)
        var long = Self.start
        for _ in 0..<500 { long += Self.filler }
        bomb = try Self.gzip(long)
    }

    /// A storage server's error.
    static func storageError(_ code: String, _ message: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>\(code)</Code><Message>\(message)</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>
            """.utf8)
    }

    private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        return try run("gzip", ["-c", "-n", try folder.file("in", bytes)])
    }
}

/// nginx's part.
extension Site {
    /// The files below /files/.
    var files: [String: [UInt8]] {
        get throws {
            [
                "photo": jpeg, "photo.jpg": jpeg, "photo.png": jpeg, "drawing": png, "drawing.jpg": png,
                "Über straße ☕.jpg": jpeg, "100%": jpeg, "a+b&c=d.jpg": jpeg,
                "cut": Array(jpeg.prefix(jpeg.count / 2)), "cut.png": Array(png.prefix(png.count / 2)),
                "page": Self.page, "page.jpg": Self.page, "error.json": Self.json, "empty": [],
                "error.xml": Self.storageError("NoSuchKey", "The specified key does not exist."),
                "photo.gz": gzippedJPEG, "photo.gz.gz": try Self.gzip(gzippedJPEG), "bomb": bomb,
                "cut.gz": Array(gzippedJPEG.prefix(gzippedJPEG.count / 2)),
                "sound": Self.sound, "words": Array("only words\n".utf8),
                "one.gif": Self.gif,
            ]
        }
    }

    /// Four frames of MPEG audio behind an ID3 tag.
    private static var sound: [UInt8] {
        Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0]
            + Array(repeating: [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413), count: 4)
            .joined()
    }

    /// One black pixel.
    static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]

    /// What else nginx does, as it wants to be told.
    func locations(_ ports: NginxServer.Ports, raw: Int) -> String {
        let tls = "https://127.0.0.1:\(ports.tls)"
        let neighbour = "https://127.0.0.2:\(ports.tls)"
        let redirects = [
            "file": "file:///etc/passwd", "ftp": "ftp://127.0.0.1/photo", "gopher": "gopher://127.0.0.1/1",
            "mail": "mailto:somebody@example.org", "data": "data:image/gif;base64,R0lGODlhAQABAAAAADs=",
            "plain": "http://127.0.0.1:\(ports.plain)/files/photo", "tls": "\(tls)/files/photo",
            "user": "https://user:secret@127.0.0.1:\(ports.tls)/files/photo", "loop": "/to/pool",
            "pool": "/to/loop", "self": "/to/self", "neighbour": "\(neighbour)/files/photo",
            "neighbour-and-back": "\(neighbour)/to/tls", "gone": "/status/410", "no-host": "https:///photo",
            "beside": "//127.0.0.1:\(ports.tls)/files/photo", "refused": "https://127.0.0.1:\(Self.closed)/",
            "metadata": "http://169.254.169.254/latest/meta-data/", "private": "https://10.0.0.1/photo",
            "mapped": "https://[::ffff:10.0.0.1]/photo", "six": "https://[::1]:\(ports.tls)/files/photo",
            "name": "https://localhost:\(ports.tls)/files/photo", "decimal": "https://167772161/photo",
            "mail-port": "https://127.0.0.1:25/photo", "fragment": "/files/photo#part",
        ]
        let statuses = [204, 206, 300, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503]
        let kept = [301, 302, 303, 307, 308]
        let lines =
            redirects.map { "location = /to/\($0) { absolute_redirect off; return 302 '\($1)'; }" }
            + statuses.map { "location = /status/\($0) { return \($0); }" }
            + kept.map { "location = /redirect/\($0) { return \($0) /files/photo; }" }
            + (1...7).map { "location = /hop/\($0) { return 302 /hop/\($0 - 1); }" }
            + [
                "location = /hop/0 { alias files/photo; }",
                "location /as-page/ { alias files/; default_type text/html; }",
                "location /as-png/ { alias files/; default_type image/png; }",
                "location /named/ { alias files/; add_header Content-Disposition"
                    + " 'attachment; filename=\"../../evil.exe\"'; }",
                "location /zipped/ { alias files/; add_header Content-Encoding gzip; default_type image/jpeg; }",
                "location /chunked/ { alias files/; ssi on; ssi_types *; }",
                "location /slowly/ { alias files/; limit_rate 2000; }",
                "location /fresh/ { alias files/; add_header Cache-Control max-age=6000; }",
                "location /asked/ { alias files/; add_header Cache-Control no-cache; }",
                "location /unkept/ { alias files/; add_header Cache-Control no-store; }",
                "location /slow-and-fresh/ { alias files/; limit_rate 100; add_header Cache-Control max-age=6000; }",
                "location /cookie { add_header Set-Cookie 'id=secret; Path=/'; return 302 /files/photo?cookie; }",
                "location /raw/ { proxy_pass http://127.0.0.1:\(raw)/; proxy_buffering off; }",
            ]
        return lines.joined(separator: "\n")
    }

    /// tcpmux, where nobody listens.
    static let closed = 1
}

/// The raw server's part.
extension Site {
    var answers: [String: [Step]] {
        broken.merging(sound) { $1 }.merging(refusals) { $1 }.merging(slow) { $1 }
            .merging(heads) { $1 }.merging(tooLong) { $1 }
    }

    /// Odd, but right.
    private var sound: [String: [Step]] {
        [
            "/whole": [.send(HTTP.answer(200, jpeg))],
            "/bytewise": [.bytewise(HTTP.head(200, length: jpeg.count), seconds: 0.002), .send(jpeg)],
            "/until-closed": [.send(HTTP.head(200) + jpeg)],
            "/old": [.send("HTTP/1.0 200 OK\r\n\r\n"), .send(jpeg)],
            "/chunked": [.send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(jpeg)), .send("0\r\n\r\n")],
            "/one-byte-chunks": [
                .send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(jpeg, of: 1)), .send("0\r\n\r\n"),
            ],
            "/trailers": [
                .send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(jpeg)),
                .send("0\r\nX-Sum: 1\r\nLocation: https://127.0.0.9/\r\n\r\n"),
            ],
            "/continue": [.send("HTTP/1.1 100 Continue\r\n\r\n"), .send(HTTP.answer(200, jpeg))],
            "/many-headers": [.send(HTTP.answer(200, jpeg, Self.headers(300)))],
            "/pauses": [
                .send(HTTP.answer(200, jpeg).dropLast(900)), .wait(1.5), .send(Array(jpeg.suffix(900))),
            ],
            "/unicode-location": HTTP.redirect("/fotos/Stra\u{DF}e caf\u{E9}"),
            "/fotos/Stra%C3%9Fe%20caf%C3%A9": [.send(HTTP.answer(200, jpeg))],
            "/fotos/Stra%c3%9fe%20caf%c3%a9": [.send(HTTP.answer(200, jpeg))],
        ]
    }

    /// Connections that end before what was promised.
    private var broken: [String: [Step]] {
        let half = Array(jpeg.prefix(jpeg.count / 2))
        return [
            "/cut": [.send(HTTP.head(200, length: jpeg.count) + half)],
            "/cut-png": [.send(HTTP.head(200, length: png.count) + png.prefix(png.count / 2))],
            "/cut-reset": [.send(HTTP.head(200, length: jpeg.count) + half), .wait(0.3), .reset],
            "/cut-at-once": [.send(HTTP.head(200, length: jpeg.count))],
            "/long-length": [.send(HTTP.head(200, length: jpeg.count + 1000) + jpeg)],
            "/short-length": [.send(HTTP.head(200, length: jpeg.count / 2) + jpeg)],
            "/until-closed-cut": [.send(HTTP.head(200) + half)],
            "/chunked-cut": [.send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(half))],
            "/chunk-cut": [.send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(half).dropLast(50))],
            "/chunked-no-end": [.send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(jpeg))],
            "/zipped-cut": [
                .send(HTTP.head(200, ["Content-Encoding: gzip"], length: gzippedJPEG.count)),
                .send(Array(gzippedJPEG.prefix(gzippedJPEG.count / 2))),
            ],
        ]
    }

    /// Answers of other kinds.
    private var refusals: [String: [Step]] {
        [
            "/not-modified": [.send(HTTP.head(304))],
            "/no-location": [.send(HTTP.head(302, length: 0))],
            "/empty": [.send(HTTP.answer(200, []))],
            "/empty-chunked": [.send(HTTP.head(200, [Self.chunked])), .send("0\r\n\r\n")],
            "/empty-until-closed": [.send(HTTP.head(200))],
            "/expired": [
                .send(HTTP.answer(403, Self.storageError("AccessDenied", "Request has expired")))
            ],
            "/denied": [.send(HTTP.answer(403, Self.storageError("AccessDenied", "Access Denied")))],
            "/picture-404": [.send(HTTP.answer(404, jpeg, ["Content-Type: image/jpeg"]))],
            "/picture-403": [.send(HTTP.answer(403, jpeg, ["Content-Type: image/jpeg"]))],
            "/endless-404": [.send(HTTP.head(404)), .forever(Self.page, seconds: 0)],
            "/to-plain": HTTP.redirect("/whole"),
            "/control-location": HTTP.redirect("/whole\u{1}"),
        ]
    }

    private var slow: [String: [Step]] {
        [
            "/silent": [.wait(30)],
            "/drip": [
                .send(HTTP.head(200, length: 100_000) + Self.start), .forever([0xFF], seconds: 0.1),
            ],
            "/drip-head": [.send("HTTP/1.1 200 OK\r\nX-Slow: "), .forever([0x61], seconds: 0.1)],
            "/stalled": [.send(HTTP.head(200, length: jpeg.count) + jpeg.dropLast(100)), .wait(30)],
            "/loop-slowly": [.wait(0.6)] + HTTP.redirect("/loop-slowly-2"),
            "/loop-slowly-2": [.wait(0.6)] + HTTP.redirect("/whole-late"),
            "/whole-late": [.wait(0.6), .send(HTTP.answer(200, jpeg))],
        ]
    }

    /// What is not HTTP, or too much of it.
    private var heads: [String: [Step]] {
        [
            "/garbage": [.send("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"), .wait(0.2)],
            "/noise": [.send((0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 3) })],
            "/picture-only": [.send(jpeg)],
            "/nothing": [],
            "/reset": [.reset],
            "/half-head": [.send("HTTP/1.1 200 OK\r\nContent-Type: ima")],
            "/no-status": [.send("HTTP/1.1 yes OK\r\nContent-Length: 3\r\n\r\nabc")],
            "/negative-length": [.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc")],
            "/header-flood": [.send(HTTP.answer(200, jpeg, Self.headers(1000)))],
            "/header-line": [
                .send(HTTP.answer(200, jpeg, ["X-Long: " + String(repeating: "x", count: 1 << 20)]))
            ],
            "/header-endless": [
                .send("HTTP/1.1 200 OK\r\n"), .forever(Array("X-More: 1\r\n".utf8), seconds: 0),
            ],
            "/flood-by-hops": [
                .send(HTTP.head(302, Self.headers(1000) + ["Location: /whole"], length: 0))
            ],
        ]
    }

    private var tooLong: [String: [Step]] {
        [
            "/huge": [.send(HTTP.head(200, length: 99_999_999_999) + Self.start), .wait(10)],
            "/huge-number": [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n"), .wait(10),
            ],
            "/endless": [
                .send(HTTP.head(200) + Self.start), .forever(Self.filler, seconds: 0),
            ],
            "/endless-chunked": [
                .send(HTTP.head(200, [Self.chunked]) + HTTP.chunks(Self.start)),
                .forever(HTTP.chunks(Self.filler, of: Self.filler.count), seconds: 0),
            ],
            "/more-than-said": [
                .send(HTTP.head(200, length: 300_000) + Self.start), .forever(Self.filler, seconds: 0),
            ],
        ]
    }

    private static let chunked = "Transfer-Encoding: chunked"

    /// So many headers of 100 bytes.
    private static func headers(_ count: Int) -> [String] {
        (0..<count).map { number in
            let name = "X-Header-\(number): "
            return name + String(repeating: "v", count: 98 - name.utf8.count)
        }
    }
}
