import Foundation
import TestSupport

/// An HTTP client that sends exactly what it is told, right or wrong.
final class RawClient {
    private let socket: Int32

    /// Connects; reads give up after so many seconds.
    init(_ address: ServiceProcess.Address, patience: Int = 60) throws {
        switch address {
        case .tcp(let port):
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = in_port_t(port).bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try connect(&name, MemoryLayout<sockaddr_in>.size)
        case .unix(let path):
            socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let text = Array(path.utf8)
            guard text.count < MemoryLayout.size(ofValue: name.sun_path) else {
                throw ProgramFailure(command: "path too long: \(path)", status: 0)
            }
            unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: text) }
            try connect(&name, MemoryLayout<sockaddr_un>.size)
        }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        unsafe setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(
            socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    private func connect<Name>(_ name: inout Name, _ size: Int) throws {
        let result = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Foundation.connect(socket, $0, socklen_t(size))
            }
        }
        guard result == 0 else { throw ProgramFailure(command: "connect", status: errno) }
    }

    /// Sends bytes; false when the other side does not take them any more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.send(
                    socket, $0.baseAddress?.advanced(by: done), bytes.count - done, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Says that nothing more comes.
    func finish() { shutdown(socket, Int32(SHUT_WR)) }

    /// What comes until the other side closes.
    func rest() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }

    /// One answer, as long as its Content-Length says; nil when the line ends before.
    func answer(toHead: Bool = false) -> Answer? {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let answer = Answer(all, toHead: toHead) { return answer }
            let count = unsafe recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            all += buffer[..<count]
        }
    }

    struct Answer {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]

        /// Nil while it is not whole; what stands behind it is dropped.
        init?(_ bytes: [UInt8], toHead: Bool = false) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(
                separatedBy: "\r\n")
            guard let word = lines[0].split(separator: " ").dropFirst().first, let status = Int(word) else {
                return nil
            }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                headers[parts[0].lowercased()] = (parts.count > 1 ? parts[1] : "").trimmingCharacters(
                    in: .whitespaces)
            }
            let count = toHead ? 0 : Int(headers["content-length"] ?? "0") ?? 0
            guard bytes.count >= end.upperBound + count else { return nil }
            self.status = status
            self.headers = headers
            body = Array(bytes[end.upperBound..<end.upperBound + count])
        }

        var record: Record? { try? JSONDecoder().decode(Record.self, from: Data(body)) }
        var text: String { String(decoding: body, as: UTF8.self) }
    }
}

/// What of a record the tests look at.
struct Record: Decodable {
    struct Output: Decodable {
        let profile: String
        let path: String?
        let url: String?
        let bytes: Int?
        let error: Failure?
    }
    struct Failure: Decodable {
        let code: String
        let message: String
        let detail: String?
    }
    let input: String
    let outcome: String
    let outputs: [Output]
    let error: Failure?
}

/// One request with a head that is right.
func ask(
    _ address: ServiceProcess.Address, _ method: String = "GET", _ target: String,
    headers: [String] = [], body: [UInt8]? = nil
) throws -> RawClient.Answer? {
    let client = try RawClient(address)
    var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    for header in headers { head += header + "\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    client.send(Array((head + "\r\n").utf8) + (body ?? []))
    return client.answer(toHead: method == "HEAD")
}

/// Bytes of a picture in Samples/photos.
func sample(_ name: String) throws -> [UInt8] {
    try bytes(
        of: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Samples/photos/" + name).path)
}
