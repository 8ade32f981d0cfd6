internal import AttachmentPrep
internal import LinkFetch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs `attachprep batch PATH... --output DIR`.
final class BatchCommand {
    private let settings: Settings
    private let operands: [FilePath]
    private let console: Console
    private let output: FilePath
    private let interrupt = Interrupt.install()
    private var summary = BatchSummary()
    private var report: Int32?

    init(_ settings: Settings, _ operands: [FilePath], _ console: Console) throws(UsageError) {
        self.settings = settings
        self.operands = operands
        self.console = console
        guard let output = settings.output else { throw UsageError("--output is missing", command: .batch) }
        self.output = output
        if output.bytes.elementsEqual("-".utf8) {
            throw UsageError("batch writes into a folder, not to standard output", command: .batch)
        }
        let status = FileStatus(of: output)
        if let status, status.kind != .folder {
            let name = Display.safe(output.display)
            throw UsageError("--output \(name) is a file, not a folder", command: .batch)
        }
        for operand in operands {
            guard let status, FileStatus(of: operand)?.identity == status.identity else { continue }
            let name = Display.safe(operand.display)
            throw UsageError(
                "'\(name)' is the output folder itself, and outputs are not inputs",
                hint: "choose another folder: --output DIR", command: .batch)
        }
    }

    func run() throws(UsageError) -> Int32 {
        let listing = try self.listing()
        if let status = interrupt.exitStatus { return status }
        summary.leftAlone = listing.skipped
        try refuseOwnFiles(listing)
        let members = (0..<listing.count).filter { settings.batch.shard?.contains(listing.stem($0)) ?? true }
        if settings.batch.isDryRun { return dryRun(listing, members) }
        do throws(SystemError) {
            try FileSystem.makeFolder(output)
            if let path = settings.batch.report {
                let file = path.withCString {
                    unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
                }
                guard file >= 0 else {
                    console.complain("\(Display.safe(path.display)): \(SystemError.last.message)")
                    return 1
                }
                report = file
            }
            let log = try StateLog(
                folder: stateFolder, shard: settings.batch.shard,
                waiting: {
                    let name = Display.safe(output.display)
                    console.complain("another batch writes into \(name); waiting for its end")
                }, isInterrupted: { interrupt.exitStatus != nil })
            guard let log else { return interrupt.exitStatus ?? 1 }
            return work(listing, members, log)
        } catch {
            console.complain("\(Display.safe(output.display)): \(error.message)")
            return 1
        }
    }

    private var stateFolder: FilePath { output.appending(BatchState.folderName) }

    private var stateIndex: StateIndex {
        StateIndex(folder: stateFolder, own: BatchState.fileName(settings.batch.shard))
    }

    // MARK: - Before

    private func listing() throws(UsageError) -> BatchListing {
        let interrupt = interrupt
        var walk = BatchWalk(
            rules: SkipRules(media: settings.batch.media), output: output,
            naming: OutputNaming(profiles: settings.profiles.map(\.name)),
            isInterrupted: { interrupt.exitStatus != nil })
        for operand in operands {
            walk.addRoot(operand, isOnly: operands.count == 1 && settings.batch.filesFrom == nil)
        }
        if let list = settings.batch.filesFrom {
            try readList(list) { (path) throws(UsageError) in
                if LinkURL.isLink(path.display) {
                    throw UsageError(
                        "--files-from lists the link '\(Display.safe(path.display))', and batch takes files only",
                        command: .batch)
                }
                walk.addListed(path)
            }
        }
        return walk.finish()
    }

    private func readList(
        _ list: FilePath, _ body: (FilePath) throws(UsageError) -> Void
    ) throws(UsageError) {
        let separator: UInt8 = settings.batch.filesEndWithNUL ? 0 : UInt8(ascii: "\n")
        if list.bytes.elementsEqual("-".utf8) { return try FileList.each(of: 0, separator: separator, body) }
        let file: OpenFile
        do {
            file = try OpenFile(list, flags: O_RDONLY)
        } catch {
            throw UsageError(
                "--files-from \(Display.safe(list.display)) cannot be read: \(error.message)", command: .batch
            )
        }
        try FileList.each(of: file.descriptor, separator: separator, body)
    }

    /// Refuses the run before anything is written if an output would replace a source.
    ///
    /// Sources are compared only where there is something to replace, which in a fresh folder is nowhere.
    private func refuseOwnFiles(_ listing: BatchListing) throws(UsageError) {
        let sources = { (0..<listing.count).lazy.compactMap { FileStatus(of: listing.source($0))?.identity } }
        if let report = settings.batch.report, FileStatus(of: report) != nil {
            let ownFiles = OwnFileGuard(inputs: sources(), profiles: settings.profiles)
            if ownFiles.isInput(report) { throw OwnFileGuard.refusal(report) }
        }
        guard !settings.namesByContent, FileStatus(of: output) != nil else { return }
        let sourceFolders = Set(listing.folders.compactMap { FileStatus(of: $0.source.orHere)?.identity })
        var isShared: [String: Bool] = [:]
        var ownFiles: OwnFileGuard?
        for index in 0..<listing.count {
            let folder = listing.folder(index).output
            let stem = listing.stem(index)
            let bases = settings.profiles.map { profile in
                output.appending(
                    String(
                        listing.naming.fileName(stem: stem, profile: profile.name, extension: "").dropLast()))
            }
            if isShared[folder] == nil {
                let status = FileStatus(of: output.appending(folder))
                isShared[folder] = status.map { sourceFolders.contains($0.identity) } ?? false
            }
            let suffixes = ["jpg"] + Extensions.passed(ofName: listing.name(index))
            guard isShared[folder] == true || bases.contains(where: { Self.leadsElsewhere($0, suffixes) })
            else {
                continue
            }
            let known = ownFiles ?? OwnFileGuard(inputs: sources(), profiles: settings.profiles)
            ownFiles = known
            if let conflict = known.conflict(of: listing.source(index), bases: bases) {
                var refusal = OwnFileGuard.refusal(conflict)
                refusal.command = .batch
                throw refusal
            }
        }
    }

    /// Whether there is a file at the output's place that has, or is, another name of some file.
    private static func leadsElsewhere(_ base: FilePath, _ suffixes: [String]) -> Bool {
        suffixes.contains { suffix in
            let path = FilePath(bytes: base.bytes + Array(".\(suffix)".utf8))
            guard let status = FileStatus(of: path, followingLink: false) else { return false }
            return status.kind == .link || status.hardLinks > 1
        }
    }

    private func dryRun(_ listing: BatchListing, _ members: [Int]) -> Int32 {
        let job = job(listing, stateIndex)
        for index in members {
            let path = listing.source(index)
            let status = FileStatus(of: path)
            let known = status.flatMap { job.unchanged(index, $0) }
            let outputs = settings.profiles.map { profile -> String? in
                if settings.namesByContent { return nil }
                let stem = listing.stem(index)
                return output.appending(
                    listing.naming.fileName(stem: stem, profile: profile.name, extension: "jpg")
                ).display
            }
            let plan = BatchPlanLine(
                input: path, outputs: known?.outputs.map(\.path) ?? outputs,
                action: status == nil ? .missing : known == nil ? .prepare : .skip)
            if settings.json { console.json(plan) } else if !settings.quiet { console.line(plan.text) }
            if !console.isOpen { break }
        }
        for folder in listing.unreadable {
            console.complain("\(Display.safe(folder.path.display)): \(folder.error.message)")
        }
        if !settings.quiet {
            console.note("attachprep: dry run, nothing written: \(members.count) inputs" + leftAlone)
        }
        return listing.unreadable.isEmpty ? 0 : 1
    }

    private var leftAlone: String {
        let reasons = SkipReason.allCases.compactMap { reason in
            summary.leftAlone[reason].map { "\($0) \(reason.rawValue)" }
        }
        return reasons.isEmpty ? "" : "; left alone: " + reasons.joined(separator: ", ")
    }

    // MARK: - The work

    private func job(_ listing: BatchListing, _ state: StateIndex) -> BatchJob {
        BatchJob(
            listing: listing, output: output,
            preparer: AttachmentPreparer(profiles: settings.profiles, options: settings.options),
            namesByContent: settings.namesByContent, recipe: FNV1a.hex(settings.recipe.utf8), state: state,
            cancellation: interrupt.cancellation,
            admission: MemoryBudget(total: settings.options.limits.memory))
    }

    private func work(_ listing: BatchListing, _ members: [Int], _ log: StateLog) -> Int32 {
        let job = job(listing, stateIndex)
        let stop = Stop()
        let (interrupt, stopsAtFirstError) = (interrupt, settings.batch.stopsAtFirstError)
        for folder in listing.unreadable { deliver(Self.unreadable(folder.path, folder.error)) }
        if stopsAtFirstError, summary.hasErrors { stop.request() }
        if !settings.quiet { console.beginProgress(total: members.count) }
        var done = 0
        WorkerPool(threads: settings.batch.jobs ?? WorkerPool.cores).run(
            count: members.count, isStopped: { stop.isRequested || interrupt.exitStatus != nil },
            work: { position -> BatchJob.Result in
                let result = job.run(members[position])
                if stopsAtFirstError, case .record(let record, _) = result, record.outcome > .skipped {
                    stop.request()
                }
                return result
            },
            idle: { console.progress(done: done) },
            deliver: { result in
                done += 1
                switch result {
                case .leftAlone(let reason): summary.leftAlone[reason, default: 0] += 1
                case .record(let record, let entry):
                    if let entry { log.append(entry) }
                    deliver(record)
                }
                // Nobody reads on: what is started is stopped, as by Ctrl-C, but quietly.
                if !console.isOpen { interrupt.cancellation.cancel() }
                return console.isOpen
            })
        console.endProgress()
        return finish(log)
    }

    private func finish(_ log: StateLog) -> Int32 {
        if let failure = log.failure {
            console.complain(
                "\(Display.safe(stateFolder.display)): \(failure.message); the next run starts over")
        } else if interrupt.exitStatus == nil {
            log.compact()
        }
        if let report { _ = close(report) }
        if !settings.quiet { console.note("attachprep: " + summary.text) }
        return interrupt.exitStatus ?? (summary.hasErrors || reportFailed ? 1 : 0)
    }

    private var reportFailed = false

    private func deliver(_ record: PreparationRecord) {
        // After the reader went away, what was stopped is not worth an error.
        if console.isOpen { summary.count(record) }
        if settings.json || report != nil {
            let line = JSONLine.encode(record) ?? []
            if settings.json { console.write(line) }
            if let report, !reportFailed, let error = FileSystem.write(line, to: report) {
                reportFailed = true
                console.complain("--report: \(error.message)")
            }
        }
        if settings.json { return }
        if !settings.quiet, record.outcome != .skipped {
            for line in RecordText.results(record) { console.line(line) }
        }
        for line in RecordText.errors(record) { console.complain(line) }
    }

    private static func unreadable(_ path: FilePath, _ error: SystemError) -> PreparationRecord {
        var record = PreparationRecord(input: path.display, outcome: .failed)
        record.inputBytes = path.undisplayableBytes
        record.error = PrepError(.io, .input, "the folder cannot be read", detail: error.message)
        return record
    }
}

/// A flag that starts nothing more.
private final class Stop: Sendable {
    private let flag = Atomic<Bool>(false)
    var isRequested: Bool { flag.load(ordering: .relaxed) }
    func request() { flag.store(true, ordering: .relaxed) }
}

/// One line of `--dry-run`.
struct BatchPlanLine: Encodable {
    enum Action: String { case prepare, skip, missing }

    var input: FilePath
    /// Nil for a name that only the content will tell.
    var outputs: [String?]
    var action: Action

    private enum Key: String, CodingKey { case action, dryRun, input, inputBytes, outputs }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(action.rawValue, forKey: .action)
        try object.encode(true, forKey: .dryRun)
        try object.encode(input.display, forKey: .input)
        if let bytes = input.undisplayableBase64 { try object.encode(bytes, forKey: .inputBytes) }
        try object.encode(outputs, forKey: .outputs)
    }

    /// One line for people: `prepare a/IMG_1.HEIC -> out/a/IMG_1.jpg`.
    var text: String {
        let places = outputs.map { $0.map(Display.safe) ?? "(named by content)" }
        return "\(action.rawValue) \(Display.safe(input.display)) -> \(places.joined(separator: ", "))"
    }
}
