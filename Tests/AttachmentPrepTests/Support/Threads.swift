#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of one's own: tasks share as many threads as there are cores, and may not wait for each other.
final class TestThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private var handle = pthread_t()

    init(_ run: @escaping @Sendable () -> Void) {
        let body = unsafe Unmanaged.passRetained(Body(run)).toOpaque()
        let status = unsafe pthread_create(
            &handle, nil,
            { body in
                guard let body = unsafe body else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                return nil
            }, body)
        if status != 0 { fatalError("no thread") }
    }

    func join() { pthread_join(handle, nil) }
}

/// Runs `body` on so many threads at once and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in TestThread { body(index) } }
    for thread in threads { thread.join() }
}

func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }
