internal import AttachmentPrep
internal import MediaTypes

/// What `--output` of `prepare` means.
enum OutputTarget: Equatable, Sendable {
    case folder(FilePath)
    case file(FilePath)
    case standardOutput

    /// - Parameter isFolder: whether there is a folder at that path.
    static func parse(
        _ output: FilePath, outputs: Int, isFolder: (FilePath) -> Bool
    ) throws(UsageError) -> OutputTarget {
        let name = Display.safe(output.display)
        if output.bytes.elementsEqual("-".utf8) {
            if outputs > 1 {
                throw UsageError(
                    "--output - takes a single output, and there would be \(outputs)", hint: several)
            }
            return .standardOutput
        }
        if output.bytes.last == UInt8(ascii: "/") || isFolder(output) { return .folder(output) }
        guard let suffix = ClaimedExtension(output.display).text else { return .folder(output) }
        if results.contains(suffix) {
            if outputs > 1 {
                throw UsageError("--output \(name) is one file, and there would be \(outputs)", hint: several)
            }
            return .file(output)
        }
        if Extensions.isImage(suffix) {
            let stem = name.dropLast(suffix.count)
            throw UsageError(
                "the output is a JPEG, so it cannot be called \(name)",
                hint: "did you mean '\(stem)jpg', or the folder '\(name)/'?")
        }
        return .folder(output)
    }

    private static let several = "give a folder: --output DIR"

    /// The extensions an output can have: JPEG, and what may be passed through.
    private static let results: Set<String> = Set(
        ["jpg", "jpeg", "jpe", "gif", "png"]
            + MediaFormat.allCases.filter { $0.action == .pass }.compactMap(\.fileExtension))
}

/// What an extension claims.
enum Extensions {
    private static let images: Set<String> = claims { $0 == .image }
    private static let media: Set<String> = claims { $0 == .image || $0 == .audio || $0 == .video }

    static func isImage(_ text: String) -> Bool { images.contains(text) }

    /// The extension of a name that claims sound or a movie, which may be passed through under it.
    static func passed(ofName name: [UInt8]) -> [String] {
        guard let claim = ClaimedExtension(String(decoding: name, as: UTF8.self)).text else { return [] }
        return media.contains(claim) && !images.contains(claim) ? [claim] : []
    }

    static func isMedia(_ text: String) -> Bool { media.contains(text) }

    private static func claims(_ isWanted: (MediaFamily) -> Bool) -> Set<String> {
        let formats = MediaFormat.allCases.filter { isWanted($0.family) && $0.fileExtension != nil }
        let own = formats.compactMap(\.fileExtension)
        let others = ["jpeg", "jpe", "jfif", "tiff", "heif", "hif", "heics", "apng", "m4v", "mpeg", "aif"]
        return Set(
            own + others.filter { word in formats.contains { ClaimedExtension("x." + word).matches($0) } })
    }
}
