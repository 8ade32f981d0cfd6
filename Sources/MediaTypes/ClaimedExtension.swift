/// The type a file's name claims by its extension.
///
/// A claim is only ever compared with what the bytes say; it never decides anything.
public struct ClaimedExtension: Sendable, Hashable {
    /// The extension in lower case without its dot, or nil if the name has none.
    public let text: String?

    /// Reads the extension of a file name or path.
    ///
    /// It is what follows the last dot behind the last slash. Dots at the end are ignored, those at the start
    /// only hide the file, and anything but 1 to 16 ASCII letters and digits is no extension.
    public init(_ path: String) {
        let name =
            path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? [][...]
        let dot = UInt8(ascii: ".")
        var bare = name.drop { $0 == dot }
        while bare.last == dot { bare.removeLast() }
        let parts = bare.split(separator: dot, omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, (1...16).contains(last.count) else {
            text = nil
            return
        }
        var folded = ""
        for byte in last {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                folded.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                folded.unicodeScalars.append(Unicode.Scalar(byte + 0x20))
            default:
                text = nil
                return
            }
        }
        text = folded
    }

    /// Whether the name claims nothing else than `format`; a name without an extension claims nothing.
    ///
    /// Names in common use for one type are equal (TYPES.md, "Names that do not count as a mismatch").
    /// Formats without an extension of their own contradict no name.
    public func matches(_ format: MediaFormat) -> Bool {
        guard let text, let own = format.fileExtension, text != own else { return true }
        let owns =
            switch format {
            // MPEG-1 elementary streams are `mpg` or `m1v`; the format alone does not tell them from MPEG-2.
            case .mpegES: [own, "mpg", "m1v"]
            // 3GPP2's files are of the same format and brands.
            case .threeGP: [own, "3g2"]
            default: [own]
            }
        return owns.contains(text)
            || Self.equalNames.contains { names in
                names.contains(text) && owns.contains { names.contains($0) }
            }
    }

    private static let equalNames: [Set<String>] = [
        ["jpg", "jpeg", "jpe", "jfif"],
        ["tif", "tiff"],
        ["heic", "heif", "hif", "heics"],
        ["png", "apng"],
        ["mp4", "m4v"],
        ["mpg", "mpeg"],
        ["aif", "aiff"],
    ]
}
