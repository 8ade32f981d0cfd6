internal import AttachmentPrep
internal import UploadHook
internal import UploadService

/// The service's side of hooks: messages go into the queue on the disk, and its jobs into decoder processes.
struct ServeHooks: HookIntake {
    private let spool: JobSpool
    private let roots: HookRoots
    private let objects: ObjectTemplate?
    private let callback: Callback?
    private let doneSeconds: Double
    private let isStopped = Cancellation()

    /// Nil where the service has no queue.
    init?(_ settings: Settings) throws(PrepError) {
        guard let queue = settings.hook.queue else { return nil }
        var rules = settings.hook.rules
        rules.decodesElsewhere = true
        rules.log = { line in
            _ = FileSystem.write(Array("attachprep: \(Display.safe(line))\n".utf8), to: 2)
        }
        spool = try JobSpool(queue, rules: rules)
        roots = HookRoots(settings.hook.roots)
        objects = settings.hook.objects
        callback = try settings.hook.makeCallback(settings.links)
        doneSeconds = Double(settings.hook.doneSeconds)
    }

    func take(_ dialect: HookDialect, _ body: [UInt8], name: String?) throws(PrepError) {
        let message: HookMessage
        switch dialect {
        case .tusd: message = try TusdMessage.read(body, hookName: name, objects: objects)
        case .s3:
            guard let objects else {
                throw PrepError(
                    .invalidPayload, .input, "where objects are fetched is not known: --object-url")
            }
            message = try ObjectMessage.read(body, objects: objects)
        }
        guard case .jobs(let jobs) = message else { return }
        for job in jobs { _ = try spool.enqueue(job) }
    }

    /// Begins to do what is queued, on so many threads.
    ///
    /// - Returns: what to wait for after `stop`.
    func start(_ profiles: [Profile], _ decoders: DecoderPool, threads count: Int) -> [SystemThread] {
        let isStopped = isStopped
        let worker = SpoolWorker(spool: spool, roots: roots) { source, job in
            // Queued work is on the disk: it may wait, and what is stopped is done by the next process.
            let isGone = { isStopped.isCancelled }
            switch source {
            case .file(let file):
                let claim = job.claimedName ?? (job.kind == .tusd ? nil : file.path.display)
                let order = DecoderJob(
                    .file, name: file.path.display, claimedName: claim, profiles: profiles)
                return decoders.record(
                    of: order, file: file.descriptor, isPatient: true, isGone: isGone
                ).record
            case .link(let link):
                let order = DecoderJob(.link, name: link, profiles: profiles)
                return decoders.record(of: order, isPatient: true, isGone: isGone).record
            }
        }
        var threads = (0..<count).compactMap { _ in
            SystemThread { worker.run { isStopped.isCancelled } }
        }
        if let callback {
            let sender = CallbackSender(spool: spool, callback: callback)
            if let thread = SystemThread({ sender.run { isStopped.isCancelled } }) { threads.append(thread) }
        }
        return threads
    }

    /// Lets what is begun go: it is done anew by whoever serves the queue next.
    func stop() { isStopped.cancel() }

    /// Forgets what was done long ago.
    func prune() { spool.prune(doneBefore: Double(SystemClock.seconds) - doneSeconds) }

    /// Figures for Prometheus.
    var metrics: String {
        let counts = spool.counts
        var text = PrometheusText()
        for (name, help, value) in [
            ("queue_waiting", "Uploads that wait in the queue", counts.waiting),
            ("queue_running", "Queued uploads that are being done", counts.running),
            ("queue_bad", "Queued uploads that went bad", counts.bad),
        ] {
            text.add(name, .gauge, help, [("", value)])
        }
        return text.text
    }
}
