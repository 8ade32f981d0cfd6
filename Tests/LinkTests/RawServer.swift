import AttachmentPrep
import Foundation

/// What a `RawServer` does, in this order, with one connection; then it closes.
enum Step: Sendable {
    case send([UInt8])
    /// One byte at a time.
    case bytewise([UInt8], seconds: Double)
    /// The same again and again until the other side goes.
    case forever([UInt8], seconds: Double)
    case wait(Double)
    /// Closes with RST instead of FIN.
    case reset

    static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
}

/// A small TCP server for what nginx cannot be made to do: canned bytes by path, right or wrong.
final class RawServer: Sendable {
    private struct State {
        var connections = 0
        var requests: [String] = []
        var isOpen = true
    }

    let port: Int
    private let listener: Int32
    private let answers: [String: [Step]]
    private let state = Monitor(State())

    /// Listens on a free port of 127.0.0.1; a path without an answer gets 404.
    init(_ answers: [String: [Step]] = [:]) throws {
        self.answers = answers
        (listener, port) = try Self.listen()
        Thread.detachNewThread { [self] in accept() }
    }

    /// How many have connected so far, whether or not they asked for anything.
    var connections: Int { state.update { $0.connections } }

    /// The requests so far, as they came: request line and headers.
    func requests(of path: String) -> [String] {
        state.update { $0.requests.filter { Self.path(of: $0) == path } }
    }

    func stop() {
        state.update { $0.isOpen = false }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func accept() {
        while true {
            let connection = Foundation.accept(listener, nil, nil)
            guard connection >= 0 || errno == EINTR else { return }
            guard connection >= 0 else { continue }
            // No program that another test starts may hold it open.
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let isOpen = state.update { state in
                state.connections += 1
                return state.isOpen
            }
            guard isOpen else { return }
            Thread.detachNewThread { [self] in
                serve(connection)
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0, request.count < 1 << 20 else { return }
            request += buffer[..<count]
        }
        let text = String(decoding: request, as: UTF8.self)
        state.update { $0.requests.append(text) }
        for step in answers[Self.path(of: text)] ?? [.send(HTTP.answer(404, []))] {
            guard perform(step, on: connection) else { return }
        }
        shutdown(connection, Int32(SHUT_WR))
    }

    private func perform(_ step: Step, on connection: Int32) -> Bool {
        switch step {
        case .send(let bytes): return send(bytes[...], to: connection)
        case .bytewise(let bytes, let seconds):
            for byte in bytes {
                guard send([byte], to: connection) else { return false }
                Thread.sleep(forTimeInterval: seconds)
            }
            return true
        case .forever(let bytes, let seconds):
            while send(bytes[...], to: connection) {
                if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
            }
            return false
        case .wait(let seconds):
            Thread.sleep(forTimeInterval: seconds)
            return true
        case .reset:
            var now = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            return false
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The request's path without its query.
    private static func path(of request: String) -> String {
        let words = request.prefix { $0 != "\r\n" }.split(separator: " ")
        return words.count > 1 ? String(words[1].prefix { $0 != "?" }) : ""
    }

    private static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Ports.loopback(port: 0)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard descriptor >= 0, Ports.bind(descriptor, to: &address),
            Foundation.listen(descriptor, 512) == 0
        else { throw POSIXError(.EADDRNOTAVAIL) }
        var length = size
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// Ports of 127.0.0.1.
enum Ports {
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func bind(_ descriptor: Int32, to address: inout sockaddr_in) -> Bool {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Different ports that nobody has at the moment.
    static func free(_ count: Int) throws -> [Int] {
        let servers = try (0..<count).map { _ in try RawServer() }
        defer { servers.forEach { $0.stop() } }
        return servers.map(\.port)
    }

    /// Whether somebody accepts connections on a port.
    static func answers(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: UInt16(port))
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// HTTP/1.1 answers.
enum HTTP {
    /// A head; the length is said where there is one.
    static func head(_ status: Int, _ headers: [String] = [], length: Int? = nil) -> [UInt8] {
        let lines =
            ["HTTP/1.1 \(status) Said", "Connection: close"]
            + (length.map { ["Content-Length: \($0)"] } ?? []) + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    static func answer(_ status: Int, _ body: [UInt8], _ headers: [String] = []) -> [UInt8] {
        head(status, headers, length: body.count) + body
    }

    static func redirect(_ location: String, status: Int = 302) -> [Step] {
        [.send(head(status, ["Location: \(location)"], length: 0))]
    }

    /// Chunks of so many bytes, without the last, empty one.
    static func chunks(_ bytes: [UInt8], of size: Int = 100) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: size).flatMap { start in
            let piece = bytes[start..<min(start + size, bytes.count)]
            return Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10]
        }
    }
}
