internal import AttachmentPrep

/// Finds the sources of a batch: walks folders, applies the skip rules, mirrors names.
struct BatchWalk {
    private let rules: SkipRules
    /// The output folder, which is never walked; nil if it is not there yet.
    private let output: FileIdentity?
    private let isInterrupted: () -> Bool
    private(set) var listing: BatchListing
    /// Folders of files that were named one by one.
    private var explicitFolders: [ExplicitFolder: (index: Int, identity: FileIdentity?)] = [:]
    private var explicitFiles: Set<ExplicitFile> = []
    private var walked: Set<FileIdentity> = []

    private struct ExplicitFolder: Hashable {
        var parent: FilePath
        var output: String
    }

    /// Told by the folder's identity, so that `a/x` and `./a/x` are the same.
    private struct ExplicitFile: Hashable {
        var folder: FileIdentity?
        var name: [UInt8]
    }

    init(
        rules: SkipRules, output: FilePath, naming: OutputNaming,
        isInterrupted: @escaping () -> Bool = { false }
    ) {
        self.rules = rules
        self.output = FileStatus(of: output)?.identity
        self.isInterrupted = isInterrupted
        listing = BatchListing(naming: naming)
    }

    /// Takes an operand; its folder is mirrored at the top if it is the only one, else below its own name.
    mutating func addRoot(_ path: FilePath, isOnly: Bool) {
        guard let status = FileStatus(of: path), status.kind == .folder else {
            return addFile(path, output: "")
        }
        walk(path, status, output: isOnly ? "" : OutputNaming.safeFolder(Self.ownName(path)))
    }

    /// Takes a path of a list, which is mirrored as it is written.
    mutating func addListed(_ path: FilePath) {
        let parent = path.bytes.prefix(path.bytes.count - path.lastComponent.count)
        guard let status = FileStatus(of: path), status.kind == .folder else {
            return addFile(path, output: OutputNaming.safeFolder(parent))
        }
        // `find` lists links too, and a link to a folder may lead anywhere.
        if FileStatus(of: path, followingLink: false)?.kind == .link { return listing.skip(.link) }
        walk(path, status, output: OutputNaming.safeFolder(path.bytes))
    }

    mutating func finish() -> BatchListing {
        listing.nameOutputs()
        return listing
    }

    /// The name of a folder that may have been typed as `.` or `..`.
    private static func ownName(_ path: FilePath) -> [UInt8] {
        let name = path.lastComponent
        let isRelative = name.isEmpty || name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
        let own = isRelative ? FileSystem.resolved(path)?.lastComponent ?? [] : name
        return own.isEmpty ? Array("_".utf8) : own
    }

    /// A file somebody named is taken even if it is hidden; a missing one is for the record to say.
    private mutating func addFile(_ path: FilePath, output: String) {
        let name = path.lastComponent
        let parent = FilePath(bytes: path.bytes.prefix(path.bytes.count - name.count))
        let folder = explicitFolder(parent, output: output)
        let isWalked = folder.identity.map { walked.contains($0) } ?? false
        let isNew = explicitFiles.insert(ExplicitFile(folder: folder.identity, name: name)).inserted
        if isWalked || !isNew { return listing.skip(.duplicate) }
        if let status = FileStatus(of: path) {
            if status.kind != .file { return listing.skip(.special) }
            if let reason = rules.reason(name: name, path: path, size: status.size) {
                return listing.skip(reason)
            }
        }
        listing.append(name, in: folder.index)
    }

    private mutating func explicitFolder(
        _ parent: FilePath, output: String
    ) -> (index: Int, identity: FileIdentity?) {
        let key = ExplicitFolder(parent: parent, output: output)
        if let known = explicitFolders[key] { return known }
        let absolute = FileSystem.resolved(parent.orHere) ?? parent
        let index = listing.append(.init(source: parent, absolute: absolute, output: output))
        let folder = (index, FileStatus(of: parent.orHere)?.identity)
        explicitFolders[key] = folder
        return folder
    }

    /// Walks a folder to its ends, its own files first, then the folders in it, each in the order of bytes.
    private mutating func walk(_ root: FilePath, _ status: FileStatus, output: String) {
        guard let absolute = FileSystem.resolved(root) else { return }
        if status.identity == self.output { return listing.skip(.output) }
        var waiting = [BatchListing.Folder(source: root, absolute: absolute, output: output)]
        while let folder = waiting.popLast(), !isInterrupted() {
            guard let identity = FileStatus(of: folder.source)?.identity, walked.insert(identity).inserted
            else {
                listing.skip(.duplicate)
                continue
            }
            let names: [[UInt8]]
            do {
                names = try FileSystem.names(in: folder.source)
            } catch {
                listing.unreadable.append((folder.source, error))
                continue
            }
            let index = listing.append(folder)
            var inner: [BatchListing.Folder] = []
            for name in names {
                if explicitFiles.contains(ExplicitFile(folder: identity, name: name)) {
                    listing.skip(.duplicate)
                } else if let reason = SkipRules.reason(name: name) {
                    listing.skip(reason)
                } else if let below = visit(name, in: folder, index, tree: absolute) {
                    inner.append(below)
                }
            }
            waiting += inner.reversed()
        }
    }

    /// Takes or skips a file; gives a folder back.
    private mutating func visit(
        _ name: [UInt8], in folder: BatchListing.Folder, _ index: Int, tree: FilePath
    ) -> BatchListing.Folder? {
        let path = folder.source.appending(name)
        // What is gone since the folder was read is no source any more.
        guard var status = FileStatus(of: path, followingLink: false) else { return nil }
        if status.kind == .link {
            guard let target = FileStatus(of: path), target.kind == .file,
                let real = FileSystem.resolved(path),
                real.bytes.starts(with: tree.appending("x").bytes.dropLast())
            else {
                listing.skip(.link)
                return nil
            }
            status = target
        }
        switch status.kind {
        case .folder:
            if status.identity == output {
                listing.skip(.output)
                return nil
            }
            return .init(
                source: path, absolute: folder.absolute.appending(name),
                output: OutputNaming.join(folder.output, OutputNaming.safeFolder(name)))
        case .file:
            if let reason = rules.reason(name: name, path: path, size: status.size) {
                listing.skip(reason)
            } else {
                listing.append(name, in: index)
            }
        case .link, .other: listing.skip(.special)
        }
        return nil
    }
}

/// The paths of `--files-from`.
enum FileList {
    /// Calls `body` with each path in turn; the list itself is never held as a whole.
    static func each(
        of descriptor: Int32, separator: UInt8, _ body: (FilePath) throws(UsageError) -> Void
    ) throws(UsageError) {
        var pending: [UInt8] = []
        while true {
            let piece: [UInt8]
            do {
                piece = try FileSystem.read(65536, from: descriptor)
            } catch {
                throw UsageError("--files-from cannot be read: \(error.message)", command: .batch)
            }
            if piece.isEmpty { break }
            pending += piece
            let parts = pending.split(separator: separator, omittingEmptySubsequences: false)
            for part in parts.dropLast() where !part.isEmpty { try body(path(part)) }
            pending = parts.last.map { Array($0) } ?? []
            if pending.count > longestPath { _ = try path(pending[...]) }
        }
        if !pending.isEmpty { try body(path(pending[...])) }
    }

    /// Far above what any system takes.
    private static let longestPath = 65_536

    /// A path would end at its first NUL, and all that `find -print0` wrote behind it would be passed over.
    private static func path(_ bytes: ArraySlice<UInt8>) throws(UsageError) -> FilePath {
        if bytes.contains(0) {
            throw UsageError(
                "the paths of --files-from end with NUL, not with line feeds", hint: "add -0", command: .batch
            )
        }
        if bytes.count > longestPath {
            throw UsageError(
                "--files-from holds a path of more than \(longestPath) bytes", command: .batch)
        }
        return FilePath(bytes: bytes)
    }
}
