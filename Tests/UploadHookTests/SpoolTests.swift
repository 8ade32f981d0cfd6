import AttachmentPrep
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UploadHook

@Suite struct SpoolTests {
    /// A fresh folder with a queue in it.
    private final class Place {
        let folder: TemporaryFolder
        let queue: String
        let lines = Box()

        final class Box: Sendable {
            private let lines = Monitor<[String]>([])
            var all: [String] { lines.update { $0 } }
            func add(_ line: String) { lines.update { $0.append(line) } }
        }

        init() throws {
            folder = try TemporaryFolder()
            queue = folder.path + "/queue"
        }

        func spool(pauses: [Double] = [0]) throws -> JobSpool {
            var rules = JobSpool.Rules()
            rules.pauses = pauses
            let lines = lines
            rules.log = { lines.add($0) }
            return try JobSpool(FilePath(queue), rules: rules)
        }

        func names(_ part: String) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(queue)/\(part)")) ?? []).sorted()
        }

        func counts() -> [Int] { ["new", "run", "done", "bad", "tmp", "aside"].map { names($0).count } }
    }

    private func job(_ id: String, size: Int? = 5) -> SpoolJob {
        SpoolJob(.tusd, id: id, size: size, place: .file(FilePath("/u/\(id)")), received: 1_800_000_000)
    }

    private func record(_ job: SpoolJob, _ code: PrepError.Code? = nil) -> PreparationRecord {
        var record = PreparationRecord(input: job.id, outcome: code?.outcome ?? .prepared)
        record.error = code.map { PrepError($0, .decode, "no") }
        return record
    }

    @Test func aJobIsTakenOnceAndRemembered() throws {
        let place = try Place()
        let spool = try place.spool()
        #expect(try spool.enqueue(job("a")))
        #expect(try !spool.enqueue(job("a")))
        #expect(spool.counts == .init(waiting: 1, running: 0, bad: 0))
        var claimed: ClaimedJob? = try spool.claim()
        #expect(claimed?.job.id == "a" && claimed?.job.attempts == 1)
        #expect(try !spool.enqueue(job("a")))
        #expect(try spool.claim() == nil)
        // Nor by another process: locks are of the open file.
        #expect(try place.spool().claim() == nil)
        #expect(spool.counts == .init(waiting: 0, running: 1, bad: 0))
        try claimed?.finish(with: record(job("a")))
        claimed = nil
        #expect(try !spool.enqueue(job("a")))
        #expect(try spool.claim() == nil)
        #expect(place.counts() == [0, 0, 1, 0, 0, 0])
        // Another size is another upload, and so is another server's.
        #expect(try spool.enqueue(job("a", size: 6)))
        #expect(try spool.enqueue(job("a", size: nil)))
        #expect(place.lines.all.isEmpty)
    }

    @Test func theFileNameIsTheHashThatIsWrittenDown() throws {
        let place = try Place()
        _ = try place.spool().enqueue(job("x|1", size: 7))
        let hash = try run("sh", ["-c", "printf 'tusd|x|1|7' | sha256sum | cut -d ' ' -f 1"])
        let name = String(decoding: hash.dropLast(), as: UTF8.self)
        #expect(place.names("new") == [name + ".json"])
    }

    @Test func theOldestComesFirst() throws {
        let place = try Place()
        let spool = try place.spool()
        for (index, id) in ["c", "a", "b"].enumerated() {
            _ = try spool.enqueue(job(id))
            let name = try #require(Set(place.names("new")).count == index + 1 ? job(id).key() : nil)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(index - 100))],
                ofItemAtPath: "\(place.queue)/new/\(name).json")
        }
        for id in ["c", "a", "b"] {
            let claimed = try #require(try spool.claim())
            #expect(claimed.job.id == id)
            try claimed.finish(with: record(claimed.job))
        }
    }

    @Test func whoeverDiesLeavesTheJobToOthers() throws {
        let place = try Place()
        let spool = try place.spool()
        _ = try spool.enqueue(job("a"))
        for attempt in 1...3 {
            // Let go without a word, as a killed process does.
            let claimed = try spool.claim()
            #expect(claimed?.job.attempts == attempt)
        }
        #expect(try spool.claim() == nil)
        #expect(place.counts() == [0, 0, 0, 1, 0, 0])
        let verdict = try JSONDecoder().decode(
            SpoolVerdict.self, from: Data(bytes(of: "\(place.queue)/bad/\(place.names("bad")[0])")))
        #expect(verdict.record.error?.code == .decoderCrashed && verdict.job.attempts == 3)
        #expect(place.lines.all.count == 1)
    }

    /// Where decoders are processes of their own, a holder that is killed says nothing against the job.
    @Test func aServiceMayDieMoreOftenThanAJobMayFail() throws {
        let place = try Place()
        var rules = JobSpool.Rules()
        rules.decodesElsewhere = true
        let spool = try JobSpool(FilePath(place.queue), rules: rules)
        _ = try spool.enqueue(job("a"))
        for _ in 1...10 {
            let claimed = try spool.claim()
            #expect(claimed?.job.attempts == 1)
        }
        #expect(place.counts() == [0, 1, 0, 0, 0, 0])
    }

    @Test func whatFailedIsTriedThreeTimesAndLater() throws {
        let place = try Place()
        let spool = try place.spool(pauses: [0, 3600])
        _ = try spool.enqueue(job("a"))
        try spool.claim()?.finish(with: record(job("a"), .io))
        #expect(spool.counts.bad == 0)
        let second = try #require(try spool.claim())
        #expect(second.job.attempts == 2)
        try second.finish(with: record(job("a"), .network))
        // It is due in an hour.
        #expect(try spool.claim() == nil)
        #expect(spool.counts == .init(waiting: 1, running: 0, bad: 0))
        #expect(try !spool.enqueue(job("a")))
        let third = try #require(try place.spool(pauses: [0, 0.001]).claim())
        #expect(third.job.attempts == 3)
        try third.finish(with: record(job("a"), .timeLimit))
        #expect(spool.counts == .init(waiting: 0, running: 0, bad: 1))
    }

    @Test func whatCanNeverWorkIsBadAtOnceAndStaysSo() throws {
        let place = try Place()
        let spool = try place.spool()
        _ = try spool.enqueue(job("a"))
        try spool.claim()?.finish(with: record(job("a"), .corrupt))
        #expect(place.counts() == [0, 0, 0, 1, 0, 0])
        #expect(try !spool.enqueue(job("a")))
        #expect(try spool.claim() == nil)
        #expect(try spool.retryBad() == 1)
        #expect(place.counts() == [1, 0, 0, 0, 0, 0])
        let again = try #require(try spool.claim())
        #expect(again.job.attempts == 1)
        try again.finish(with: record(job("a")))
        #expect(place.counts() == [0, 0, 1, 0, 0, 0])
    }

    @Test(arguments: [PrepError.Code.cancelled, .busy]) func whatWasStoppedIsNoAttempt(
        _ code: PrepError.Code
    ) throws {
        let place = try Place()
        let spool = try place.spool(pauses: [3600])
        _ = try spool.enqueue(job("a"))
        for _ in 0..<5 {
            let claimed = try #require(try spool.claim())
            #expect(claimed.job.attempts == 1)
            try claimed.finish(with: record(job("a"), code))
        }
        #expect(place.counts() == [0, 1, 0, 0, 0, 0])
    }

    /// What a kill between two steps of finishing leaves.
    @Test func aFinishedJobIsNotDoneAgain() throws {
        let place = try Place()
        let spool = try place.spool()
        _ = try spool.enqueue(job("a"))
        let name = place.names("new")[0]
        let waiting = try bytes(of: "\(place.queue)/new/\(name)")
        try spool.claim()?.finish(with: record(job("a")))
        for part in ["run", "new"] {
            try Data(waiting).write(to: URL(fileURLWithPath: "\(place.queue)/\(part)/\(name)"))
            #expect(try spool.claim() == nil)
            #expect(place.counts() == [0, 0, 1, 0, 0, 0])
        }
    }

    /// What two that queue the same at once can leave, one of them slow.
    @Test func aJobThatIsBeingDoneIsNotBegunFromNew() throws {
        let place = try Place()
        let spool = try place.spool()
        _ = try spool.enqueue(job("a"))
        let name = place.names("new")[0]
        let waiting = try bytes(of: "\(place.queue)/new/\(name)")
        let claimed = try #require(try spool.claim())
        try Data(waiting).write(to: URL(fileURLWithPath: "\(place.queue)/new/\(name)"))
        #expect(try spool.claim() == nil)
        #expect(place.counts() == [0, 1, 0, 0, 0, 0])
        try claimed.finish(with: record(job("a")))
    }

    @Test func whatIsNoJobIsPutAsideAndHoldsNobodyUp() throws {
        let place = try Place()
        let spool = try place.spool()
        let script = """
            cd "$0"
            key() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }
            echo garbage > new/$(key 1).json; : > new/$(key 2).json; mkdir new/$(key 3).json new/folder
            ln -s /etc/passwd new/$(key 4).json; mkfifo new/$(key 5).json
            head -c 3000000 /dev/zero > new/$(key 6).json; echo '{}' > new/notes.txt
            echo '{"kind":"tusd","id":"z","size":1,"path":"/etc/passwd","received":1,"attempts":0,"notBefore":0}' \
                > new/$(key 7).json
            yes '[' | head -n 100000 | tr -d '\\n' > run/$(key 8).json
            mkfifo run/$(key 9).json; echo garbage > bad/$(key 10).json; mkfifo bad/$(key 11).json
            echo '{"kind":"tusd","id":"y","size":1,"path":"/u/y","received":1,"attempts":-9e18,"notBefore":1e300}' \
                > run/$(key 'tusd|y|1').json
            """
        _ = try run("sh", ["-c", script, place.queue])
        #expect(try spool.enqueue(job("a")))
        let claimed = try [spool.claim(), spool.claim(), spool.claim()].compactMap { $0?.job.id }
        #expect(claimed == ["a"] || claimed == ["y", "a"] || claimed == ["a", "y"])
        #expect(try spool.retryBad() == 0)
        #expect(place.names("new").isEmpty && place.names("bad").isEmpty)
        #expect(place.names("aside").count >= 12)
        #expect(place.lines.all.count == place.names("aside").count)
        // What a link led to is as it was.
        #expect(try !bytes(of: "/etc/passwd").isEmpty)
    }

    /// Two processes' worth of queues, two threads each.
    @Test func manyWorkersDoEachJobOnce() throws {
        let place = try Place()
        let first = try place.spool()
        for number in 0..<200 { _ = try first.enqueue(job("\(number)")) }
        let done = Monitor<[String]>([])
        let second = try place.spool()
        try withThreads(4) { number in
            let spool = number % 2 == 0 ? first : second
            while let claimed = try spool.claim() {
                done.update { $0.append(claimed.job.id) }
                try claimed.finish(with: record(claimed.job))
            }
        }
        #expect(done.update { $0.sorted() } == (0..<200).map { "\($0)" }.sorted())
        #expect(place.counts() == [0, 0, 200, 0, 0, 0])
    }

    @Test func aWorkerHearsOfAJobAtOnceAndStops() throws {
        let place = try Place()
        _ = try run("sh", ["-c", "mkdir \"$0/up\"; echo p > \"$0/up/a\"", place.folder.path])
        let spool = try place.spool()
        let seen = Monitor<[String]>([])
        let isStopped = Atomic(false)
        let worker = SpoolWorker(spool: spool, roots: HookRoots([FilePath(place.folder.path + "/up")])) {
            source, job in
            if case .file(let file) = source { seen.update { $0.append(file.placeBelowRoot.display) } }
            isStopped.store(true, ordering: .relaxed)
            return self.record(job)
        }
        let other = try place.spool()
        let path = FilePath(place.folder.path + "/up/a")
        try withThreads(2) { number in
            if number == 0 { return worker.run { isStopped.load(ordering: .relaxed) } }
            usleep(300_000)
            // Another process's.
            _ = try other.enqueue(
                SpoolJob(.path, id: "a", size: 2, place: .file(path), received: 1))
        }
        #expect(seen.update { $0 } == ["a"])
        #expect(place.counts() == [0, 0, 1, 0, 0, 0])
    }

    @Test func whatWasDoneLongAgoIsForgotten() throws {
        let place = try Place()
        let spool = try place.spool()
        for id in ["a", "b"] {
            _ = try spool.enqueue(job(id))
            try spool.claim()?.finish(with: record(job(id)))
        }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -5000)],
            ofItemAtPath: "\(place.queue)/done/\(job("a").key()).json")
        _ = try run("sh", ["-c", "touch -d '-1 hour' \"$0/tmp/old\"; touch \"$0/tmp/young\"", place.queue])
        spool.prune(doneBefore: Date.now.timeIntervalSince1970 - 3600)
        #expect(place.names("done") == [try job("b").key() + ".json"])
        #expect(place.names("tmp") == ["young"])
        #expect(try spool.enqueue(job("a")))
    }

    @Test func aQueueBelongsToItsOwner() throws {
        let place = try Place()
        _ = try place.spool().enqueue(job("a"))
        let modes = try run("sh", ["-c", "cd \"$0\"; stat -c %a new run done bad new/*", place.queue])
        #expect(String(decoding: modes, as: UTF8.self) == "700\n700\n700\n700\n600\n")
    }

    @Test func aJobSurvivesItsJSON() throws {
        var job = SpoolJob(
            .copyparty, id: "i", size: nil, place: .file(FilePath(bytes: [0x2F, 0xE4, 0x20])), received: 2.5)
        (job.attempts, job.notBefore, job.outputName) = (2, 9.25, "o")
        #expect(try JSONDecoder().decode(SpoolJob.self, from: JSONEncoder().encode(job)) == job)
        job.place = .link("https://a.example/?t=1")
        #expect(try JSONDecoder().decode(SpoolJob.self, from: JSONEncoder().encode(job)) == job)
    }

    /// Runs a body on threads of its own and throws the first error of any.
    private func withThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failures = Monitor<[any Error]>([])
        let threads = (0..<count).compactMap { number in
            SystemThread {
                do { try body(number) } catch { failures.update { $0.append(error) } }
            }
        }
        #expect(threads.count == count)
        for thread in threads { thread.join() }
        if let error = failures.update({ $0.first }) { throw error }
    }
}
