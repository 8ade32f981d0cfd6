internal import AttachmentPrep
internal import MediaCache
internal import UploadHook

/// That tusd runs this program as its file hook.
struct TusdCall {
    /// The hook's name, where the program was called by it: the messages of version 1 do not say it.
    var hookName: String?
    /// Whether the program's own name said so, rather than the environment.
    var isByName: Bool { hookName != nil }

    /// Nil where nothing says so.
    static var current: TusdCall? {
        let name = String(decoding: ProcessInput.name.bytes, as: UTF8.self)
        if TusdMessage.hookNames.contains(name) { return TusdCall(hookName: name) }
        return ProcessInput.variable("TUS_ID") == nil ? nil : TusdCall()
    }
}

/// Runs `attachprep hook`, as tusd's file hook, copyparty's program, or on paths.
struct HookCommand {
    private let settings: Settings
    private let operands: [FilePath]
    private let tusd: TusdCall?
    private let console: Console
    private let roots: HookRoots

    init(
        _ settings: Settings, _ operands: [FilePath], _ tusd: TusdCall?, _ console: Console
    ) throws(UsageError) {
        if operands.isEmpty, tusd == nil {
            throw UsageError(
                "hook needs an upload: a path, or copyparty's JSON",
                hint:
                    "tusd's message is read from standard input where TUS_ID is set or the program is called "
                    + "post-finish", command: .hook)
        }
        if settings.hook.queue == nil { try HookOutputs.check(settings, .hook) }
        try settings.hook.check(.hook)
        self.settings = settings
        self.operands = operands
        self.tusd = tusd
        self.console = console
        roots = HookRoots(settings.hook.roots)
    }

    func run() -> Int32 {
        let interrupt = Interrupt.install()
        do throws(PrepError) {
            let way = try way(interrupt.cancellation)
            if operands.isEmpty { return interrupt.exitStatus ?? runForTusd(way) }
            var status: Int32 = 0
            for operand in operands {
                status = max(status, run(operand, way))
                if interrupt.exitStatus != nil || !console.isOpen { break }
            }
            return interrupt.exitStatus ?? status
        } catch {
            // What is not on the disk is not acknowledged.
            complain(error)
            return operands.isEmpty && settings.hook.queue == nil ? 0 : 1
        }
    }

    /// What becomes of a job: it is put in the queue, or done here and now.
    private enum Way {
        case queue(JobSpool)
        case now(HookOutputs, Callback?, Cancellation)
    }

    private func way(_ cancellation: Cancellation) throws(PrepError) -> Way {
        if let queue = settings.hook.queue { return .queue(try JobSpool(queue, rules: settings.hook.rules)) }
        return .now(
            try HookOutputs(settings, cancellation), try settings.hook.makeCallback(settings.links),
            cancellation)
    }

    // MARK: - tusd

    /// tusd refuses uploads before some events if the status is not 0, and takes anything on standard output
    /// for an answer.
    private func runForTusd(_ way: Way) -> Int32 {
        do throws(PrepError) {
            var bytes: [UInt8] = []
            while bytes.count <= HookMessage.longest {
                let piece: [UInt8]
                do throws(SystemError) { piece = try FileSystem.read(65_536, from: 0) } catch {
                    throw PrepError(.io, .input, "cannot read tusd's message: \(error.message)")
                }
                if piece.isEmpty { break }
                bytes += piece
            }
            switch try TusdMessage.read(bytes, hookName: tusd?.hookName, objects: settings.hook.objects) {
            case .nothing: return 0
            case .jobs(let jobs):
                var isAcknowledged = true
                for job in jobs { if perform(job, way) == .notQueued { isAcknowledged = false } }
                return isAcknowledged ? 0 : 1
            }
        } catch {
            complain(error)
            return 0
        }
    }

    // MARK: - Paths and copyparty

    private func run(_ operand: FilePath, _ way: Way) -> Int32 {
        do throws(PrepError) {
            if operand.bytes.first == UInt8(ascii: "{") {
                guard case .jobs(let jobs) = try CopypartyMessage.read(operand.bytes) else { return 0 }
                return jobs.map { perform($0, way) }.contains { $0 != .good } ? 1 : 0
            }
            let path = HookRoots.absolute(operand)
            let status = FileStatus(of: path)
            let job = SpoolJob(
                .path, id: "\(path.undisplayableBase64 ?? path.display)@\(status?.modified ?? 0)",
                size: status?.size, place: .file(path), received: WallClock.now)
            if case .now(let outputs, let callback, let cancellation) = way, roots.isEmpty {
                let record = outputs.record(ofTrusted: operand)
                report(record, onOutput: true)
                call(callback, job, record, cancellation)
                return record.outcome > .skipped ? 1 : 0
            }
            return perform(job, way, onOutput: true) == .good ? 0 : 1
        } catch {
            complain(error)
            return 1
        }
    }

    // MARK: - One job

    private enum Result { case good, bad, notQueued }

    /// - Parameter onOutput: whether standard output is for people; it is the server's where a message was
    ///   read.
    private func perform(_ job: SpoolJob, _ way: Way, onOutput: Bool = false) -> Result {
        do throws(PrepError) {
            switch way {
            case .queue(let spool):
                // Whoever does the job looks again; without a root here, only he can say.
                if !roots.isEmpty { _ = try roots.source(of: job) }
                return enqueue(job, spool)
            case .now(let outputs, let callback, let cancellation):
                let record: PreparationRecord
                do throws(PrepError) {
                    record = outputs.record(of: try roots.source(of: job), job)
                } catch {
                    var refused = PreparationRecord(input: job.name, outcome: error.code.outcome)
                    refused.error = error
                    record = refused
                }
                report(record, onOutput: onOutput)
                call(callback, job, record, cancellation)
                return record.outcome > .skipped ? .bad : .good
            }
        } catch {
            complain(error)
            return .bad
        }
    }

    private func enqueue(_ job: SpoolJob, _ spool: JobSpool) -> Result {
        do throws(PrepError) {
            let isNew = try spool.enqueue(job)
            let name = Display.safe(job.kind == .tusd ? job.id : job.name)
            if !settings.quiet { console.note("attachprep: \(isNew ? "queued" : "known already"): \(name)") }
            return .good
        } catch {
            complain(error)
            return .notQueued
        }
    }

    private func call(
        _ callback: Callback?, _ job: SpoolJob, _ record: PreparationRecord, _ cancellation: Cancellation
    ) {
        guard let callback else { return }
        do throws(PrepError) {
            try callback.deliver(
                SpoolVerdict(job: job, record: record, finished: WallClock.now),
                isStopped: { cancellation.isCancelled })
        } catch {
            complain(error)
        }
    }

    private func report(_ record: PreparationRecord, onOutput: Bool) {
        if onOutput { return RecordPrinter(settings, console).print(record) }
        if settings.json {
            if let bytes = JSONLine.encode(record) { _ = FileSystem.write(bytes, to: 2) }
            return
        }
        if !settings.quiet {
            for line in RecordText.results(record) {
                console.note("attachprep: \(Display.safe(record.input)): \(line)")
            }
        }
        for line in RecordText.errors(record) { console.complain(line) }
    }

    private func complain(_ error: PrepError) {
        let detail = error.detail.map { " (\(Display.safe($0)))" } ?? ""
        console.complain("\(error.code.rawValue): \(Display.safe(error.message))\(detail)")
    }
}

extension HookCommand {
    static let details = """
        With PATHs it is like prepare, but an output keeps the whole name, DIR/IMG_1.HEIC.jpg: uploads come one at a
        time, and the next may differ in its suffix only. Below a --root it also keeps the folders, and other paths
        are refused then.

        As tusd's file hook it needs no operand: put a link of the name post-finish to this program into the
        folder of -hooks-dir, or a script that runs 'attachprep hook'. The message comes on standard input. The
        output is DIR/<upload's ID>.jpg, never named by what the client says. Nothing is written to standard
        output, records and errors go to standard error, and the status is 0, also for a picture that will not
        do; it is 1 only where an upload could not be queued. Other events than post-finish do nothing.

        As copyparty's program after an upload: --xau PROGRAM gives the path, --xau j,PROGRAM a JSON object,
        which is told apart by its first character. Status 1 for a bad picture, which copyparty minds only with
        its flag c.

        Messages come from anybody who reaches the server: paths in them are opened below a --root only, and
        not through links. Settings come from variables, as servers give no options.

        With --queue the upload is put on the disk and done by serve or sweep, which need the same --root; it is
        acknowledged once it cannot be lost. A message that comes twice is one job.

        Each --callback is a POST of {"job", "record", "finished"} with the header AttachPrep-Signature:
        t=SECONDS,k=ID,v1=HEX, where HEX is HMAC-SHA-256(key, SECONDS "." body). Any status from 200 to 299 is a
        receipt; else it is tried again after 1, 4 and 16 seconds.
        """
}

extension HookSettings {
    func check(_ command: Command) throws(UsageError) {
        if callback != nil, callbackKeyFile == nil {
            throw UsageError(
                "--callback needs a key to sign with: --callback-key-file FILE", command: command)
        }
    }

    func makeCallback(_ links: LinkSettings) throws(PrepError) -> Callback? {
        guard let callback, let callbackKeyFile else { return nil }
        return Callback(
            url: callback, key: try LinkKeys(file: callbackKeyFile).signing, caFile: links.caFile?.display)
    }

    /// How the queue is kept; what it has to say goes to standard error.
    var rules: JobSpool.Rules {
        var rules = JobSpool.Rules()
        rules.keepsCalls = callback != nil
        rules.log = { line in _ = FileSystem.write(Array("attachprep: \(Display.safe(line))\n".utf8), to: 2) }
        return rules
    }
}
