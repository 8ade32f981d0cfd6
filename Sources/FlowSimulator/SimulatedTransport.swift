internal import AttachmentPrep
internal import CService
internal import LinkFetch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The network as an extension sees it: every request is a stream of its own to the simulator, which plays resolver,
/// server and everything between.
///
/// The answer comes as HTTP/1.1 writes it, with `Content-Length` and without chunks, as only the simulator speaks it;
/// or as a line `!word` where there is no answer.
struct SimulatedTransport: LinkTransport {
    /// Takes the far ends of streams.
    let network: Int32

    func get(_ request: LinkRequest, _ exchange: LinkExchange) -> LinkEnd {
        var ends: [Int32] = [-1, -1]
        guard unsafe ap_socket_pair(&ends) == 0 else { return .failed }
        defer { close(ends[0]) }
        let one: [UInt8] = [1]
        let sent = unsafe ap_send_descriptor(network, one, one.count, ends[1])
        close(ends[1])
        let lines = ["GET \(request.url)"] + request.headers + ["", ""]
        guard sent == 1, (try? writeAll(Array(lines.joined(separator: "\n").utf8).span, to: ends[0])) != nil
        else { return .noConnection }
        var answer = SimulatedAnswer()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if exchange.isOver { return .stopped }
            if let deadline = request.deadline, deadline <= .now { return .late }
            var wanted = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, 20) > 0 else { continue }
            let count = unsafe recv(ends[0], &buffer, buffer.count, 0)
            guard count > 0 else { return answer.isWhole ? .done : .broken }
            if let end = answer.take(buffer[..<count], exchange) { return end }
        }
    }
}

/// An answer that comes in pieces.
private struct SimulatedAnswer {
    private var line: [UInt8] = []
    private var isInBody = false
    /// Bytes of the body that are still to come.
    private var left = 0

    var isWhole: Bool { isInBody && left == 0 }

    /// Takes a piece; gives the end when it is over.
    mutating func take(_ piece: ArraySlice<UInt8>, _ exchange: LinkExchange) -> LinkEnd? {
        var rest = piece
        while !isInBody, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[(end + 1)...]
            let text = String(decoding: line, as: UTF8.self)
            line = []
            if let end = Self.ends[text] { return end }
            if text.hasPrefix("Content-Length: ") { left = Int(text.dropFirst(16)) ?? 0 }
            isInBody = text.isEmpty
            guard exchange.take(headerLine: text) else { return .stopped }
        }
        guard isInBody else {
            line += rest
            return nil
        }
        left -= rest.count
        if !rest.isEmpty {
            let isWanted = exchange.take(body: Array(rest).span)
            if !isWanted { return .stopped }
        }
        return left == 0 ? .done : nil
    }

    private static let ends: [String: LinkEnd] = [
        "!unknown-host": .unknownHost, "!no-connection": .noConnection, "!insecure": .insecure,
    ]
}
