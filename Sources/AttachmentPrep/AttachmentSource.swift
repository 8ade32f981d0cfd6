/// Where an input's bytes come from.
public struct AttachmentSource: Sendable {
    enum Kind: Sendable {
        case path(FilePath)
        case descriptor(Int32)
        case openFile(Int32)
        case bytes([UInt8])
    }

    let kind: Kind
    /// Of a file that is read by its path.
    package var path: FilePath? { if case .path(let path) = kind { path } else { nil } }
    /// The input as shown in the record.
    public var name: String
    /// The input's exact bytes where `name` cannot show them, for the record's `inputBytes`.
    public var nameBytes: [UInt8]?
    /// The file name whose suffix is compared with the type; nil when there is none.
    public var claimedName: String?

    /// A file, read in place.
    public static func file(_ path: String) -> Self { .file(FilePath(path)) }

    /// A file whose name need not be UTF-8, read in place.
    public static func file(_ path: FilePath) -> Self {
        let name = path.display
        return Self(
            kind: .path(path), name: name, nameBytes: path.undisplayableBytes, claimedName: name)
    }

    /// An open descriptor that is read to its end and left open: a pipe, a socket, standard input.
    public static func descriptor(_ fd: Int32, name: String) -> Self {
        Self(kind: .descriptor(fd), name: name, claimedName: nil)
    }

    /// An open regular file, read in place from its start and left open.
    ///
    /// - Parameter path: as shown in the record.
    package static func openFile(_ fd: Int32, path: FilePath, claimedName: String?) -> Self {
        Self(
            kind: .openFile(fd), name: path.display, nameBytes: path.undisplayableBytes,
            claimedName: claimedName)
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8], name: String) -> Self {
        Self(kind: .bytes(bytes), name: name, claimedName: name)
    }
}
