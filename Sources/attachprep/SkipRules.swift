internal import AttachmentPrep
internal import MediaTypes

/// Why a batch leaves a file or a folder alone.
///
/// Raw values are the words of the summary.
enum SkipReason: String, CaseIterable, Sendable {
    case hidden
    case macArchive = "__MACOSX"
    case appleDouble = "AppleDouble"
    case empty
    case lfsPointer = "LFS pointer"
    case notMedia = "not an image"
    case link = "link out of the tree"
    case special = "not a regular file"
    case output = "output folder"
    case duplicate = "listed twice"
}

/// What a batch takes.
struct SkipRules: Sendable {
    var media: BatchSettings.Media

    /// A Git LFS pointer is a text of three lines.
    private static let longestPointer = 1024

    /// The rules that need a name only.
    static func reason(name: [UInt8]) -> SkipReason? {
        if name.starts(with: "._".utf8) { return .appleDouble }
        if name.first == UInt8(ascii: ".") { return .hidden }
        if name.elementsEqual("__MACOSX".utf8) { return .macArchive }
        return nil
    }

    /// The rules for a regular file.
    ///
    /// It is opened only if name and size leave a doubt.
    func reason(name: [UInt8], path: FilePath, size: Int) -> SkipReason? {
        if size == 0 { return .empty }
        let claim = ClaimedExtension(String(decoding: name, as: UTF8.self)).text
        let isClaimed = claim.map { media == .all ? Extensions.isMedia($0) : Extensions.isImage($0) } ?? false
        if isClaimed, size > Self.longestPointer { return nil }
        switch Sniffing.format(of: path) {
        case .lfsPointer: return .lfsPointer
        case .appleDouble: return .appleDouble
        case let format?: return isClaimed || takes(format.family) ? nil : .notMedia
        case nil: return isClaimed ? nil : .notMedia
        }
    }

    private func takes(_ family: MediaFamily) -> Bool {
        switch family {
        case .image: true
        case .audio, .video: media == .all
        case .document, .archive, .other: false
        }
    }
}
