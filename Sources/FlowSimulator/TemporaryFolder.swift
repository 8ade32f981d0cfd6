package import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A folder that goes, with all that is in it, when nobody holds it any more.
package struct TemporaryFolder: ~Copyable {
    package let path: FilePath

    /// Makes one in `TMPDIR` or `/tmp`.
    package init() throws(PrepError) {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array(FilePath(base).appending("attachprep-XXXXXX").bytes.map(CChar.init(bitPattern:)))
        template.append(0)
        guard unsafe mkdtemp(&template) != nil else {
            throw AttachmentPrep.SystemError.last.error(.input, "cannot make a folder in \(base)")
        }
        path = FilePath(bytes: template.dropLast().map(UInt8.init(bitPattern:)))
    }

    deinit { Self.remove(path) }

    private static func remove(_ folder: FilePath) {
        for name in folder.entryNames {
            let entry = folder.appending(name)
            // A link to a folder is unlinked, not followed.
            if entry.withCString({ unsafe unlink($0) }) != 0 { remove(entry) }
        }
        _ = folder.withCString { unsafe rmdir($0) }
    }
}
