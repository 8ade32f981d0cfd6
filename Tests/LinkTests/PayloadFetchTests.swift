import Foundation
import TestSupport
import Testing

/// `payload check --fetch` and `payload rewrite --cache` against the real nginx.
@Suite struct PayloadFetchTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let code: String
            let what: String
        }
        let verdict: String
        let findings: [Finding]
    }

    /// Runs `attachprep payload` on a payload with this link.
    private func run(
        _ verb: String, _ link: String, _ options: [String], key: String = "image_url"
    ) async throws -> ProgramResult {
        let rig = try Rig.shared.get()
        let payload = #"{"aps":{"alert":"a","mutable-content":1},"KEY":"LINK"}"#
            .replacingOccurrences(of: "LINK", with: rig.link(link)).replacingOccurrences(of: "KEY", with: key)
        return try await Lanes.run {
            let folder = try TemporaryFolder()
            let file = try folder.file("payload.json", Array(payload.utf8))
            return try finish([Rig.program, "payload", verb, file] + options, environment: Rig.environment)
        }
    }

    /// Each link's findings; that the host is a private one is left out, as here all are.
    @Test(
        arguments: [
            ("{tls}/files/photo.jpg", [], [:]),
            ("{tls}/files/photo.png", [], ["link-type-mismatch": "it is jpeg"]),
            ("{tls}/files/page.jpg", [], ["link-type-not-accepted": "html"]),
            ("{tls}/as-page/photo.jpg", [], [:]),
            ("{tls}/files/none.jpg", [], ["link-unreachable": "404"]),
            ("{tls}/status/401?a.jpg", [], ["link-unreachable": "login", "link-suffixless": ""]),
            ("{tls}/zipped/bomb", [], ["link-too-large": "more than ", "link-suffixless": ""]),
            ("{tls}/slow-and-fresh/photo.jpg?payload", ["--timeout", "1"], ["link-too-slow": "time-limit"]),
            (
                "{tls}/to/plain", [],
                ["link-unreachable": "redirects from https to http", "link-suffixless": ""]
            ),
            ("{expired}/files/photo.jpg", [], ["link-unreachable": "secure connection"]),
            ("{plain}/files/photo.jpg", [], ["link-not-https": ""]),
            (
                "{raw}/cut", ["--allow-http"],
                ["link-not-https": "", "link-suffixless": "", "link-truncated": "broke off"]
            ),
            (
                "{raw}/huge", ["--allow-http"],
                ["link-not-https": "", "link-suffixless": "", "link-too-large": "input-too-large"]
            ),
            ("{plain}/files/photo.jpg", ["--allow-http"], ["link-not-https": ""]),
        ] as [(String, [String], [String: String])])
    func whatTheLinkLeadsTo(_ link: String, _ options: [String], _ expected: [String: String]) async throws {
        let rig = try Rig.shared.get()
        let result = try await run("check", link, rig.reachable + ["--fetch", "--json"] + options)
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output))
        let found = report.findings.filter { $0.code != "link-private-host" }
        #expect(Set(found.map(\.code)) == Set(expected.keys), "\(found)")
        #expect(found.count == expected.count)
        for finding in found {
            let words = expected[finding.code] ?? ""
            #expect(words.isEmpty || finding.what.contains(words), "\(finding.what)")
        }
        let isFatal = expected.keys.contains { $0 != "link-type-mismatch" }
        #expect(result.status == (isFatal ? 1 : 0))
    }

    @Test func privateAddressesAreNotLookedAtByDefault() async throws {
        let rig = try Rig.shared.get()
        let result = try await run(
            "check", "{tls}/files/photo.jpg?blocked", ["--fetch", "--json", "--ca-file", rig.nginx.authority])
        #expect(result.status == 1)
        #expect(String(decoding: result.output, as: UTF8.self).contains("blocked-address"))
        #expect(try rig.nginx.requests(with: "?blocked").isEmpty)
    }

    @Test func aPreparedLinkTakesTheOldOnesPlace() async throws {
        let rig = try Rig.shared.get()
        let cache = try TemporaryFolder()
        let options =
            rig.reachable + ["--cache", cache.path + "/cache", "--public-base", "https://push.example/"]
        for _ in 0..<2 {
            let result = try await run("rewrite", "{tls}/fresh/drawing?rewrite", options)
            let text = String(decoding: result.output, as: UTF8.self)
            #expect(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
            let pattern =
                /\{"aps":\{"alert":"a","mutable-content":1\},"image_url":"https:\/\/push\.example\/([0-9a-f]{2}\/[0-9a-f]{64}\.jpg)"\}/
            let match = try #require(text.wholeMatch(of: pattern), "\(text)")
            let made = try bytes(of: cache.path + "/cache/media/" + match.1)
            #expect(made.starts(with: [0xFF, 0xD8, 0xFF]))
        }
        #expect(try rig.nginx.requests(with: "?rewrite").count == 1)
    }

    @Test func aLinkThatLeadsToNothingLeavesThePayload() async throws {
        let rig = try Rig.shared.get()
        let cache = try TemporaryFolder()
        let options =
            rig.reachable + ["--cache", cache.path + "/cache", "--public-base", "https://push.example"]
        let result = try await run("rewrite", "{tls}/files/none", options)
        #expect(result.status == 1)
        #expect(String(decoding: result.output, as: UTF8.self).contains(rig.link("{tls}/files/none\"}")))
        #expect(String(decoding: result.errors, as: UTF8.self).contains("not-found"))
        let dropped = try await run("rewrite", "{tls}/files/none", options + ["--on-error", "drop"])
        #expect(dropped.output.isEmpty)
        #expect(dropped.status == 1)
    }
}
