internal import AttachmentPrep

/// The sentences of links that lead to no picture: what happened, and what the sender should do.
enum LinkRefusal {
    /// What an answer's status means; nil for 200, which is followed by the picture.
    ///
    /// - Parameter body: the first bytes of an answer that is none.
    static func status(_ status: Int, body: [UInt8]) -> PrepError? {
        let detail = "HTTP status \(status)"
        switch status {
        case 200: return nil
        case 401:
            return PrepError(
                .auth, .input,
                "the link's server asks for a login; send a signed link, or a token by --header",
                detail: detail)
        case 403 where saysExpired(body):
            return PrepError(
                .expired, .input, "the signed link has run out; sign it anew, for longer", detail: detail)
        case 403:
            return PrepError(
                .auth, .input,
                "the link's server does not let us in; check the link's signature and the server's rules",
                detail: detail)
        case 404:
            return PrepError(
                .notFound, .input, "nothing is at this link; upload the picture before sending the push",
                detail: detail)
        case 410:
            return PrepError(
                .expired, .input, "the picture was taken away for good; send another link", detail: detail)
        case 429:
            return PrepError(
                .httpStatus, .input, "the link's server gets too many requests; try again later",
                detail: detail)
        case 500...:
            return PrepError(
                .httpStatus, .input, "the link's server is in trouble; try again later", detail: detail)
        default:
            return PrepError(
                .httpStatus, .input,
                "the link's server does not answer with a picture; open the link and see",
                detail: detail)
        }
    }

    /// Storage servers answer 403 to a signed link that has run out, and say why in XML.
    private static func saysExpired(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body, as: UTF8.self)
        return [
            "Request has expired", "ExpiredToken", "TokenExpired",
            "Signature not valid in the specified time",
        ]
        .contains { text.contains($0) }
    }

    static func blocked(_ verdict: AddressPolicy.Verdict, _ address: SocketAddress, port: UInt16) -> PrepError
    {
        let place = address.isIPv4 ? "\(address.text):\(port)" : "[\(address.text)]:\(port)"
        let why =
            verdict == .port
            ? "the link leads to port \(port), and only 80 and 443 are allowed"
            : "the link leads to a private or reserved address"
        return PrepError(
            .blockedAddress, .input, "\(why); host the picture in public, or allow it by --allow-address",
            detail: place)
    }

    static let insecure = PrepError(
        .insecureURL, .input,
        "an http link can be read and changed on the way; send https, or use --allow-http")

    static let downgraded = PrepError(
        .insecureURL, .input, "the link redirects from https to http; mend the server's redirect")

    static func tooManyRedirects(_ limit: Int) -> PrepError {
        PrepError(
            .redirectLimit, .input, "the link redirects more than \(limit) times; send where it ends",
            detail: "limit \(limit)")
    }

    static let redirectToNowhere = PrepError(
        .httpStatus, .input, "the link's server redirects without saying where; mend it")

    static let headersTooLong = PrepError(
        .network, .input, "the link's server sends headers without end; mend it",
        detail: "limit \(ResponseHead.longest) bytes")
}
