internal import AttachmentPrep
internal import CService

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One request being served; all calls come on the thread of its connection, one after the other.
protocol HTTPRequest: AnyObject {
    /// Whether something follows the head.
    var hasBody: Bool { get }
    /// Whether a decoder waits for the body.
    var holdsDecoder: Bool { get }
    /// The head is there: the answer, or nil where the body is wanted first.
    func begin() -> HTTPAnswer?
    /// A piece of the body; false cuts the connection.
    func take(_ bytes: Span<UInt8>) -> Bool
    /// The body is whole: the answer.
    func end() -> HTTPAnswer
    /// The answer was handed over, or the line was cut.
    func done()
}

/// Listens, and makes a request object of whatever comes.
@safe final class HTTPServer: Sendable {
    let watch = ConnectionWatch()
    private let makeRequest: @Sendable (HTTPConnection) -> any HTTPRequest
    nonisolated(unsafe) private var server: OpaquePointer?

    struct Limits: Sendable {
        var connections = 256
        /// 0: no limit, as behind a proxy all clients have one address.
        var connectionsPerAddress = 32
        /// Seconds after which the library cuts a line where nothing happens; 0 for never.
        ///
        /// It counts our own work too, so this is more than a request may take; `watch` looks after the rest.
        var idleSeconds = 0
    }

    private static let connectionMemory = 32_768

    init(makeRequest: @escaping @Sendable (HTTPConnection) -> any HTTPRequest) {
        self.makeRequest = makeRequest
    }

    /// Begins to serve a listening socket, which is the server's from then on.
    func start(_ socket: Int32, _ limits: Limits) throws(PrepError) {
        var sizes = ap_http_limits(
            connections: UInt32(limits.connections),
            connections_per_address: UInt32(limits.connectionsPerAddress),
            idle_seconds: UInt32(clamping: limits.idleSeconds), connection_memory: Self.connectionMemory)
        // The server lives as long as this object, which outlives it.
        var handlers = unsafe ap_http_handlers(
            context: Unmanaged.passUnretained(self).toOpaque(),
            connection: { context, socket, isOpen in
                guard let context = unsafe context else { return }
                let watch = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().watch
                if isOpen { watch.opened(socket) } else { watch.closed(socket) }
            },
            begin: { context, exchange in
                guard let context = unsafe context, let exchange = unsafe exchange else { return nil }
                return unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().begin(
                    HTTPConnection(exchange))
            },
            body: { call, bytes, count in
                guard let call = unsafe call else { return false }
                let own = unsafe Unmanaged<Call>.fromOpaque(call).takeUnretainedValue()
                return unsafe own.take(UnsafeBufferPointer(start: bytes, count: count))
            },
            end: { call in
                guard let call = unsafe call else { return false }
                return unsafe Unmanaged<Call>.fromOpaque(call).takeUnretainedValue().end()
            },
            done: { call in
                guard let call = unsafe call else { return }
                unsafe Unmanaged<Call>.fromOpaque(call).takeRetainedValue().done()
            })
        guard let server = unsafe ap_http_start(socket, &sizes, &handlers) else {
            throw PrepError(
                .io, .input,
                "libmicrohttpd.so.12 is missing, or the system has no threads left: apt-get install libmicrohttpd12"
            )
        }
        unsafe self.server = server
        watch.start()
    }

    /// Takes no more connections.
    func quiesce() { if let server = unsafe server { unsafe ap_http_quiesce(server) } }

    /// Ends every connection.
    func stop() {
        watch.stop()
        if let server = unsafe server { unsafe ap_http_stop(server) }
        unsafe server = nil
    }

    private func begin(_ connection: HTTPConnection) -> UnsafeMutableRawPointer? {
        watch.note(.work, connection.socket)
        let call = Call(makeRequest(connection), connection, watch)
        call.begin()
        return unsafe Unmanaged.passRetained(call).toOpaque()
    }

    /// A request with its connection.
    private final class Call {
        private let request: any HTTPRequest
        private let connection: HTTPConnection
        private let watch: ConnectionWatch
        /// The answer to a request that has nothing but a head.
        private var ready: HTTPAnswer?

        init(_ request: any HTTPRequest, _ connection: HTTPConnection, _ watch: ConnectionWatch) {
            self.request = request
            self.connection = connection
            self.watch = watch
        }

        func begin() {
            guard let answer = request.begin() else {
                return watch.wantsBody(connection.socket, withDecoder: false)
            }
            // The library closes the line behind an answer to a head: right only where a body is not wanted.
            if request.hasBody { _ = send(answer) } else { ready = answer }
        }

        func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            watch.received(bytes.count, connection.socket)
            defer { watch.wantsBody(connection.socket, withDecoder: request.holdsDecoder) }
            return unsafe request.take(bytes.span)
        }

        func end() -> Bool {
            watch.note(.work, connection.socket)
            return send(ready.take() ?? request.end())
        }

        private func send(_ answer: HTTPAnswer) -> Bool {
            watch.note(.answer(answer.size), connection.socket)
            return connection.send(answer)
        }

        func done() {
            ready?.discard()
            request.done()
            watch.note(.head, connection.socket)
        }
    }
}
