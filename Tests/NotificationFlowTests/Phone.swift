import AttachmentPrep
import Foundation
import LinkFetch
import MediaCache
import TestSupport

@testable import NotificationFlow

/// A fresh folder with a cache, a flow in it, and a network that answers from a script.
final class Phone: Sendable {
    let folder: TemporaryFolder
    let network = ScriptedNetwork()
    let cache: AttachmentCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try AttachmentCache(folder.path + "/cache", synchronizes: false)
    }

    func flow() -> NotificationFlow {
        var flow = NotificationFlow(cache: cache)
        flow.fetch.transport = network
        flow.retryPause = .milliseconds(1)
        return flow
    }

    static func payload(_ more: String = "") throws -> NotificationPayload {
        try NotificationPayload(
            json: Array(
                (#"{"aps":{"alert":{"title":"Order","body":"changed"},"mutable-content":1}"# + more + "}")
                    .utf8))
    }

    /// Names of files that were handed out and not taken.
    var handedOut: [String] {
        let path = cache.path.appending("handed-out").display
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// A JPEG that must be prepared, as it is progressive and larger than the box.
    static let photo: [UInt8] = {
        (try? JPEGSamples.make(.waves(1200, 300), ["-progressive", "-quality", "85"])) ?? []
    }()
}

/// Answers requests by address.
final class ScriptedNetwork: LinkTransport {
    enum Answer: Sendable {
        case body([UInt8], status: Int = 200, headers: [String] = [])
        case end(LinkEnd)
        /// The body's first half, and no more.
        case half([UInt8])
        /// Nothing until nobody waits any more.
        case silence
        case redirect(String)
    }

    private struct State {
        var answers: [String: [Answer]] = [:]
        var requests: [LinkRequest] = []
    }

    private let state = Monitor(State())

    /// Sets what an address answers, the last one for ever.
    func set(_ address: String, _ answers: Answer...) { state.update { $0.answers[address] = answers } }

    var requests: [String] { state.update { $0.requests.map(\.url) } }

    func headers(_ address: String) -> [String] {
        state.update { $0.requests.last { $0.url == address }?.headers ?? [] }
    }

    func get(_ request: LinkRequest, _ exchange: LinkExchange) -> LinkEnd {
        let answer: Answer? = state.update { state in
            state.requests.append(request)
            guard let all = state.answers[request.url], let first = all.first else { return nil }
            if all.count > 1 { state.answers[request.url] = Array(all.dropFirst()) }
            return first
        }
        switch answer {
        case nil: return head(404, 0, [], exchange) ? .done : .stopped
        case .end(let end): return end
        case .redirect(let target): return head(302, 0, ["Location: \(target)"], exchange) ? .done : .stopped
        case .silence:
            while !exchange.isOver {
                if let deadline = request.deadline, deadline <= .now { return .late }
                usleep(500)
            }
            return .stopped
        case .half(let bytes):
            _ = head(200, bytes.count, [], exchange)
            return exchange.take(body: bytes.span.extracting(0..<bytes.count / 2)) ? .broken : .stopped
        case .body(let bytes, let status, let headers):
            guard head(status, bytes.count, headers, exchange) else { return .stopped }
            return bytes.isEmpty || exchange.take(body: bytes.span) ? .done : .stopped
        }
    }

    private func head(_ status: Int, _ count: Int, _ headers: [String], _ exchange: LinkExchange) -> Bool {
        var isWanted = true
        for line in ["HTTP/1.1 \(status) X", "Content-Length: \(count)"] + headers + [""] {
            isWanted = exchange.take(headerLine: line) && isWanted
        }
        return isWanted
    }
}

/// What a flow delivered, and how often.
final class Deliveries: Sendable {
    private let all = Monitor<[Delivery]>([])

    var take: NotificationRun.Deliver { { delivery in self.all.update { $0.append(delivery) } } }
    var count: Int { all.update { $0.count } }

    /// The first, waited for; nil if none came in a minute.
    func first() -> Delivery? {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if let first = all.update({ $0.first }) { return first }
            usleep(500)
        }
        return nil
    }
}
