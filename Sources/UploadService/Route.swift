internal import AttachmentPrep

/// What a path stands for.
enum Route: Equatable {
    /// Uploads.
    case attachments
    /// A file of the cache, by its name.
    case media(String)
    /// A signed link, as a path.
    case signedLink(String)
    case tusdHook
    case s3Hook
    case isAlive
    case isReady
    case metrics

    /// - Throws: 404.
    init(_ target: RequestTarget) throws(HTTPRefusal) {
        let parts = target.segments
        switch parts.first {
        case "v1" where parts == ["v1", "attachments"]: self = .attachments
        case "hooks" where parts == ["hooks", "tusd"]: self = .tusdHook
        case "hooks" where parts == ["hooks", "s3"]: self = .s3Hook
        case "healthz" where parts.count == 1: self = .isAlive
        case "readyz" where parts.count == 1: self = .isReady
        case "metrics" where parts.count == 1: self = .metrics
        case "s" where parts.count == 4: self = .signedLink(parts.joined(separator: "/"))
        case "media" where parts.count == 3 && parts[2].hasPrefix(parts[1]): self = .media(parts[2])
        // The address in records is <public base>/<2 hex>/<64 hex>.<ext>, and the base may be this server's root.
        case let first? where parts.count == 2 && first.utf8.count == 2 && parts[1].hasPrefix(first):
            self = .media(parts[1])
        default: throw HTTPRefusal(404, .notFound, "there is nothing at this path")
        }
    }

    var methods: [String] {
        switch self {
        case .attachments, .tusdHook, .s3Hook: ["POST"]
        default: ["GET", "HEAD"]
        }
    }

    /// Whether everybody may ask: what is named by a hash or signed, and whether the service lives.
    var isPublic: Bool {
        switch self {
        case .media, .signedLink, .isAlive, .isReady: true
        case .attachments, .tusdHook, .s3Hook, .metrics: false
        }
    }

    /// As counters and log lines call it: without what is secret in a path.
    var name: String {
        switch self {
        case .attachments: "attachments"
        case .media: "media"
        case .signedLink: "signed-link"
        case .tusdHook: "tusd-hook"
        case .s3Hook: "s3-hook"
        case .isAlive: "healthz"
        case .isReady: "readyz"
        case .metrics: "metrics"
        }
    }
}
