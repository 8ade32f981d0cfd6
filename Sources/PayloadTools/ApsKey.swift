/// The keys of aps (Apple: Generating a remote notification, table 1).
struct ApsKey {
    let name: String
    let kinds: [JSONKind]
    /// The first iOS that knows it.
    let since: Int

    static let all: [ApsKey] = [
        ApsKey(name: "alert", kinds: [.string, .object], since: 3),
        ApsKey(name: "badge", kinds: [.number], since: 3),
        ApsKey(name: "sound", kinds: [.string, .object], since: 3),
        ApsKey(name: "content-available", kinds: [.number], since: 7),
        ApsKey(name: "category", kinds: [.string], since: 8),
        ApsKey(name: "thread-id", kinds: [.string], since: 10),
        ApsKey(name: "mutable-content", kinds: [.number], since: 10),
        ApsKey(name: "target-content-id", kinds: [.string], since: 13),
        ApsKey(name: "interruption-level", kinds: [.string], since: 15),
        ApsKey(name: "relevance-score", kinds: [.number], since: 15),
        ApsKey(name: "filter-criteria", kinds: [.string], since: 16),
        ApsKey(name: "event", kinds: [.string], since: 16),
        ApsKey(name: "content-state", kinds: [.object], since: 16),
        ApsKey(name: "timestamp", kinds: [.number], since: 16),
        ApsKey(name: "stale-date", kinds: [.number], since: 16),
        ApsKey(name: "dismissal-date", kinds: [.number], since: 16),
        ApsKey(name: "attributes-type", kinds: [.string], since: 17),
        ApsKey(name: "attributes", kinds: [.object], since: 17),
        ApsKey(name: "input-push-token", kinds: [.number], since: 18),
        ApsKey(name: "input-push-channel", kinds: [.string], since: 18),
        // Safari's.
        ApsKey(name: "url-args", kinds: [.array], since: 3),
    ]

    /// Names as they are mixed up: `mutable_content`, `mutableContent`.
    static func folded(_ name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
}
