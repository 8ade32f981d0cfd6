internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One of the 256 parts of a cache, which keeps its share of the limits by itself.
///
/// Keys are hashes, so the parts fill evenly and nobody needs to see the whole.
struct CacheShard {
    let folder: CacheFolder
    let index: UInt8
    let limits: AttachmentCache.Limits

    /// Files that were left by something killed; a job takes seconds.
    private static let leftoverSeconds = 3600
    private static let sweepSeconds = 86_400

    /// What a sweep found and did.
    struct Sweep {
        var kept = Tally()
        var dropped = Tally()
        var leftovers = 0
    }

    struct Tally {
        var files = 0
        var bytes = 0

        mutating func count(_ bytes: Int) {
            files += 1
            self.bytes += bytes
        }
    }

    // MARK: - The ledger

    /// The bytes of the part as far as they were counted, and when it was last swept: two numbers in a file.
    ///
    /// It is only a hint of when to look: a sweep counts anew.
    private struct Ledger {
        var bytes: Int64 = 0
        var swept: Int64 = 0
    }

    /// Counts what was written, and sweeps when it has become too much, or once a day.
    ///
    /// - Parameter newest: key of what was just written, and is about to be handed out.
    func account(for bytes: Int, sparing newest: String) {
        let path = folder.root.appending("\(CacheFolder.Tree.locks.rawValue)/\(name).ledger")
        guard let descriptor = try? openLedger(path) else { return }
        defer { close(descriptor) }
        // Somebody who sweeps counts what is there; waiting for that would gain nothing.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        var ledger = Ledger()
        _ = unsafe withUnsafeMutableBytes(of: &ledger) {
            unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
        }
        let now = Int64(WallClock.now)
        // Numbers that cannot be are as good as none.
        if !(0...1 << 60).contains(ledger.bytes) || !(0...now).contains(ledger.swept) { ledger = Ledger() }
        ledger.bytes += Int64(bytes)
        let share = limits.bytes / 256
        let isFull = ledger.bytes > Int64(share)
        if isFull || now - ledger.swept > Int64(Self.sweepSeconds) {
            // A full part is emptied to nine tenths, so that the next sweep is some way off.
            let swept = sweep(maxBytes: isFull ? share / 10 * 9 : share, sparing: newest)
            ledger = Ledger(bytes: Int64(swept.kept.bytes), swept: now)
        }
        _ = unsafe withUnsafeBytes(of: &ledger) { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private var name: String { ContentDigest.hex([index]) }

    private func openLedger(_ path: FilePath) throws(SystemError) -> Int32 {
        do throws(SystemError) { return try path.openForUpdate() } catch {
            guard error.number == ENOENT else { throw error }
            try path.parent.makeDirectories()
            return try path.openForUpdate()
        }
    }

    // MARK: - The sweep

    private struct Entry {
        var key: String
        var paths: [FilePath]
        var space: Int
        var modified: Int
    }

    /// Drops what is too old, what was left behind, and the longest unused until the part is small enough.
    ///
    /// - Parameter newest: key of what stays, however full it is.
    func sweep(maxBytes: Int, sparing newest: String? = nil) -> Sweep {
        var sweep = Sweep()
        let now = Int(WallClock.now)
        var entries = self.entries(now, &sweep)
        entries.sort { $0.modified < $1.modified }
        var bytes = entries.reduce(0) { $0 + $1.space }
        for entry in entries {
            let isOld = now.subtractingReportingOverflow(entry.modified).partialValue > limits.unusedSeconds
            if bytes > maxBytes || isOld, entry.key != newest, isStillUnused(entry) {
                for path in entry.paths { path.remove() }
                bytes -= entry.space
                sweep.dropped.count(entry.space)
            } else {
                sweep.kept.count(entry.space)
            }
        }
        return sweep
    }

    /// Whether nobody asked for it since it was listed.
    private func isStillUnused(_ entry: Entry) -> Bool {
        guard let first = entry.paths.first, let file = FileFacts(of: first) else { return true }
        return file.modified == entry.modified
    }

    /// Attachments with their facts, and links; what belongs to nothing is dropped on the way.
    private func entries(_ now: Int, _ sweep: inout Sweep) -> [Entry] {
        var facts = Set(folder.folder(.facts, index).entryNames)
        var entries: [Entry] = []
        for (name, path, file) in files(.media) {
            let factsName = name.prefix { $0 != "." } + ".json"
            let isKnown = facts.remove(String(factsName)) != nil
            if isKnown {
                let factsPath = folder.path(.facts, String(factsName))
                let space = file.space + (FileFacts(of: factsPath)?.space ?? 0)
                let key = String(name.prefix { $0 != "." })
                entries.append(
                    Entry(key: key, paths: [path, factsPath], space: space, modified: file.modified))
            } else {
                drop(path, file, now, &sweep)
            }
        }
        for name in facts {
            let path = folder.folder(.facts, index).appending(name)
            if let file = FileFacts(of: path) { drop(path, file, now, &sweep) }
        }
        for (name, path, file) in files(.links) {
            if name.hasSuffix(".json") {
                entries.append(
                    Entry(
                        key: String(name.dropLast(5)), paths: [path], space: file.space,
                        modified: file.modified))
            } else {
                drop(path, file, now, &sweep)
            }
        }
        if index == 0 {
            // Outputs that are written while their input comes lie above the 256 folders meanwhile.
            for name in folder.media.entryNames {
                let path = folder.media.appending(name)
                if let file = FileFacts(of: path) { drop(path, file, now, &sweep) }
            }
        }
        for (_, path, file) in files(.locks) where now - file.modified > Self.leftoverSeconds {
            CacheLock.removeIfFree(path)
        }
        return entries
    }

    /// Removes what a killed process left, unless it is so new that somebody may be at it.
    private func drop(_ path: FilePath, _ file: FileFacts, _ now: Int, _ sweep: inout Sweep) {
        let age = now.subtractingReportingOverflow(file.modified).partialValue
        let name = String(decoding: path.lastComponent, as: UTF8.self)
        let isOurs = name.hasPrefix(".attachprep-") || AttachmentCache.name(of: path) != nil
        guard age > Self.leftoverSeconds, isOurs else { return }
        path.remove()
        sweep.leftovers += 1
    }

    func files(_ tree: CacheFolder.Tree) -> [(name: String, path: FilePath, file: FileFacts)] {
        let folder = folder.folder(tree, index)
        return folder.entryNames.compactMap { name in
            let path = folder.appending(name)
            return FileFacts(of: path).map { (name, path, $0) }
        }
    }
}

extension FilePath {
    /// Opens a file to read and write, which is made if missing.
    fileprivate func openForUpdate() throws(SystemError) -> Int32 {
        try retrying { withCString { unsafe open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666) } }
    }
}
