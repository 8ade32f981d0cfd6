import Foundation
import TestSupport
import Testing

@Suite struct FetchCaseTests {
    @Test(arguments: FetchCase.all) func outcome(_ given: FetchCase) async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch([given.link], rig.reachable + given.options)
        #expect(found.verdict == given.verdict.description, "\(given.name): \(found.words)")
        #expect(found.status == given.verdict.status)
        let record = try #require(found.records.first)
        if let error = record.error {
            #expect(!error.message.isEmpty)
            #expect(record.outputs.allSatisfy { $0.path == nil })
            // Nothing half-written, and nothing for another run to stumble over.
            #expect(found.files.isEmpty)
        } else {
            try expectOutput(of: found, endingWith: given.suffix)
        }
    }

    /// One file, named by content and by the type of its bytes, where the record says.
    private func expectOutput(of found: Fetched, endingWith suffix: String) throws {
        let name = try #require(found.files.keys.first)
        let bytes = try #require(found.files[name])
        #expect(found.files.count == 1)
        let pattern = try Regex("([0-9a-f]{2})/\\1[0-9a-f]{62}\\.\(suffix)")
        #expect(name.wholeMatch(of: pattern) != nil, "\(name)")
        let output = try #require(found.records.first?.outputs.first)
        #expect(output.path?.hasSuffix("/out/" + name) == true)
        #expect(output.fileExtension == suffix)
        #expect(output.bytes == bytes.count)
        let start: [UInt8] = suffix == "jpg" ? [0xFF, 0xD8, 0xFF] : [0xFF, 0xFB]
        #expect(bytes.starts(with: start) || suffix == "mp3" && bytes.starts(with: Array("ID3".utf8)))
        #expect(suffix != "jpg" || bytes.suffix(2) == [0xFF, 0xD9])
    }

    @Test func theTableIsLargeAndItsNamesDiffer() {
        #expect(FetchCase.all.count >= 60)
        #expect(Set(FetchCase.all.map(\.name)).count == FetchCase.all.count)
    }

    @Test func aLinkIsFetchedOnceAsItsLocalFileIs() async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(["{tls}/files/drawing?once"], rig.reachable)
        let requests = try rig.nginx.requests(with: "/files/drawing?once")
        #expect(requests.map(\.line) == ["GET /files/drawing?once HTTP/1.1"])
        // The same source and the same recipe have the same name, wherever they come from.
        let folder = try TemporaryFolder()
        let local = try await rig.fetch([try folder.file("drawing", rig.site.png)], ["--cache-names"])
        #expect(local.files == found.files)
        #expect(!found.files.isEmpty)
    }

    @Test func whatIsAskedFor() async throws {
        let rig = try Rig.shared.get()
        _ = try await rig.fetch(["{tls}/files/photo?asked"], rig.reachable)
        let request = try #require(try rig.nginx.requests(with: "?asked").first)
        #expect(request.acceptEncoding.isEmpty)
        #expect(request.authorization.isEmpty)
        #expect(request.cookie.isEmpty)
        #expect(request.host == "127.0.0.1:\(rig.nginx.ports.tls)")
        // Formats that need no second decoder come first.
        for type in ["image/jpeg", "image/png", "image/gif"] { #expect(request.accept.contains(type)) }
        let any = try #require(request.accept.range(of: "*/*"))
        let jpeg = try #require(request.accept.range(of: "image/jpeg"))
        #expect(jpeg.lowerBound < any.lowerBound)
    }

    /// Encoded once; what is encoded stays as it is, and a fragment stays at home.
    @Test(arguments: [
        ("/files/Über straße ☕.jpg?1", "/files/%C3%9Cber%20stra%C3%9Fe%20%E2%98%95.jpg?1"),
        ("/files/%C3%9Cber straße%20☕.jpg?2", "/files/%C3%9Cber%20stra%C3%9Fe%20%E2%98%95.jpg?2"),
        ("/files/100%25?3", "/files/100%25?3"),
        ("/files/a+b&c=d.jpg?4", "/files/a+b&c=d.jpg?4"),
        ("/files/photo?5=größe 1&b=%20#teil", "/files/photo?5=gr%C3%B6%C3%9Fe%201&b=%20"),
        ("/files/photo?6=%c3%9f", "/files/photo?6=%c3%9f"),
        ("/files/photo?7=\"<>{}|^`", "/files/photo?7=%22%3C%3E%7B%7D%7C%5E%60"),
    ])
    func asTheServerSeesIt(_ link: String, _ target: String) async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(["{tls}" + link], rig.reachable)
        #expect(found.verdict == "passedThrough", "\(found.words)")
        let mark = try #require(target.firstMatch(of: /\?[0-9]/)?.output)
        let seen = try rig.nginx.requests(with: String(mark))
        #expect(seen.map(\.target).filter { $0.contains(mark) } == [target])
    }

    /// One request for each step and none after the answer.
    @Test func redirectsAreAskedForOnceEach() async throws {
        let rig = try Rig.shared.get()
        let site = try RawServer([
            "/1": HTTP.redirect("/2"), "/2": HTTP.redirect("/3", status: 301),
            "/3": [.send(HTTP.answer(200, rig.site.jpeg))],
            "/many-1": HTTP.redirect("/many-2"), "/many-2": HTTP.redirect("/many-3"),
            "/many-3": HTTP.redirect("/many-4"), "/many-4": HTTP.redirect("/many-5"),
            "/many-5": HTTP.redirect("/many-6"), "/many-6": HTTP.redirect("/many-7"),
        ])
        defer { site.stop() }
        let base = "http://127.0.0.1:\(site.port)"
        let found = try await rig.fetch([base + "/1"], rig.reachable + ["--allow-http"])
        #expect(found.verdict == "passedThrough")
        #expect(["/1", "/2", "/3"].map { site.requests(of: $0).count } == [1, 1, 1])
        let many = try await rig.fetch([base + "/many-1"], rig.reachable + ["--allow-http"])
        #expect(many.verdict == "failed redirect-limit")
        #expect((1...7).map { site.requests(of: "/many-\($0)").count } == [1, 1, 1, 1, 1, 1, 0])
    }

    /// A web page is not read to its end: the transfer stops as soon as the type is refused.
    @Test(arguments: [
        ("/page", Site.page, "rejected html-document"),
        ("/json", Site.json, "rejected error-document"),
        ("/zip", [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 8, 0], "rejected unsupported-format"),
    ])
    func theTransferStopsWithTheType(_ path: String, _ start: [UInt8], _ verdict: String) async throws {
        let rig = try Rig.shared.get()
        let filler = [UInt8](repeating: 0x20, count: 60_000)
        let site = try RawServer([path: [.send(HTTP.head(200) + start), .forever(filler, seconds: 0.01)]])
        defer { site.stop() }
        let found = try await rig.fetch(
            ["http://127.0.0.1:\(site.port)\(path)"], rig.reachable + ["--allow-http", "--timeout", "15"])
        #expect(found.verdict == verdict)
        #expect(found.seconds < 10)
    }

    @Test func recordsComeInTheLinksOrder() async throws {
        let rig = try Rig.shared.get()
        let links = [
            "{raw}/whole", "{tls}/status/404", "{tls}/files/drawing", "{tls}/files/page", "{raw}/cut",
        ]
        let found = try await rig.fetch(links, rig.reachable + ["--allow-http"])
        #expect(found.records.map(\.input) == links.map(rig.link))
        #expect(
            found.records.map { Verdict($0) } == [
                .passedThrough, .rejected("not-found"), .prepared, .rejected("html-document"),
                .failed("truncated"),
            ])
        #expect(found.status == 1)
        #expect(found.files.count == 2)
    }

    @Test func severalProfilesTakeOneFetch() async throws {
        let rig = try Rig.shared.get()
        let found = try await rig.fetch(
            ["{tls}/files/drawing?profiles"], rig.reachable + ["--profile", "apns", "--profile", "thumb"])
        #expect(found.records.first?.outputs.map(\.outcome) == ["prepared", "prepared"])
        #expect(try rig.nginx.requests(with: "?profiles").count == 1)
    }
}
