public import AttachmentPrep
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Attachments on a disk, named by what they were made of and how, shared by any number of processes.
///
/// An attachment's name is a hash of its source and its recipe, so it never changes and needs no lock to be read.
/// There is no index and no daemon: what there is is what the folders hold, and each of their 256 parts is kept
/// within its share of the limits by whoever writes to it.
public struct AttachmentCache: Sendable {
    package let folder: CacheFolder
    /// What the cache may take.
    public let limits: Limits
    /// Whether an attachment is on the disk before it gets its name.
    ///
    /// Without that a power cut may leave empty ones, which readers notice and drop.
    public let synchronizes: Bool

    /// What a cache may take.
    public struct Limits: Hashable, Sendable {
        /// Bytes on the disk.
        public var bytes: Int
        /// Seconds after which what nobody asked for goes.
        public var unusedSeconds: Int

        /// 10 GiB and 30 days, unless other values are given.
        public init(bytes: Int = 10 << 30, unusedSeconds: Int = 30 * 86_400) {
            self.bytes = bytes
            self.unusedSeconds = unusedSeconds
        }
    }

    /// Opens a cache, which is made where it is missing.
    ///
    /// - Throws: `io` or `no-space` where the folder cannot be made.
    public init(
        _ path: FilePath, limits: Limits = .init(), synchronizes: Bool = true
    ) throws(PrepError) {
        folder = CacheFolder(root: path)
        self.limits = limits
        self.synchronizes = synchronizes
        try folder.make()
    }

    /// Opens a cache at a path that is text.
    public init(_ path: String, limits: Limits = .init(), synchronizes: Bool = true) throws(PrepError) {
        try self.init(FilePath(path), limits: limits, synchronizes: synchronizes)
    }

    /// The cache's folder.
    public var path: FilePath { folder.root }

    /// Where sessions put their outputs.
    package var destination: AttachmentDestination {
        var destination = AttachmentDestination.directory(folder.media)
        destination.synchronizes = synchronizes
        return destination
    }

    // MARK: - One attachment

    /// What is known of an attachment; nil if it is not there, whole.
    ///
    /// A damaged one is dropped on the way.
    ///
    /// - Parameter name: the 64 hexadecimal digits of its path.
    public func record(named name: String) -> PreparationRecord? {
        guard Self.isKey(name) else { return nil }
        let factsPath = folder.path(.facts, name + ".json")
        guard let facts = OutputFacts.read(factsPath), let output = facts.record.outputs.first,
            let path = mediaPath(name, output)
        else { return nil }
        guard let file = FileFacts(of: path), file.size == output.bytes, Self.endsWell(path, output) else {
            path.remove()
            factsPath.remove()
            return nil
        }
        // Exact times of use would cost a write for each read.
        if Int(WallClock.now).subtractingReportingOverflow(file.modified).partialValue > 3600 { path.touch() }
        var record = facts.record
        record.outputs[0].path = path.display
        return record
    }

    /// Where an attachment of that file name, `<64 hex>.<ext>`, would lie; nil for what is no such name.
    package func mediaPath(of fileName: String) -> FilePath? {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isKey(String(parts[0])), (1...8).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
        else { return nil }
        return folder.path(.media, fileName)
    }

    func mediaPath(_ name: String, _ output: PreparationRecord.Output) -> FilePath? {
        output.fileExtension.map { folder.path(.media, "\(name).\($0)") }
    }

    /// Whether a JPEG has its end: a power cut can leave one of the right size that is empty.
    private static func endsWell(_ path: FilePath, _ output: PreparationRecord.Output) -> Bool {
        guard output.format == .jpeg, let bytes = output.bytes, bytes >= 4 else { return true }
        let descriptor = path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var end: [UInt8] = [0, 0]
        return unsafe pread(descriptor, &end, 2, off_t(bytes - 2)) == 2 && end == [0xFF, 0xD9]
    }

    /// Keeps what is known of a job's outputs, and sees that the cache stays within its limits.
    ///
    /// - Returns: whether any of them is new here.
    @discardableResult
    package func keep(_ record: PreparationRecord) throws(PrepError) -> Bool {
        var isNew = false
        for output in record.outputs where output.error == nil {
            guard let path = output.path.map({ FilePath($0) }), let name = Self.name(of: path) else {
                continue
            }
            var own = record.anonymous
            own.outputs = [output]
            own.outputs[0].path = nil
            own.outputs[0].url = nil
            own.concludeFromOutputs()
            let facts = OutputFacts(sha256: try Self.digest(path), record: own)
            guard let bytes = CacheJSON.encode(facts) else { continue }
            let beside = folder.path(.facts, name + ".json")
            if FileFacts(of: beside) == nil { isNew = true }
            do { try beside.replace(with: bytes) } catch {
                throw error.error(.output, "cannot write to the cache")
            }
            let space = [path, beside].reduce(0) { $0 + (FileFacts(of: $1)?.space ?? 0) }
            shard(of: name).account(for: space, sparing: name)
        }
        return isNew
    }

    /// The 64 digits of an attachment's path.
    static func name(of path: FilePath) -> String? {
        let name = String(decoding: path.lastComponent.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        return isKey(name) ? name : nil
    }

    static func isKey(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// SHA-256 of a file in the cache.
    static func digest(_ path: FilePath) throws(PrepError) -> String {
        var digest = try ContentDigest()
        do throws(SystemError) {
            try path.forEachPiece { digest.update($0) }
        } catch {
            throw error.error(.output, "cannot read \(path.display)")
        }
        return ContentDigest.hex(digest.finish())
    }

    func shard(of key: String) -> CacheShard {
        CacheShard(folder: folder, index: UInt8(key.prefix(2), radix: 16) ?? 0, limits: limits)
    }

    var shards: [CacheShard] {
        (0...255).map { CacheShard(folder: folder, index: $0, limits: limits) }
    }

    // MARK: - Handing out

    /// Gives an attachment another name in a folder, for a system that moves away what it is given, as iOS does.
    ///
    /// A hard link where the file system has them, else a copy; the cache keeps its own either way. Every call gives
    /// a name of its own: what was handed out twice under one name would be gone for the second taker.
    ///
    /// - Returns: the path of the new name, `<folder>/<64 hex>-<tag>.<ext>`.
    public func handOut(_ attachment: PreparedAttachment, into folder: FilePath) throws(PrepError) -> FilePath
    {
        let source = FilePath(attachment.path)
        let parts = source.lastComponent.split(separator: UInt8(ascii: "."), maxSplits: 1)
        let name = (parts.first ?? []) + Array("-\(OutputWriter.uniqueTag()).".utf8) + (parts.last ?? [])
        let target = folder.appending(name)
        do throws(SystemError) {
            try folder.makeDirectories()
            if source.withCString({ from in target.withCString { unsafe link(from, $0) } }) != 0 {
                try target.replace(withCopyOf: source)
            }
        } catch {
            throw error.error(.output, "cannot hand out \(source.display)")
        }
        return target
    }
}

extension AttachmentCache {
    /// Removes what was handed out into a folder and not taken for an hour or two: the takers are gone.
    public func dropHandedOut(in folder: FilePath) {
        // A hard link has its attachment's time, which is an hour old at most when it is handed out.
        let oldest = Int(WallClock.now) - 7200
        for name in folder.entryNames where Self.isKey(String(name.prefix(64))) {
            let path = folder.appending(name)
            if let facts = FileFacts(of: path), facts.modified < oldest { path.remove() }
        }
    }
}

extension AttachmentPreparer {
    /// Prepares one input into a cache and says everything about it; never throws.
    public func record(
        of source: AttachmentSource, into cache: AttachmentCache, cancellation: Cancellation = .init(),
        admission: MemoryBudget? = nil
    ) -> PreparationRecord {
        var record = record(
            of: source, into: cache.destination, cancellation: cancellation, admission: admission)
        do throws(PrepError) { try cache.keep(record) } catch {
            record.outcome = error.code.outcome
            record.error = error
        }
        return record
    }

    /// Prepares one input into a cache, on a thread of its own, and answers the first profile's attachment.
    public func prepare(
        _ source: AttachmentSource, into cache: AttachmentCache
    ) async throws(PrepError) -> PreparedAttachment {
        let preparer = self
        return try PreparedAttachment(
            await onOwnThread { preparer.record(of: source, into: cache, cancellation: $0) })
    }
}
