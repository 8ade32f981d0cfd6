package import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where things lie in a cache: four trees of 256 folders each, by the first two digits of a key.
///
/// `media/ab/<64 hex>.jpg` is an attachment, `facts/ab/<64 hex>.json` what is known of it, `links/ab/<64 hex>.json`
/// what a link led to, `locks/ab/` what is being worked on. One level of folders: two make every write slower
/// and no listing shorter.
package struct CacheFolder: Sendable {
    package let root: FilePath

    package enum Tree: String, CaseIterable, Sendable { case media, facts, links, locks }

    /// Attachments and nothing else: what a web server may hand out.
    package var media: FilePath { root.appending(Tree.media.rawValue) }

    /// The folder of one of the 256 parts.
    func folder(_ tree: Tree, _ shard: UInt8) -> FilePath {
        root.appending(tree.rawValue).appending(ContentDigest.hex([shard]))
    }

    /// - Parameter name: 64 hexadecimal digits, and what may follow them.
    func path(_ tree: Tree, _ name: String) -> FilePath {
        root.appending("\(tree.rawValue)/\(name.prefix(2))/\(name)")
    }

    /// Makes the cache's folder, marked as one that backups leave out (bford.info/cachedir).
    func make() throws(PrepError) {
        do throws(SystemError) {
            try media.makeDirectories()
            let tag = root.appending("CACHEDIR.TAG")
            guard FileFacts(of: tag) == nil else { return }
            let text = "Signature: 8a477f597d28d172789f06886806bc55\n# Attachments made by attachprep.\n"
            try tag.replace(with: Array(text.utf8).span, synchronizes: false)
        } catch {
            throw error.error(.output, "cannot make the cache \(root.display)")
        }
    }
}

/// What the system says of a file.
struct FileFacts {
    var size: Int
    /// Bytes it takes on the disk.
    var space: Int
    /// Seconds since 1970.
    var modified: Int

    /// Nil where there is no regular file.
    init?(of path: FilePath) {
        var status = stat()
        guard path.withCString({ unsafe lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        size = Int(status.st_size)
        space = Int(status.st_blocks) * 512
        #if canImport(Darwin)
            modified = Int(status.st_mtimespec.tv_sec)
        #else
            modified = Int(status.st_mtim.tv_sec)
        #endif
    }
}

extension FilePath {
    /// The whole of a small file; nil where it cannot be read, is none or is larger.
    ///
    /// - Parameter followsLink: what lies in the cache is no link; what a user names may be.
    package func bytes(atMost limit: Int, followsLink: Bool = false) -> [UInt8]? {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)
        let descriptor = withCString { unsafe open($0, flags) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= limit {
            let count = unsafe buffer.withUnsafeMutableBytes { raw in
                try? retrying { unsafe read(descriptor, raw.baseAddress, raw.count) }
            }
            guard let count else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// Whether a file can be read there that ends; links are followed.
    package var isRegularFile: Bool {
        var status = stat()
        return withCString { unsafe stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Puts a small file in its place at once, and its folder.
    func replace(with bytes: [UInt8]) throws(SystemError) {
        try parent.makeDirectories()
        try replace(with: bytes.span, synchronizes: false)
    }

    /// Sets the time of the last change to now.
    func touch() { _ = withCString { unsafe utimensat(AT_FDCWD, $0, nil, 0) } }

    /// Names of the entries of a folder, those of Unix apart; none where it cannot be read.
    package var entryNames: [String] {
        // A link may lead out of the cache, where nothing is ours.
        let descriptor = withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { return [] }
        guard let folder = unsafe fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// Seconds since 1970.
package enum WallClock {
    package static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
