internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Cuts connections that take too long to say what they want.
///
/// libmicrohttpd only counts the time in which nothing comes at all: a client that sends a byte now and then would
/// hold a thread for ever.
final class ConnectionWatch: Sendable {
    /// What a connection is doing.
    enum Phase: Sendable {
        /// It is to send a head, the first one or the next.
        case head
        /// It sends a body.
        case body
        /// We are at work, and it waits.
        case work
        /// It takes an answer of so many bytes.
        case answer(Int)
    }

    private struct Connection: Sendable {
        var phase = Phase.head
        var since = ContinuousClock.now
        /// Seconds that the body took so far, without those in which we were the slow ones.
        var spent = 0.0
        var bytes = 0
        /// Bytes a second that the body must come at.
        var slowest = ConnectionWatch.slowest

        mutating func turn(to phase: Phase, _ now: ContinuousClock.Instant) {
            if case .head = phase { (spent, bytes, slowest) = (0, 0, ConnectionWatch.slowest) }
            if case .body = self.phase { spent += (now - since) / .seconds(1) }
            self.phase = phase
            since = now
        }

        func isLate(_ now: ContinuousClock.Instant) -> Bool {
            let seconds = (now - since) / .seconds(1)
            switch phase {
            case .head: return seconds > ConnectionWatch.headSeconds
            case .body:
                if seconds > ConnectionWatch.headSeconds { return true }
                return spent + seconds > ConnectionWatch.bodySeconds
                    && Double(bytes) < slowest * (spent + seconds)
            case .work: return false
            case .answer(let bytes):
                return seconds > ConnectionWatch.headSeconds + Double(bytes) / ConnectionWatch.slowest
            }
        }
    }

    /// Seconds for a head, and between two requests.
    static let headSeconds = 15.0
    /// Seconds after which a body must have come at `slowest` bytes a second or more, all in all.
    static let bodySeconds = 5.0
    static let slowest = 4096.0
    /// The same while a decoder waits for the body, which others could use.
    static let slowestWithDecoder = 32_768.0

    private struct State: Sendable {
        var connections: [Int32: Connection] = [:]
        var cut = 0
        var isOver = false
    }

    private let monitor = Monitor(State())

    /// Connections that are open.
    var count: Int { monitor.update { $0.connections.count } }
    /// Connections that were cut.
    var cut: Int { monitor.update { $0.cut } }

    /// Begins to watch, until `stop`.
    func start() {
        let thread = SystemThread {
            while self.monitor.wait(milliseconds: 250, { $0.isOver ? true : nil }) == nil { self.look() }
        }
        thread?.detach()
    }

    func stop() { monitor.update { $0.isOver = true } }

    func opened(_ socket: Int32) { monitor.update { $0.connections[socket] = Connection() } }

    func closed(_ socket: Int32) { monitor.update { $0.connections[socket] = nil } }

    func note(_ phase: Phase, _ socket: Int32) {
        let now = ContinuousClock.now
        monitor.update { state in state.connections[socket]?.turn(to: phase, now) }
    }

    /// We are done with a piece of a body, and wait for the next one.
    func wantsBody(_ socket: Int32, withDecoder: Bool) {
        let now = ContinuousClock.now
        monitor.update { state in
            state.connections[socket]?.turn(to: .body, now)
            state.connections[socket]?.slowest = withDecoder ? Self.slowestWithDecoder : Self.slowest
        }
    }

    /// Bytes of the body came, and we work on them.
    func received(_ bytes: Int, _ socket: Int32) {
        let now = ContinuousClock.now
        monitor.update { state in
            state.connections[socket]?.bytes &+= bytes
            state.connections[socket]?.turn(to: .work, now)
        }
    }

    private func look() {
        let now = ContinuousClock.now
        monitor.update { state in
            for (socket, connection) in state.connections where connection.isLate(now) {
                // The server sees the end and closes; until it says so the descriptor is its own.
                shutdown(socket, Int32(SHUT_RDWR))
                state.cut += 1
                state.connections[socket]?.since = now
            }
        }
    }

    /// Whether nothing can reach the client any more.
    static func isBroken(_ socket: Int32) -> Bool {
        var wanted = pollfd(fd: socket, events: 0, revents: 0)
        return unsafe poll(&wanted, 1, 0) > 0 && wanted.revents & Int16(POLLHUP | POLLERR) != 0
    }
}
