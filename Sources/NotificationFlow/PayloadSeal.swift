public import AttachmentPrep

/// Opens what a payload carries sealed.
public protocol PayloadSeal: Sendable {
    /// What was sealed, in the clear; nil for a payload that carries nothing sealed.
    ///
    /// - Throws: `invalid-payload` where it cannot be opened or was tampered with.
    func opened(_ payload: NotificationPayload) throws(PrepError) -> JSONValue?
}

/// Hands out keys when they are asked for: from the keychain on Apple's systems.
public protocol PayloadKeys: Sendable {
    /// The key of that name, 32 bytes; nil if there is none.
    ///
    /// - Parameter name: what the payload says; nil where it says nothing.
    func key(named name: String?) -> [UInt8]?
}

/// A JSON object sealed with AES-256-GCM: Base64 of nonce (12 bytes), ciphertext and tag (16 bytes) in one string.
///
/// `title`, `subtitle` and `body` in it become the notification's text, and links, ids and keys of words are looked for
/// in it and nowhere else: nobody vouches for what came in the clear beside it.
public struct SealedPayload<Keys: PayloadKeys>: PayloadSeal {
    private let path: PayloadPath
    private let keyName: PayloadPath
    private let extra: [UInt8]
    private let keys: Keys

    static var nonceSize: Int { 12 }
    static var tagSize: Int { 16 }

    /// Opens what is sealed.
    ///
    /// - Parameters:
    ///   - path: where the sealed text stands.
    ///   - keyName: where the payload names the key, if it does.
    ///   - extra: additional data that the tag covers too.
    ///   - keys: asked for each payload; keys are not kept.
    public init(
        at path: PayloadPath = "encrypted_data", keyName: PayloadPath = "key_id", extra: [UInt8] = [],
        keys: Keys
    ) {
        self.path = path
        self.keyName = keyName
        self.extra = extra
        self.keys = keys
    }

    /// Opens a payload.
    public func opened(_ payload: NotificationPayload) throws(PrepError) -> JSONValue? {
        guard let value = payload[path], value != .null else { return nil }
        guard let text = value.string, let bytes = Base64.decode(text.utf8),
            bytes.count >= Self.nonceSize + Self.tagSize
        else { throw Self.invalid("what should be sealed is no nonce, ciphertext and tag in Base64") }
        guard let key = keys.key(named: payload[keyName]?.string), key.count == AESGCM.keySize else {
            throw Self.invalid("there is no key to open the payload with")
        }
        let plain = try AESGCM.open(
            sealed: bytes[Self.nonceSize..<(bytes.count - Self.tagSize)], nonce: bytes.prefix(Self.nonceSize),
            tag: bytes.suffix(Self.tagSize), extra: extra, key: key)
        guard let value = JSONValue(json: plain), value.object != nil else {
            throw Self.invalid("what was sealed is no JSON object")
        }
        return value
    }

    private static func invalid(_ why: String) -> PrepError { PrepError(.invalidPayload, .input, why) }
}
