package import AttachmentPrep

/// Puts other links into payloads and changes nothing else of them, byte for byte.
package struct PayloadRewriter: Sendable {
    /// What stands at a link's place from now on; nil to leave it.
    package typealias Replacement = @Sendable (String) throws(PrepError) -> String?

    private let keys: MediaKeys
    private let replacement: Replacement

    /// - Parameters:
    ///   - keys: where links are looked for.
    ///   - replacement: called for each `https` or `http` link there.
    package init(keys: MediaKeys, replacement: @escaping Replacement) {
        self.keys = keys
        self.replacement = replacement
    }

    /// The payload with its links replaced, and with `mutable-content` where a picture will not be seen
    /// without.
    ///
    /// A payload without a link comes back as it is. White space is dropped only from a payload that would be
    /// too large with it.
    ///
    /// - Throws: `invalid-payload` for what is no JSON object, `over-limit` for what cannot be made small
    ///   enough, and whatever the replacement throws.
    package func rewritten(_ bytes: [UInt8]) throws(PrepError) -> [UInt8] {
        let document = try Self.document(bytes)
        guard document.kind(0) == .object else {
            throw PrepError(.invalidPayload, .input, "the payload is no JSON object; send {\"aps\": {...}}")
        }
        let links = keys.links(in: document).filter { document.string($0.node).map(Self.isWebLink) == true }
        guard !links.isEmpty else { return bytes }
        var edits = PayloadEdits(document)
        for link in links {
            guard let text = document.string(link.node), let new = try replacement(text) else { continue }
            edits.replaceString(link.node, with: new)
        }
        let kind = PayloadKind(document)
        if let place = try MutableContentPlace(document, kind, links) { edits.add(place) }
        guard !edits.isEmpty else { return bytes }
        return try Self.fitted(edits.applied(), kind)
    }

    private static func document(_ bytes: [UInt8]) throws(PrepError) -> JSONDocument {
        do throws(JSONFault) { return try JSONDocument(bytes) } catch { throw error.error(in: bytes) }
    }

    private static func isWebLink(_ text: String) -> Bool {
        let head = text.utf8.prefix(8).map { $0 | 0x20 }
        return head.starts(with: "https:".utf8) || head.starts(with: "http:".utf8)
    }

    // MARK: - Size

    private static let limit = PayloadLimits.bytes

    /// The payload within the limit of its service, without white space if that is what it takes.
    private static func fitted(_ bytes: [UInt8], _ kind: PayloadKind) throws(PrepError) -> [UInt8] {
        // Nothing within the limit can be too large in any part of it.
        guard bytes.count > limit else { return bytes }
        let document = try document(bytes)
        guard kind == .apns else {
            try checkMessage(document)
            return bytes
        }
        let range = document.nodes[0].range
        guard range.count > limit else { return bytes }
        let small = document.minimised()
        guard small.count <= limit else { throw tooLarge("the payload", small.count) }
        return bytes[..<range.lowerBound] + small + bytes[range.upperBound...]
    }

    private static func checkMessage(_ document: JSONDocument) throws(PrepError) {
        let message = document.member(0, "message") ?? 0
        let count = document.blocks(ofMessage: message).bytes
        if count > limit { throw tooLarge("notification and data", count) }
        if let payload = document.member(message, path: ["apns", "payload"]) {
            let count = document.minimised(payload).count
            if count > limit { throw tooLarge("apns.payload", count) }
        }
    }

    private static func tooLarge(_ what: String, _ count: Int) -> PrepError {
        PrepError(
            .overLimit, .input,
            "\(what) would have \(count) bytes, \(count - limit) over \(limit), even without white space; "
                + "send an identifier instead of the text, or a shorter link",
            detail: "limit \(limit) bytes")
    }
}

/// Where `mutable-content` is missing, if it is certain that it should be there.
struct MutableContentPlace {
    /// The value to replace; nil to add one.
    var wrong: Int?
    /// The object to add to, and the names of those that are missing on the way.
    var object = 0
    var missing: [String] = []

    /// - Returns: nil where nothing is missing, or adding it would change nothing: a push without an alert
    ///   never reaches the extension, and a zero is somebody's wish.
    /// - Throws: `invalid-payload` where aps is there twice.
    init?(_ document: JSONDocument, _ kind: PayloadKind, _ links: [MediaLink]) throws(PrepError) {
        let names: [String]
        switch kind {
        case .apns: (object, names) = (0, ["aps"])
        case .fcm, .fcmMessage:
            let message = kind == .fcm ? document.member(0, "message") ?? 0 : 0
            guard let apns = document.member(message, "apns"), document.kind(apns) == .object,
                links.contains(where: { [.apns, .everywhere].contains($0.channel) })
            else { return nil }
            (object, names) = (apns, ["payload", "aps"])
        case .fcmLegacy, .unknown: return nil
        }
        guard Self.hasAlert(document, object, names, kind) else { return nil }
        missing = names + ["mutable-content"]
        while let name = missing.first {
            let found = document.children(object).filter { document.hasKey($0, Array(name.utf8)) }
            guard let child = found.last else { return }
            guard found.count == 1 else {
                throw PrepError(
                    .invalidPayload, .input, "the key \(name) is there twice; merge them into one",
                    detail: "byte \(document.nodes[child].range.lowerBound)")
            }
            missing.removeFirst()
            if missing.isEmpty {
                guard ["\"1\"", "true", "1.0"].contains(document.shown(child)) else { return nil }
                wrong = child
                return
            }
            guard document.kind(child) == .object else { return nil }
            object = child
        }
    }

    private static func hasAlert(
        _ document: JSONDocument, _ object: Int, _ names: [String], _ kind: PayloadKind
    ) -> Bool {
        func isFilled(_ node: Int?) -> Bool {
            node.map { ![.null, .false].contains(document.kind($0)) } ?? false
        }
        if isFilled(document.member(object, path: names + ["alert"])) { return true }
        guard kind != .apns else { return false }
        return isFilled(document.member(document.member(0, "message") ?? 0, "notification"))
    }
}
