/// Gets what is behind one address, in libcurl's place: where the system has a way of its own, as URLSession is on
/// Apple's, or where there is no network.
///
/// One request, one answer. Redirects, statuses, sizes and compression are judged by the caller; which addresses
/// may be connected to is the transport's concern.
public protocol LinkTransport: Sendable {
    /// Performs a GET and hands on what comes, head first, on the caller's thread.
    ///
    /// - Returns: how it ended: soon after `exchange` wants no more or is over, and by the deadline.
    func get(_ request: LinkRequest, _ exchange: LinkExchange) -> LinkEnd
}

/// A request as a transport sends it.
public struct LinkRequest: Sendable {
    /// Absolute, `https` unless `http` was allowed.
    public let url: String
    /// `Name: value`, in order.
    public let headers: [String]
    /// When the answer must be whole; nil for never.
    public let deadline: ContinuousClock.Instant?
}

/// How a transfer ended.
public enum LinkEnd: Hashable, Sendable {
    /// The answer is whole.
    case done
    /// The exchange wanted no more, or was over.
    case stopped
    /// Not an address that can be asked.
    case badURL
    /// The host's name is not known.
    case unknownHost
    /// Nobody answers at the host's addresses.
    case noConnection
    /// No connection that can be trusted.
    case insecure
    /// The deadline passed, or the server is too slow to wait for.
    case late
    /// The answer ended in its middle.
    case broken
    /// Anything else.
    case failed
    /// There is nothing to fetch with.
    case unavailable
}

/// The far side of a transfer: what takes an answer as it comes.
public final class LinkExchange {
    private let hop: Hop

    init(_ hop: Hop) { self.hop = hop }

    /// Takes a line of the head without its line end: `HTTP/1.1 200 OK` first, an empty one last.
    ///
    /// - Returns: false when nothing more is wanted.
    public func take(headerLine line: String) -> Bool { hop.takeHeader(line) }

    /// Takes the next bytes of the body, as they came.
    ///
    /// - Returns: false when nothing more is wanted.
    public func take(body bytes: Span<UInt8>) -> Bool { hop.takeBody(bytes) }

    /// Whether nobody waits for the answer any more; asked at least once a second.
    public var isOver: Bool { hop.isOver }
}
