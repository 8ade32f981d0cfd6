internal import AttachmentPrep
internal import CNet

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Who takes an address apart: whoever connects to it, since two readers may differ in where it leads.
package enum AddressReader: Hashable, Sendable {
    /// libcurl, for its own transfers.
    case curl
    /// Foundation's URL, for other transports; a host in Unicode must be written in Punycode.
    case foundation

    struct Parts {
        /// The whole, without a fragment.
        var text = ""
        var scheme = ""
        /// An IPv6 address in brackets.
        var host = ""
        var hasUser = false
        var path = ""
    }

    /// The parts of an absolute address, or of one relative to `base`; nil for anything else.
    ///
    /// - Throws: `io` where there is no libcurl.
    func parts(of text: String, relativeTo base: LinkURL?) throws(PrepError) -> Parts? {
        switch self {
        case .curl: try Self.curlParts(text, base)
        case .foundation: Self.foundationParts(text, base)
        }
    }

    private static func foundationParts(_ text: String, _ base: LinkURL?) -> Parts? {
        let withoutFragment = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
        guard let url = URL(string: withoutFragment, relativeTo: base.flatMap { URL(string: $0.text) }),
            let scheme = url.scheme
        else { return nil }
        var parts = Parts()
        parts.text = url.absoluteURL.absoluteString
        parts.scheme = scheme
        parts.host = url.host(percentEncoded: true) ?? ""
        // What it percent-encodes it could not read, and a transport may read otherwise.
        guard parts.host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }) else {
            return nil
        }
        if parts.host.utf8.contains(UInt8(ascii: ":")), !parts.host.hasPrefix("[") {
            parts.host = "[\(parts.host)]"
        }
        parts.hasUser = url.user(percentEncoded: true) != nil
        parts.path = url.absoluteURL.path(percentEncoded: true)
        return parts
    }

    #if Service && os(Linux)
        private static func curlParts(_ text: String, _ base: LinkURL?) throws(PrepError) -> Parts? {
            var read = unsafe ap_url_parts()
            let end =
                if let base {
                    unsafe ap_url_parse(base.text, text, &read)
                } else {
                    unsafe ap_url_parse(nil, text, &read)
                }
            defer { unsafe ap_url_free(&read) }
            guard end != .noLibrary else { throw LinkURL.noLibrary }
            guard end == .done else { return nil }
            return unsafe Parts(
                text: string(read.url), scheme: string(read.scheme), host: string(read.host),
                hasUser: read.user != nil, path: string(read.path))
        }

        private static func string(_ text: UnsafePointer<CChar>?) -> String {
            unsafe text.map { unsafe String(cString: $0) } ?? ""
        }
    #else
        private static func curlParts(_ text: String, _ base: LinkURL?) throws(PrepError) -> Parts? {
            throw LinkURL.noLibrary
        }
    #endif
}
