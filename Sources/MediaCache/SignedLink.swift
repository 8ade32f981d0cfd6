public import AttachmentPrep
internal import LinkFetch

extension String {
    /// A server's address as more can be put behind it.
    var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

/// A lazy link: where an attachment will be, once somebody asks for it (SPEC 5).
///
/// `<base>/s/<key id>.<expiry|0>.<signature>/<profile>/<base64url(link)>.jpg`. It is written into a payload without
/// any fetch; the server that gets it checks the signature and prepares the link then. Only who has the key can
/// make the server fetch anything.
public struct SignedLink: Hashable, Sendable {
    /// Which key it was signed with.
    public var keyID: String
    /// Seconds since 1970 when it runs out; 0 for never.
    public var expiry: Int
    /// What is made of the link's picture: a built-in profile.
    public var profile: Profile
    /// Where the picture is.
    public var link: String

    /// Creates a link to be signed.
    ///
    /// - Throws: `invalid-url` for a link that could not be fetched.
    public init(_ link: String, profile: Profile, expiry: Int = 0, keyID: String) throws(PrepError) {
        self.link = try LinkURL(link).text
        self.profile = profile
        self.expiry = expiry
        self.keyID = keyID
    }

    /// What is signed.
    static func message(profile: String, expiry: String, link: String) -> [UInt8] {
        Array("ap1\n\(profile)\n\(expiry)\n\(link)".utf8)
    }

    /// The whole link.
    ///
    /// - Parameter base: address of the server that prepares, such as `https://push.example`.
    public func text(base: String, key: LinkKey) throws(PrepError) -> String {
        let message = Self.message(profile: profile.name, expiry: String(expiry), link: link)
        let signature = Base64.encodeForLink(try HMAC.sha256(message, key: key.secret))
        let name = Base64.encodeForLink(Array(link.utf8))
        return "\(base.withoutSlash)/s/\(key.id).\(expiry).\(signature)/\(profile.name)/\(name).jpg"
    }

    /// Reads a signed link, or the path of one, and checks it.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `bad-signature` for anything that no key of ours signed, `expired` for what has run out.
    public init(verifying text: String, keys: LinkKeys, now: Int) throws(PrepError) {
        guard let parts = Parts(text), let key = keys[parts.keyID] else { throw Self.badSignature }
        let message = Self.message(profile: parts.profile, expiry: parts.expiry, link: parts.link)
        guard HMAC.areEqual(try HMAC.sha256(message, key: key.secret), parts.signature) else {
            throw Self.badSignature
        }
        // What follows was signed by us, so these are our own words.
        guard let profile = Profile(named: parts.profile), let expiry = Int(parts.expiry) else {
            throw Self.badSignature
        }
        guard expiry == 0 || now < expiry else {
            throw PrepError(
                .expired, .input, "the signed link has run out; sign it anew", detail: "at \(expiry)")
        }
        self.init(keyID: parts.keyID, expiry: expiry, profile: profile, link: parts.link)
    }

    private init(keyID: String, expiry: Int, profile: Profile, link: String) {
        self.keyID = keyID
        self.expiry = expiry
        self.profile = profile
        self.link = link
    }

    private static let badSignature = PrepError(
        .badSignature, .input, "not a link that was signed with a key we have")

    /// Whether a text looks like a signed link, of whatever signature.
    package static func isOne(_ text: String) -> Bool { Parts(text) != nil }

    /// The parts of a signed link, as they are written.
    private struct Parts {
        let keyID: String
        let expiry: String
        let signature: [UInt8]
        let profile: String
        let link: String

        init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).suffix(4)
            guard parts.count == 4, parts.first == "s" else { return nil }
            let words = parts.map(String.init)
            let proof = words[1].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard proof.count == 3, LinkKey.isID(proof[0]), words[3].hasSuffix(".jpg"),
                let signature = Base64.decode(proof[2].utf8),
                let link = Base64.decode(words[3].dropLast(4).utf8),
                // One text for one link: no second spelling passes.
                Base64.encodeForLink(signature) == proof[2],
                Base64.encodeForLink(link) == words[3].dropLast(4)
            else { return nil }
            keyID = proof[0]
            expiry = proof[1]
            self.signature = signature
            profile = words[2]
            self.link = String(decoding: link, as: UTF8.self)
        }
    }
}
