package import MediaTypes

/// A link as it stands in a payload, taken apart as far as its rules need: nothing is resolved or repaired.
struct LinkText {
    enum Trouble {
        case empty, relative, space, noHost, credentials
        var words: String {
            switch self {
            case .empty: "the link is empty"
            case .relative: "the link is no absolute address"
            case .space: "there is a space or another character in the link that must be percent-encoded"
            case .noHost: "there is no host in the link"
            case .credentials: "there is a user's name in the link"
            }
        }
    }

    /// Lower case; empty where there is none.
    let scheme: String
    /// Lower case, without port and brackets.
    let host: String
    let path: String
    let query: String
    let trouble: Trouble?

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0
        let hasScheme =
            colon > 0
            && bytes[..<colon].allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
                default: false
                }
            }
        scheme = hasScheme ? String(decoding: bytes[..<colon], as: UTF8.self).lowercased() : ""
        let isWeb = ["https", "http", "ftp"].contains(scheme)
        var rest = bytes[(hasScheme ? colon + 1 : 0)...]
        var authority = rest[..<rest.startIndex]
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != 0x3F && $0 != 0x23 }
            rest = rest[authority.endIndex...]
        }
        let address = rest.prefix { $0 != 0x23 }
        path = String(decoding: address.prefix { $0 != 0x3F }, as: UTF8.self)
        query = String(decoding: address.drop { $0 != 0x3F }.dropFirst(), as: UTF8.self)
        let name = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        host = Self.host(name)
        trouble =
            if bytes.isEmpty {
                .empty
            } else if !hasScheme {
                .relative
            } else if isWeb,
                bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || [0x22, 0x3C, 0x3E].contains($0) })
            {
                .space
            } else if isWeb, host.isEmpty {
                .noHost
            } else if isWeb, name.count != authority.count {
                .credentials
            } else {
                nil
            }
    }

    private static func host(_ name: ArraySlice<UInt8>) -> String {
        let isBracketed = name.first == UInt8(ascii: "[")
        let host =
            isBracketed
            ? name.dropFirst().prefix { $0 != UInt8(ascii: "]") } : name.prefix { $0 != UInt8(ascii: ":") }
        return String(decoding: host, as: UTF8.self).lowercased()
    }

    /// The type the last component of the path claims.
    var claim: ClaimedExtension { ClaimedExtension(path) }

    /// Whether a text is a link at all, rather than a bundled picture's name.
    static func isLink(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.prefix(5).lowercased() == "data:" { return true }
        let head = Array(text.utf8.prefix(64))
        guard let slash = head.firstIndex(of: UInt8(ascii: "/")) else { return false }
        // `https://...`, or `cdn.example/a.jpg`, which was meant to be one.
        return slash > 0 && head[slash - 1] == UInt8(ascii: ":") || head[..<slash].contains(UInt8(ascii: "."))
    }

    /// Whether only some can reach the host: a name without a dot, of a local domain, or a private address.
    var isPrivate: Bool {
        if host.isEmpty { return false }
        if host.contains(":") {
            return host == "::1" || host.hasPrefix("fc") || host.hasPrefix("fd") || host.hasPrefix("fe80")
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = labels.compactMap { UInt8($0) }
        if labels.count == 4, numbers.count == 4 {
            switch (numbers[0], numbers[1]) {
            case (0, _), (10, _), (127, _), (169, 254), (192, 168), (172, 16...31), (100, 64...127):
                return true
            default: return false
            }
        }
        // RFC 6761, RFC 6762, and ICANN's name for private use.
        let locals = ["localhost", "local", "internal", "lan", "test", "invalid", "home.arpa"]
        return !host.contains(".") || locals.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    /// The parameter that says when a signed link runs out, if it is of Amazon's or Google's storage.
    var expiry: String? {
        query.split(separator: "&").first { part in
            let name = part.prefix { $0 != "=" }.lowercased()
            return name == "x-amz-expires" || name == "x-goog-expires"
        }.map(String.init)
    }
}

/// The types a platform shows.
package enum ShownTypes {
    /// Apple's table of UNNotificationAttachment, complete.
    package static let apple: Set<String> = [
        "public.aiff-audio", "com.microsoft.waveform-audio", "public.mp3", "public.mpeg-4-audio",
        "public.jpeg",
        "com.compuserve.gif", "public.png", "public.mpeg", "public.mpeg-2-video", "public.mpeg-4",
        "public.avi",
    ]

    /// What a platform shows in every version.
    package static func formats(_ channel: Channel) -> [MediaFormat] {
        switch channel {
        case .apns, .data, .everywhere:
            MediaFormat.allCases.filter { $0.typeHint.map(apple.contains) == true }
        // FCM's reference of Notification.image; an animated picture is shown by its first frame.
        case .android: [.jpeg, .png, .apng, .bmp, .gif]
        // Chrome's; others show no image.
        case .web: [.jpeg, .png, .apng, .gif, .webp, .ico, .bmp]
        }
    }

    /// What some versions of Android show.
    static let byVersion: [MediaFormat] = [.webp, .heic, .heif]
}
