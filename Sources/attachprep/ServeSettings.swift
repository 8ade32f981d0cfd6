internal import AttachmentPrep

/// What only `serve` asks.
struct ServeSettings: Sendable {
    var listen = ListenAddress.tcp(host: "127.0.0.1", port: 8077)
    var tokenFile: FilePath?
    /// Hosts that requests may be for, besides those the service knows itself.
    var hosts: [String] = []
    /// Nil means the default of the address that is listened on.
    var connectionsPerAddress: Int?
    var connections = 256
    /// Nil means eight for each job.
    var waiting: Int?
    var logsRequests = false
}

/// Where a service listens.
enum ListenAddress: Hashable, Sendable {
    case unix(FilePath)
    /// The host in figures.
    case tcp(host: String, port: UInt16)
    /// A socket that the service's starter opened, as systemd does.
    case inherited

    /// Reads `unix:PATH`, `127.0.0.1:8077`, `[::1]:8077` or `systemd`.
    init?(_ path: FilePath) {
        let text = path.display
        if text == "systemd" {
            self = .inherited
            return
        }
        if text.hasPrefix("unix:") {
            let rest = FilePath(bytes: path.bytes.dropFirst(5))
            guard !rest.bytes.isEmpty else { return nil }
            self = .unix(rest)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard host.contains(":") == isBracketed, !host.isEmpty,
            host.utf8.allSatisfy({ Array("0123456789abcdefABCDEF.:".utf8).contains($0) })
        else { return nil }
        self = .tcp(host: host, port: port)
    }

    /// Whether only this machine can connect; of a socket that is handed over that shows later.
    var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): host.hasPrefix("127.") || host == "::1"
        case .inherited: true
        }
    }
}
