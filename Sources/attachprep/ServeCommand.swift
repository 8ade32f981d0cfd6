internal import AttachmentPrep
internal import CService
internal import MediaCache
internal import UploadService

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs `attachprep serve --cache DIR`, and its decoder processes, which are started with the same arguments.
struct ServeCommand {
    /// The name by which a decoder process is started.
    static let decoderName = FilePath("attachprep-decoder")

    private let settings: Settings
    private let folder: FilePath
    private let console: Console

    init(_ settings: Settings, _ operands: [FilePath], _ console: Console) throws(UsageError) {
        if let operand = operands.first {
            throw UsageError(
                "serve takes no operand, not '\(Display.safe(operand.display))'", command: .serve)
        }
        guard let folder = settings.links.cache else {
            throw UsageError("serve keeps what it makes: --cache DIR", command: .serve)
        }
        if !settings.serve.listen.isLocal, settings.serve.tokenFile == nil {
            throw UsageError(
                "others can connect to this address, so uploads need a token: --token-file FILE",
                hint: "or listen on 127.0.0.1:PORT or unix:PATH, with a proxy before it", command: .serve)
        }
        self.settings = settings
        self.folder = folder
        self.console = console
    }

    func run() -> Int32 {
        do throws(PrepError) {
            let links = LinkPreparer(
                AttachmentPreparer(profiles: settings.profiles, options: settings.options),
                cache: try AttachmentCache(
                    folder, limits: settings.links.cacheLimits, synchronizes: settings.links.synchronizes),
                fetch: settings.links.fetch, publicBase: settings.links.publicBase)
            if ProcessInput.name == Self.decoderName { return decode(links) }
            return try serve(links)
        } catch {
            console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
            return 1
        }
    }

    /// What a decoder process does, until the service is gone.
    private func decode(_ links: LinkPreparer) -> Int32 {
        // Its service ends it.
        _ = signal(SIGINT, SIG_IGN)
        _ = signal(SIGTERM, SIG_IGN)
        return DecoderChild(links).run()
    }

    private func serve(_ links: LinkPreparer) throws(PrepError) -> Int32 {
        let interrupt = Interrupt.install()
        var own = ServiceSettings(links: links)
        own.keys = try keys()
        own.token = try token()
        own.connections = settings.serve.connections
        let (socket, isUnix, address) = try Listener.open(settings.serve.listen)
        if case .inherited = settings.serve.listen, !isUnix, own.token == nil {
            throw PrepError(
                .io, .input, "others may connect to systemd's socket, so uploads need a token: --token-file")
        }
        Self.raiseDescriptorLimit()
        own.hosts = isUnix ? nil : hosts
        own.connectionsPerAddress =
            settings.serve.connectionsPerAddress ?? (isUnix || settings.serve.listen.isLocal ? 0 : 32)
        if settings.serve.logsRequests { own.log = { line in _ = FileSystem.write(line, to: 2) } }
        let jobs = settings.batch.jobs ?? 2 * WorkerPool.cores
        let decoders = DecoderPool(
            .init(
                processes: jobs, waiting: settings.serve.waiting ?? 8 * jobs,
                memory: settings.options.limits.memory, timeout: settings.options.limits.timeout,
                arguments: [Self.decoderName] + ProcessInput.arguments))
        let folders = [folder] + (settings.hook.queue.map { [$0] } ?? [])
        own.trouble = {
            let lost = folders.first { path in path.withCString { unsafe access($0, W_OK) } != 0 }
            return lost.map { "cannot write to \($0.display)" }
        }
        let hooks = try ServeHooks(settings)
        if let hooks {
            own.takeHook = hooks
            own.moreMetrics = { hooks.metrics }
        }
        let service = UploadService(own, decoders: decoders)
        try service.start(socket)
        let workers = hooks?.start(settings.profiles, decoders, threads: jobs) ?? []
        if !settings.quiet { console.note("attachprep: listening on \(Display.safe(address))") }
        wait(interrupt, hooks)
        if !settings.quiet { console.note("attachprep: ending; what is begun has 20 seconds") }
        // Before somebody else listens there.
        if case .unix(let path) = settings.serve.listen { path.withCString { _ = unsafe unlink($0) } }
        hooks?.stop()
        service.stop { false }
        for worker in workers { worker.join() }
        // Being told to end is how a service ends.
        return 0
    }

    /// A connection, a decoder and a file handed out take one each, and the usual limit is low.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func wait(_ interrupt: Interrupt, _ hooks: ServeHooks?) {
        var pruned = 0
        while interrupt.exitStatus == nil {
            if SystemClock.seconds - pruned > 3600 {
                pruned = SystemClock.seconds
                hooks?.prune()
            }
            usleep(50_000)
        }
    }

    private func keys() throws(PrepError) -> LinkKeys? {
        guard let file = settings.links.keyFile else { return nil }
        return try LinkKeys(file: file)
    }

    private func token() throws(PrepError) -> [UInt8]? {
        guard let file = settings.serve.tokenFile else { return nil }
        guard let bytes = file.bytes(atMost: 4096, followsLink: true) else {
            throw PrepError(.io, .input, "cannot read the token file \(file.display), or it is no file")
        }
        let token = Array(bytes.prefix { $0 != 0x0A && $0 != 0x0D })
        guard token.count >= 16, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw PrepError(
                .io, .input, "the first line of \(file.display) is no token of 16 characters or more",
                detail: "make one: head -c 32 /dev/urandom | base64 > FILE")
        }
        return token
    }

    /// The hosts that requests may be for.
    private var hosts: Set<String> {
        var hosts: Set = ["localhost", "127.0.0.1", "[::1]"]
        if case .tcp(let host, _) = settings.serve.listen, host != "0.0.0.0", host != "::" {
            hosts.insert(host.contains(":") ? "[\(host)]" : host)
        }
        if let base = settings.links.publicBase, let start = base.firstRange(of: "://")?.upperBound {
            hosts.insert(ServiceSettings.hostName(String(base[start...].prefix { $0 != "/" })))
        }
        return hosts.union(settings.serve.hosts)
    }
}

/// Opens the socket a service listens on.
private enum Listener {
    static func open(
        _ address: ListenAddress
    ) throws(PrepError) -> (socket: Int32, isUnix: Bool, name: String) {
        switch address {
        case .unix(let path):
            let socket = path.withCString { unsafe ap_listen_unix($0) }
            return (try check(socket, path.display), true, "unix:\(path.display)")
        case .tcp(let host, let port):
            var bound: UInt16 = 0
            let socket = unsafe ap_listen_tcp(host, port, &bound)
            let name = host.contains(":") ? "[\(host)]" : host
            return (try check(socket, "\(name):\(port)"), false, "http://\(name):\(bound)")
        case .inherited:
            // sd_listen_fds(3): the first one is 3, if LISTEN_PID is us.
            var isUnix = false
            guard ProcessInput.variable("LISTEN_PID")?.display == String(getpid()),
                unsafe ap_is_listening(3, &isUnix)
            else {
                throw PrepError(.io, .input, "no socket was handed over; start this by a systemd socket unit")
            }
            // 3 is where decoder processes have something else.
            let socket = fcntl(3, F_DUPFD_CLOEXEC, 16)
            close(3)
            return (try check(socket < 0 ? -errno : socket, "systemd"), isUnix, "systemd's socket")
        }
    }

    private static func check(_ socket: Int32, _ name: String) throws(PrepError) -> Int32 {
        if socket >= 0 { return socket }
        throw AttachmentPrep.SystemError(number: -socket).error(.input, "cannot listen on \(name)")
    }
}
