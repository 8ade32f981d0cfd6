public import AttachmentPrep

/// What a push brought: the payload's JSON, or a notification's `userInfo`.
public struct NotificationPayload: Hashable, Sendable {
    /// The whole payload; an object.
    public private(set) var root: JSONValue

    /// APNs takes 4096 bytes, FCM as many and some; longer ones are nobody's payload.
    static let longest = 1 << 20

    /// A payload that was read already.
    public init(_ members: [String: JSONValue]) { root = .object(members) }

    /// Reads a payload's JSON.
    ///
    /// - Throws: `invalid-payload` for anything but an object.
    public init(json bytes: [UInt8]) throws(PrepError) {
        guard bytes.count <= Self.longest, let root = JSONValue(json: bytes), root.object != nil else {
            throw PrepError(
                .invalidPayload, .input,
                "the payload is no JSON object, or one too deep or large to be a notification's")
        }
        self.root = root
    }

    /// The value at a path of names.
    public subscript(path: PayloadPath) -> JSONValue? { root[path] }

    /// What was sealed in this payload, as a payload of its own: of what came in the clear only `aps` is left, or
    /// whoever could change the payload on its way could have a picture of theirs shown beside the sealed text.
    func replaced(by sealed: JSONValue) -> NotificationPayload {
        var members = sealed.object ?? [:]
        members["aps"] = self["aps"]
        return NotificationPayload(members)
    }

    /// This payload with what `members` has put over it.
    ///
    /// `aps` stays as it came: it is the system's, and has been read.
    func completed(by members: JSONValue) -> NotificationPayload {
        guard case .object(var own) = members else { return self }
        own["aps"] = nil
        var payload = self
        payload.root.merge(.object(own))
        return payload
    }
}

/// What of a notification is shown.
public struct NotificationText: Hashable, Sendable {
    /// The first line.
    public var title = ""
    /// The line below it.
    public var subtitle = ""
    /// The text itself.
    public var body = ""

    /// Nothing.
    public init() {}

    /// A text that is known.
    public init(title: String = "", subtitle: String = "", body: String = "") {
        self.title = title
        self.subtitle = subtitle
        self.body = body
    }

    /// The text of a payload's `aps.alert`, a string or a dictionary (Apple: Generating a remote notification).
    public init(of payload: NotificationPayload) {
        switch payload["aps.alert"] {
        case .string(let text): body = text
        case .some(let alert): take(from: alert)
        case .none: break
        }
    }

    /// Takes over what an object says in its members `title`, `subtitle` and `body`, or in an `aps.alert` of its own;
    /// others stay.
    mutating func take(from object: JSONValue) {
        if let text = object["aps.alert"]?.string { body = text }
        if let alert = object["aps.alert"], alert.object != nil { take(from: alert) }
        if let text = object["title"]?.string { title = text }
        if let text = object["subtitle"]?.string { subtitle = text }
        if let text = object["body"]?.string { body = text }
    }
}
