internal import AttachmentPrep

/// What the service counts, as Prometheus reads it (text format 0.0.4).
final class ServiceMetrics: Sendable {
    private struct State: Sendable {
        var requests: [String: [Int: Int]] = [:]
        var errors: [String: Int] = [:]
        var outputs: [String: Int] = [:]
        var buckets = [Int](repeating: 0, count: ServiceMetrics.bounds.count + 1)
        var seconds = 0.0
        var inFlight = 0
    }

    /// Seconds.
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    private let monitor = Monitor(State())

    /// Requests that are being served.
    var inFlight: Int { monitor.update { $0.inFlight } }

    func began() { monitor.update { $0.inFlight += 1 } }

    func ended(_ route: String, _ answer: HTTPAnswer?, seconds: Double) {
        monitor.update { state in
            state.inFlight -= 1
            // 499 is what other servers write for a client that left.
            state.requests[route, default: [:]][answer?.status ?? 499, default: 0] += 1
            if let error = answer?.error { state.errors[error.rawValue, default: 0] += 1 }
            if let record = answer?.record { state.outputs[record.outcome.rawValue, default: 0] += 1 }
            let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
            state.buckets[bucket] += 1
            state.seconds += seconds
        }
    }

    func text(_ decoders: DecoderPool.Figures, connections: Int, cut: Int) -> String {
        let state = monitor.update { $0 }
        var text = PrometheusText()
        text.add("requests_total", .counter, "Requests by route and status", Self.rows(state.requests))
        text.add(
            "errors_total", .counter, "Answers that say an error, by its code",
            Self.rows(state.errors, label: "code"))
        text.add(
            "records_total", .counter, "Records given, by outcome", Self.rows(state.outputs, label: "outcome")
        )
        text.addHistogram(
            "request_seconds", "Time from a head to its answer", Self.bounds, state.buckets,
            sum: state.seconds)
        for (name, help, value) in [
            ("requests_in_flight", "Requests being served", state.inFlight),
            ("connections", "Open connections", connections),
            ("decoders_busy", "Decoder processes at work", decoders.busy),
            ("decoders_idle", "Decoder processes that wait for work", decoders.idle),
            ("decoders_waiting", "Jobs that wait for a decoder", decoders.waiting),
            ("memory_granted_bytes", "Memory that jobs at work were computed to need", decoders.memory),
        ] {
            text.add(name, .gauge, help, [("", value)])
        }
        text.add("decoder_crashes_total", .counter, "Decoder processes that died", [("", decoders.crashes)])
        text.add("connections_cut_total", .counter, "Connections cut for being too slow", [("", cut)])
        return text.text
    }

    private static func rows(_ counts: [String: [Int: Int]]) -> [(String, Int)] {
        counts.sorted { $0.key < $1.key }.flatMap { route, statuses in
            statuses.sorted { $0.key < $1.key }.map {
                ("route=\"\(route)\",status=\"\($0.key)\"", $0.value)
            }
        }
    }

    private static func rows(_ counts: [String: Int], label: String) -> [(String, Int)] {
        counts.sorted { $0.key < $1.key }.map { ("\(label)=\"\($0.key)\"", $0.value) }
    }
}

/// Figures in Prometheus' text format.
package struct PrometheusText {
    package enum Kind: String { case counter, gauge, histogram }

    package private(set) var text = ""

    package init() {}

    package mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ rows: [(labels: String, value: Int)]
    ) {
        begin(name, kind, help)
        for row in rows { line(name, row.labels, "\(row.value)") }
    }

    mutating func addHistogram(
        _ name: String, _ help: String, _ bounds: [Double], _ counts: [Int], sum: Double
    ) {
        begin(name, .histogram, help)
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
            line(name + "_bucket", "le=\"\(bound)\"", "\(total)")
        }
        line(name + "_sum", "", "\(sum)")
        line(name + "_count", "", "\(total)")
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP attachprep_\(name) \(help).\n# TYPE attachprep_\(name) \(kind.rawValue)\n"
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += "attachprep_\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
    }
}
