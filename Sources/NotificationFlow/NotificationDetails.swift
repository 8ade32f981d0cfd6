public import AttachmentPrep
public import LinkFetch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Completes what a payload says: with details that were kept out of it, or with words in the user's language.
public protocol NotificationDetails: Sendable {
    /// Members to put over the payload: `title`, `subtitle` and `body` become the notification's text, and a link
    /// among them is found where one in the payload would be. Nil where there is nothing to complete.
    ///
    /// Called on a thread of the notification's own, which may block until `limits` says that time is up.
    func details(for payload: NotificationPayload, _ limits: FlowLimits) throws(PrepError) -> JSONValue?
}

/// How long the work for one notification may go on.
public struct FlowLimits: Sendable {
    /// When the notification is delivered with what there is.
    public let deadline: ContinuousClock.Instant
    /// Raised when it was delivered, or nobody wants it any more.
    public let cancellation: Cancellation

    /// Whether to stop now.
    public var isOver: Bool { cancellation.isCancelled || deadline <= .now }

    /// Time that is left; zero when it is over.
    public var left: Duration { isOver ? .zero : max(.zero, deadline - .now) }
}

/// Words in the user's language.
public protocol StringTable: Sendable {
    /// The text of a key, with `%@` or `%1$@` where arguments go; nil if there is none.
    func format(for key: String) -> String?
}

/// Text by key and arguments: `title-loc-key` and `title-loc-args`, `subtitle-loc-…`, and `loc-key` and `loc-args`
/// for the body, as Apple names them in `aps.alert`, but at the top of the payload or of what was sealed in it.
///
/// (What stands in `aps.alert` the system localises itself.)
public struct LocalizedDetails<Table: StringTable>: NotificationDetails {
    private let table: Table

    /// Takes words from a table.
    public init(_ table: Table) { self.table = table }

    /// The words of a payload.
    public func details(
        for payload: NotificationPayload, _ limits: FlowLimits
    ) throws(PrepError) -> JSONValue? {
        var members: [String: JSONValue] = [:]
        for (name, prefix) in [("title", "title-"), ("subtitle", "subtitle-"), ("body", "")] {
            guard let key = payload[PayloadPath(prefix + "loc-key")]?.string,
                let format = table.format(for: key)
            else { continue }
            let arguments = payload[PayloadPath(prefix + "loc-args")]?.array ?? []
            members[name] = .string(Self.fill(format, with: arguments.map(Self.text)))
        }
        return members.isEmpty ? nil : .object(members)
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .number(let number): value.identifier ?? "\(number)"
        case .bool(let flag): "\(flag)"
        default: value.string ?? ""
        }
    }

    /// Puts arguments in the places of `%@` and `%1$@`; `%%` is a percent sign, and what else follows one stays.
    static func fill(_ format: String, with arguments: [String]) -> String {
        var result = ""
        var rest = format[...]
        var next = 0
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            let digits = rest.prefix { ("0"..."9").contains($0) }
            if rest.hasPrefix("%") {
                result += "%"
                rest = rest.dropFirst()
            } else if rest.hasPrefix("@") {
                result += arguments.indices.contains(next) ? arguments[next] : ""
                next += 1
                rest = rest.dropFirst()
            } else if let number = Int(digits), rest.dropFirst(digits.count).hasPrefix("$@") {
                result += arguments.indices.contains(number - 1) ? arguments[number - 1] : ""
                rest = rest.dropFirst(digits.count + 2)
            } else {
                result += "%"
            }
        }
        return result + rest
    }
}

/// Details by event id from the sender's own server, which answers a GET with a JSON object: what is personal never
/// passes through anybody else's.
public struct EventDetails: NotificationDetails {
    /// `https://…` with `{id}` where the event's id goes, percent-encoded.
    private let address: String
    private let idPath: PayloadPath
    private let token: @Sendable () -> String?
    /// How the server is asked.
    public var fetch: FetchOptions
    /// The longest the text may take, so that time is left for the picture.
    public var timeLimit = Duration.seconds(8)
    /// How long to wait before a server that failed is asked again, once.
    public var retryPause = Duration.seconds(1)

    /// A longer answer is no notification's.
    static let longestAnswer = 64 * 1024

    /// Asks a server.
    ///
    /// - Parameters:
    ///   - address: with `{id}` in its path or query.
    ///   - idPath: where the payload names the event.
    ///   - token: sent as `Authorization: Bearer …`, to the address's host and nowhere else; nil for none.
    public init(
        at address: String, idPath: PayloadPath = "event_id", fetch: FetchOptions = .init(),
        token: @escaping @Sendable () -> String? = { nil }
    ) {
        self.address = address
        self.idPath = idPath
        self.fetch = fetch
        self.token = token
    }

    /// The answer to a payload's event id.
    public func details(
        for payload: NotificationPayload, _ limits: FlowLimits
    ) throws(PrepError) -> JSONValue? {
        guard let value = payload[idPath], value != .null, value != .string("") else { return nil }
        let link = try link(for: value)
        var options = fetch
        if let token = token() {
            guard let header = HostHeader(host: link.host, name: "Authorization", value: "Bearer \(token)")
            else {
                throw PrepError(.auth, .input, "the token for the details' server cannot be sent in a header")
            }
            options.headers.append(header)
        }
        let deadline = min(limits.deadline, .now + timeLimit)
        var isFirst = true
        while true {
            do throws(PrepError) {
                return try answer(link, options, deadline, limits.cancellation)
            } catch {
                let mayPass = [.network, .httpStatus, .truncated].contains(error.code)
                guard isFirst, mayPass, deadline - .now > retryPause * 2, !limits.isOver else {
                    throw PrepError(
                        error.code, error.stage, "no details from \(link.host)", detail: error.message)
                }
                isFirst = false
                usleep(UInt32(min(retryPause / .microseconds(1), 10_000_000)))
            }
        }
    }

    /// The address of an event's details.
    private func link(for id: JSONValue) throws(PrepError) -> LinkURL {
        // One that a reader rounded would lead to somebody else's event.
        guard let id = id.identifier, id != ".", id != ".." else {
            throw PrepError(
                .invalidPayload, .input,
                "the event's id is no text and no number that is exact; send it as text")
        }
        let parts = address.split(separator: "{id}", maxSplits: 1, omittingEmptySubsequences: false)
        // An id in the host would choose who gets the token.
        guard parts.count == 2, parts[0].split(separator: "/", omittingEmptySubsequences: false).count > 3
        else {
            throw PrepError(.invalidURL, .input, "the details' address has no {id} in its path or query")
        }
        return try LinkURL(parts.joined(separator: Self.encoded(id)), readBy: fetch.reader)
    }

    private func answer(
        _ link: LinkURL, _ options: FetchOptions, _ deadline: ContinuousClock.Instant,
        _ cancellation: Cancellation
    ) throws(PrepError) -> JSONValue {
        var fetcher = LinkFetcher(options: options, maxBytes: Self.longestAnswer, deadline: deadline)
        fetcher.accept = "application/json"
        let body = CollectedBody(cancellation)
        _ = try fetcher.fetch(link, into: body)
        guard let details = JSONValue(json: body.bytes), details.object != nil else {
            throw PrepError(.invalidPayload, .input, "the answer is no JSON object")
        }
        return details
    }

    /// Percent-encodes all but RFC 3986's unreserved characters: an id is one piece of a path or query.
    private static func encoded(_ id: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return id.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                String(Character(Unicode.Scalar(byte)))
            default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }.joined()
    }
}

/// A body that is kept, as it is short.
private final class CollectedBody: LinkBody {
    private(set) var bytes: [UInt8] = []
    private let cancellation: Cancellation

    init(_ cancellation: Cancellation) { self.cancellation = cancellation }

    let needsMoreInput = true
    var isOver: Bool { cancellation.isCancelled }

    func push(_ bytes: Span<UInt8>) throws(PrepError) {
        for index in bytes.indices { self.bytes.append(bytes[index]) }
    }
}
