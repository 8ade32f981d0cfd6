internal import AttachmentPrep

/// A small file of the cache.
protocol CacheEntry: Codable {
    /// Files of another version are as good as none.
    static var currentVersion: Int { get }
    /// Bytes; larger files are not ours.
    static var largest: Int { get }
    var version: Int { get }
}

extension CacheEntry {
    /// What is written there; nil for anything that is not ours.
    static func read(_ path: FilePath) -> Self? {
        guard let bytes = path.bytes(atMost: largest), let entry = CacheJSON.decode(Self.self, bytes),
            entry.version == currentVersion
        else { return nil }
        return entry
    }
}

/// What is known of an attachment in the cache.
struct OutputFacts: CacheEntry {
    static let currentVersion = 1
    static let largest = 65_536

    var version = Self.currentVersion
    /// SHA-256 of the attachment's bytes, for `cache verify`.
    var sha256: String
    /// The record of the job that made it, with this output only.
    var record: PreparationRecord
}

/// What a link led to, when it was last asked.
///
/// The link's own text is not in it: tokens in links are nobody's business.
struct LinkEntry: CacheEntry {
    static let currentVersion = 1
    static let largest = 262_144

    var version = Self.currentVersion
    /// SHA-256 of the source, by which its attachments are named; nil where there was none.
    var source: String?
    var etag: String?
    var lastModified: String?
    /// SHA-256 of the address that answered, after redirects.
    var address: String?
    /// Seconds since 1970 when the server was last asked.
    var checked = 0.0
    /// Seconds since 1970 until which it need not be asked again.
    var freshUntil = 0.0
    /// What went wrong, where something did.
    var failure: Failure?

    struct Failure: Codable {
        /// The recipe it holds for; nil where no recipe could have made a picture of it.
        var recipe: String?
        /// Seconds since 1970 when it happened.
        var checked: Double
        /// Seconds since 1970 until which it is not tried again.
        var freshUntil: Double
        var record: PreparationRecord
    }
}
