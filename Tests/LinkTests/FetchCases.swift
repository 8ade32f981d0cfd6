import Foundation
import Testing

/// A link, and what must come of it.
struct FetchCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// With `Rig.link`'s words for servers.
    let link: String
    let options: [String]
    let verdict: Verdict
    /// The suffix of what is made.
    let suffix: String

    init(_ name: String, _ link: String, _ options: [String], _ verdict: Verdict) {
        self.name = name
        self.link = link
        self.options = options
        self.verdict = verdict
        suffix = "jpg"
    }

    /// With `--allow-http`, which must not matter to https.
    init(_ name: String, _ link: String, _ verdict: Verdict, as suffix: String = "jpg") {
        self.name = name
        self.link = link
        options = ["--allow-http"]
        self.verdict = verdict
        self.suffix = suffix
    }

    var testDescription: String { name }

    static let all =
        sound + names + statuses + redirects + links + documents + broken + noHTTP + sizes + times + others

    /// Answers that are right, however odd.
    private static let sound: [FetchCase] = [
        .init("JPEG", "{tls}/files/photo.jpg", [], .passedThrough),
        .init("PNG", "{tls}/files/drawing", [], .prepared),
        .init("GIF", "{tls}/files/one.gif", [], .prepared),
        .init("sound", "{tls}/files/sound", .passedThrough, as: "mp3"),
        .init("HTTP", "{plain}/files/photo", .passedThrough),
        .init("chunked by nginx", "{tls}/chunked/photo", .passedThrough),
        .init("limited rate", "{tls}/slowly/photo", .passedThrough),
        .init("through a proxying nginx", "{tls}/raw/whole", .passedThrough),
        .init("gzip declared", "{tls}/zipped/photo.gz", .passedThrough),
        .init("gzip not declared", "{tls}/files/photo.gz", .passedThrough),
        .init("two layers of gzip", "{tls}/files/photo.gz.gz", .rejected("unsupported-format")),
        .init("head byte by byte", "{raw}/bytewise", .passedThrough),
        .init("length by the connection's end", "{raw}/until-closed", .passedThrough),
        .init("HTTP/1.0", "{raw}/old", .passedThrough),
        .init("chunks", "{raw}/chunked", .passedThrough),
        .init("chunks of one byte", "{raw}/one-byte-chunks", .passedThrough),
        .init("trailers", "{raw}/trailers", .passedThrough),
        .init("100 before 200", "{raw}/continue", .passedThrough),
        .init("30 KB of headers", "{raw}/many-headers", .passedThrough),
        .init("a pause", "{raw}/pauses", .passedThrough),
    ]

    /// The suffix comes from the bytes.
    private static let names: [FetchCase] = [
        .init("no suffix, a query", "{tls}/files/photo?id=15", .passedThrough),
        .init("a query with a suffix", "{tls}/files/drawing?file=../../x.exe", .prepared),
        .init("JPEG called PNG", "{tls}/files/photo.png", .passedThrough),
        .init("PNG called JPEG", "{tls}/files/drawing.jpg", .prepared),
        .init("JPEG said to be a page", "{tls}/as-page/photo", .passedThrough),
        .init("JPEG said to be PNG", "{tls}/as-png/photo", .passedThrough),
        .init("sound said to be PNG", "{tls}/as-png/sound", .passedThrough, as: "mp3"),
        .init("Content-Disposition", "{tls}/named/photo", .passedThrough),
        .init("characters beyond ASCII", "{tls}/files/Über straße ☕.jpg", .passedThrough),
        .init("the same, encoded", "{tls}/files/%C3%9Cber%20stra%C3%9Fe%20%E2%98%95.jpg", .passedThrough),
        .init("half encoded", "{tls}/files/%C3%9Cber straße%20☕.jpg", .passedThrough),
        .init("an encoded percent sign", "{tls}/files/100%25", .passedThrough),
        .init("plus, ampersand, equals", "{tls}/files/a+b&c=d.jpg", .passedThrough),
        .init("fragment", "{tls}/files/photo#part", .passedThrough),
        .init("fragment beyond ASCII", "{tls}/files/photo#größe", .passedThrough),
        .init("query beyond ASCII", "{tls}/files/photo?größe=1 px", .passedThrough),
        .init("dots on the way", "{tls}/files/../files/./photo", .passedThrough),
        .init("long query", "{tls}/files/photo?" + String(repeating: "a=b&", count: 800), .passedThrough),
    ]

    private static let statuses: [FetchCase] = [
        .init("204", "{tls}/status/204", .failed("http-status")),
        .init("206", "{tls}/status/206", .failed("http-status")),
        .init("300 without Location", "{tls}/status/300", .failed("http-status")),
        .init("302 without Location", "{raw}/no-location", .failed("http-status")),
        .init("304", "{raw}/not-modified", .failed("http-status")),
        .init("400", "{tls}/status/400", .failed("http-status")),
        .init("401", "{tls}/status/401", .rejected("auth")),
        .init("403", "{tls}/status/403", .rejected("auth")),
        .init("404", "{tls}/status/404", .rejected("not-found")),
        .init("404 of a missing file", "{tls}/files/nothing.jpg", .rejected("not-found")),
        .init("410", "{tls}/status/410", .rejected("expired")),
        .init("418", "{tls}/status/418", .failed("http-status")),
        .init("429", "{tls}/status/429", .failed("http-status")),
        .init("500", "{tls}/status/500", .failed("http-status")),
        .init("502", "{tls}/status/502", .failed("http-status")),
        .init("503", "{tls}/status/503", .failed("http-status")),
        .init("403: storage, expired", "{raw}/expired", .rejected("expired")),
        .init("403: storage, denied", "{raw}/denied", .rejected("auth")),
        .init("404 with a picture", "{raw}/picture-404", .rejected("not-found")),
        .init("403 with a picture", "{raw}/picture-403", .rejected("auth")),
        .init("404 without an end", "{raw}/endless-404", .rejected("not-found")),
    ]

    private static let redirects: [FetchCase] = [
        .init("301", "{tls}/redirect/301", .passedThrough),
        .init("302", "{tls}/redirect/302", .passedThrough),
        .init("303", "{tls}/redirect/303", .passedThrough),
        .init("307", "{tls}/redirect/307", .passedThrough),
        .init("308", "{tls}/redirect/308", .passedThrough),
        .init("to another host", "{tls}/to/neighbour", .passedThrough),
        .init("to a name", "{tls}/to/name", .passedThrough),
        .init("to //host", "{tls}/to/beside", .passedThrough),
        .init("to a fragment", "{tls}/to/fragment", .passedThrough),
        .init("away and back", "{tls}/to/neighbour-and-back", .passedThrough),
        .init("HTTP to https", "{plain}/to/tls", .passedThrough),
        .init("HTTP to HTTP", "{plain}/to/plain", .passedThrough),
        .init("to what must be encoded", "{raw}/unicode-location", .passedThrough),
        .init("five redirects", "{tls}/hop/5", .passedThrough),
        .init("six redirects", "{tls}/hop/6", .failed("redirect-limit")),
        .init("loop of two", "{tls}/to/loop", .failed("redirect-limit")),
        .init("loop of one", "{tls}/to/self", .failed("redirect-limit")),
        .init("https to HTTP", "{tls}/to/plain", .rejected("insecure-url")),
        .init("https to HTTP, not allowed", "{tls}/to/plain", [], .rejected("insecure-url")),
        .init("to file:", "{tls}/to/file", .rejected("invalid-url")),
        .init("to ftp:", "{tls}/to/ftp", .rejected("invalid-url")),
        .init("to gopher:", "{tls}/to/gopher", .rejected("invalid-url")),
        .init("to mailto:", "{tls}/to/mail", .rejected("invalid-url")),
        .init("to data:", "{tls}/to/data", .rejected("invalid-url")),
        .init("to a name and password", "{tls}/to/user", .rejected("invalid-url")),
        .init("to no host", "{tls}/to/no-host", .rejected("invalid-url")),
        .init("to a control character", "{raw}/control-location", .rejected("invalid-url")),
        .init("to 410", "{tls}/to/gone", .rejected("expired")),
        .init("to where nobody listens", "{tls}/to/refused", .failed("network")),
    ]

    /// Links that are refused, or read, before anything is asked.
    private static let links: [FetchCase] = [
        .init("HTTP, not allowed", "{plain}/files/photo", [], .rejected("insecure-url")),
        .init("scheme in capitals", "HTTPS://127.0.0.1:{tls-port}/files/photo", .passedThrough),
        .init(
            "name and password", "https://me:secret@127.0.0.1:{tls-port}/files/photo",
            .rejected("invalid-url")),
        .init("name only", "https://user@127.0.0.1:{tls-port}/files/photo", .rejected("invalid-url")),
        .init("empty userinfo", "https://@127.0.0.1:{tls-port}/files/photo", .rejected("invalid-url")),
        .init("line feed of a list, at the end", "{tls}/files/photo\n", .passedThrough),
        .init("line feed in the middle", "{tls}/files/pho\nto", .rejected("invalid-url")),
        .init("header in the path", "{tls}/files/photo\r\nX-Token: 1", .rejected("invalid-url")),
        .init("tab", "{tls}/files/pho\tto", .rejected("invalid-url")),
        .init("delete", "{tls}/files/photo\u{7F}", .rejected("invalid-url")),
        .init("no host", "https:///files/photo", .rejected("invalid-url")),
        .init("nothing", "https://", .rejected("invalid-url")),
        .init("port too large", "https://127.0.0.1:99999/photo", .rejected("invalid-url")),
        .init("port in words", "https://127.0.0.1:https/photo", .rejected("invalid-url")),
        .init("space in the host", "https://127.0.0.1 .example/photo", .rejected("invalid-url")),
        .init("file:", "file:///etc/hostname", .rejected("invalid-url")),
        .init("ftp:", "ftp://127.0.0.1/photo", .rejected("invalid-url")),
        .init("gopher:", "gopher://127.0.0.1:{raw-port}/_GET", .rejected("invalid-url")),
        .init("unknown scheme", "s3://bucket/photo.jpg", .rejected("invalid-url")),
        .init("data: base64", "data:image/gif;base64,\(gif)", [], .prepared),
        .init("data: scheme in capitals", "DATA:image/gif;base64,\(gif)", [], .prepared),
        .init("data: encoded padding", "data:image/gif;base64,\(gif.dropLast())%3D", [], .prepared),
        .init("data: percent", "data:,\(percent)", [], .prepared),
        .init("data: another type", "data:text/html;charset=utf-8;base64,\(gif)", [], .prepared),
        .init("data: page", "data:text/html,<!DOCTYPE html><html></html>", [], .rejected("html-document")),
        .init("data: nothing", "data:,", [], .rejected("empty")),
        .init("data: no comma", "data:image/gif;base64", [], .rejected("invalid-url")),
        .init("data: no base64", "data:image/gif;base64,R0lG*OD", [], .rejected("invalid-url")),
    ]

    private static let documents: [FetchCase] = [
        .init("page", "{tls}/files/page", .rejected("html-document")),
        .init("page called JPEG", "{tls}/files/page.jpg", .rejected("html-document")),
        .init("storage's error with 200", "{tls}/files/error.xml", .rejected("error-document")),
        .init("JSON with 200", "{tls}/files/error.json", .rejected("error-document")),
        .init("words", "{tls}/files/words", .rejected("unknown-format")),
        .init("empty file", "{tls}/files/empty", .rejected("empty")),
        .init("empty answer", "{raw}/empty", .rejected("empty")),
        .init("empty chunks", "{raw}/empty-chunked", .rejected("empty")),
        .init("empty until closed", "{raw}/empty-until-closed", .rejected("empty")),
    ]

    /// What ends early; from a link that may be better another time.
    private static let broken: [FetchCase] = [
        .init("half a JPEG, whole transfer", "{tls}/files/cut", .failed("truncated")),
        .init("half a PNG, whole transfer", "{tls}/files/cut.png", .failed("truncated")),
        .init("half a gzip, whole transfer", "{tls}/files/cut.gz", .failed("truncated")),
        .init("half a gzip, declared", "{tls}/zipped/cut.gz", .failed("truncated")),
        .init("cut", "{raw}/cut", .failed("truncated")),
        .init("PNG cut", "{raw}/cut-png", .failed("truncated")),
        .init("gzip cut", "{raw}/zipped-cut", .failed("truncated")),
        .init("cut by nginx over TLS", "{tls}/raw/cut", .failed("truncated")),
        .init("chunks cut by nginx over TLS", "{tls}/raw/chunked-cut", .failed("truncated")),
        .init("cut by a reset", "{raw}/cut-reset", .failed("truncated")),
        .init("cut before the first byte", "{raw}/cut-at-once", .failed("truncated")),
        .init("Content-Length too long", "{raw}/long-length", .failed("truncated")),
        .init("Content-Length too short", "{raw}/short-length", .failed("truncated")),
        .init("no length, half a JPEG", "{raw}/until-closed-cut", .failed("truncated")),
        .init("chunks cut between two", "{raw}/chunked-cut", .failed("truncated")),
        .init("chunk cut", "{raw}/chunk-cut", .failed("truncated")),
        .init("chunks without the last", "{raw}/chunked-no-end", .failed("truncated")),
    ]

    private static let noHTTP: [FetchCase] = [
        .init("no such name", "https://nothing.invalid/photo", .failed("network")),
        .init("nobody listens", "https://127.0.0.1:1/photo", .failed("network")),
        .init("expired certificate", "{expired}/files/photo", .failed("network")),
        .init("certificate of nobody", "{foreign}/files/photo", .failed("network")),
        .init("certificate of another", "{tls3}/files/photo", .failed("network")),
        .init("TLS to what speaks none", "https://127.0.0.1:{raw-port}/whole", .failed("network")),
        .init("another protocol", "{raw}/garbage", .failed("network")),
        .init("noise", "{raw}/noise", .failed("network")),
        .init("a picture without a head", "{raw}/picture-only", .failed("network")),
        .init("closed without a word", "{raw}/nothing", .failed("network")),
        .init("reset", "{raw}/reset", .failed("network")),
        .init("half a head", "{raw}/half-head", .failed("network")),
        .init("no status", "{raw}/no-status", .failed("network")),
        .init("negative length", "{raw}/negative-length", .failed("network")),
        .init("100 KB of headers", "{raw}/header-flood", .failed("network")),
        .init("header of 1 MB", "{raw}/header-line", .failed("network")),
        .init("headers without an end", "{raw}/header-endless", .failed("network")),
        .init("100 KB of headers of a redirect", "{raw}/flood-by-hops", .failed("network")),
    ]

    private static let sizes: [FetchCase] = [
        .init("Content-Length over the limit", "{tls}/files/photo", within("1000"), .tooLarge),
        .init("huge Content-Length", "{raw}/huge", .tooLarge),
        .init("Content-Length beyond numbers", "{raw}/huge-number", .tooLarge),
        .init("chunks over the limit", "{tls}/chunked/photo", within("1000"), .tooLarge),
        .init("endless", "{raw}/endless", within("1MB"), .tooLarge),
        .init("endless chunks", "{raw}/endless-chunked", within("1MB"), .tooLarge),
        .init("more than was said", "{raw}/more-than-said", .failed("truncated")),
        .init("gzip bomb", "{tls}/files/bomb", within("1MB"), .tooLarge),
        .init("gzip bomb, declared", "{tls}/zipped/bomb", within("1MB"), .tooLarge),
        .init("within the limit", "{tls}/files/photo", within("100KB"), .passedThrough),
    ]

    private static let times: [FetchCase] = [
        .init("no answer", "{raw}/silent", .failed("network")),
        .init("ten bytes a second", "{raw}/drip", .failed("network")),
        .init("a head of ten bytes a second", "{raw}/drip-head", .failed("network")),
        .init("stalls before the end", "{raw}/stalled", .failed("network")),
        .init("no answer in time", "{raw}/silent", seconds("1"), .failed("time-limit")),
        .init("drip over the time", "{raw}/drip", seconds("2"), .failed("time-limit")),
        .init("redirects too late", "{raw}/loop-slowly", seconds("1"), .failed("time-limit")),
        .init("redirects in time", "{raw}/loop-slowly", .passedThrough),
    ]

    private static let others: [FetchCase] = [
        .init(
            "plain HTTP where TLS is spoken", "http://127.0.0.1:{tls-port}/files/photo",
            .failed("http-status")),
        .init("cookie set on the way", "{tls}/cookie", .passedThrough),
        .init("HTTP/2", "{second}/files/photo", .passedThrough),
        .init("HTTP/2, 404", "{second}/files/nothing", .rejected("not-found")),
        .init("HTTP/2, redirect", "{second}/redirect/302", .passedThrough),
        .init("HTTP/2, to HTTP", "{second}/to/plain", .rejected("insecure-url")),
        .init("HTTP/2, cut", "{second}/raw/cut", .failed("truncated")),
        .init("HTTP/2, too long", "{second}/files/photo", within("1000"), .tooLarge),
    ]

    private static func within(_ size: String) -> [String] { ["--allow-http", "--max-input-bytes", size] }
    private static func seconds(_ count: String) -> [String] { ["--allow-http", "--timeout", count] }

    private static let gif = Data(Site.gif).base64EncodedString()
    private static let percent = Site.gif.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension Verdict {
    static let tooLarge = rejected("input-too-large")
}
