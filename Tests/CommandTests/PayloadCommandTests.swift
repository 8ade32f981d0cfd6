import Foundation
import TestSupport
import Testing

@Suite struct PayloadCommandTests {
    private static let keys = "echo 'k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' > keys; "
    private static let rewrite =
        "attachprep payload rewrite - --key-file keys --public-base https://push.example"
    /// README's vector.
    private static let signed =
        "https://push.example/s/k1.0.I3JZx7IwgLB-7tziO1GpHxem98_phUTaV_ssh_Jib9s/apns/aHR0cHM6Ly9zaG9wLmV4YW1wbGUvZG93bmxvYWQ_aWQ9MTU.jpg"
    private static let payload =
        #"{"aps":{"alert":"a","mutable-content":1},"image_url":"https://shop.example/download?id=15"}"#

    @Test(arguments: [
        ("", "what to do: check, rewrite"), ("chek a.json", "did you mean 'check'?"),
        ("check", "needs an input"),
        ("check - -", "once only"), ("rewrite a.json", "--key-file FILE, or --cache DIR"),
        ("rewrite a.json --key-file k", "--public-base URL"),
        ("rewrite a.json b.json --key-file k --public-base https://a.example", "takes one input"),
        ("rewrite a.json --key-file k --public-base https://a.example --profile apns,icon", "one profile"),
        ("check a.json --minimum-ios fifteen", "such as 15.4"),
        ("check a.json --key a..b", "media.links.big"),
        ("check a.json --on-error stop", "keep or drop"), ("check a.json --max-edge 9", "not of payload"),
        ("check https://a.example/a.json", "takes files only"),
    ])
    func wrongUseIsRefusedWithItsReason(_ words: String, _ message: String) throws {
        let run = try Workplace().run("attachprep payload \(words)")
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    // MARK: - check

    @Test func aFindingIsABlockThatSaysWhatWhereWhyAndHow() throws {
        let place = try Workplace()
        try place.write(["push.json": Data(Self.payload.utf8)])
        let run = try place.run("attachprep payload check push.json")
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "push.json: fatal: the link's path has no extension [link-suffixless]")
        #expect(lines.dropFirst().first == "  where  $.image_url, line 1, column 42 (byte 41)")
        #expect(lines.dropFirst(2).first?.hasPrefix("  why    iOS ") == true)
        #expect(lines.dropFirst(3).first?.contains("payload rewrite") == true)
        #expect(lines.last == "push.json: 1 fatal (APNs, \(Self.payload.utf8.count) of 4096 bytes)")
        #expect(lines.count == 5)
    }

    @Test func goodPayloadsAndWarningsEndWithZero() throws {
        let place = try Workplace()
        let good = Self.payload.replacingOccurrences(of: "download?id=15", with: "a.jpg")
        let warned = good.replacingOccurrences(of: "\"a\"", with: "\"a@b.example\"")
        try place.write(["good.json": Data(good.utf8), "warned.json": Data(warned.utf8)])
        let run = try place.run("attachprep payload check good.json warned.json")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("good.json: nothing wrong (APNs, \(good.utf8.count) of 4096 bytes)\n"))
        #expect(run.output.hasSuffix("warned.json: 1 warning (APNs, \(warned.utf8.count) of 4096 bytes)\n"))
        #expect(try place.run("attachprep payload check good.json warned.json -q").output.isEmpty)
    }

    @Test func whatIsNoJSONIsSaidWithItsPlace() throws {
        let place = try Workplace()
        let run = try place.run("printf '{\\n \"aps\": {},}' | attachprep payload check - --json")
        let object = try #require(try run.objects.first)
        let error = try #require(object["error"] as? [String: Any])
        #expect(error["code"] as? String == "invalid-payload")
        #expect((error["message"] as? String)?.hasPrefix("line 2, column 12: ") == true)
        #expect(object["verdict"] as? String == "fatal")
        #expect(object["kind"] is NSNull)
        #expect(run.status == 1)
    }

    @Test func aFileThatIsNotThereIsOneOfSeveral() throws {
        let place = try Workplace()
        try place.write(["push.json": Data(Self.payload.utf8)])
        let run = try place.run("attachprep payload check none.json push.json --json")
        let objects = try run.objects
        #expect(objects.map { $0["input"] as? String } == ["none.json", "push.json"])
        #expect((objects.first?["error"] as? [String: Any])?["code"] as? String == "io")
        #expect(run.status == 1)
    }

    @Test func eachLineIsAPayload() throws {
        let place = try Workplace()
        let good = Self.payload.replacingOccurrences(of: "download?id=15", with: "a.jpg")
        try place.write(["push.jsonl": Data("\(good)\n\n\(Self.payload)\r\nnonsense\n\(good)".utf8)])
        let run = try place.run("attachprep payload check push.jsonl --lines --json")
        let objects = try run.objects
        #expect(objects.map { $0["line"] as? Int } == [1, 3, 4, 5])
        #expect(objects.map { $0["verdict"] as? String } == ["clean", "fatal", "fatal", "clean"])
        #expect(run.status == 1)
    }

    @Test func headersAndPlistComeFromFiles() throws {
        let place = try Workplace()
        try place.write([
            "push.json": Data(Self.payload.replacingOccurrences(of: "download?id=15", with: "a.jpg").utf8),
            "headers": Data("apns-push-type: background\napns-topic: com.example\n".utf8),
            "binary.plist": Data("bplist00".utf8),
        ])
        let run = try place.run("attachprep payload check push.json --headers headers")
        #expect(run.status == 1)
        #expect(run.output.contains("[push-type-wrong]\n  where  apns-push-type\n"))
        let plist = try place.run("attachprep payload check push.json --extension-plist binary.plist")
        #expect(plist.status == 1)
        #expect(plist.errors.contains("binary.plist") && plist.errors.contains("plutil -convert xml1"))
        let environment = try place.run(
            "attachprep payload check push.json", environment: ["ATTACHPREP_HEADERS": "headers"])
        #expect(environment.status == 1)
    }

    @Test func whatCouldMoveACursorIsEscaped() throws {
        let text = #"{"aps":{"alert":"a","mutable-content":1,"\u001b[2J\u202e":1}}"#
        let run = try Workplace().run("printf '%s' '\(text)' | attachprep payload check -")
        #expect(
            !run.output.unicodeScalars.contains("\u{1B}") && !run.output.unicodeScalars.contains("\u{202E}"))
        #expect(run.output.contains("\\u{1b}[2J"))
    }

    // MARK: - rewrite

    @Test func aSignedLinkTakesTheOldOnesPlace() throws {
        let run = try Workplace().run(Self.keys + "printf '%s\\n' '\(Self.payload)' | \(Self.rewrite)")
        #expect(run.status == 0)
        #expect(
            run.output
                == Self.payload.replacingOccurrences(
                    of: "https://shop.example/download?id=15", with: Self.signed)
                + "\n")
        // A second run leaves what the first one wrote.
        let again = try Workplace().run(Self.keys + "printf '%s' '\(run.output)' | \(Self.rewrite)")
        #expect(again.output == run.output)
    }

    /// What we made has a shape of its own; originals on the same host have not.
    @Test func anOriginalUnderThePublicBaseIsRewrittenToo() throws {
        let key = String(repeating: "a1", count: 32)
        for (path, isOurs) in [
            ("download?id=15", false), ("s/photo.jpg", false), ("a1/\(key).jpg", true),
            ("b2/\(key).jpg", false),
        ] {
            let payload = Self.payload.replacingOccurrences(
                of: "https://shop.example/download?id=15", with: "https://push.example/\(path)")
            let run = try Workplace().run(Self.keys + "printf '%s' '\(payload)' | \(Self.rewrite)")
            #expect(run.status == 0, "\(run.errors)")
            #expect((run.output == payload) == isOurs, "\(path): \(run.output)")
        }
    }

    @Test(arguments: [("", true), ("--on-error keep", true), ("--on-error=drop", false)])
    func aBadLineIsToldAndKeptOrDropped(_ option: String, _ isKept: Bool) throws {
        let place = try Workplace()
        let http = Self.payload.replacingOccurrences(of: "https:", with: "http:")
        let lines = [Self.payload, "nonsense", "", http, "  ", Self.payload]
        try place.write(["lines": Data(lines.joined(separator: "\n").utf8)])
        let run = try place.run(Self.keys + "\(Self.rewrite) --lines \(option) < lines")
        let new = Self.payload.replacingOccurrences(
            of: "https://shop.example/download?id=15", with: Self.signed)
        let expected = [new, "nonsense", "", http, "  ", new].filter {
            isKept || $0 != "nonsense" && $0 != http
        }
        #expect(run.output == expected.joined(separator: "\n"))
        #expect(run.status == 1)
        let errors = run.errors.split(separator: "\n").map(String.init)
        #expect(errors.count == 2)
        #expect(errors.first?.hasPrefix("attachprep: -:2: invalid-payload: line 1, column 1: ") == true)
        #expect(errors.last?.hasPrefix("attachprep: -:4: insecure-url: ") == true)
        let records = try place.run(Self.keys + "\(Self.rewrite) --lines --json < lines 2>&1 >/dev/null")
            .objects
        #expect(records.map { $0["line"] as? Int } == [2, 4])
    }

    /// A sender that waits for each answer before it sends the next payload gets it.
    @Test func anAnswerDoesNotWaitForMoreInput() throws {
        let place = try Workplace()
        let script = """
            import subprocess, sys
            words = "\(Self.rewrite) --lines".split()
            program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for number in range(20):
                program.stdin.write(('{"image_url":"https://a.example/%d"}\\n' % number).encode())
                program.stdin.flush()
                line = program.stdout.readline()
                assert line.startswith(b'{"image_url":"https://push.example/s/k1.0.'), line
            program.stdin.close()
            assert program.stdout.read() == b"" and program.wait() == 0
            print("answered")
            """
        try place.write(["ask.py": Data(script.utf8)])
        #expect(try place.run(Self.keys + "timeout 60 python3 ask.py").output == "answered\n")
    }

    @Test func aReaderThatGoesAwayEndsAnEndlessStreamQuietly() throws {
        let run = try Workplace().run(
            Self.keys
                + "(yes '\(Self.payload)' 2>/dev/null | \(Self.rewrite) --lines; echo $? >&2) | head -n 3")
        #expect(run.output.split(separator: "\n").count == 3)
        #expect(run.errors == "0\n")
    }

    /// Memory does not grow with the number of lines, nor order change.
    @Test func aLongStreamTakesNoMoreMemoryThanAShortOne() throws {
        let place = try Workplace()
        let script = """
            import os, resource, subprocess, sys
            def peak(count):
                text = b"".join(b'{"aps":{"alert":"a"},"image_url":"https://a.example/%d","n":%d}\\n' % (n, n) for n in range(count))
                open("in", "wb").write(text)
                pid = os.posix_spawnp("sh", ["sh", "-c", "exec \(Self.rewrite) --lines < in > out"], os.environ)
                _, status, usage = os.wait4(pid, 0)
                assert status == 0
                numbers = [line.rsplit(b":", 1)[1] for line in open("out", "rb")]
                assert numbers == [b"%d}\\n" % n for n in range(count)]
                return usage.ru_maxrss
            print(peak(500), peak(10000))
            """
        try place.write(["peak.py": Data(script.utf8)])
        let run = try place.run(Self.keys + "python3 peak.py")
        let peaks = run.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(peaks.count == 2, "\(run.errors)")
        #expect(peaks[1] - peaks[0] < 3000, "kilobytes: \(peaks)")
    }

    /// A line longer than any payload passes in pieces.
    @Test func aLineWithoutEndIsPassedOrDropped() throws {
        let place = try Workplace()
        let make =
            "(printf '%s\\n' '\(Self.payload)'; head -c 40000000 /dev/zero; echo; printf '%s' '{}') > in; "
        let kept = try place.run(
            Self.keys + make + "\(Self.rewrite) --lines < in > out; tail -n +2 in > a; "
                + "tail -n +2 out > b; cmp a b && head -n 1 out | wc -c")
        #expect(
            kept.output.trimmingCharacters(in: .whitespacesAndNewlines)
                == "\(Self.payload.utf8.count + Self.signed.utf8.count - 34)")
        #expect(kept.errors.split(separator: "\n").count == 1)
        #expect(kept.errors.contains("-:2: input-too-large: "))
        let dropped = try place.run(Self.keys + "\(Self.rewrite) --lines --on-error drop < in | tail -n +2")
        #expect(dropped.output == "{}")
        let checked = try place.run("attachprep payload check in --lines --json").objects
        #expect(checked.map { $0["line"] as? Int } == [1, 2, 3])
    }

    @Test func aPayloadThatDoesNotFitIsTold() throws {
        let place = try Workplace()
        let long = Self.payload.dropLast() + ",\"pad\":\"" + String(repeating: "x", count: 4096) + "\"}"
        try place.write(["push.json": Data(long.utf8)])
        let run = try place.run(
            Self.keys
                + "attachprep payload rewrite push.json --key-file keys --public-base https://push.example")
        #expect(run.status == 1)
        #expect(run.output == long)
        #expect(run.errors.contains("over-limit") && run.errors.contains("over 4096"))
    }
}
