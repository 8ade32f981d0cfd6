/// What kind of network there is, as `NWPath` tells it on Apple's systems.
public enum NetworkCondition: String, Hashable, Sendable, CaseIterable {
    case unrestricted
    /// Cellular, or a personal hotspot.
    case expensive
    /// The user asked for little traffic: Low Data Mode.
    case constrained
}

/// What may be fetched for a notification's picture, by the kind of network.
public struct MediaPolicy: Hashable, Sendable {
    /// What may be fetched.
    public enum Allowance: Hashable, Sendable {
        /// As much as the limits of preparing allow.
        case everything
        /// Files up to so many bytes.
        case upTo(bytes: Int)
        /// Nothing that is not on the device already; what the cache holds of a link while its server's answer is fresh.
        case cached
    }

    /// On cellular and hotspots.
    public var expensive = Allowance.everything
    /// Under Low Data Mode.
    public var constrained = Allowance.cached

    /// Everything, but under Low Data Mode nothing.
    public init() {}

    /// What may be fetched on such a network.
    func allowance(on condition: NetworkCondition) -> Allowance {
        switch condition {
        case .unrestricted: .everything
        case .expensive: expensive
        case .constrained: constrained
        }
    }
}

/// A token for the servers that hold pictures only some may see.
public struct MediaToken: Sendable {
    let hosts: Set<String>
    let value: @Sendable () -> String?

    /// Sends `Authorization: Bearer …` to these hosts, by https alone.
    ///
    /// It is not sent to where they redirect, unless that is one of them. What was fetched with one token is not shown with another.
    ///
    /// - Parameters:
    ///   - hosts: whole names, without a port.
    ///   - value: asked for each notification; nil sends nothing.
    public init(for hosts: [String], value: @escaping @Sendable () -> String?) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.value = value
    }
}
