import Foundation
import TestSupport
import Testing

/// Links that are kept in a cache, from the real nginx: how often it is asked, and what comes of that.
///
/// Every test asks with a query of its own, so that nginx's log says how often it did.
@Suite struct CachedLinkTests {
    private func rig() throws -> Rig { try Rig.shared.get() }

    @Test func aHundredCallersInFourProcessesCauseOneFetchAndOneDecode() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        let folder = cache.path
        let link = "{tls}/slow-and-fresh/drawing?hundred"
        let all = try await withThrowingTaskGroup(of: [Fetched.Record].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await rig.link(
                        Array(repeating: link, count: 25), rig.reachable + ["--jobs", "25"], cache: folder
                    ).records
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(all.count == 100)
        #expect(all.allSatisfy { Verdict($0) == .prepared })
        #expect(Set(all.map { $0.outputs.first?.path }).count == 1)
        // Who decodes computes what it needs; who gets what another made does not.
        #expect(all.filter { $0.memory != nil }.count == 1)
        #expect(try rig.nginx.requests(with: "?hundred").count == 1)
    }

    @Test func whatIsFreshIsNotAskedAbout() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        for number in 0..<3 {
            let run = try await rig.link(["{tls}/fresh/drawing?fresh"], rig.reachable, cache: cache.path)
            #expect(run.verdict == "prepared")
            #expect((run.records.first?.memory == nil) == (number > 0))
        }
        #expect(try rig.nginx.requests(with: "?fresh").count == 1)
    }

    @Test func whatMayHaveChangedIsAskedAbout() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        var paths: [String?] = []
        for _ in 0..<3 {
            let run = try await rig.link(
                ["{tls}/asked/drawing?conditional"], rig.reachable, cache: cache.path)
            #expect(run.verdict == "prepared")
            paths.append(run.records.first?.outputs.first?.path)
        }
        #expect(Set(paths).count == 1)
        let statuses = try rig.nginx.requests(with: "?conditional", atLeast: 3).map(\.status)
        #expect(statuses == [200, 304, 304])
    }

    @Test func whatChangedIsMadeAnew() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        try rig.nginx.write("changing", rig.site.png)
        let before = try await rig.link(["{tls}/asked/changing?changed"], rig.reachable, cache: cache.path)
        #expect(before.verdict == "prepared")
        try rig.nginx.write("changing", try fixture("pngsuite/basn0g08.png"))
        let after = try await rig.link(["{tls}/asked/changing?changed"], rig.reachable, cache: cache.path)
        #expect(after.verdict == "prepared")
        #expect(after.records.first?.outputs.first?.path != before.records.first?.outputs.first?.path)
        #expect(try rig.nginx.requests(with: "?changed", atLeast: 2).map(\.status) == [200, 200])
    }

    @Test func whatMayNotBeKeptIsNotRemembered() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        for _ in 0..<2 {
            let run = try await rig.link(["{tls}/unkept/drawing?unkept"], rig.reachable, cache: cache.path)
            #expect(run.verdict == "prepared")
        }
        #expect(try rig.nginx.requests(with: "?unkept", atLeast: 2).map(\.status) == [200, 200])
    }

    @Test func aFailureIsRememberedForAMinute() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        let ask = { () async throws in
            try await rig.link(["{tls}/status/404?minute"], rig.reachable, cache: cache.path).verdict
        }
        #expect(try await ask() == "rejected not-found")
        #expect(abs(try cache.shiftMemory(bySeconds: 3600) - 60) < 0.001)
        #expect(try await ask() == "rejected not-found")
        #expect(try rig.nginx.requests(with: "?minute").count == 1)
        // The minute, and the hour that was put to it, are over.
        _ = try cache.shiftMemory(bySeconds: -3661)
        #expect(try await ask() == "rejected not-found")
        #expect(try rig.nginx.requests(with: "?minute", atLeast: 2).count == 2)
    }

    @Test func aFailureOfOneRecipeIsNoOthers() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        let link = "{tls}/fresh/drawing?recipe"
        let good = try await rig.link([link], rig.reachable, cache: cache.path)
        #expect(good.verdict == "prepared")
        for _ in 0..<2 {
            let small = try await rig.link([link], rig.reachable + ["--max-bytes", "100"], cache: cache.path)
            #expect(small.verdict == "rejected over-budget")
            _ = try cache.shiftMemory(bySeconds: 3600)
        }
        let other = try await rig.link([link], rig.reachable, cache: cache.path)
        #expect(other.verdict == "prepared")
        #expect(try rig.nginx.requests(with: "?recipe", atLeast: 2).count == 2)
    }

    @Test func whatBrokeOffIsNeverKept() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        for options in [[], ["--allow-truncated"]] {
            let run = try await rig.link(
                ["{tls}/files/cut?broke"], rig.reachable + options, cache: cache.path)
            #expect(run.verdict == (options.isEmpty ? "failed truncated" : "prepared"))
        }
        // What there is of it was shown because that was asked for, but the link is not known by it.
        let again = try await rig.link(
            ["{tls}/files/cut?broke"], rig.reachable + ["--allow-truncated"], cache: cache.path)
        #expect(again.records.first?.memory != nil)
    }

    @Test func whatWasFetchedWithAKeyIsForWhoHasIt() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        let link = "{tls}/fresh/drawing?key"
        for token in ["a", "a", "b", nil] {
            let header = token.map { ["--header", "127.0.0.1: X-Token: \($0)"] } ?? []
            let run = try await rig.link([link], rig.reachable + header, cache: cache.path)
            #expect(run.verdict == "prepared")
        }
        #expect(try rig.nginx.requests(with: "?key", atLeast: 3).map(\.token) == ["a", "b", ""])
        // Nor does the cache lead to where one may not go.
        let refused = try await rig.link([link], ["--ca-file", rig.nginx.authority], cache: cache.path)
        #expect(refused.verdict == "rejected blocked-address")
    }

    @Test func severalProfilesAreOneFetch() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        let options = rig.reachable + ["--profile", "apns,icon", "--public-base", "https://push.example/"]
        for _ in 0..<2 {
            let run = try await rig.link(["{tls}/fresh/drawing?several"], options, cache: cache.path)
            let outputs = try #require(run.records.first?.outputs)
            #expect(outputs.map(\.profile) == ["apns", "icon"])
            for output in outputs {
                let path = try #require(output.path)
                #expect(output.url == "https://push.example/" + path.suffix(2 + 1 + 64 + 4))
                #expect(try bytes(of: path).count == output.bytes)
            }
        }
        #expect(try rig.nginx.requests(with: "?several").count == 1)
    }

    @Test func aLazyLinkIsPreparedWhenItIsAskedFor() async throws {
        let rig = try rig()
        let cache = try TemporaryFolder()
        let keys = try cache.file("keys", Array("k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n".utf8))
        let sign = { (template: String) async throws -> String in
            let words = [
                "link", "sign", template, "--key-file", keys, "--public-base", "https://push.example",
            ]
            let run = try await rig.run(words)
            return String(decoding: run.output.dropLast(), as: UTF8.self)
        }
        let options = rig.reachable + ["--key-file", keys]
        let lazy = try await sign("{tls}/fresh/drawing?lazy")
        #expect(lazy.hasPrefix("https://push.example/s/k1.0."))
        #expect(lazy.hasSuffix(".jpg"))
        let picture = try await rig.link([lazy], options, cache: cache.path)
        #expect(picture.verdict == "prepared")
        let sound = try await rig.link([try await sign("{tls}/files/sound?lazy")], options, cache: cache.path)
        #expect(sound.verdict == "rejected unsupported-format")
        // What was kept for those who may have sound is no answer either.
        let eager = try await rig.link(["{tls}/fresh/sound?lazy"], options, cache: cache.path)
        #expect(eager.verdict == "passedThrough")
        let late = try await rig.link([try await sign("{tls}/fresh/sound?lazy")], options, cache: cache.path)
        #expect(late.verdict == "rejected unsupported-format")
        let forged = try await rig.link(
            [lazy.replacing("/apns/", with: "/icon/")], options, cache: cache.path)
        #expect(forged.verdict == "rejected bad-signature")
        #expect(try rig.nginx.requests(with: "drawing?lazy").count == 1)
        // No link is written down anywhere, whatever came of it.
        for folder in ["links", "facts"] {
            for file in cache.files(below: folder) {
                let text = String(decoding: try bytes(of: file), as: UTF8.self)
                #expect(!text.contains("?lazy") && !text.contains("127.0.0.1"))
            }
        }
    }
}

extension Rig {
    /// Runs `attachprep link prepare` on links, in templates' form.
    fileprivate func link(_ links: [String], _ options: [String], cache: String) async throws
        -> Fetched
    {
        let words = ["link", "prepare"] + links + options + ["--json", "--cache", cache + "/cache"]
        return try Fetched(try await run(words), in: cache + "/cache/media", seconds: 0)
    }

    /// Runs the program on words in templates' form.
    fileprivate func run(_ words: [String]) async throws -> ProgramResult {
        let words = [Self.program] + words.map(link)
        return try await Lanes.run { try finish(words, environment: Self.environment) }
    }
}

extension TemporaryFolder {
    /// Paths of the files below a folder of the cache.
    fileprivate func files(below name: String) -> [String] {
        let top = path + "/cache/" + name
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: top)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { top + "/" + $0 }
    }

    /// Moves the time until which the one link's failure is remembered; a machine may be too slow to ask twice in a minute.
    ///
    /// - Returns: seconds for which it was to be remembered.
    fileprivate func shiftMemory(bySeconds seconds: Double) throws -> Double {
        let path = try #require(files(below: "links").first)
        let object = try JSONSerialization.jsonObject(with: Data(try bytes(of: path)))
        var entry = try #require(object as? [String: Any])
        var failure = try #require(entry["failure"] as? [String: Any])
        let until = try #require(failure["freshUntil"] as? Double)
        let checked = try #require(failure["checked"] as? Double)
        failure["freshUntil"] = until + seconds
        entry["failure"] = failure
        try JSONSerialization.data(withJSONObject: entry).write(to: URL(fileURLWithPath: path))
        return until - checked
    }
}
