internal import AttachmentPrep
internal import MediaCache
internal import UploadHook

/// Runs `attachprep sweep --queue DIR`.
struct SweepCommand {
    private let settings: Settings
    private let queue: FilePath
    private let console: Console

    init(_ settings: Settings, _ console: Console) throws(UsageError) {
        guard let queue = settings.hook.queue else {
            throw UsageError("sweep needs to know which queue: --queue DIR", command: .sweep)
        }
        try HookOutputs.check(settings, .sweep)
        try settings.hook.check(.sweep)
        self.settings = settings
        self.queue = queue
        self.console = console
    }

    func run() -> Int32 {
        let interrupt = Interrupt.install()
        do throws(PrepError) {
            let lines = Monitor([String]())
            var rules = settings.hook.rules
            rules.log = { line in lines.update { $0.append(line) } }
            let spool = try JobSpool(queue, rules: rules)
            let roots = HookRoots(settings.hook.roots + settings.hook.tusdFolders)
            let oldest = WallClock.now - Double(settings.hook.doneSeconds)
            if settings.hook.retriesBad { say("queued again: \(try spool.retryBad())") }
            var status = try queueLost(spool, roots, since: oldest)
            let outputs = try HookOutputs(settings, interrupt.cancellation)
            let worker = SpoolWorker(spool: spool, roots: roots) { outputs.record(of: $0, $1) }
            status = max(status, drain(worker, spool, interrupt, lines))
            if let callback = try settings.hook.makeCallback(settings.links) {
                CallbackSender(spool: spool, callback: callback).drain { interrupt.exitStatus != nil }
            }
            spool.prune(doneBefore: oldest)
            show(lines)
            let waiting = spool.counts.waiting
            if waiting > 0 { say("waiting for another attempt: \(waiting)") }
            return interrupt.exitStatus ?? status
        } catch {
            console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
            return 1
        }
    }

    private func say(_ text: String) {
        if !settings.quiet { console.note("attachprep: \(text)") }
    }

    /// Queues the uploads of tusd's folders that no hook told of.
    private func queueLost(
        _ spool: JobSpool, _ roots: HookRoots, since oldest: Double
    ) throws(PrepError) -> Int32 {
        var (found, status) = (0, Int32(0))
        for folder in settings.hook.tusdFolders {
            let jobs = try TusdFolder(folder).uploads(since: oldest, roots: roots) {
                console.complain(Display.safe($0))
                status = 1
            }
            for job in jobs where try spool.enqueue(job) { found += 1 }
        }
        if found > 0 { say("found without a hook: \(found)") }
        return status
    }

    private struct State: Sendable {
        var records: [PreparationRecord] = []
        var trouble: PrepError?
        var working = 0
    }

    /// Does what is due on several threads, and prints what they make.
    private func drain(
        _ worker: SpoolWorker, _ spool: JobSpool, _ interrupt: Interrupt, _ lines: Monitor<[String]>
    ) -> Int32 {
        let monitor = Monitor(State())
        let isStopped: @Sendable () -> Bool = {
            interrupt.exitStatus != nil || interrupt.cancellation.isCancelled
        }
        let loop: @Sendable () -> Void = {
            do throws(PrepError) {
                try worker.drain(isStopped: isStopped) { record in
                    monitor.update { $0.records.append(record) }
                }
                monitor.update { $0.working -= 1 }
            } catch {
                monitor.update {
                    $0.trouble = error
                    $0.working -= 1
                }
            }
        }
        let counts = spool.counts
        let wanted = settings.batch.jobs ?? WorkerPool.cores
        monitor.update { $0.working = wanted }
        console.beginProgress(total: counts.waiting + counts.running)
        let threads = (0..<wanted).compactMap { _ in SystemThread(loop) }
        monitor.update { $0.working -= wanted - threads.count }
        if threads.isEmpty { loop() }
        let printer = RecordPrinter(settings, console)
        var (status, done, isOver) = (Int32(0), 0, false)
        while !isOver {
            let step: State? = monitor.wait(milliseconds: 100) { state -> State? in
                guard !state.records.isEmpty || state.working <= 0 else { return nil }
                defer { state.records = [] }
                return state
            }
            for record in step?.records ?? [] {
                if record.outcome > .skipped { status = 1 }
                printer.print(record)
                done += 1
            }
            show(lines)
            // Nobody reads on: what is started is stopped, as by Ctrl-C, but quietly.
            if !console.isOpen { interrupt.cancellation.cancel() }
            if let step, step.working <= 0 {
                isOver = true
                if let error = step.trouble {
                    console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
                    status = 1
                }
            }
            console.progress(done: done)
        }
        console.endProgress()
        for thread in threads { thread.join() }
        return status
    }

    private func show(_ lines: Monitor<[String]>) {
        let waiting: [String] = lines.update { lines in
            defer { lines = [] }
            return lines
        }
        for line in waiting { console.complain(Display.safe(line)) }
    }
}

extension SweepCommand {
    static let details = """
        Does the queued uploads that are due now, --jobs at once, and prints their records as prepare does. Any
        number of sweeps, and serve, may work on one queue: each upload is done once. What failed is tried again
        after 10 seconds and after a minute, by a later sweep; what failed three times, or can never work, lies in
        DIR/bad with its record until --retry-bad. A message about it that comes again does not change that.

        --tusd-dir also finds whole uploads that no hook told of, by their .info files. It looks only at what was
        written within --done-days, for which done uploads are remembered: run it more often than that.

        The queue's folders are new, run, done and bad, one JSON file an upload; call holds what callbacks have
        still to be told of, aside what was no job. Give it to nobody else: what is in it is done.
        """
}
