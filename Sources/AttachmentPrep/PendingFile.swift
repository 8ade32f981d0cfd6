#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file that is being written: without a name where the system can do that, so that nothing of it remains,
/// whatever ends the process.
struct PendingFile: ~Copyable {
    let descriptor: Int32
    /// The name it has meanwhile, on systems where a file must have one.
    private var temporaryName: FilePath?

    /// Begins a file in a folder that exists.
    init(in folder: FilePath) throws(SystemError) {
        #if os(Linux)
            let unnamed = folder.orHere.withCString {
                unsafe open($0, O_RDWR | O_CLOEXEC | temporaryFileFlags, 0o666)
            }
            if unnamed >= 0 {
                descriptor = unnamed
                return
            }
        #endif
        let name = folder.appending(OutputWriter.temporaryName())
        descriptor = try retrying {
            name.withCString { unsafe open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        }
        temporaryName = name
    }

    deinit {
        close(descriptor)
        temporaryName?.remove()
    }

    /// Gives the file its name, replacing what had it before.
    ///
    /// - Parameter synchronizes: whether its bytes are on the disk before.
    mutating func place(at path: FilePath, synchronizes: Bool) throws(SystemError) {
        if synchronizes { _ = try retrying { fdatasync(descriptor) } }
        if let name = temporaryName {
            try name.renameOrRemove(to: path)
            temporaryName = nil
            return
        }
        do throws(SystemError) {
            try link(at: path)
        } catch {
            // Only a name that is free can be given directly.
            let beside = path.parent.appending(OutputWriter.temporaryName())
            do throws(SystemError) { try link(at: beside) } catch {
                // No /proc, or a folder on another file system than the one it was begun in.
                try copy(to: beside, synchronizes: synchronizes)
            }
            try beside.renameOrRemove(to: path)
        }
    }

    private func link(at path: FilePath) throws(SystemError) {
        let source = FilePath("/proc/self/fd/\(descriptor)")
        _ = try retrying {
            source.withCString { from in
                path.withCString { unsafe linkat(AT_FDCWD, from, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) }
            }
        }
    }

    private func copy(to path: FilePath, synchronizes: Bool) throws(SystemError) {
        let copy = try retrying {
            path.withCString { unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        }
        defer { close(copy) }
        do throws(SystemError) {
            try self.copy(to: copy)
            if synchronizes { _ = try retrying { fdatasync(copy) } }
        } catch {
            path.remove()
            throw error
        }
    }

    /// Writes the whole file to a descriptor.
    func copy(to target: Int32) throws(SystemError) {
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try read(at: offset, into: &buffer)
            if count == 0 { return }
            try writeAll(buffer.span.extracting(0..<count), to: target)
            offset += count
        }
    }

    /// Reads at most as much as there is room for; 0 at the end.
    func read(at offset: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        try retrying {
            unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
        }
    }
}

extension FilePath {
    /// Puts a whole file in this place, whatever was there before, or changes nothing.
    ///
    /// - Parameter synchronizes: whether its bytes are on the disk before it has the name.
    package func replace(with bytes: Span<UInt8>, synchronizes: Bool) throws(SystemError) {
        var file = try PendingFile(in: parent)
        try writeAll(bytes, to: file.descriptor)
        try file.place(at: self, synchronizes: synchronizes)
    }

    /// The same with what another file holds, in pieces: it may be a movie.
    package func replace(withCopyOf other: FilePath) throws(SystemError) {
        var file = try PendingFile(in: parent)
        let target = file.descriptor
        try other.forEachPiece { (piece) throws(SystemError) in try writeAll(piece, to: target) }
        try file.place(at: self, synchronizes: false)
    }

    /// Reads a file, which is no link, from its start to its end.
    package func forEachPiece(_ body: (Span<UInt8>) throws(SystemError) -> Void) throws(SystemError) {
        let source = try retrying { withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) } }
        defer { close(source) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try retrying {
                unsafe buffer.withUnsafeMutableBytes { unsafe read(source, $0.baseAddress, $0.count) }
            }
            if count == 0 { return }
            try body(buffer.span.extracting(0..<count))
        }
    }
}
