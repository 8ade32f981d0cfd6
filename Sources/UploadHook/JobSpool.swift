package import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Jobs on a disk, shared by any number of processes: what was acknowledged is done, whatever is killed
/// meanwhile.
///
/// A job is a file that goes one way only: `new/`, `run/` once it was begun, then `done/` or `bad/` with its
/// record. Its name is a hash of what tells it from others (`SpoolJob.key`), so a message that comes again
/// finds it. Whoever works on a job holds a lock on its file in `run/`; a job there without a lock is
/// anybody's, at once. Files are written in `tmp/` and moved. `call/` holds what callbacks still have to be
/// told of, `aside/` what was no job.
package final class JobSpool: Sendable {
    /// How a spool is kept.
    package struct Rules: Sendable {
        /// How often a job is begun before it counts as bad.
        package var attempts = 3
        /// Whether inputs are decoded in other processes than the one that holds the job: then a holder that is
        /// gone says nothing against the job, and that was no attempt.
        package var decodesElsewhere = false
        /// Seconds between two attempts, of which the last repeats.
        package var pauses = [10.0, 60.0]
        /// Whether verdicts are also put aside for a callback.
        package var keepsCalls = false
        /// Told what an operator should know.
        package var log: @Sendable (String) -> Void = { _ in }

        package init() {}
    }

    /// How many jobs there are.
    package struct Counts: Hashable, Sendable {
        /// Not begun, or to be begun again later.
        package var waiting = 0
        /// Begun; a killed process's too, until somebody takes them over.
        package var running = 0
        package var bad = 0
    }

    let rules: Rules
    let new, run, done, bad, call: SpoolFolder
    private let temporary, aside: FilePath
    /// What the last listing found and nobody looked at yet.
    private let found = Monitor<[Candidate]>([])
    /// Foreign entries that cannot be moved, so that they are told of once.
    private let complained = Monitor<Set<String>>([])

    private struct Candidate {
        var key: String
        var isNew: Bool
    }

    /// Opens a spool, which is made where it is missing, for its owner alone.
    ///
    /// - Throws: `io` or `no-space` where the folders cannot be made.
    package init(_ folder: FilePath, rules: Rules = .init()) throws(PrepError) {
        self.rules = rules
        let part = { (name: String) in SpoolFolder(path: folder.appending(name)) }
        (new, run, done, bad, call) = (part("new"), part("run"), part("done"), part("bad"), part("call"))
        temporary = folder.appending("tmp")
        aside = folder.appending("aside")
        do throws(SystemError) {
            try folder.makeDirectories()
            for path in [new.path, run.path, done.path, bad.path, call.path, temporary, aside] {
                if path.withCString({ unsafe mkdir($0, 0o700) }) != 0, errno != EEXIST { throw .last }
            }
        } catch {
            throw error.error(.output, "cannot make the queue \(folder.display)")
        }
    }

    // MARK: - In

    /// Puts a job on the disk; when this returns, a power cut does not lose it.
    ///
    /// - Returns: whether it is new: not waiting, not being done, and neither done nor bad already.
    /// - Throws: `io` or `no-space`; nothing is then acknowledged.
    package func enqueue(_ job: SpoolJob) throws(PrepError) -> Bool {
        var job = job
        (job.attempts, job.notBefore) = (0, 0)
        let key = try job.key()
        let bytes = try HookJSON.encode(job)
        do throws(SystemError) {
            // In the order in which jobs move, so that one that moves meanwhile is met.
            for folder in [new, run, done, bad] where folder.has(key) {
                // Whoever put it there may be killed before it is on the disk.
                try folder.synchronize()
                return false
            }
            return try put(bytes, key)
        } catch {
            throw error.error(.output, "cannot queue the upload")
        }
    }

    /// Gives a new file its name in `new/`, unless there is one of that name.
    private func put(_ bytes: [UInt8], _ key: String) throws(SystemError) -> Bool {
        let beside = temporary.appending(OutputWriter.temporaryName())
        let lease = try SpoolLease.make(bytes, at: beside)
        defer { beside.remove() }
        // Whoever hears of it at once shall be able to take it.
        lease.release()
        let isFree =
            beside.withCString { from in
                new.file(key).withCString { unsafe link(from, $0) }
            } == 0
        if !isFree, errno != EEXIST { throw .last }
        try new.synchronize()
        return isFree
    }

    // MARK: - Out

    /// Takes a job that is due, the oldest first; nil where there is none.
    ///
    /// The attempt counts from now on, whatever happens.
    package func claim() throws(PrepError) -> ClaimedJob? {
        var isFresh = false
        while true {
            let candidate = found.update { $0.popLast() }
            if let candidate {
                if let job = try claim(candidate) { return job }
            } else if isFresh {
                return nil
            } else {
                isFresh = true
                list()
            }
        }
    }

    private func list() {
        let now = WallClock.now
        let fresh = new.entries { putAside($0, in: new, "it is no job's name") }
        let begun = run.entries { putAside($0, in: run, "it is no job's name") }
        // A clock that was set back makes no job wait for ever.
        let due = begun.filter { $0.time <= now || $0.time > now + longestPause }
        let candidates =
            due.map { ($0.time, Candidate(key: $0.key, isNew: false)) }
            + fresh.map { ($0.time, Candidate(key: $0.key, isNew: true)) }
        let oldestLast = candidates.sorted { $0.0 > $1.0 }.map(\.1)
        found.update { if $0.isEmpty { $0 = oldestLast } }
    }

    private var longestPause: Double { (rules.pauses.max() ?? 0) + 1 }

    private func claim(_ candidate: Candidate) throws(PrepError) -> ClaimedJob? {
        let folder = candidate.isNew ? new : run
        let key = candidate.key
        guard let lease = take(key, in: folder) else { return nil }
        do throws(SystemError) {
            // What is done was finished by one who was killed before it could clear up, or is a message that
            // came again while the first was done.
            if done.has(key) || (candidate.isNew && run.has(key)) {
                folder.file(key).remove()
                return nil
            }
            if candidate.isNew { try new.file(key).move(to: run.file(key)) }
            guard let job = job(in: lease, key) else { return nil }
            return try begin(job, key, lease)
        } catch {
            throw error.error(.output, "cannot begin a job of the queue")
        }
    }

    private func job(in lease: SpoolLease, _ key: String) -> SpoolJob? {
        do {
            let job = try HookJSON.decode(SpoolJob.self, lease.read(), "the job")
            if try job.key() == key { return job }
            putAside(key + SpoolFolder.suffix, in: run, "its name is another job's")
        } catch let error as PrepError {
            putAside(key + SpoolFolder.suffix, in: run, "\(error.message) (\(error.detail ?? ""))")
        } catch {
            putAside(key + SpoolFolder.suffix, in: run, "it cannot be read")
        }
        return nil
    }

    private func begin(_ job: SpoolJob, _ key: String, _ lease: SpoolLease) throws(SystemError) -> ClaimedJob?
    {
        var job = job
        let now = WallClock.now
        if job.notBefore > now, job.notBefore <= now + longestPause {
            lease.setTime(job.notBefore)
            return nil
        }
        // An attempt that was ended by itself left a time for the next.
        if rules.decodesElsewhere, job.attempts > 0, job.notBefore == 0 { job.attempts -= 1 }
        guard job.attempts < rules.attempts else {
            var record = PreparationRecord(input: job.name, outcome: .failed)
            record.error = PrepError(
                .decoderCrashed, .decode, "whoever did it was ended each time",
                detail: "\(job.attempts) attempts")
            try conclude(SpoolVerdict(job: job, record: record, finished: now), key, in: bad)
            rules.log("\(job.name): given up after \(job.attempts) attempts that were ended from outside")
            return nil
        }
        job.attempts += 1
        job.notBefore = 0
        return ClaimedJob(job, key, self, try replace(run.file(key), with: job))
    }

    /// Writes a file that is locked from its first moment on, in the place of what was there.
    private func replace(_ path: FilePath, with value: some Encodable) throws(SystemError) -> SpoolLease {
        guard let bytes = try? HookJSON.encode(value) else { throw SystemError(number: EINVAL) }
        let beside = temporary.appending(OutputWriter.temporaryName())
        let lease = try SpoolLease.make(bytes, at: beside)
        try beside.renameOrRemove(to: path)
        return lease
    }

    /// A lock on a file, unless somebody has it or it is none of ours.
    func take(_ key: String, in folder: SpoolFolder) -> SpoolLease? {
        switch SpoolLease.take(folder.file(key)) {
        case .taken(let lease): return lease
        case .busy, .gone: return nil
        case .foreign(let why):
            putAside(key + SpoolFolder.suffix, in: folder, why)
            return nil
        }
    }

    /// Moves what is no job out of everybody's way.
    func putAside(_ name: String, in folder: SpoolFolder, _ why: String) {
        let path = folder.path.appending(name)
        let place = aside.appending(name + "." + OutputWriter.temporaryName().dropFirst())
        let isMoved = (try? path.move(to: place)) != nil
        if !isMoved, !complained.update({ $0.insert(path.display).inserted }) { return }
        rules.log("\(path.display) is no job: \(why); " + (isMoved ? "put in aside/" : "left there"))
    }

    // MARK: - Verdicts

    /// What becomes of a job whose record is there.
    func finish(_ job: SpoolJob, _ key: String, _ record: PreparationRecord) throws(PrepError) {
        let now = WallClock.now
        do throws(SystemError) {
            switch record.outcome {
            case .failed where record.error?.code == .cancelled || record.error?.code == .busy:
                // That was no attempt.
                var job = job
                job.attempts -= 1
                _ = try replace(run.file(key), with: job)
            case .failed where job.attempts < rules.attempts:
                var job = job
                let pause = rules.pauses.isEmpty ? 0 : rules.pauses[min(job.attempts, rules.pauses.count) - 1]
                job.notBefore = now + pause
                try replace(run.file(key), with: job).setTime(job.notBefore)
            case .failed, .rejected:
                try conclude(SpoolVerdict(job: job, record: record, finished: now), key, in: bad)
            case .prepared, .passedThrough, .skipped:
                try Self.synchronizeFolders(of: record)
                try conclude(SpoolVerdict(job: job, record: record, finished: now), key, in: done)
                bad.file(key).remove()
            }
        } catch {
            throw error.error(.output, "cannot write what came of a job of the queue")
        }
    }

    private func conclude(_ verdict: SpoolVerdict, _ key: String, in folder: SpoolFolder) throws(SystemError)
    {
        // First what must not be lost: killed in between, the job is done again, to the same bytes.
        if rules.keepsCalls {
            _ = try replace(call.file(key), with: PendingCall(verdict: verdict))
            try call.synchronize()
        }
        _ = try replace(folder.file(key), with: verdict)
        try folder.synchronize()
        run.file(key).remove()
    }

    /// Outputs are on the disk, and so are their names then.
    private static func synchronizeFolders(of record: PreparationRecord) throws(SystemError) {
        let folders = Set(
            record.outputs.compactMap { output in output.path.map { FilePath($0).parent.orHere } })
        // A name that is not UTF-8 does not come back from a record; its folder is then left to the system.
        for folder in folders { try? SpoolFolder(path: folder).synchronize() }
    }

    /// Writes a pending call again, after an attempt that failed.
    func keep(_ pending: PendingCall, _ key: String) throws(SystemError) {
        try replace(call.file(key), with: pending).setTime(pending.notBefore)
    }

    // MARK: - Upkeep

    /// How many jobs there are, by the folders alone.
    package var counts: Counts {
        let now = WallClock.now
        let begun = run.entries()
        let later = begun.filter { $0.time > now }.count
        return Counts(waiting: new.count + later, running: begun.count - later, bad: bad.count)
    }

    /// Makes jobs that went bad wait again, as if they were new.
    ///
    /// - Returns: how many.
    package func retryBad() throws(PrepError) -> Int {
        var count = 0
        for entry in bad.entries(foreign: { putAside($0, in: bad, "it is no job's name") }) {
            guard let lease = take(entry.key, in: bad) else { continue }
            do throws(SystemError) {
                guard let verdict = try? HookJSON.decode(SpoolVerdict.self, lease.read(), "the record"),
                    (try? verdict.job.key()) == entry.key
                else {
                    putAside(entry.key + SpoolFolder.suffix, in: bad, "it holds no job")
                    continue
                }
                var job = verdict.job
                (job.attempts, job.notBefore) = (0, 0)
                guard let bytes = try? HookJSON.encode(job) else { continue }
                if try put(bytes, entry.key) { count += 1 }
                bad.file(entry.key).remove()
            } catch {
                throw error.error(.output, "cannot queue a bad job again")
            }
        }
        return count
    }

    /// Forgets jobs that were done so long ago, and what killed processes left of their writing.
    package func prune(doneBefore seconds: Double) {
        for entry in done.entries() where entry.time < seconds { done.file(entry.key).remove() }
        for name in temporary.entryNames {
            let path = temporary.appending(name)
            guard case .taken(let lease) = SpoolLease.take(path), lease.age > 60 else { continue }
            path.remove()
        }
    }
}

extension FilePath {
    func move(to path: FilePath) throws(SystemError) {
        _ = try retrying { withCString { from in path.withCString { unsafe rename(from, $0) } } }
    }
}

/// A job that this process works on, until it is finished or this goes away: then it is anybody's again.
package final class ClaimedJob: Sendable {
    package let job: SpoolJob
    private let key: String
    private let spool: JobSpool
    private let lease: SpoolLease

    fileprivate init(_ job: SpoolJob, _ key: String, _ spool: JobSpool, _ lease: SpoolLease) {
        self.job = job
        self.key = key
        self.spool = spool
        self.lease = lease
    }

    /// Puts down what came of the job: `done/`, `bad/`, or another attempt later where it `failed`.
    ///
    /// Call it once. `cancelled` and `busy` count as no attempt.
    package func finish(with record: PreparationRecord) throws(PrepError) {
        try spool.finish(job, key, record)
        withExtendedLifetime(lease) {}
    }
}
