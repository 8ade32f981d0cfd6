internal import AttachmentPrep
package import MediaCache

/// What a service is told before it starts.
package struct ServiceSettings: Sendable {
    /// What is made of uploads and links, where it is kept, and under which address it is handed out.
    package var links: LinkPreparer
    /// Keys of signed links; without them there are none.
    package var keys: LinkKeys?
    /// The word that whoever uploads must know; nil lets everybody who can connect.
    package var token: [UInt8]?
    /// Hosts that requests may be for, in lower case, without ports; nil on a Unix socket, where none can lie.
    package var hosts: Set<String>?
    package var connections = 256
    package var connectionsPerAddress = 32
    /// Told a line of JSON about each request.
    package var log: (@Sendable ([UInt8]) -> Void)?
    /// Who keeps hooks' messages; nil takes none.
    package var takeHook: (any HookIntake)?
    /// Why nothing more can be kept; nil when it can.
    package var trouble: (@Sendable () -> String?)?
    /// Further figures, in Prometheus' text format.
    package var moreMetrics: (@Sendable () -> String)?

    package init(links: LinkPreparer) { self.links = links }

    /// A host without its port, in lower case.
    package static func hostName(_ host: String) -> String { Gatekeeper.name(of: host) }
}
