internal import MediaTypes
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Puts finished outputs where they belong, so that a reader never sees half of one.
package struct OutputWriter {
    let destination: AttachmentDestination
    /// Whether several profiles share one name, told apart by a suffix.
    let severalProfiles: Bool

    /// Distinguishes temporary files of one process.
    private static let counter = Atomic<Int>(0)
    /// Distinguishes those of processes: their numbers repeat in containers that share a folder.
    private static let processTag = String(UInt64.random(in: 0 ... .max), radix: 36)

    /// Whether output names need the digest of the source.
    var needsDigest: Bool { if case .content = destination.kind { true } else { false } }

    /// Writes an output and answers its path; nil when it went to a descriptor.
    ///
    /// - Parameter name: 64 hexadecimal digits, for destinations named by content.
    func write(
        _ bytes: Span<UInt8>, format: MediaFormat, profile: Profile, name: String
    ) throws(PrepError) -> FilePath? {
        guard let path = path(format, suffix: format.fileExtension, profile: profile, name: name) else {
            guard case .descriptor(let descriptor) = destination.kind else { return nil }
            do { try writeAll(bytes, to: descriptor) } catch {
                throw error.error(.output, "cannot write the output")
            }
            return nil
        }
        try replace(path, with: bytes)
        return path
    }

    /// Where an output goes; nil for a descriptor.
    private func path(_ format: MediaFormat, suffix: String?, profile: Profile, name: String) -> FilePath? {
        let suffix = suffix ?? "bin"
        switch destination.kind {
        case .descriptor: return nil
        case .content(let directory): return directory.appending("\(name.prefix(2))/\(name).\(suffix)")
        case .named(let directory, let stem):
            let tail = severalProfiles ? "-\(profile.name).\(suffix)" : ".\(suffix)"
            return directory.appending(stem.bytes + Array(tail.utf8))
        case .file(let path): return path.withSuffix(suffix, sameAs: format)
        }
    }

    /// Written without a name, synced, then named.
    private func replace(_ path: FilePath, with bytes: Span<UInt8>) throws(PrepError) {
        try checkReplaceable(path)
        do throws(SystemError) {
            try path.parent.makeDirectories()
            try path.replace(with: bytes, synchronizes: destination.synchronizes)
        } catch {
            throw error.error(.output, "cannot write \(path.display)")
        }
    }

    private func checkReplaceable(_ path: FilePath) throws(PrepError) {
        guard path.isReplaceable else {
            throw PrepError(.io, .output, "\(path.display) exists and is no file; name another output")
        }
    }

    /// A name that no other thread and no other process uses.
    package static func temporaryName() -> String { ".attachprep-\(uniqueTag()).tmp" }

    /// Letters, digits and hyphens that no other call in any process gives.
    package static func uniqueTag() -> String {
        let number = counter.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(getpid())-\(processTag)-\(number)"
    }
}

// Outputs that are written while their input comes.
extension OutputWriter {
    /// The folder such an output lies in before it has its name: on the file system of its place.
    ///
    /// Folders are made only for outputs that become whole, so it may be one above.
    func waitingPlace(spool: String?) -> FilePath {
        var folder =
            switch destination.kind {
            case .descriptor: FilePath(spool ?? Spool.defaultDirectory)
            case .content(let directory): directory
            case .named(let directory, let stem): directory.appending(stem.bytes).parent
            case .file(let path): path.parent
            }
        while !folder.bytes.isEmpty, !folder.isFolder { folder = folder.parent }
        return folder
    }

    /// Puts a whole output where it belongs and answers its path; nil when it went to a descriptor.
    ///
    /// - Parameter suffix: of the output's name, where it is not its format's.
    func place(
        _ file: OutputFile, format: MediaFormat, suffix: String?, profile: Profile, name: String
    ) throws(PrepError) -> FilePath? {
        guard let path = path(format, suffix: suffix, profile: profile, name: name) else {
            guard case .descriptor(let descriptor) = destination.kind else { return nil }
            do { try file.copy(to: descriptor) } catch {
                throw error.error(.output, "cannot write the output")
            }
            return nil
        }
        try checkReplaceable(path)
        do throws(SystemError) {
            try path.parent.makeDirectories()
            try file.place(at: path, synchronizes: destination.synchronizes)
        } catch {
            throw error.error(.output, "cannot write \(path.display)")
        }
        return path
    }
}

extension FilePath {
    /// Everything before the last component; empty when there is no slash.
    package var parent: FilePath {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(bytes: []) }
        return FilePath(bytes: slash == 0 ? bytes[0...0] : bytes[..<slash])
    }

    /// This path, its suffix replaced when it says another type.
    func withSuffix(_ suffix: String, sameAs format: MediaFormat) -> FilePath {
        let claimed = ClaimedExtension(display)
        if claimed.text != nil, claimed.matches(format) { return self }
        let name = lastComponent
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else {
            return FilePath(bytes: bytes + Array(".\(suffix)".utf8))
        }
        return FilePath(bytes: Array(bytes.dropLast(name.count - dot)) + Array(".\(suffix)".utf8))
    }

    /// Whether this is a folder that is there.
    fileprivate var isFolder: Bool {
        var status = stat()
        return withCString { unsafe stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether an output may take this place: it is free, or a file or link lies there.
    fileprivate var isReplaceable: Bool {
        var status = stat()
        guard withCString({ unsafe lstat($0, &status) }) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG || status.st_mode & S_IFMT == S_IFLNK
    }

    /// Makes this folder and those above it where they are missing.
    package func makeDirectories() throws(SystemError) {
        guard !bytes.isEmpty else { return }
        if withCString({ unsafe mkdir($0, 0o777) }) == 0 { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            try parent.makeDirectories()
            if withCString({ unsafe mkdir($0, 0o777) }) != 0, errno != EEXIST { throw SystemError.last }
        default: throw SystemError.last
        }
    }

    /// Gives this file another name; where that fails, removes it.
    package func renameOrRemove(to path: FilePath) throws(SystemError) {
        do throws(SystemError) {
            _ = try retrying { withCString { from in path.withCString { unsafe rename(from, $0) } } }
        } catch {
            remove()
            throw error
        }
    }

    package func remove() { _ = withCString { unsafe unlink($0) } }
}
