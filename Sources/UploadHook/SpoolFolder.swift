internal import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One of the spool's folders: a file for each job, named by its key.
struct SpoolFolder: Sendable {
    let path: FilePath

    static let suffix = ".json"

    func file(_ key: String) -> FilePath { path.appending(key + Self.suffix) }

    func has(_ key: String) -> Bool {
        var status = stat()
        return file(key).withCString { unsafe lstat($0, &status) } == 0
    }

    /// Brings names that were given here to the disk.
    func synchronize() throws(SystemError) {
        let descriptor = try retrying {
            path.withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        }
        defer { close(descriptor) }
        _ = try retrying { fsync(descriptor) }
    }

    /// How many entries there are, whatever they are.
    var count: Int { path.entryNames.count }

    /// A file of the folder, and since when, or from when on, it is to be worked on.
    struct Entry {
        var key: String
        var time: Double
    }

    /// The files that carry a key, the oldest first.
    ///
    /// - Parameter foreign: told the name of everything else.
    func entries(foreign: (String) -> Void = { _ in }) -> [Entry] {
        var entries: [Entry] = []
        for name in path.entryNames {
            guard let key = Self.key(of: name) else {
                foreign(name)
                continue
            }
            var status = stat()
            guard path.appending(name).withCString({ unsafe lstat($0, &status) }) == 0 else { continue }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            entries.append(Entry(key: key, time: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9))
        }
        return entries.sorted { ($0.time, $0.key) < ($1.time, $1.key) }
    }

    private static func key(of name: String) -> String? {
        let key = name.utf8.dropLast(suffix.utf8.count)
        let isKey =
            key.count == 64 && key.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isKey && name.hasSuffix(suffix) ? String(key) : nil
    }
}

/// A file of the spool that this holder alone works on: locked by flock, which goes with the process.
///
/// Locks and names can part, so whoever has locked a file asks whether it still is the one of that name. A
/// file that replaces another is locked before it gets the name: there is no moment in which it is anybody's.
final class SpoolLease: Sendable {
    private let descriptor: Int32

    /// No job's file is longer: an ID, a path and a record's few outputs.
    private static let longest = 1 << 20

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    enum Attempt {
        case taken(SpoolLease)
        /// Another one works on it.
        case busy
        /// It is not there any more.
        case gone
        /// What lies there is none of ours, and why.
        case foreign(String)
    }

    static func take(_ path: FilePath) -> Attempt {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = path.withCString { unsafe open($0, flags) }
        guard descriptor >= 0 else { return errno == ENOENT ? .gone : .foreign(SystemError.last.text) }
        let lease = SpoolLease(descriptor)
        var held = stat()
        guard unsafe fstat(descriptor, &held) == 0, held.st_mode & S_IFMT == S_IFREG else {
            return .foreign("it is no file")
        }
        if held.st_size > longest { return .foreign("it is longer than \(longest) bytes") }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                return errno == EWOULDBLOCK
                    ? .busy : .foreign("it cannot be locked: \(SystemError.last.text)")
            }
        }
        var there = stat()
        guard path.withCString({ unsafe lstat($0, &there) }) == 0, held.st_ino == there.st_ino,
            held.st_dev == there.st_dev
        else { return .gone }
        return .taken(lease)
    }

    /// A new file, locked and on the disk, that has only a temporary name.
    static func make(_ bytes: [UInt8], at path: FilePath) throws(SystemError) -> SpoolLease {
        let descriptor = try retrying {
            path.withCString { unsafe open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        }
        let lease = SpoolLease(descriptor)
        do throws(SystemError) {
            _ = try retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
            try writeAll(bytes.span, to: descriptor)
            _ = try retrying { fsync(descriptor) }
        } catch {
            path.remove()
            throw error
        }
        return lease
    }

    /// What is in it.
    func read() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= Self.longest {
            let offset = off_t(bytes.count)
            let count = try retrying {
                unsafe buffer.withUnsafeMutableBytes {
                    unsafe pread(descriptor, $0.baseAddress, $0.count, offset)
                }
            }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Gives the lock up before the descriptor goes.
    func release() { _ = flock(descriptor, LOCK_UN) }

    /// Seconds since it was last written.
    var age: Double {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return 0 }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return WallClock.now - Double(time.tv_sec)
    }

    /// Sets the time by which folders are sorted.
    func setTime(_ seconds: Double) {
        let whole = seconds.rounded(.down)
        let time = timespec(tv_sec: Int(whole), tv_nsec: Int((seconds - whole) * 1e9))
        let times = [time, time]
        _ = unsafe futimens(descriptor, times)
    }
}
