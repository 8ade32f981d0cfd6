internal import AttachmentPrep
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Ctrl-C and SIGTERM: the first one raises `cancellation`, the second ends the process at once.
final class Interrupt: Sendable {
    /// Held by every job of the run.
    let cancellation = Cancellation()
    private let number = Atomic<Int32>(0)

    /// 130 or 143 once a signal came, else nil.
    var exitStatus: Int32? {
        let number = number.load(ordering: .acquiring)
        return number == 0 ? nil : 128 + number
    }

    /// The one of the process: a signal handler can reach nothing else.
    private static let shared = Interrupt()

    /// Takes the signals over, for the rest of the process.
    ///
    /// The handler does nothing but two atomic stores or the end of the process, all of it allowed there. A call
    /// that it interrupts is repeated, and the job's clock then sees the cancellation.
    static func install() -> Interrupt {
        // Touched first here, so that its memory is there before any handler runs.
        let interrupt = shared
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            _ = signal(number) { Interrupt.shared.take($0) }
            _ = unsafe sigaddset(&signals, number)
        }
        // Some parents leave signals blocked in their children.
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return interrupt
    }

    private func take(_ number: Int32) {
        if exitStatus != nil { _exit(128 + number) }
        self.number.store(number, ordering: .releasing)
        cancellation.cancel()
    }
}
