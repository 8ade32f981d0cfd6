internal import AttachmentPrep
internal import MediaTypes

/// Where a notification's picture, sound or film lies.
public enum MediaLocation: Hashable, Sendable {
    /// `https://`, or `http://` where the fetch options allow it.
    case link(String)
    /// An absolute path on this device.
    case file(String)
    /// A name in the app's own bundle.
    case bundled(String)

    /// Reads what stands in a payload; nil for what is no place.
    ///
    /// `https://...`, `file:///...`, or a bare file name, which is looked for in the bundle.
    public init?(_ text: String) {
        let trimmed = Self.trimmed(text)
        // A name without a colon has no scheme, whatever it is called.
        let scheme = trimmed.firstIndex(of: ":").map { trimmed[..<$0].lowercased() }
        if trimmed.isEmpty || trimmed.utf8.contains(0) { return nil }
        if scheme == "https" || scheme == "http" {
            self = .link(trimmed)
        } else if scheme == "file" {
            guard let path = Self.path(ofFileURL: trimmed) else { return nil }
            self = .file(path)
        } else if trimmed.hasPrefix("//") {
            return nil
        } else if trimmed.utf8.count <= 255, !trimmed.utf8.contains(UInt8(ascii: "/")),
            !trimmed.utf8.contains(UInt8(ascii: ":")), trimmed != ".", trimmed != ".."
        {
            self = .bundled(trimmed)
        } else {
            return nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (character: Character) in character.isWhitespace }
        let head = text.drop(while: isSpace)
        guard let last = head.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(head[...last])
    }

    /// RFC 8089: `file:///path` and `file://localhost/path`.
    private static func path(ofFileURL url: String) -> String? {
        var rest = Array(url.utf8)[5...]
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
                return nil
            }
            rest = rest[host.endIndex...]
        }
        guard rest.first == UInt8(ascii: "/") else { return nil }
        var path: [UInt8] = []
        var index = rest.startIndex
        while index < rest.endIndex {
            guard rest[index] == UInt8(ascii: "%") else {
                path.append(rest[index])
                index += 1
                continue
            }
            guard index + 2 < rest.endIndex,
                let byte = UInt8(String(decoding: rest[(index + 1)...(index + 2)], as: UTF8.self), radix: 16),
                byte != 0
            else { return nil }
            path.append(byte)
            index += 3
        }
        return String(decoding: path, as: UTF8.self)
    }
}

/// Where payloads carry the locations of media.
public struct MediaKeys: Sendable {
    /// Looked at in this order; the first place found counts.
    public var paths: [PayloadPath]

    /// What articles, SDKs and FCM use; there is no standard.
    public static let common = MediaKeys(PayloadMediaKeys.own.map { PayloadPath($0) })

    /// Creates a list.
    public init(_ paths: [PayloadPath]) { self.paths = paths }

    /// What a payload says: the first string that names a place; nil where there is nothing at any key.
    ///
    /// - Throws: `invalid-url` where what stands there is no place: a text of another kind, a number, a list. Flags,
    ///   `null`, empty texts, and objects, in which other paths may lead on, are no media at all.
    func location(in payload: NotificationPayload) throws(PrepError) -> MediaLocation? {
        var unusable: PayloadPath?
        for path in paths {
            switch payload[path] {
            case .string(let text):
                if let location = MediaLocation(text) { return location }
                if text.contains(where: { !$0.isWhitespace }) { unusable = unusable ?? path }
            case .number, .array: unusable = unusable ?? path
            case .none, .null, .bool, .object: break
            }
        }
        guard let path = unusable else { return nil }
        let name = path.names.joined(separator: ".")
        throw PrepError(
            .invalidURL, .input,
            "what stands at '\(name)' names no media; send a link that begins with https://")
    }
}
