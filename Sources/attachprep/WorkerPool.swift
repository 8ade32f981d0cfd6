internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A fixed number of threads that do the items of a list and give the results back in its order.
struct WorkerPool: Sendable {
    private struct State<Result: Sendable>: Sendable {
        /// The next item to start.
        var next = 0
        /// Results given back; they leave in order.
        var delivered = 0
        var finished: [Int: Result] = [:]
        var isStopped = false
    }

    /// One thread for each core that is online.
    static var cores: Int { min(1024, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    var threads: Int
    /// How many results may be waiting or in the making: memory does not grow behind a slow item.
    var ahead: Int { 4 * threads }

    /// Does items 0..<count.
    ///
    /// - Parameters:
    ///   - isStopped: asked before an item is started; what is started is finished and delivered.
    ///   - work: called on the threads.
    ///   - idle: called on the caller's thread at least ten times a second.
    ///   - deliver: called on the caller's thread, in order; false starts nothing more.
    func run<Result: Sendable>(
        count: Int, isStopped: @escaping @Sendable () -> Bool, work: @escaping @Sendable (Int) -> Result,
        idle: () -> Void, deliver: (Result) -> Bool
    ) {
        let monitor = Monitor(State<Result>())
        let ahead = ahead
        let loop: @Sendable () -> Void = {
            while true {
                let item: Int? = monitor.wait { state -> Int?? in
                    if state.isStopped || state.next >= count || isStopped() { return .some(nil) }
                    guard state.next < state.delivered + ahead else { return nil }
                    state.next += 1
                    return .some(state.next - 1)
                }
                guard let item else { return }
                let result = work(item)
                monitor.update { $0.finished[item] = result }
            }
        }
        let workers = (0..<min(threads, count)).compactMap { _ in SystemThread(loop) }
        if workers.isEmpty {
            // No thread to be had: do it here, one after the other.
            for item in 0..<count where !isStopped() { if !deliver(work(item)) { break } }
            return
        }
        while true {
            let step: Result?? = monitor.wait(milliseconds: 100) { state -> Result?? in
                if let result = state.finished.removeValue(forKey: state.delivered) {
                    state.delivered += 1
                    return .some(.some(result))
                }
                if isStopped() { state.isStopped = true }
                let isOver = state.delivered == count || (state.isStopped && state.delivered == state.next)
                return isOver ? .some(.none) : nil
            }
            idle()
            guard let step else { continue }
            guard let result = step else { break }
            if !deliver(result) { monitor.update { $0.isStopped = true } }
        }
        monitor.update { $0.isStopped = true }
        for worker in workers { worker.join() }
    }
}
