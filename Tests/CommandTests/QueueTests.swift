import Foundation
import TestSupport
import Testing

@testable import attachprep

@Suite struct QueueTests {
    private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    /// Queues uploads as tusd's hook would.
    private func queue(_ uploads: Uploads, _ ids: [String], size: Int = Samples.jpeg.count) throws {
        for id in ids {
            let call = try uploads.tusd(
                uploads.message("post-finish", uploads.upload(id, size: size)),
                environment: uploads.queueing)
            #expect(call.said["status"] as? Int == 0 && call.said["error"] is NSNull, "\(call.errors)")
        }
    }

    private func sweep(
        _ uploads: Uploads, _ words: String = "", _ environment: [String: String]? = nil
    ) throws -> Workplace.Run {
        try uploads.place.run(
            "attachprep sweep --json \(words)", environment: environment ?? uploads.queueing)
    }

    @Test func aQueuedUploadIsDoneOnce() throws {
        let uploads = try Uploads()
        try queue(uploads, ["a1", "a1", "a1"])
        #expect(try uploads.files("out").isEmpty)
        #expect(try uploads.files("queue").filter { $0.hasPrefix("new/") }.count == 1)
        let run = try sweep(uploads)
        #expect(run.status == 0)
        #expect(try run.objects.map { $0["outcome"] as? String } == ["passedThrough"])
        #expect(try uploads.files("out") == ["a1.jpg"])
        try queue(uploads, ["a1"])
        #expect(try sweep(uploads).output.isEmpty)
        #expect(try uploads.files("queue").map { $0.prefix(5) } == ["done/"])
    }

    @Test func whatIsBadStaysThereWithItsRecord() throws {
        let uploads = try Uploads()
        try uploads.add("text", Samples.text)
        try queue(uploads, ["text"], size: 11)
        #expect(try sweep(uploads).status == 1)
        let bad = try uploads.files("queue")
        #expect(bad.count == 1 && bad[0].hasPrefix("bad/"))
        let verdict = try uploads.place.run("cat queue/\(bad[0])").objects[0]
        let record = try #require(verdict["record"] as? [String: Any])
        #expect((record["error"] as? [String: Any])?["code"] as? String == "unknown-format")
        // The message again changes nothing; a picture in its place and a word do.
        try queue(uploads, ["text"], size: 11)
        #expect(try sweep(uploads).output.isEmpty)
        try uploads.place.write(["uploads/text": Samples.jpeg])
        #expect(try sweep(uploads, "--retry-bad").status == 0)
        #expect(try uploads.files("out") == ["text.jpg"])
        #expect(try uploads.files("queue").map { $0.prefix(5) } == ["done/"])
    }

    @Test func uploadsWhoseHookGotLostAreFound() throws {
        let uploads = try Uploads()
        try uploads.add("b2", Samples.jpeg)
        try uploads.add("growing", Samples.jpeg, isWhole: false)
        try uploads.add("part", Samples.jpeg, isPartial: true)
        try uploads.place.write([
            "uploads/garbage.info": Data("{".utf8),
            "uploads/out.info": Data(uploads.upload("out", size: 5, path: "/etc/hostname").utf8),
            "uploads/gone.info": Data(uploads.upload("gone", size: 5).utf8),
            "old/o": Samples.jpeg, "old/o.info": Data(#"{"ID":"o","Size":\#(Samples.jpeg.count)}"#.utf8),
        ])
        _ = try uploads.place.run("mkfifo uploads/pipe.info; touch -d '-8 days' old/o")
        try queue(uploads, ["a1"])
        let first = try sweep(uploads)
        #expect(try first.objects.count == 1)
        let run = try uploads.place.run(
            "attachprep sweep --queue queue --output out --tusd-dir uploads --tusd-dir old --json")
        // What cannot be read is told, and the rest is done.
        #expect(run.status == 1)
        #expect(run.errors.contains("garbage.info") && run.errors.contains("pipe.info"))
        #expect(try run.objects.map { ($0["input"] as? String)?.suffix(3) } == ["/b2"])
        #expect(try uploads.files("out") == ["a1.jpg", "b2.jpg"])
        // What is older than done jobs are remembered for is left alone, unless that is longer.
        let longer = try uploads.place.run(
            "attachprep sweep --queue queue --output out --tusd-dir old --done-days 30 --json")
        #expect(try longer.status == 0 && longer.objects.count == 1)
        #expect(try uploads.files("out") == ["a1.jpg", "b2.jpg", "o.jpg"])
    }

    @Test func twoSweepsShareTheWork() throws {
        let uploads = try Uploads()
        _ = try uploads.place.run(
            """
            cd uploads; i=0; while [ $i -lt 200 ]; do cp a1 u$i
            printf '{"ID":"u%s","Size":%s}' $i \(Samples.jpeg.count) > u$i.info; i=$((i + 1)); done; rm a1 a1.info
            """)
        let queued = try uploads.place.run(
            "attachprep sweep --queue queue --output out --tusd-dir uploads --json & "
                + "attachprep sweep --queue queue --output out --tusd-dir uploads --json > second; wait; "
                + "cat second")
        let inputs = try queued.objects.compactMap { $0["input"] as? String }
        #expect(inputs.count == 200 && Set(inputs).count == 200)
        #expect(try queued.objects.allSatisfy { $0["outcome"] as? String == "passedThrough" })
        #expect(try uploads.files("out").count == 200)
        #expect(try uploads.files("queue").filter { $0.hasPrefix("done/") }.count == 200)
        #expect(try uploads.files("queue").count == 200)
    }

    /// Fifty times SIGKILL, each at another moment: nothing is lost, and nothing half-done is ever seen.
    @Test func killsLoseNothing() throws {
        let uploads = try Uploads()
        var generator = SeededGenerator(seed: 9)
        let moments = (0..<50).map { _ in String(format: "0.%03d", Int.random(in: 1...180, using: &generator))
        }
        let run = try uploads.place.run(
            """
            attachprep prepare uploads/a1 --output wanted --quiet || exit 9
            n=0
            for moment in \(moments.joined(separator: " ")); do
                for more in 1 2 3; do
                    n=$((n + 1)); cp uploads/a1 uploads/k$n
                    printf '{"ID":"k%s","Size":%s}' $n \(Samples.jpeg.count) > uploads/k$n.info
                done
                attachprep sweep --quiet --tusd-dir uploads & victim=$!
                sleep $moment; kill -9 $victim 2>/dev/null && killed=$((killed + 1)); wait $victim 2>/dev/null
                for file in out/*.jpg; do
                    [ ! -e "$file" ] || cmp -s "$file" wanted/a1.jpg || echo "half: $file"
                done
            done
            echo "killed $killed"
            attachprep sweep --quiet --tusd-dir uploads
            # Whoever was killed three times over one job has given it up, and put it where it can be seen.
            attachprep sweep --quiet --retry-bad
            for file in out/*.jpg; do cmp -s "$file" wanted/a1.jpg || echo "half: $file"; done
            ls queue/new queue/run queue/bad | grep -c json; ls queue/done | wc -l; ls out | wc -l
            find out -name '.*' -type f
            """, environment: uploads.queueing)
        let lines = run.output.split(separator: "\n").map(String.init)
        // 150 uploads and a1.
        #expect(lines.dropFirst() == ["0", "151", "151"], "\(run.output)\n\(run.errors.suffix(2000))")
        #expect(lines.first?.hasPrefix("killed ") == true)
    }

    /// What cannot be written is not acknowledged.
    @Test func aFullDiskAcknowledgesNothing() throws {
        let uploads = try Uploads()
        try uploads.place.write([
            "message": Data(
                uploads.message("post-finish", uploads.upload("a1", size: Samples.jpeg.count)).utf8)
        ])
        // A file may be of no bytes: as good as no space, and it needs nobody's leave.
        let limited = try uploads.place.run(
            """
            attachprep sweep --quiet --output out --queue queue
            (ulimit -f 0; TUS_ID=a1 exec attachprep hook < message > /dev/null 2>&1); echo "status $?"
            find queue -type f
            """, environment: uploads.queueing)
        #expect(limited.output != "status 0\n" && limited.output.hasPrefix("status "), "\(limited.output)")
        let full = try uploads.place.run(
            """
            unshare -m true 2>/dev/null || { echo 'no leave'; exit; }
            unshare -m sh -c 'mkdir disk && mount -t tmpfs -o size=64k tmpfs disk || { echo "no leave"; exit; }
                export ATTACHPREP_QUEUE=$PWD/disk/queue TUS_ID=a1
                mkdir -p disk/queue; attachprep sweep --quiet --output out
                cat /dev/zero > disk/ballast 2> /dev/null
                attachprep hook < message 2> words; echo "status $?"; grep -o no-space words
                find disk/queue -type f
                rm disk/ballast
                attachprep hook < message 2> words; echo "status $?"; find disk/queue -type f | wc -l
                attachprep sweep --quiet --output out; echo "status $?"; ls out'
            """, environment: uploads.environment)
        if full.output != "no leave\n" {
            #expect(full.output == "status 1\nno-space\nstatus 0\n1\nstatus 0\na1.jpg\n", "\(full.errors)")
        }
    }

    @Test func anInterruptGivesJobsBack() throws {
        let uploads = try Uploads()
        _ = try uploads.place.run(
            """
            cd uploads; i=0; while [ $i -lt 300 ]; do cp a1 u$i
            printf '{"ID":"u%s","Size":%s}' $i \(Samples.jpeg.count) > u$i.info; i=$((i + 1)); done
            """)
        let run = try uploads.place.run(
            """
            attachprep sweep --tusd-dir uploads --quiet & victim=$!
            while [ "$(ls queue/done 2>/dev/null | wc -l)" -lt 5 ]; do sleep 0.01; done
            kill -INT $victim; wait $victim; echo $?
            attachprep sweep --quiet; echo $?
            ls queue/new queue/run queue/bad | grep -c json; ls queue/done | wc -l
            """, environment: uploads.queueing)
        #expect(run.output == "130\n0\n0\n301\n", "\(run.errors)")
    }

    // MARK: - Callbacks

    /// Runs a script while a server takes calls; `$url` is its address, and what it got comes after.
    private func withCalls(
        _ uploads: Uploads, refusals: String = "0", before: String = "", _ script: String
    ) throws -> (run: Workplace.Run, calls: [[String: Any]]) {
        let run = try uploads.place.run(
            """
            echo 'k1 \(Self.key)' > keys; export ATTACHPREP_CALLBACK_KEY_FILE=$PWD/keys
            \(before)
            mkfifo hold; python3 \(servers)/callback.py "$PWD" \(Self.key) \(refusals) < hold & server=$!
            exec 3> hold
            while [ ! -e port ]; do sleep 0.05; done
            url=http://127.0.0.1:$(cat port)/done?x=1
            \(script)
            exec 3>&-; wait $server
            """, environment: uploads.queueing)
        let calls = try uploads.place.run("cat calls 2>/dev/null").objects
        return (run, calls)
    }

    @Test func whatCameOfAJobIsToldAndSigned() throws {
        let uploads = try Uploads()
        try uploads.add("text", Samples.text)
        try queue(uploads, ["a1"])
        try queue(uploads, ["text"], size: 11)
        let (run, calls) = try withCalls(
            uploads, "attachprep sweep --quiet --callback \"$url\"; attachprep sweep --callback \"$url\"")
        #expect(calls.count == 2, "\(run.errors)")
        #expect(calls.allSatisfy { $0["signed"] as? Bool == true && $0["key"] as? String == "k1" })
        #expect(
            calls.allSatisfy { $0["path"] as? String == "/done?x=1" && $0["method"] as? String == "POST" })
        #expect(calls.allSatisfy { $0["type"] as? String == "application/json" })
        #expect(Set(calls.compactMap { $0["id"] as? String }) == ["a1", "text"])
        #expect(Set(calls.compactMap { $0["outcome"] as? String }) == ["passedThrough", "rejected"])
        #expect(try uploads.files("queue").filter { $0.hasPrefix("call/") }.isEmpty)
    }

    @Test func aRefusedCallIsMadeAgainAndNoRedirectFollowed() throws {
        let uploads = try Uploads()
        try queue(uploads, ["a1"])
        let (run, calls) = try withCalls(
            uploads, refusals: "1r", "attachprep sweep --quiet --callback \"$url\"; echo $?")
        #expect(run.output == "0\n")
        #expect(calls.map { $0["status"] as? Int } == [500, 302, 204])
        #expect(calls.allSatisfy { $0["signed"] as? Bool == true && $0["path"] as? String == "/done?x=1" })
        #expect(run.errors.contains("HTTP status 500"))
    }

    @Test func aCallSurvivesTheEndOfItsProcess() throws {
        let uploads = try Uploads()
        try queue(uploads, ["a1"])
        let (run, calls) = try withCalls(
            uploads,
            before: """
                attachprep sweep --quiet --callback http://127.0.0.1:9/ 2>/dev/null & victim=$!
                while [ -z "$(ls queue/done)" ]; do sleep 0.01; done
                kill -9 $victim; wait $victim 2>/dev/null; ls queue/call | wc -l
                """, "sleep 1; attachprep sweep --quiet --callback \"$url\"; echo $?; ls out queue/call")
        #expect(run.output == "1\n0\nout:\na1.jpg\n\nqueue/call:\n", "\(run.errors)")
        #expect(calls.count == 1 && calls.first?["signed"] as? Bool == true)
    }

    @Test func withoutAQueueTheHookCallsItself() throws {
        let uploads = try Uploads()
        let (run, calls) = try withCalls(
            uploads, refusals: "1",
            "unset ATTACHPREP_QUEUE; attachprep hook uploads/a1 --quiet --callback \"$url\"; echo $?")
        #expect(run.output == "0\n", "\(run.errors)")
        #expect(calls.map { $0["status"] as? Int } == [500, 204])
        #expect(calls.last?["outcome"] as? String == "passedThrough")
    }
}
