package import AttachmentPrep

/// The decoder processes of a service: so many at once, and a line before them that has an end.
package final class DecoderPool: Sendable {
    package struct Settings: Sendable {
        /// Decoders at work at once.
        package var processes: Int
        /// Requests that may stand in line; the next one is told `busy`.
        package var waiting: Int
        /// Bytes of memory that all decoders together may be computed to need.
        package var memory: Int
        /// Wall-clock time of one job; also for how long somebody stands in line.
        package var timeout: Duration?
        /// The decoder's arguments, its name first.
        package var arguments: [FilePath]

        package init(
            processes: Int, waiting: Int, memory: Int, timeout: Duration?, arguments: [FilePath]
        ) {
            self.processes = processes
            self.waiting = waiting
            self.memory = memory
            self.timeout = timeout
            self.arguments = arguments
        }
    }

    /// What there is to see from outside.
    package struct Figures: Sendable {
        package var busy = 0
        package var idle = 0
        package var waiting = 0
        package var crashes = 0
        package var memory = 0
    }

    private struct State: Sendable {
        var idle: [DecoderProcess] = []
        var busy = 0
        /// Tickets, first come first.
        var line: [Int] = []
        var nextTicket = 0
        var crashes = 0
        var isClosed = false
    }

    let settings: Settings
    let budget: MemoryBudget
    private let monitor = Monitor(State())

    package init(_ settings: Settings) {
        self.settings = settings
        budget = MemoryBudget(total: settings.memory)
    }

    package var figures: Figures {
        let memory = budget.taken
        return monitor.update { state in
            Figures(
                busy: state.busy, idle: state.idle.count, waiting: state.line.count, crashes: state.crashes,
                memory: memory)
        }
    }

    /// Whether the next one in line would be told `busy`.
    var isFull: Bool {
        monitor.update { $0.busy >= settings.processes && $0.line.count >= settings.waiting }
    }

    /// Whether new work is refused because the service is about to end.
    package var isClosed: Bool { monitor.update { $0.isClosed } }

    /// Ends idle decoders; busy ones end with their job, and nobody gets one any more.
    package func close() {
        let idle = monitor.update { state -> [DecoderProcess] in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for process in idle { _ = process.end() }
    }

    /// Does one job that is not pushed.
    ///
    /// - Parameters:
    ///   - isPatient: stands in line however long that is; for work that is on the disk already.
    ///   - isGone: asked while it waits.
    package func record(
        of job: DecoderJob, file: Int32? = nil, isPatient: Bool = false, isGone: @escaping () -> Bool
    ) -> DecoderAnswer {
        do throws(PrepError) {
            let lease = try lease(isPatient: isPatient, isGone: isGone)
            try lease.begin(job, file: file)
            return try lease.finish()
        } catch {
            return DecoderAnswer(record: PreparationRecord(input: job.name, error: error), isNew: false)
        }
    }

    /// Waits for a decoder.
    ///
    /// - Throws: `busy` where too many wait, `time-limit`, and `cancelled` where nobody wants it any more.
    func lease(isPatient: Bool = false, isGone: @escaping () -> Bool) throws(PrepError) -> DecoderLease {
        let patience = Patience(
            isPatient ? nil : settings.timeout, for: "no decoder was free in time", isGone: isGone)
        let (processes, limit) = (settings.processes, isPatient ? .max : settings.waiting)
        let ticket = monitor.update { state -> Int? in
            guard state.busy < processes || state.line.count < limit else { return nil }
            state.nextTicket += 1
            state.line.append(state.nextTicket)
            return state.nextTicket
        }
        guard let ticket else {
            throw PrepError(.busy, .admission, "too many are waiting already; try again in a moment")
        }
        while true {
            let turn = monitor.wait(milliseconds: 200) { state -> Turn? in
                if state.isClosed {
                    state.line.removeAll { $0 == ticket }
                    return .closed
                }
                guard state.line.first == ticket, state.busy < processes else { return nil }
                state.line.removeFirst()
                state.busy += 1
                return .taken(state.idle.popLast())
            }
            switch turn {
            case .taken(let process): return DecoderLease(self, process, isGone: isGone)
            case .closed: throw Self.isEnding
            case nil:
                if let reason = patience.reason {
                    monitor.update { state in state.line.removeAll { $0 == ticket } }
                    throw reason
                }
            }
        }
    }

    private enum Turn: Sendable {
        case taken(DecoderProcess?)
        case closed
    }

    static let isEnding = PrepError(
        .cancelled, .admission, "the service is about to end; try again in a moment")

    func start() throws(PrepError) -> DecoderProcess {
        try DecoderProcess(arguments: settings.arguments, budget: budget)
    }

    func giveBack(_ process: DecoderProcess?) {
        let surplus = monitor.update { state -> DecoderProcess? in
            state.busy -= 1
            guard let process, !state.isClosed else { return process }
            state.idle.append(process)
            return nil
        }
        _ = surplus?.end()
    }

    func noteCrash() { monitor.update { $0.crashes += 1 } }
}
