import AttachmentPrep
import Foundation
import PayloadTools
import TestSupport
import Testing

/// A row of Tests/Fixtures/Payloads/expected.tsv: what must be found in a payload, by the rules of the
/// platform that its last column names.
struct PayloadCase: CustomTestStringConvertible, Sendable {
    let file: String
    let options: [(name: String, value: String)]
    /// `code@path`, sorted; one that begins with `!` is an error's code.
    let expected: [String]
    let source: String

    var testDescription: String { file }

    static let all: [PayloadCase] = {
        guard let bytes = try? fixture("Payloads/expected.tsv") else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let words = { (cell: String) in cell == "-" ? [] : cell.split(separator: " ").map(String.init) }
            return PayloadCase(
                file: cells[0],
                options: words(cells[1]).map { word in
                    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                    return (parts[0], parts[1])
                },
                expected: words(cells[2]).sorted(), source: cells[3])
        }
    }()

    var checkOptions: CheckOptions {
        get throws {
            var checked = CheckOptions()
            for (name, value) in options {
                switch name {
                case "category": checked.categories.append(value)
                case "headers": checked.headers = try APNsHeaders(fixture("Payloads/" + value))
                case "plist": checked.extensionPlist = try ExtensionPlist(fixture("Payloads/" + value))
                case "minimum": checked.minimumIOS = IOSVersion(value)
                case "key":
                    let isPath = checked.keys.add(value)
                    #expect(isPath)
                default: Issue.record("unknown option \(name)")
                }
            }
            return checked
        }
    }
}

@Suite struct FixtureTests {
    @Test(arguments: PayloadCase.all) func findings(_ given: PayloadCase) throws {
        let bytes = try fixture("Payloads/" + given.file)
        let report = PayloadCheck.report(on: bytes, try given.checkOptions)
        let found =
            report.findings.map { "\($0.rule.code)@\($0.path)" }
            + (report.error.map { ["!\($0.code.rawValue)"] } ?? [])
        #expect(found.sorted() == given.expected, "\(given.source)")
        for finding in report.findings {
            #expect(!finding.what.isEmpty)
            guard let offset = finding.offset else {
                #expect(!finding.path.hasPrefix("$"))
                continue
            }
            expectPlace(finding.path, offset, bytes)
        }
    }

    /// A finding's offset is that of the key its path ends with.
    private func expectPlace(_ path: String, _ offset: Int, _ bytes: [UInt8]) {
        guard path != "$" else {
            #expect(bytes[offset...].first.map { "{[\"".utf8.contains($0) } == true)
            return
        }
        let name =
            path.hasSuffix("']")
            ? path.dropLast(2).split(separator: "['").last ?? "" : path.split(separator: ".").last ?? ""
        let there = String(decoding: bytes[offset...].prefix(name.utf8.count + 6), as: UTF8.self)
        #expect(
            there.hasPrefix("\"\(name)\"") || there.hasPrefix("\"image\\u005furl"), "\(path): \(there)")
    }

    @Test func everyFileHasARowAndEveryRuleAFile() throws {
        let rows = PayloadCase.all
        let files = fixtureNames(in: "Payloads").filter { $0.hasSuffix(".json") }
        #expect(rows.map(\.file).sorted() == files)
        #expect(rows.count >= 60)
        #expect(rows.allSatisfy { !$0.source.isEmpty })
        let codes = Set(rows.flatMap(\.expected).map { String($0.prefix { $0 != "@" }) })
        // What only a fetch can tell is in LinkTests.
        let fetched = [
            "link-unreachable", "link-too-slow", "link-slow", "link-truncated", "link-type-not-accepted",
            "link-type-mismatch", "link-too-large", "link-heavy", "fcm-image-too-large", "fcm-image-slow",
        ]
        #expect(PayloadRule.all.map(\.code).filter { !codes.contains($0) && !fetched.contains($0) } == [])
    }

    @Test func codesAreOneWordEachAndUnique() {
        let codes = PayloadRule.all.map(\.code)
        #expect(Set(codes).count == codes.count)
        for rule in PayloadRule.all {
            #expect(rule.code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D })
            #expect(rule.why.hasSuffix(".") && rule.cure.hasSuffix("."), "\(rule.code)")
        }
    }

    /// What `message`, `what` and the sizes say where only arithmetic can tell.
    @Test(arguments: [
        ("size-4097.json", "4097 bytes, 1 over 4096; without white space it is still 4097"),
        (
            "size-white-space-too-large.json",
            "4100 bytes, 4 over 4096; without white space it is 3798 and fits"
        ),
    ])
    func howMuchTooLarge(_ file: String, _ what: String) throws {
        let report = PayloadCheck.report(on: try fixture("Payloads/" + file), CheckOptions())
        #expect(report.findings.first?.what == what)
    }

    /// The reasons of the article that asks why the customer's picture is missing: each has a payload here,
    /// and its finding is fatal where the picture cannot be seen.
    @Test(arguments: [
        ("iOS older than the extension's deployment target", "extension-too-new"),
        ("mutable-content beside aps", "mutable-content-outside"),
        ("link by http", "link-not-https"), ("link without an extension", "link-suffixless"),
        ("server too slow", "link-too-slow"), ("file over Apple's limit", "link-too-large"),
        ("silent push", "content-available-only"), ("no alert", "no-alert"),
        ("link inside aps", "link-inside-aps"), ("category in another case", "category-case"),
        ("more than 4 KB", "payload-too-large"), ("a login is asked for", "link-unreachable"),
    ])
    func everyReasonOfTheArticleIsFatal(_ reason: String, _ code: String) throws {
        let rule = try #require(PayloadRule.all.first { $0.code == code }, "\(reason)")
        #expect(rule.severity == .fatal)
    }

    @Test(arguments: [
        "personal-email", "personal-phone", "personal-card", "personal-key", "push-type-missing",
    ])
    func whatThePictureSurvivesIsAWarning(_ code: String) throws {
        #expect(try #require(PayloadRule.all.first { $0.code == code }).severity == .warning)
    }
}
