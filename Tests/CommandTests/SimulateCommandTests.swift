import Foundation
import TestSupport
import Testing

/// `attachprep simulate`: the matrix of networks, inputs and payloads, each with what the user must see.
@Suite struct SimulateCommandTests {
    /// A row of the matrix.
    struct Case: CustomStringConvertible, Sendable {
        let name, verdict, text, why, options, payload: String
        var description: String { name }

        init?(_ line: Substring) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 6, !line.hasPrefix("#") else { return nil }
            (name, verdict, text) = (fields[0], fields[1], fields[2])
            (why, options) = (fields[3], fields[4])
            payload =
                fields[5] == "ok"
                ? #"{"aps":{"alert":{"title":"Order","body":"changed"},"mutable-content":1},"#
                    + #""image_url":"https://a.example/picture"}"#
                : fields[5]
        }
    }

    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures/Simulations")

    static let cases: [Case] = {
        let text = try? String(contentsOf: fixtures.appendingPathComponent("matrix.tsv"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").compactMap { Case($0) }
    }()

    /// What links lead to, made once.
    private static let place: Workplace? = {
        guard let place = try? Workplace(),
            let run = try? place.run("'\(fixtures.path)/media' ."), run.status == 0
        else { return nil }
        return place
    }()

    @Test func theMatrixIsReadAndLargeEnough() throws {
        #expect(Self.cases.count >= 80)
        let file = Self.fixtures.appendingPathComponent("matrix.tsv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(Self.cases.count == lines.count)
        #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
    }

    @Test(arguments: cases)
    func aPushIsSeenAsItMustBe(_ test: Case) throws {
        let place = try #require(Self.place)
        // Builds for debugging and for sanitizers take more memory and time than a phone allows; `Tests/Peers/run simulate` does not.
        var phone = test.options.contains("--extension-memory") ? "" : " --extension-memory 4GB"
        if !test.options.contains("--extension-seconds") { phone += " --extension-seconds 300" }
        let quoted = test.payload.replacingOccurrences(of: "'", with: #"'\''"#)
        let run = try place.run(
            "printf %s '\(quoted)' | attachprep simulate - --json \(test.options)\(phone)")
        let outcomes = try run.objects
        #expect(!outcomes.isEmpty, "\(run.errors)")
        for outcome in outcomes {
            let delivery = outcome["delivery"] as? [String: Any] ?? [:]
            let words = ["title", "subtitle", "body"].compactMap { delivery[$0] as? String }.filter {
                !$0.isEmpty
            }
            let why = outcome["why"] as? String
            #expect(outcome["verdict"] as? String == test.verdict, "\(why ?? "")")
            if test.verdict != "nothing" { #expect(words.joined(separator: " / ") == test.text) }
            if test.why == "-" {
                #expect(why == nil)
            } else {
                #expect(why?.contains(test.why) == true, "\(why ?? "nil")")
            }
            // Where the extension was asked and lived, it answered once.
            let answers = ["picture", "media", "text"].contains(test.verdict) ? 1 : 0
            #expect(outcome["deliveries"] as? Int == answers)
        }
        let status = outcomes.allSatisfy { ($0["why"] as? String) == nil } ? 0 : 1
        #expect(run.status == status, "\(run.errors)")
    }

    @Test func thePictureCanBeKeptAndTheTimelineIsRead() throws {
        let place = try #require(Self.place)
        try place.write([
            "push.json": Data(
                #"{"aps":{"alert":"Hi","mutable-content":1},"image_url":"https://a.example/x"}"#.utf8)
        ])
        let run = try place.run(
            "attachprep simulate push.json --media-answer jpeg --output seen --extension-memory 4GB")
        #expect(run.status == 0, "\(run.errors)")
        let steps = run.output.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true)
        }
        .compactMap { $0.count > 2 ? String($0[2]) : nil }
        let known = ["began", "located", "asking", "requested", "prepared", "delivering"]
        #expect(known.allSatisfy(steps.contains), "\(run.output)")
        #expect(run.output.contains("push.json: picture 'Hi' with seen/push-1.jpg"))
        #expect(
            try JPEGSamples.reference(
                Array(Data(contentsOf: place.folder.appendingPathComponent("seen/push-1.jpg")))
            ).width > 100)
        let quiet = try place.run(
            "attachprep simulate push.json -q --media-answer jpeg --extension-memory 4GB")
        #expect(quiet.output.split(separator: "\n").count == 1)
    }

    /// As SPEC's `prepare`: nothing a run reads is replaced by what it writes.
    @Test func ownInputsAreNotReplaced() throws {
        let place = try Workplace()
        let jpeg = try Data(contentsOf: #require(Self.place).folder.appendingPathComponent("jpeg"))
        let push = Data(#"{"aps":{"alert":"Hi","mutable-content":1},"image_url":"https://a.example/x"}"#.utf8)
        try place.write(["push.json": push, "push-1.jpg": jpeg, "other/push-1.jpg": push])
        for line in [
            "push.json --media-answer push-1.jpg -o .", "other/push-1.jpg --media-answer push-1.jpg -o other",
        ] {
            let run = try place.run("attachprep simulate --extension-memory 4GB \(line)")
            #expect(run.status == 64)
            #expect(run.errors.contains("would replace an input"), "\(run.errors)")
        }
        #expect(try Data(contentsOf: place.folder.appendingPathComponent("push-1.jpg")) == jpeg)
        #expect(try Data(contentsOf: place.folder.appendingPathComponent("other/push-1.jpg")) == push)
    }

    @Test func whatCannotBeWrittenIsSaidBeforeAnythingRuns() throws {
        let place = try Workplace()
        try place.write([
            "file": Data(), "push.json": Data(#"{"aps":{"alert":"Hi","mutable-content":1}}"#.utf8),
        ])
        for (option, code) in [("--cache file/cache", "io"), ("-o file/out", "io")] {
            let run = try place.run("attachprep simulate push.json --json \(option)")
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("\(code): cannot"), "\(run.errors)")
        }
    }

    @Test func aSignalEndsTheWaitForAPayload() throws {
        let run = try Workplace().run(
            """
            mkdir tmp; mkfifo pipe; exec 3<> pipe; TMPDIR=$PWD/tmp attachprep simulate - < pipe & job=$!
            sleep 1; kill -TERM $job; wait $job; status=$?; ls tmp; exit $status
            """)
        #expect(run.status == 143)
        #expect(run.output.isEmpty, "\(run.output)")
    }

    /// `timeout` signals a process and its group, which is one wish, not two.
    @Test(arguments: ["INT", "TERM", "HUP"]) func anInterruptedRunLeavesNothingAndTellsWhatEnded(
        _ signal: String
    )
        throws
    {
        let place = try Workplace()
        let jpeg = try #require(Self.place).folder.appendingPathComponent("jpeg").path
        try place.write([
            "push.json": Data(
                #"{"aps":{"alert":"Hi","mutable-content":1},"image_url":"https://a.example/x"}"#.utf8)
        ])
        let run = try place.run(
            """
            mkdir tmp; TMPDIR=$PWD/tmp attachprep simulate push.json push.json --every 600 --json -o seen \
                --extension-memory 4GB --media-answer '\(jpeg)' & job=$!
            for i in $(seq 300); do ls tmp/*/handed-out/* >/dev/null 2>&1 && break; sleep 0.1; done; sleep 1
            kill -\(signal) $job; kill -\(signal) $job; wait $job; status=$?; ls tmp >&2; exit $status
            """)
        #expect(run.status == ["INT": 130, "TERM": 143, "HUP": 129][signal])
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(try run.objects.count == 1)
        #expect(
            FileManager.default.fileExists(
                atPath: place.folder.appendingPathComponent("seen/push-1.jpg").path))
    }

    @Test func theCacheOutlivesTheExtension() throws {
        let place = try Workplace()
        let jpeg = try #require(Self.place).folder.appendingPathComponent("jpeg").path
        try place.write([
            "push.json": Data(
                #"{"aps":{"alert":"Hi","mutable-content":1},"image_url":"https://a.example/x"}"#.utf8)
        ])
        let line =
            "attachprep simulate push.json --cache phone --extension-memory 4GB --json --media-answer '\(jpeg)'"
        #expect(try place.run(line).status == 0)
        // The network is gone, the picture is there.
        let again = try place.run(line + " --network dead --extension-seconds 20")
        #expect(try again.objects.first?["verdict"] as? String == "picture")
    }

    @Test(arguments: [
        ("", "needs a payload"), ("- -", "once only"),
        ("a.json --network modem", "there is no network 'modem'"),
        ("a.json --network slo", "did you mean 'slow'?"),
        ("a.json --network real --media-answer x", "leave out --media-answer"),
        ("a.json --clock 0", "from 1 to 100"), ("a.json --extension-seconds 0", "more than no time"),
        ("a.json --details https://a.example", "{id}"), ("a.json --data-mode fast", "constrained"),
        ("a.json --max-edge 3", "not of simulate"), ("a.json -o -", "--output DIR"),
    ])
    func wrongUseIsRefusedWithItsReason(_ words: String, _ message: String) throws {
        let run = try Workplace().run("attachprep simulate \(words)")
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(arguments: [
        ("none.json", "cannot read none.json"), ("push.json --media-answer none", "cannot read none"),
        ("push.json --payload-key push.json", "64 hexadecimal digits"),
        ("push.json --strings list.json", "no JSON object"),
    ])
    func filesThatAreNotThereAreNamed(_ words: String, _ message: String) throws {
        let place = try Workplace()
        try place.write(["push.json": Data(#"{"aps":{"alert":"a"}}"#.utf8), "list.json": Data("[]".utf8)])
        let run = try place.run("attachprep simulate \(words)")
        #expect(run.status == 1)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}
