internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What tells one file from another, whatever its names.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}

/// What the system says about a path.
struct FileStatus: Sendable {
    enum Kind: Sendable { case file, folder, link, other }

    var identity: FileIdentity
    var kind: Kind
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64
    var hardLinks: Int

    /// The status, or nil if there is nothing at that path (or no way to it).
    init?(of path: FilePath, followingLink: Bool = true) {
        var info = stat()
        let result = path.withCString { name in
            followingLink ? unsafe stat(name, &info) : unsafe lstat(name, &info)
        }
        guard result == 0 else { return nil }
        self.init(info)
    }

    init?(descriptor: Int32) {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    private init(_ info: stat) {
        identity = FileIdentity(device: UInt64(truncatingIfNeeded: info.st_dev), inode: UInt64(info.st_ino))
        kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        size = Int(info.st_size)
        hardLinks = Int(info.st_nlink)
        #if canImport(Darwin)
            let time = info.st_mtimespec
        #else
            let time = info.st_mtim
        #endif
        modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// Trouble the system reported.
struct SystemError: Error, Equatable {
    var code: Int32
    var message: String { unsafe String(cString: strerror(code)) }

    static var last: SystemError { SystemError(code: errno) }
}

/// An open file that is closed when nobody holds it any more.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    init(_ path: FilePath, flags: Int32, mode: mode_t = 0o666) throws(SystemError) {
        var result: Int32 = -1
        repeat {
            result = path.withCString { unsafe open($0, flags | O_CLOEXEC, mode) }
        } while result < 0 && errno == EINTR
        guard result >= 0 else { throw .last }
        descriptor = result
    }

    deinit { _ = close(descriptor) }

    /// At most `count` bytes from `offset`; fewer at the end of the file.
    func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let done = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(
                    descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
            }
            if done < 0, errno == EINTR { continue }
            if done < 0 { throw .last }
            if done == 0 { break }
            filled += done
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}

enum FileSystem {
    /// Writes all of it; nil, or what went wrong.
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> SystemError? {
        let bytes = ContiguousArray(bytes)
        var written = 0
        while written < bytes.count {
            let done = unsafe bytes.withUnsafeBytes {
                unsafe Platform.write(
                    descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if done < 0, errno == EINTR { continue }
            if done < 0 { return .last }
            written += done
        }
        return nil
    }

    /// Bytes from where the descriptor stands; empty at the end.
    static func read(_ count: Int, from descriptor: Int32) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let done = unsafe bytes.withUnsafeMutableBytes {
                unsafe Platform.read(descriptor, $0.baseAddress, count)
            }
            if done < 0, errno == EINTR { continue }
            if done < 0 { throw .last }
            bytes.removeLast(count - done)
            return bytes
        }
    }

    /// Names in a folder, sorted by their bytes, without `.` and `..`.
    static func names(in folder: FilePath) throws(SystemError) -> [[UInt8]] {
        let path = folder.orHere
        guard let stream = path.withCString({ unsafe opendir($0) }) else { throw .last }
        defer { _ = unsafe closedir(stream) }
        var names: [[UInt8]] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                    let length = unsafe strlen(UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self))
                    return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
                }
            }
            if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
            errno = 0
        }
        if errno != 0 { throw .last }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The path without links, `.` and `..`; nil if it does not exist.
    static func resolved(_ path: FilePath) -> FilePath? {
        path.withCString { name in
            guard let result = unsafe realpath(name, nil) else { return nil }
            defer { unsafe free(result) }
            return unsafe FilePath(
                bytes: UnsafeBufferPointer(start: result, count: strlen(result)).map(UInt8.init(bitPattern:)))
        }
    }

    /// Makes a folder and those above it.
    static func makeFolder(_ path: FilePath) throws(SystemError) {
        if FileStatus(of: path)?.kind == .folder { return }
        let slash = UInt8(ascii: "/")
        var ends = path.bytes.indices.dropFirst().filter {
            path.bytes[$0] == slash && path.bytes[$0 - 1] != slash
        }
        ends.append(path.bytes.count)
        for end in ends {
            let part = FilePath(bytes: path.bytes[..<end])
            let result = part.withCString { unsafe mkdir($0, 0o777) }
            if result == 0 || errno == EEXIST { continue }
            let error = SystemError.last
            // A folder we may not make may be there already: read-only parents, mount points.
            if FileStatus(of: part)?.kind != .folder { throw error }
        }
        if FileStatus(of: path)?.kind != .folder { throw SystemError(code: ENOTDIR) }
    }
}

/// The C functions whose names this file's own functions would hide.
private enum Platform {
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(descriptor, bytes, count)
        #else
            unsafe Darwin.write(descriptor, bytes, count)
        #endif
    }

    static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.read(descriptor, bytes, count)
        #else
            unsafe Darwin.read(descriptor, bytes, count)
        #endif
    }
}
