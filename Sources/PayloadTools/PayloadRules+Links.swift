// What is wrong with a link, as it is written and as it is answered.

extension PayloadRule {
    static let linkRules: [PayloadRule] = [
        noMediaLink, linkInsideAPS, linkNotText, linkInvalid, linkNotHTTPS, linkNotFetchable, linkSuffixless,
        linkExtensionNotAccepted, linkExtensionCase, linkPrivateHost, linkExpires, linkUnreachable,
        linkTooSlow, linkSlow,
        linkTruncated, linkTypeNotAccepted, linkTypeMismatch, linkTooLarge, linkHeavy,
    ]

    static let noMediaLink = PayloadRule(
        "no-media-link", .warning, why: "No key that is known to carry a link to a picture is in it.",
        cure: "Add the link under a key of its own beside aps; if your key has another name, say --key NAME.")
    static let linkInsideAPS = PayloadRule(
        "link-inside-aps", .fatal,
        why: "aps is Apple's; extensions look for the link among the app's own keys, beside it.",
        cure: "Move the link out of aps.")
    static let linkNotText = PayloadRule(
        "link-not-text", .fatal,
        why: "Extensions read the link as text; anything else is no link to them, and some crash on it.",
        cure: "Write the link as a string.")
    static let linkInvalid = PayloadRule(
        "link-invalid", .fatal, why: "URL(string:) gives no address that can be fetched for it.",
        cure: "Send an absolute link: https://host/path/name.jpg, with odd characters percent-encoded.")
    static let linkNotHTTPS = PayloadRule(
        "link-not-https", .fatal,
        why: "App Transport Security blocks http in the extension, and FCM asks for https.",
        cure: "Serve the picture by https.")
    static let linkNotFetchable = PayloadRule(
        "link-not-fetchable", .fatal,
        why: "The device downloads the picture; only https leads to a server it can reach.",
        cure: "Upload the picture and send its https link.")
    static let linkSuffixless = PayloadRule(
        "link-suffixless", .fatal,
        why:
            "iOS tells an attachment's type from its file's extension, which extensions take from the "
            + "link; without "
            + "one the attachment is refused (error 101) or empty.",
        cure: "Let 'payload rewrite' put a link with .jpg in its place, or send a type hint that is a UTI.")
    static let linkExtensionNotAccepted = PayloadRule(
        "link-extension-not-accepted", .fatal,
        why:
            "The platform shows JPEG, PNG and GIF (iOS also MP4, MPEG, AVI, MP3, M4A, WAV and AIFF) and "
            + "no other type.",
        cure: "Let 'payload rewrite' put a link to a JPEG in its place.")
    static let linkExtensionCase = PayloadRule(
        "link-extension-case", .warning,
        why: "Some SDKs compare the extension with a list in lower case and drop .JPG.",
        cure: "Name the file in lower case.")
    static let linkPrivateHost = PayloadRule(
        "link-private-host", .warning,
        why: "The host has no public address: the picture is there for the tester and not for the customer.",
        cure: "Host the picture where every phone can reach it.")
    static let linkExpires = PayloadRule(
        "link-expires", .warning,
        why: "A push waits until the phone is on again, for up to 30 days; the signed link does not.",
        cure:
            "Sign it for longer than the push may live (apns-expiration), or send a link that does not "
            + "run out."
    )
    static let linkUnreachable = PayloadRule(
        "link-unreachable", .fatal, why: "What is not fetched is not shown: the push stays text.",
        cure: "Make the link answer 200 with the picture, without a login.")
    static let linkTooSlow = PayloadRule(
        "link-too-slow", .fatal,
        why: "The extension has about 30 seconds in all, and the phone's network is slower than this one.",
        cure: "Serve it from a faster host, and a smaller file.")
    static let linkSlow = PayloadRule(
        "link-slow", .warning,
        why: "It took more than 5 seconds here; with a weak signal the extension's 30 seconds will not do.",
        cure: "Serve it from a faster host, and a smaller file.")
    static let linkTruncated = PayloadRule(
        "link-truncated", .fatal, why: "Half a picture is refused as corrupt, after the extension is done.",
        cure: "Mend the server; Content-Length must be the file's.")
    static let linkTypeNotAccepted = PayloadRule(
        "link-type-not-accepted", .fatal,
        why: "What the server sends is of a type the platform does not show, whatever its name says.",
        cure: "Let 'payload rewrite' put a link to a JPEG in its place.")
    static let linkTypeMismatch = PayloadRule(
        "link-type-mismatch", .warning,
        why: "The name says one type and the bytes another: iOS forgives some such pairs, others not.",
        cure: "Name the file after what it is.")
    static let linkTooLarge = PayloadRule(
        "link-too-large", .fatal,
        why:
            "Apple's limits are 10 MB for images, 5 MB for sound and 50 MB for video; over them it is "
            + "dropped silently.",
        cure: "Send a smaller file: 'payload rewrite' leads to one of at most 300,000 bytes.")
    static let linkHeavy = PayloadRule(
        "link-heavy", .warning,
        why:
            "It is over 1 MB: slow to fetch, and decoding it may take the extension over its 24 MB of "
            + "memory.",
        cure: "Send a smaller file: 'payload rewrite' leads to one of at most 300,000 bytes.")
}
