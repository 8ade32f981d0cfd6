internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache

/// Runs `attachprep link sign|verify|prepare LINK...`.
struct LinkCommand {
    enum Verb: String, CommandVerb {
        case sign, verify, prepare
        static let command = Command.link
    }

    private let verb: Verb
    private let settings: Settings
    private let links: [String]
    private let console: Console

    init(_ settings: Settings, _ operands: [FilePath], _ console: Console) throws(UsageError) {
        verb = try Verb(operands)
        self.settings = settings
        self.console = console
        links = operands.dropFirst().map(\.display)
        try check()
    }

    private func check() throws(UsageError) {
        if links.isEmpty { throw UsageError("link \(verb.rawValue) needs a link", command: .link) }
        switch verb {
        case .prepare:
            if settings.links.cache == nil {
                throw UsageError("link prepare keeps what it makes: --cache DIR", command: .link)
            }
        case .sign, .verify:
            if settings.links.keyFile == nil {
                throw UsageError("link \(verb.rawValue) needs a key: --key-file FILE", command: .link)
            }
            var options = settings.options
            // What limits a job changes no link, and the environment may hold it for the server's sake.
            options.limits = ResourceLimits()
            options.spoolDirectory = nil
            if options != PreparationOptions() {
                throw UsageError(
                    "a signed link names a profile and carries no other options of the picture",
                    command: .link)
            }
            if verb == .sign, settings.profiles.count > 1 {
                throw UsageError("a signed link is of one profile", command: .link)
            }
            if verb == .sign, settings.links.publicBase == nil {
                throw UsageError("link sign needs the server's address: --public-base URL", command: .link)
            }
        }
    }

    func run() -> Int32 {
        do throws(PrepError) {
            switch verb {
            case .sign: return try sign()
            case .verify: return try verify()
            case .prepare: return try prepare()
            }
        } catch {
            console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
            return 1
        }
    }

    /// What `--json` prints of a signed link.
    private struct Report: Encodable {
        var link: String?
        var url: String?
        var profile: String?
        var expires: Int?
        var error: PrepError?
    }

    private func keys() throws(PrepError) -> LinkKeys? {
        guard let file = settings.links.keyFile else { return nil }
        return try LinkKeys(file: file)
    }

    private func sign() throws(PrepError) -> Int32 {
        guard let key = try keys()?.signing, let base = settings.links.publicBase else { return 1 }
        return report(links) { link throws(PrepError) in
            let signed = try SignedLink(
                link, profile: settings.profiles[0], expiry: settings.links.expiry, keyID: key.id)
            return Report(
                link: signed.link, url: try signed.text(base: base, key: key), profile: signed.profile.name,
                expires: signed.expiry)
        } line: {
            $0.url
        }
    }

    private func verify() throws(PrepError) -> Int32 {
        guard let keys = try keys() else { return 1 }
        return report(links) { url throws(PrepError) in
            let signed = try SignedLink(verifying: url, keys: keys, now: SystemClock.seconds)
            return Report(
                link: signed.link, url: url, profile: signed.profile.name, expires: signed.expiry)
        } line: {
            $0.link
        }
    }

    private func report(
        _ links: [String], _ body: (String) throws(PrepError) -> Report, line: (Report) -> String?
    ) -> Int32 {
        var status: Int32 = 0
        for link in links {
            do throws(PrepError) {
                let report = try body(link)
                if settings.json {
                    console.json(report)
                } else if let line = line(report) {
                    console.line(line)
                }
            } catch {
                status = 1
                if settings.json {
                    console.json(Report(url: link, error: error))
                } else {
                    console.complain(
                        "\(Display.safe(link)): \(error.code.rawValue): \(Display.safe(error.message))")
                }
            }
        }
        return status
    }

    private func prepare() throws(PrepError) -> Int32 {
        guard let folder = settings.links.cache else { return 1 }
        let interrupt = Interrupt.install()
        let keys = try keys()
        let preparer = LinkPreparer(
            AttachmentPreparer(profiles: settings.profiles, options: settings.options),
            cache: try AttachmentCache(
                folder, limits: settings.links.cacheLimits, synchronizes: settings.links.synchronizes),
            fetch: settings.links.fetch, publicBase: settings.links.publicBase)
        let admission = MemoryBudget(total: settings.options.limits.memory)
        let printer = RecordPrinter(settings, console)
        let (links, console) = (links, console)
        var status: Int32 = 0
        WorkerPool(threads: settings.batch.jobs ?? WorkerPool.cores).run(
            count: links.count, isStopped: { interrupt.exitStatus != nil },
            work: { Self.record(of: links[$0], preparer, keys, interrupt.cancellation, admission) },
            idle: {},
            deliver: { record in
                if record.outcome > .skipped { status = 1 }
                printer.print(record)
                // Nobody reads on: what is started is stopped, as by Ctrl-C, but quietly.
                if !console.isOpen { interrupt.cancellation.cancel() }
                return console.isOpen
            })
        return interrupt.exitStatus ?? status
    }

    private static func record(
        of link: String, _ preparer: LinkPreparer, _ keys: LinkKeys?, _ cancellation: Cancellation,
        _ admission: MemoryBudget
    ) -> PreparationRecord {
        guard let keys, SignedLink.isOne(link) else {
            return preparer.record(of: link, cancellation: cancellation, admission: admission)
        }
        do throws(PrepError) {
            let signed = try SignedLink(verifying: link, keys: keys, now: SystemClock.seconds)
            var record = preparer.record(of: signed, cancellation: cancellation, admission: admission)
            record.input = link
            return record
        } catch {
            return PreparationRecord(input: link, error: error)
        }
    }
}
