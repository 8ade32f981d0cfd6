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
    private let signal = Atomic<Int32>(0)

    /// 130 or 143 once a signal came, else nil.
    var exitStatus: Int32? {
        let signal = signal.load(ordering: .acquiring)
        return signal == 0 ? nil : 128 + signal
    }

    /// Takes the signals over, for the rest of the process.
    ///
    /// They are blocked everywhere and waited for by one thread, so nothing runs in a signal handler. Call it
    /// before other threads are started: they inherit the mask.
    static func install() -> Interrupt {
        let interrupt = Interrupt()
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGINT)
        _ = unsafe sigaddset(&signals, SIGTERM)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let waited = signals
        Thread {
            var waited = waited
            while true {
                var number: Int32 = 0
                guard unsafe sigwait(&waited, &number) == 0 else { return }
                if interrupt.exitStatus != nil { _exit(128 + number) }
                interrupt.signal.store(number, ordering: .releasing)
                interrupt.cancellation.cancel()
            }
        }?.detach()
        return interrupt
    }
}
