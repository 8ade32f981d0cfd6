internal import AttachmentPrep
internal import CService
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Answers a simulated extension's requests, each on a thread of its own, as the network and the server would.
final class SimulatedServer: Sendable {
    private let network: SimulatedNetwork
    /// What every link leads to; nil for nothing, which is a 404.
    private let media: FilePath?
    /// Answers below this address, and what they say; nil for a 404.
    private let details: (prefix: String, suffix: String, bytes: [UInt8]?)?
    /// How much faster than a real one the clock goes.
    private let clock: Double
    private let tell: @Sendable (String) -> Void
    /// Requests so far for each address.
    private let asked = Monitor<[String: Int]>([:])

    init(
        _ network: SimulatedNetwork, media: FilePath?,
        details: (prefix: String, suffix: String, bytes: [UInt8]?)?,
        clock: Double, tell: @escaping @Sendable (String) -> Void
    ) {
        self.network = network
        self.media = media
        self.details = details
        self.clock = clock
        self.tell = tell
    }

    /// Serves what comes over a line until that is closed.
    func listen(on line: Int32) {
        let thread = SystemThread {
            while true {
                var byte: UInt8 = 0
                var stream: Int32 = -1
                let count = unsafe ap_receive_descriptor(line, &byte, 1, &stream)
                if count == -Int(EINTR) { continue }
                guard count > 0 else { break }
                let accepted = stream
                guard accepted >= 0 else { continue }
                guard let thread = SystemThread({ self.serve(accepted) }) else {
                    close(accepted)
                    continue
                }
                thread.detach()
            }
            close(line)
        }
        if let thread { thread.detach() } else { close(line) }
    }

    private func serve(_ stream: Int32) {
        defer { close(stream) }
        guard let address = address(from: stream) else { return }
        let count = asked.update { asked in
            asked[address, default: 0] += 1
            return asked[address, default: 1]
        }
        tell(address)
        guard pause(network.latency, stream) else { return }
        switch network.fate {
        case .unknownHost: return say(["!unknown-host"], to: stream)
        case .unreachable: return say(["!no-connection"], to: stream)
        case .insecure: return say(["!insecure"], to: stream)
        case .dead:
            _ = pause(.infinity, stream)
            return
        default: break
        }
        let isDetails =
            details.map { address.hasPrefix($0.prefix) && address.hasSuffix($0.suffix) } ?? false
        let body =
            isDetails ? details?.bytes : media.flatMap { $0.bytes(atMost: 1 << 30, followsLink: true) }
        let status = body == nil ? 404 : isDetails ? 200 : network.status
        guard let body, status == 200 else {
            return say(["HTTP/1.1 \(status)", "Content-Length: 0", "", ""], to: stream)
        }
        answer(body, count, stream)
    }

    private func answer(_ body: [UInt8], _ count: Int, _ stream: Int32) {
        say(
            ["HTTP/1.1 200 OK", "Content-Length: \(body.count)", "Cache-Control: max-age=86400", "", ""],
            to: stream)
        let end =
            switch network.fate {
            case .stalls, .breaks: body.count / 2
            case .breaksOnce where count == 1: body.count / 2
            default: body.count
            }
        let rate = min(max(1, Double(network.rate) * clock), 1e12)
        let piece = min(max(256, Int(rate / 50)), 65_536)
        let started = ContinuousClock.now
        var position = 0
        while position < end {
            let next = min(position + piece, end)
            guard (try? writeAll(body.span.extracting(position..<next), to: stream)) != nil else { return }
            position = next
            let ahead = Double(position) / rate - (ContinuousClock.now - started) / .seconds(1)
            if ahead > 0, !pause(ahead * clock, stream) { return }
        }
        if network.fate == .stalls { _ = pause(.infinity, stream) }
    }

    /// The address a request asks for; its headers are read and of no concern.
    private func address(from stream: Int32) -> String? {
        var head: [UInt8] = []
        while !head.suffix(2).elementsEqual("\n\n".utf8) {
            var byte: UInt8 = 0
            guard unsafe recv(stream, &byte, 1, 0) == 1, head.count < 65_536 else { return nil }
            head.append(byte)
        }
        let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return line.hasPrefix("GET ") ? String(line.dropFirst(4)) : nil
    }

    private func say(_ lines: [String], to stream: Int32) {
        let text = lines.joined(separator: "\n") + (lines.count == 1 ? "\n" : "")
        _ = try? writeAll(Array(text.utf8).span, to: stream)
    }

    /// Waits so many simulated seconds; false as soon as the other end is gone.
    private func pause(_ seconds: Double, _ stream: Int32) -> Bool {
        let end = ContinuousClock.now + .seconds(min(seconds / clock, 86_400))
        while true {
            let left = (end - .now) / .milliseconds(1)
            if left <= 0 { return true }
            var line = pollfd(fd: stream, events: 0, revents: 0)
            if unsafe poll(&line, 1, Int32(max(1, min(left, 1000)))) > 0 { return false }
        }
    }
}
