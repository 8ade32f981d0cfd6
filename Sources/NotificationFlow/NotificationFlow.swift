public import AttachmentPrep
public import LinkFetch
public import MediaCache

/// The way of a notification through a service extension: opened, completed, and with its picture if that came in time.
///
/// Text comes first, media last, and at the deadline the best so far is delivered. A flow is a value that is made
/// once for a process and serves any number of notifications, overlapping ones too; they share the memory that
/// preparing may take.
public struct NotificationFlow: Sendable {
    /// Where prepared media is kept, so that a picture its server calls fresh needs no network the next time.
    public let cache: AttachmentCache
    /// Folder for the links or copies that are handed out, on the cache's file system if possible.
    public let handOutFolder: FilePath
    /// What is made of media: by default the extension's preset.
    public var preparer = AttachmentPreparer(preset: .extension)
    /// Opens what is sealed; nil where nothing is.
    public var seal: (any PayloadSeal)?
    /// Asked in this order, each with what the ones before it found.
    public var details: [any NotificationDetails] = []
    /// Where payloads say where media lies.
    public var keys = MediaKeys.common
    /// The path of a file in the app's bundle; nil if there is none of that name.
    public var bundledFile: @Sendable (_ name: String) -> FilePath? = { _ in nil }
    /// How links are fetched.
    public var fetch = FetchOptions()
    /// Tokens for the hosts that ask for them.
    public var tokens: [MediaToken] = []
    /// What may be fetched on which network.
    public var policy = MediaPolicy()
    /// The network there is; asked for each notification.
    public var network: @Sendable () -> NetworkCondition = { .unrestricted }
    /// Bytes the process may still take before the system ends it, as `os_proc_available_memory()` says; nil if
    /// nobody knows, for which that function gives 0.
    public var availableMemory: @Sendable () -> Int? = { nil }
    /// How long to wait before a server that failed is asked again.
    public var retryPause = Duration.seconds(1)
    /// What all notifications of this process together may take.
    let admission: MemoryBudget

    /// iOS ends an extension's turn after about 30 seconds; this is when to deliver by oneself.
    public static let usualDeadline = Duration.seconds(28)
    /// Left of `availableMemory` for what a job is not computed to need: stacks, buffers of the network.
    ///
    /// Libraries that are loaded for a format are not in it.
    static let memoryReserve = 2 << 20
    /// How often one notification asks for its media.
    static let mostTries = 3

    /// Creates a flow.
    ///
    /// - Parameter handOutFolder: made if missing; files that nobody took for two hours go when a flow is made. Nil
    ///   for `handed-out` in the cache's folder.
    public init(cache: AttachmentCache, handOutFolder: FilePath? = nil) {
        self.cache = cache
        self.handOutFolder = handOutFolder ?? cache.path.appending("handed-out")
        admission = MemoryBudget(total: MemoryPreset.extension.jobMemory)
        cache.dropHandedOut(in: self.handOutFolder)
    }

    /// Begins the work for a notification, on threads of its own.
    ///
    /// - Parameters:
    ///   - shown: the text as the system would show it; nil for that of `aps.alert`.
    ///   - deadline: from now.
    ///   - observe: told of every step, on the thread it happens on.
    ///   - deliver: called exactly once, on any thread, by the deadline.
    /// - Returns: the notification on its way, to expire or cancel it.
    @discardableResult
    public func begin(
        _ payload: NotificationPayload, shown: NotificationText? = nil,
        deadline: Duration = NotificationFlow.usualDeadline,
        observe: @escaping NotificationRun.Observe = { _ in }, deliver: @escaping NotificationRun.Deliver
    ) -> NotificationRun {
        let run = NotificationRun(
            payload, shown: shown ?? NotificationText(of: payload), deadline: .now + deadline,
            observe: observe, deliver: deliver)
        run.note(.began)
        let flow = self
        // Time may be up at any moment. Beside a seal nothing in the clear is believed.
        if seal == nil { NotificationWork(flow, run).expectMedia(of: payload) }
        // Without a thread to watch the clock nothing that takes time may begin.
        guard let watch = SystemThread({ run.watch() }) else {
            run.deliver(.finished)
            return run
        }
        watch.detach()
        guard let work = SystemThread({ NotificationWork(flow, run).perform() }) else {
            run.deliver(.finished)
            return run
        }
        work.detach()
        return run
    }

    /// The same, for those who wait.
    public func delivery(
        of payload: NotificationPayload, deadline: Duration = NotificationFlow.usualDeadline
    ) async -> Delivery {
        await withCheckedContinuation { continuation in
            begin(payload, deadline: deadline) { continuation.resume(returning: $0) }
        }
    }
}
