import Synchronization

/// A flag any thread may raise to stop the jobs that hold it, between two chunks or rows.
public final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a flag that is not raised.
    public init() {}

    /// Raises the flag, for good.
    ///
    /// Safe to call from a signal handler.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Whether the flag is raised.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
