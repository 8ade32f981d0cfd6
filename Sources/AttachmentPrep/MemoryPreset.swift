/// Where jobs run, which decides what memory one of them may take.
public enum MemoryPreset: String, CaseIterable, Sendable {
    /// A command or server: 512 MiB a job.
    case server
    /// A notification extension, which is ended at about 24 MB: 14 MiB a job, and progressive JPEGs from their
    /// first scans as soon as those have the pixels.
    ///
    /// Any progressive JPEG to 48 megapixels is served within it, for the profile `apns`.
    case `extension`

    /// Bytes of memory one job may be computed to need.
    public var jobMemory: Int {
        switch self {
        case .server: 512 * 1024 * 1024
        case .extension: 14 * 1024 * 1024
        }
    }
}
