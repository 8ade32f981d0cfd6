/// Where the outputs of one input go.
public struct AttachmentDestination: Sendable {
    enum Kind: Sendable {
        case content(directory: FilePath)
        case named(directory: FilePath, stem: FilePath)
        case file(path: FilePath)
        case descriptor(Int32)
    }

    let kind: Kind
    /// Whether an output is on the disk before it gets its name; without that a power cut may leave an empty one.
    package var synchronizes = true

    /// `<directory>/<2 hex>/<64 hex>.<ext>`, named by content and recipe: the same input gives the same path.
    public static func directory(_ path: String) -> Self { .directory(FilePath(path)) }

    /// The same, for a folder whose name need not be UTF-8.
    public static func directory(_ path: FilePath) -> Self { Self(kind: .content(directory: path)) }

    /// `<directory>/<stem>.<ext>`, with several profiles `<directory>/<stem>-<profile>.<ext>`.
    ///
    /// The stem may hold folders (`2024/IMG_1`), which are made if missing.
    public static func named(_ stem: String, in directory: String) -> Self {
        .named(FilePath(stem), in: FilePath(directory))
    }

    /// The same, for names that need not be UTF-8.
    public static func named(_ stem: FilePath, in directory: FilePath) -> Self {
        Self(kind: .named(directory: directory, stem: stem))
    }

    /// Exactly this path, for a single profile; a result of another type replaces the suffix.
    public static func file(_ path: String) -> Self { .file(FilePath(path)) }

    /// The same, for a name that need not be UTF-8.
    public static func file(_ path: FilePath) -> Self { Self(kind: .file(path: path)) }

    /// Written to an open descriptor, for a single profile; the record's path stays nil.
    public static func descriptor(_ fd: Int32) -> Self { Self(kind: .descriptor(fd)) }
}
