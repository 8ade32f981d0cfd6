internal import AttachmentPrep
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Ctrl-C, SIGTERM and a terminal that goes: the first raises `cancellation`, a second one later ends the process at
/// once.
final class Interrupt: Sendable {
    /// Held by every job of the run.
    let cancellation = Cancellation()
    private let number = Atomic<Int32>(0)
    /// Milliseconds of the clock at which the first one came.
    private let came = Atomic<Int>(0)

    /// 129, 130 or 143 once a signal came, else nil.
    var exitStatus: Int32? {
        let number = number.load(ordering: .acquiring)
        return number == 0 ? nil : 128 + number
    }

    /// The one of the process: a signal handler can reach nothing else.
    private static let shared = Interrupt()

    /// Takes the signals over, for the rest of the process.
    ///
    /// The handler looks at the clock and stores three atomics, or ends the process, all of it allowed there. A call
    /// that it interrupts is repeated, and the job's clock then sees the cancellation.
    static func install() -> Interrupt {
        // Touched first here, so that its memory is there before any handler runs.
        let interrupt = shared
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isHangUpIgnored {
            _ = signal(number) { Interrupt.shared.take($0) }
            _ = unsafe sigaddset(&signals, number)
        }
        // Some parents leave signals blocked in their children.
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return interrupt
    }

    /// As under nohup, which is how people ask for a run to outlive its terminal.
    private static var isHangUpIgnored: Bool {
        let before = signal(SIGHUP, SIG_IGN)
        _ = signal(SIGHUP, before)
        return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Milliseconds in which a second signal says no more than the first: `timeout` signals a process and its group.
    private static let oneGesture = 300

    private func take(_ number: Int32) {
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let milliseconds = now.tv_sec * 1000 + now.tv_nsec / 1_000_000
        if exitStatus != nil {
            if milliseconds - came.load(ordering: .relaxed) > Self.oneGesture { _exit(128 + number) }
            return
        }
        came.store(milliseconds, ordering: .relaxed)
        self.number.store(number, ordering: .releasing)
        cancellation.cancel()
    }
}
