/// What lies between a phone and the server of a picture, and how that server behaves.
package struct SimulatedNetwork: Hashable, Sendable {
    /// What becomes of an answer.
    package enum Fate: Hashable, Sendable {
        case whole
        /// The host has no address.
        case unknownHost
        /// Nobody listens.
        case unreachable
        /// The certificate is not to be trusted.
        case insecure
        /// The request is taken and never answered.
        case dead
        /// Half the body comes, and then nothing.
        case stalls
        /// The connection breaks in the middle of the body, each time.
        case breaks
        /// The same the first time, and not again.
        case breaksOnce
    }

    /// Seconds from a request to the first byte of its answer.
    package var latency = 0.02
    /// Bytes a second.
    package var rate = 4_000_000
    package var fate = Fate.whole
    /// HTTP status of the answer.
    package var status = 200

    package init() {}

    /// Names for the command line, in the order help lists them.
    package static let names = named.map(\.name)

    /// A network by its name.
    package init?(named name: String) {
        guard let entry = Self.named.first(where: { $0.name == name }) else { return nil }
        (latency, rate, fate) = (entry.latency, entry.rate, entry.fate)
    }

    private static let named: [(name: String, latency: Double, rate: Int, fate: Fate)] = [
        ("good", 0.02, 4_000_000, .whole), ("mobile", 0.1, 600_000, .whole), ("slow", 0.4, 40_000, .whole),
        ("crawl", 1, 2_000, .whole), ("lossy", 0.1, 600_000, .breaksOnce), ("broken", 0.1, 600_000, .breaks),
        ("stalls", 0.1, 600_000, .stalls), ("dead", 0.1, 600_000, .dead),
        ("unreachable", 0.1, 0, .unreachable), ("unknown-host", 0.1, 0, .unknownHost),
        ("bad-certificate", 0.1, 0, .insecure),
    ]
}
