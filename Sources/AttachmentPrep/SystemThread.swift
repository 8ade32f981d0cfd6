#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of the system: decoders block and compute, which Swift's cooperative pool is not made for.
@safe package struct SystemThread {
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
    package init?(_ run: @escaping @Sendable () -> Void) {
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
    package func join() {
        #if canImport(Darwin)
            if let handle = unsafe handle { _ = unsafe pthread_join(handle, nil) }
        #else
            _ = pthread_join(handle, nil)
        #endif
    }

    /// Lets it end by itself.
    package func detach() {
        #if canImport(Darwin)
            if let handle = unsafe handle { _ = unsafe pthread_detach(handle) }
        #else
            _ = pthread_detach(handle)
        #endif
    }
}
