#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of the system: decoders block and compute, which Swift's cooperative pool is not made for.
struct Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
        private var handle: pthread_t?
    #else
        private var handle = pthread_t()
    #endif

    /// Starts a thread; nil if the system has none left.
    init?(_ run: @escaping @Sendable () -> Void) {
        let body = unsafe Unmanaged.passRetained(Body(run)).toOpaque()
        let result = unsafe pthread_create(&handle, nil, Self.entry, body)
        if result != 0 {
            unsafe Unmanaged<Body>.fromOpaque(body).release()
            return nil
        }
    }

    #if canImport(Darwin)
        private static let entry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            raw in
            unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
            return nil
        }
    #else
        private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            raw in
            if let raw = unsafe raw { unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
            return nil
        }
    #endif

    /// Waits for its end.
    func join() {
        #if canImport(Darwin)
            if let handle { _ = unsafe pthread_join(handle, nil) }
        #else
            _ = pthread_join(handle, nil)
        #endif
    }

    /// Lets it end by itself.
    func detach() {
        #if canImport(Darwin)
            if let handle { _ = pthread_detach(handle) }
        #else
            _ = pthread_detach(handle)
        #endif
    }
}

/// State that threads share and wait for: a mutex with a condition.
@safe final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ state: sending State) {
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
    func update<R>(_ body: (inout State) -> sending R) -> sending R {
        _ = unsafe pthread_mutex_lock(mutex)
        defer {
            _ = unsafe pthread_cond_broadcast(condition)
            _ = unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until `body` gives a value; woken after each update.
    func wait<R>(_ body: (inout State) -> sending R?) -> sending R {
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
    func wait<R>(milliseconds: Int, _ body: (inout State) -> sending R?) -> sending R? {
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
