#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// State that threads share and wait for: a mutex with a condition.
@safe package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: sending State) {
        self.state = state
        _ = unsafe pthread_mutex_init(mutex, nil)
        _ = unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        _ = unsafe pthread_cond_destroy(condition)
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the state, then wakes everybody who waits.
    package func update<R>(_ body: (inout State) -> sending R) -> sending R {
        _ = unsafe pthread_mutex_lock(mutex)
        defer {
            _ = unsafe pthread_cond_broadcast(condition)
            _ = unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until `body` gives a value; woken after each update.
    package func wait<R>(_ body: (inout State) -> sending R?) -> sending R {
        _ = unsafe pthread_mutex_lock(mutex)
        defer {
            _ = unsafe pthread_cond_broadcast(condition)
            _ = unsafe pthread_mutex_unlock(mutex)
        }
        while true {
            if let result = body(&state) { return result }
            _ = unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// The same, but nil after so many milliseconds.
    package func wait<R>(milliseconds: Int, _ body: (inout State) -> sending R?) -> sending R? {
        var deadline = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_nsec += milliseconds % 1000 * 1_000_000
        deadline.tv_sec += milliseconds / 1000 + deadline.tv_nsec / 1_000_000_000
        deadline.tv_nsec %= 1_000_000_000
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) {
                _ = unsafe pthread_cond_broadcast(condition)
                return result
            }
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) != 0 { return nil }
        }
    }
}
