internal import AttachmentPrep
internal import CService

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An extension's process, seen from the system: handed pushes, ended when it takes too much memory.
final class ExtensionProcess: Sendable {
    /// The name by which the process is started.
    static let name = "attachprep-extension"

    /// How the process came to its end.
    enum End: Hashable, Sendable {
        /// What it took was over the limit.
        case memory(Int)
        case died(String)
    }

    private let process: pid_t
    private let stream: MessageStream
    private let limit: Int
    private let ended = Monitor<End?>(nil)

    /// Starts one.
    ///
    /// - Parameters:
    ///   - limit: bytes written to and resident at which it is ended.
    ///   - take: told of each message, on a thread of its own; nil when the process is gone.
    /// - Throws: `io` where no process can be started.
    init(
        _ plan: ExtensionPlan, arguments: [FilePath], limit: Int, server: SimulatedServer,
        take: @escaping @Sendable (FromExtension?) -> Void
    ) throws(PrepError) {
        var messages: [Int32] = [-1, -1]
        var network: [Int32] = [-1, -1]
        var process: pid_t = 0
        var error = unsafe ap_socket_pair(&messages)
        if error == 0 { error = unsafe ap_socket_pair(&network) }
        if error == 0 {
            var words = unsafe ([FilePath(Self.name)] + arguments).map {
                $0.withCString { unsafe strdup($0) }
            }
            unsafe words.append(nil)
            error = unsafe ap_program_start(words, messages[1], network[1], &process)
            unsafe words.forEach { unsafe free($0) }
        }
        for descriptor in [messages[1], network[1]] where descriptor >= 0 { close(descriptor) }
        guard error == 0 else {
            for descriptor in [messages[0], network[0]] where descriptor >= 0 { close(descriptor) }
            throw PrepError(
                .io, .input, "cannot start the extension's process",
                detail: unsafe String(cString: strerror(error)))
        }
        self.process = process
        self.limit = limit
        stream = MessageStream(descriptor: messages[0])
        server.listen(on: network[0])
        stream.send(ToExtension(plan: plan))
        SystemThread { self.watch() }?.detach()
        SystemThread { self.receive(take) }?.detach()
    }

    /// Hands a push over; false when the process is gone.
    func push(_ number: Int, _ payload: String) -> Bool {
        stream.send(ToExtension(push: number, payload: payload))
    }

    /// As `serviceExtensionTimeWillExpire()`: all pushes on their way are meant.
    func expire() { stream.send(ToExtension(expires: true)) }

    deinit { close(stream.descriptor) }

    /// Ends the process, if it has not ended.
    func end() { ended.update { if $0 == nil { kill(process, SIGKILL) } } }

    /// Bytes resident at most so far.
    var peak: Int? { ProcessMemory(of: process)?.peak }

    /// What it takes, if that is over the limit; then it is no more.
    func isOverLimit() -> Int? {
        guard let footprint = ProcessMemory(of: process)?.footprint, footprint > limit else { return nil }
        ended.update { ended in
            // Once it was waited for, the number may be another's.
            guard ended == nil else { return }
            ended = .memory(footprint)
            kill(process, SIGKILL)
        }
        return footprint
    }

    var endReason: End? { ended.update { $0 } }

    /// Looks at the memory every millisecond: of what counts the kernel keeps no peak.
    private func watch() {
        while endReason == nil, isOverLimit() == nil { usleep(1_000) }
    }

    private func receive(_ take: @Sendable (FromExtension?) -> Void) {
        while let message = stream.receive(FromExtension.self) { take(message) }
        while !isWaitedFor() { usleep(1_000) }
        take(nil)
    }

    /// Whether the process is gone for good, and from now on its number with it.
    private func isWaitedFor() -> Bool {
        ended.update { ended in
            var status: Int32 = 0
            guard unsafe waitpid(process, &status, WNOHANG) != 0 else { return false }
            let signal = status & 0x7F
            let words = signal == 0 ? "exit status \(status >> 8 & 0xFF)" : "signal \(signal)"
            ended = ended ?? .died(words)
            return true
        }
    }
}
