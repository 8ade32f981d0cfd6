internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the state files hold what: a few words an entry, however long its path.
final class StateIndex: Sendable {
    private struct Place: Sendable {
        var offset: Int
        var length: Int32
        var file: Int32
    }

    private final class Files: Sendable {
        let descriptors: [Int32]
        init(_ descriptors: [Int32]) { self.descriptors = descriptors }
        deinit { for descriptor in descriptors { _ = close(descriptor) } }
    }

    private let files: Files
    private let places: [UInt64: Place]
    /// Lines of the last file read that are torn or that a later line replaces.
    let staleLines: Int

    /// Reads the state files of a folder; what is not there or torn is as if it were not known.
    ///
    /// - Parameter own: the file of this run, whose word is the last.
    init(folder: FilePath, own: String) {
        var descriptors: [Int32] = []
        var places: [UInt64: Place] = [:]
        var stale = 0
        let names = ((try? FileSystem.names(in: folder)) ?? []).map { String(decoding: $0, as: UTF8.self) }
        for name in names.filter({ $0.hasPrefix("state") && !$0.hasSuffix(".new") && $0 != own }) + [own] {
            stale = 0
            let path = folder.appending(name)
            let descriptor = path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC) }
            guard descriptor >= 0 else { continue }
            descriptors.append(descriptor)
            let file = Int32(descriptors.count - 1)
            Self.eachLine(of: descriptor) { line, offset in
                guard let key = StateEntry.key(ofLine: line) else {
                    stale += 1
                    return
                }
                let old = places.updateValue(
                    Place(offset: offset, length: Int32(line.count), file: file), forKey: key)
                if old?.file == file { stale += 1 }
            }
        }
        files = Files(descriptors)
        self.places = places
        staleLines = stale
    }

    /// What is known of a source.
    func entry(for path: FilePath) -> StateEntry? {
        guard let place = places[StateEntry.key(of: path)], let line = line(at: place),
            let entry = StateEntry(line: line[...]), entry.path == path
        else { return nil }
        return entry
    }

    /// The current lines of the last file, in their order there, for compaction.
    func currentLines(_ body: ([UInt8]) -> Void) {
        let own = Int32(files.descriptors.count - 1)
        for place in places.values.filter({ $0.file == own }).sorted(by: { $0.offset < $1.offset }) {
            if let line = line(at: place) { body(line + [UInt8(ascii: "\n")]) }
        }
    }

    private func line(at place: Place) -> [UInt8]? {
        let count = Int(place.length)
        var bytes = [UInt8](repeating: 0, count: count)
        let descriptor = files.descriptors[Int(place.file)]
        let done = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, count, off_t(place.offset))
        }
        return done == count ? bytes : nil
    }

    /// Calls `body` with each line and its offset, 64 KiB of the file in memory at a time.
    private static func eachLine(of descriptor: Int32, _ body: (ArraySlice<UInt8>, Int) -> Void) {
        var pending: [UInt8] = []
        var start = 0
        while let piece = try? FileSystem.read(65536, from: descriptor), !piece.isEmpty {
            pending += piece
            var rest = pending[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[rest.startIndex..<end]
                body(line, start)
                start += line.count + 1
                rest = rest[(end + 1)...]
            }
            pending = Array(rest)
        }
        if !pending.isEmpty { body(pending[...], start) }
    }
}

/// The state file of a run, open for adding lines, locked against other runs.
final class StateLog {
    private let folder: FilePath
    private let name: String
    private let lock: Int32
    private let descriptor: Int32
    private(set) var failure: SystemError?

    /// Opens the log, and waits for another run that has it.
    ///
    /// - Parameters:
    ///   - waiting: called once if there is another run.
    ///   - isInterrupted: asked while waiting.
    init?(
        folder: FilePath, shard: Shard?, waiting: () -> Void, isInterrupted: () -> Bool
    ) throws(SystemError) {
        self.folder = folder
        name = BatchState.fileName(shard)
        try FileSystem.makeFolder(folder)
        let lockPath = folder.appending(name + ".lock")
        let lock = lockPath.withCString { unsafe open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o666) }
        guard lock >= 0 else { throw .last }
        self.lock = lock
        var hasWaited = false
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            if errno != EWOULDBLOCK, errno != EINTR {
                let error = SystemError.last
                _ = close(lock)
                throw error
            }
            if !hasWaited { waiting() }
            hasWaited = true
            if isInterrupted() {
                _ = close(lock)
                return nil
            }
            _ = usleep(100_000)
        }
        let path = folder.appending(name)
        descriptor = path.withCString { unsafe open($0, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else {
            let error = SystemError.last
            _ = close(lock)
            throw error
        }
        endTornLine()
    }

    deinit {
        _ = close(descriptor)
        _ = close(lock)
    }

    /// Adds an entry: one write, so a run that is killed tears the last line at most.
    func append(_ entry: StateEntry) {
        guard failure == nil else { return }
        failure = FileSystem.write(entry.line, to: descriptor)
    }

    /// Rewrites the file without the lines that later ones replace; called at a clean end.
    func compact() {
        let index = StateIndex(folder: folder, own: name)
        guard failure == nil, index.staleLines > 0 else { return }
        let new = folder.appending(name + ".new")
        do throws(SystemError) {
            let file = try OpenFile(new, flags: O_WRONLY | O_CREAT | O_TRUNC)
            var buffer: [UInt8] = []
            var trouble: SystemError?
            index.currentLines { line in
                buffer += line
                if buffer.count > 65536, trouble == nil {
                    trouble = FileSystem.write(buffer, to: file.descriptor)
                    buffer = []
                }
            }
            if let error = trouble ?? FileSystem.write(buffer, to: file.descriptor) { throw error }
            if fsync(file.descriptor) != 0 { throw .last }
            let target = folder.appending(name)
            let result = new.withCString { from in target.withCString { to in unsafe rename(from, to) } }
            if result != 0 { throw .last }
        } catch {
            // The long file is as good; it is only longer.
            _ = new.withCString { unsafe unlink($0) }
        }
    }

    private func endTornLine() {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end > 0 else { return }
        var last: UInt8 = 0
        let done = unsafe pread(descriptor, &last, 1, end - 1)
        if done == 1, last != UInt8(ascii: "\n") {
            failure = FileSystem.write([UInt8(ascii: "\n")], to: descriptor)
        }
    }
}
