/// When a job must stop: its deadline and its caller's word.
struct JobClock: Sendable {
    let started = ContinuousClock.now
    let cancellation: Cancellation
    let timeout: Duration?
    /// Time the job stood in line for memory, which does not count.
    private(set) var waited = Duration.zero

    init(timeout: Duration?, cancellation: Cancellation) {
        self.timeout = timeout
        self.cancellation = cancellation
    }

    var elapsedSeconds: Double { (ContinuousClock.now - started) / .seconds(1) }

    /// Whether the job must stop now.
    var isOver: Bool { cancellation.isCancelled || isLate }

    private var isLate: Bool {
        guard let timeout else { return false }
        return ContinuousClock.now - started - waited > timeout
    }

    mutating func excuse(_ wait: Duration) { waited += wait }

    /// Throws `cancelled` or `time-limit` when the job must stop.
    func check(_ stage: PrepError.Stage) throws(PrepError) {
        if isOver { throw reason(stage) }
    }

    /// Why the job had to stop.
    func reason(_ stage: PrepError.Stage) -> PrepError {
        if cancellation.isCancelled { return PrepError(.cancelled, stage, "stopped before it was done") }
        return PrepError(
            .timeLimit, stage, "took longer than allowed; raise --timeout for inputs this slow",
            detail: timeout.map { "limit \($0)" })
    }
}
