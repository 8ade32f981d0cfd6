import AttachmentPrep
import Foundation
import PayloadTools
import TestSupport
import Testing

/// Texts that JSON takes and such that it does not, in the manner of JSONTestSuite, judged by python3's
/// reader.
struct JSONCase: CustomTestStringConvertible, Sendable {
    let bytes: [UInt8]
    /// Where we differ from python3, and why.
    var exception: String?

    var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }

    init(_ text: String, _ exception: String? = nil) {
        bytes = Array(text.utf8)
        self.exception = exception
    }

    init(bytes: [UInt8], _ exception: String? = nil) {
        self.bytes = bytes
        self.exception = exception
    }

    static let all: [JSONCase] =
        [
            "{}", "[]", " [ ] ", "\t\n\r {} \r\n\t", "0", "-0", "-1", "1.5", "1e5", "1E+5", "-1.25e-7", "0.0",
            "123456789012345678901234567890", "1e400", "true", "false", "null", "\"\"", "\"a\"", "[1,2,3]",
            "[[[[]]]]", "[[],[[]]]", "{\"a\":{\"b\":[{\"c\":null}]}}", "{\"\":0}", "{\"a\":1,\"b\":2}",
            "{\"a\":1,\"a\":2}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\u00e9\\u20ac\"",
            "\"\\uD83D\\uDE00\"",
            "\"\\ud83d\\ude00\"", "\"\\u0000\"", "\"é€😀\"", "\"\u{7F}\"", "\"\u{2028}\"", "{\"\\u0061\": 1}",
            "[1 , 2]", "{ \"a\" : 1 , \"b\" : 2 }", "[\"\\\\\",\"\\\"\"]", "\"\u{FEFF}\"",
            "[0e0, 0E-0, -0.0]",
            // What is none.
            "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}", "{,}", "{\"a\" 1}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\":1 \"b\":2}", "[1}",
            "{\"a\":1]",
            "01", "-01", "+1", ".5", "1.", "1.e5", "1e", "1e+", "-", "--1", "0x10", "1_000", "1 2", "1a",
            "tru",
            "True", "nul", "truefalse", "\"", "\"a", "\"\\\"", "\"\\x41\"", "\"\\'\"", "\"\\u12\"",
            "\"\\u12G4\"",
            "\"\\U0041\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "[\"a\",\n4\n,1,", "{\"a\":1}x",
            "{}{}", "[]#", "/* a */ {}", "{} // a", "'a'", "\u{A0}{}", "\u{2028}{}", "[\u{0B}1]", "\u{C}[]",
            "{\"a\":\"b\"}}", "[\"a\\\\\\\"]", "\\u0041", "[1.2.3]", "[-a]", "[1e5.5]", "<a/>", "{\"a\":1:2}",
            "*",
        ].map { JSONCase($0) }
        + [
            JSONCase("NaN", "python3 takes it"), JSONCase("[Infinity]", "python3 takes it"),
            JSONCase("[-Infinity]", "python3 takes it"),
            JSONCase("\"\\uD83D\"", "RFC 8259, 8.2: no character"), JSONCase("\"\\uDE00\"", "RFC 8259, 8.2"),
            JSONCase("\"\\uDE00\\uD83D\"", "RFC 8259, 8.2"), JSONCase("\"\\uD83D\\n\"", "RFC 8259, 8.2"),
            JSONCase("\"\\uD83D\\uD83D\\uDE00\"", "RFC 8259, 8.2"), JSONCase("\"\\uD83Dx\"", "RFC 8259, 8.2"),
            JSONCase(bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], "python3 lets surrogates in UTF-8 pass"),
            JSONCase(bytes: [0x22, 0xED, 0xBF, 0xBF, 0x22], "python3 lets surrogates in UTF-8 pass"),
            JSONCase(bytes: [0xEF, 0xBB, 0xBF] + Array("{}".utf8), "python3 skips it; APNs does not"),
        ]
        + [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xFF],
            [0xFE], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3], [0xE9], [0xC3, 0x28], [0xE2, 0x28, 0xA1],
            [0xF0, 0x28, 0x8C, 0xBC],
            // These are characters.
            [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
            [0xF0, 0x90, 0x80, 0x80],
            [0xF4, 0x8F, 0xBF, 0xBF], [0xEF, 0xBF, 0xBF],
        ].map { JSONCase(bytes: [0x22] + $0 + [0x22]) }
}

@Suite struct JSONScannerTests {
    /// Reads base64 lines and says of each whether it is JSON, and what it means.
    private static let judge = """
        import base64, json, sys
        for line in open(sys.argv[1]):
            try:
                value = json.loads(base64.b64decode(line))
                print(base64.b64encode(json.dumps(value).encode()).decode())
            except (ValueError, RecursionError):
                print("no")
        """

    /// What python3 makes of each text: its value as JSON of one form, or nil.
    private func judged(_ texts: [[UInt8]]) throws -> [String?] {
        let folder = try TemporaryFolder()
        let lines = texts.map { Data($0).base64EncodedString() + "\n" }.joined()
        let answer = try run("python3", ["-c", Self.judge, try folder.file("texts", Array(lines.utf8))])
        return String(decoding: answer, as: UTF8.self).split(separator: "\n").map {
            $0 == "no" ? nil : String($0)
        }
    }

    @Test func whatIsJSONIsWhatPythonSays() throws {
        let verdicts = try judged(JSONCase.all.map(\.bytes))
        try #require(verdicts.count == JSONCase.all.count)
        #expect(verdicts.count { $0 != nil } >= 40)
        for (given, verdict) in zip(JSONCase.all, verdicts) {
            let isTaken = (try? JSONDocument(given.bytes)) != nil
            if given.exception == nil {
                #expect(isTaken == (verdict != nil), "\(given.testDescription)")
            } else {
                #expect(!isTaken && verdict != nil, "\(given.testDescription)")
            }
        }
    }

    @Test func withoutWhiteSpaceItMeansTheSame() throws {
        let taken = JSONCase.all.map(\.bytes).filter { (try? JSONDocument($0)) != nil }
        let small = try taken.map { try JSONDocument($0).minimised() }
        #expect(try judged(taken) == judged(small))
        for (text, small) in zip(taken, small) {
            // No white space is left outside strings: in these texts, none but that of escapes.
            #expect(small.count <= text.count)
            #expect(!small.contains { [0x09, 0x0A, 0x0D].contains($0) })
            #expect(try JSONDocument(small).minimised() == small)
        }
    }

    @Test(arguments: [
        ("{\"a\": x}", 1, 7, "a value should stand here"),
        ("{\n  \"é\": 1,\n}", 3, 1, "a key in double quotes"),
        ("{\"é\" 1}", 1, 6, "a colon"), ("[1\n 2]", 2, 2, "a comma"), ("[1] 2", 1, 5, "something follows"),
        ("[\"a\nb\"]", 1, 4, "control character"), ("[\"\\ud83d\"]", 1, 3, "surrogate"),
        ("[01]", 1, 2, "zero"),
        ("[\"ab", 1, 5, "ends in the middle"), ("", 1, 1, "nothing in it"),
    ])
    func whereAndWhy(_ text: String, _ line: Int, _ column: Int, _ why: String) throws {
        let error = PayloadCheck.report(on: Array(text.utf8), CheckOptions()).error
        let message = try #require(error).message
        #expect(error?.code == .invalidPayload)
        #expect(message.hasPrefix("line \(line), column \(column): "), "\(message)")
        #expect(message.contains(why), "\(message)")
    }

    @Test func theByteThatIsNotUTF8IsNamed() throws {
        // "café" in Latin-1.
        let bytes = Array("[\"caf".utf8) + [0xE9] + Array("\"]".utf8)
        let error = try #require(PayloadCheck.report(on: bytes, CheckOptions()).error)
        #expect(error.message.contains("not UTF-8"))
        #expect(error.detail == "byte 5, 0xe9")
    }

    @Test func valuesStandWhereTheySay() throws {
        let text = #" {"a" : [1.50, "x\/y", {"b":null}], "é\u0041": true } "#
        let document = try JSONDocument(Array(text.utf8))
        let found = document.nodes.indices.map { index in
            let node = document.nodes[index]
            return "\(document.path(index)) " + String(decoding: document.bytes[node.range], as: UTF8.self)
        }
        #expect(
            found == [
                "$ " + text.dropFirst().dropLast(), #"$.a [1.50, "x\/y", {"b":null}]"#, "$.a[0] 1.50",
                #"$.a[1] "x\/y""#, #"$.a[2] {"b":null}"#, "$.a[2].b null", "$['éA'] true",
            ])
        let keys = document.nodes.compactMap(\.keyRange).map {
            String(decoding: document.bytes[$0], as: UTF8.self)
        }
        #expect(keys == [#""a""#, #""b""#, #""é\u0041""#])
    }

    @Test func depthIsBounded() throws {
        let nested = { (depth: Int) in Array(String(repeating: "[", count: depth).utf8) }
        let closed = { (depth: Int) in nested(depth) + Array(String(repeating: "]", count: depth).utf8) }
        #expect(try JSONDocument(closed(512)).nodes.count == 512)
        #expect(throws: JSONFault(reason: .tooDeep, offset: 512)) { try JSONDocument(closed(513)) }
        #expect(throws: JSONFault(reason: .tooDeep, offset: 512)) { try JSONDocument(nested(100_000)) }
        let objects = Array(String(repeating: "{\"a\":", count: 100_000).utf8)
        #expect(throws: JSONFault(reason: .tooDeep, offset: 5 * 512)) { try JSONDocument(objects) }
    }

    @Test func whatIsLargeIsReadOrRefused() throws {
        let string = [0x22] + [UInt8](repeating: 0x61, count: 1_000_000) + [0x22]
        #expect(try JSONDocument(string).nodes.count == 1)
        let number = [UInt8](repeating: 0x39, count: 10_000_000)
        #expect(try JSONDocument(number).nodes.first?.range == 0..<10_000_000)
        let values = Array(("[" + String(repeating: "0,", count: 1 << 18) + "0]").utf8)
        #expect(throws: JSONFault(reason: .tooMany, offset: 2 * (1 << 18) - 1)) { try JSONDocument(values) }
        let spaces = [UInt8](repeating: 0x20, count: JSONDocument.longest + 1)
        #expect(throws: JSONFault(reason: .tooLong, offset: 0)) { try JSONDocument(spaces) }
        let report = PayloadCheck.report(on: spaces, CheckOptions())
        #expect(report.error?.code == .inputTooLarge)
    }

    /// A payload full of faults is told of in part: a list of all would take as long as it is.
    @Test(arguments: [
        ("{\"aps\":{", "\"key#\":\"https://a.example/#\"", "}}"),
        ("{\"aps\":{\"alert\":\"a\"},", "\"image_url\":\"http://a.example/#\"", "}"),
        (
            "{\"aps\":{\"alert\":\"a\"},\"a\":[", "{\"type_hint\":\"image/#\",\"phone\":\"a@b.example #\"}",
            "]}"
        ),
        ("{\"message\":{", "\"field#\":#", "}}"), ("{\"message\":{\"data\":{", "\"google#\":#", "}}}"),
    ])
    func whatIsFullOfFaultsHasABoundedReport(_ head: String, _ member: String, _ tail: String) {
        let members = (0..<50_000).map {
            member.split(separator: "#", omittingEmptySubsequences: false).joined(separator: String($0))
        }
        let text = head + members.joined(separator: ",") + tail
        let report = PayloadCheck.report(on: Array(text.utf8), CheckOptions())
        #expect(report.error == nil)
        #expect(report.findings.count == 100)
    }

    /// Bytes that are cut, repeated and replaced by chance end in a tree or a fault, and never in a trap.
    @Test func damagedPayloadsEndInAnAnswer() throws {
        var random = SeededGenerator(seed: 10)
        let texts = try fixtureNames(in: "Payloads").filter { $0.hasSuffix(".json") }.map {
            try fixture("Payloads/" + $0)
        }.filter { !$0.isEmpty }
        var taken = 0
        for round in 0..<4000 {
            var bytes = texts[round % texts.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(contentsOf: "{}[]\",:\\0".utf8.prefix(1 + index % 9), at: index)
                default: if bytes.count > 1 { bytes.remove(at: index) }
                }
            }
            let report = PayloadCheck.report(on: bytes, CheckOptions())
            if report.error == nil { taken += 1 }
            #expect(report.findings.allSatisfy { $0.offset ?? 0 < bytes.count })
        }
        #expect(taken > 100)
    }
}
