internal import MediaContainers
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An output on its way: written piece by piece, without a name where the system can do that, and put in its
/// place when it is whole.
///
/// Whatever happens before, nothing of it remains.
final class OutputFile {
    private let descriptor: Int32
    /// The name it has meanwhile, on systems where a file must have one.
    private var temporaryName: FilePath?
    private let clock: JobClock
    private let ceiling: (MediaFormat) -> Int
    private let droppableBytes: Int
    private var limit: Int
    private(set) var size = 0
    /// Why writing or reading failed, for its report.
    private(set) var failure: SystemError?

    /// Begins an output in a folder that exists.
    ///
    /// - Parameters:
    ///   - ceiling: bytes that an output of a type may have.
    ///   - droppableBytes: bytes beyond the ceiling that may be dropped again before the output is complete.
    init(
        in folder: FilePath, format: MediaFormat, clock: JobClock, droppableBytes: Int = 0,
        ceiling: @escaping (MediaFormat) -> Int
    ) throws(SystemError) {
        self.clock = clock
        self.ceiling = ceiling
        self.droppableBytes = droppableBytes
        limit = ceiling(format)
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

    /// The ceiling of the output as it is now known.
    var maxBytes: Int { limit }

    /// Whether the whole output is larger than it may be.
    var isOverLimit: Bool { size > limit }

    /// Brings the output to the disk and gives it its name, replacing what had it before.
    func place(at path: FilePath, synchronizes: Bool) throws(SystemError) {
        if synchronizes { _ = try retrying { fdatasync(descriptor) } }
        let beside = path.parent.appending(OutputWriter.temporaryName())
        if let name = temporaryName {
            try name.renameOrRemove(to: path)
            temporaryName = nil
            return
        }
        do throws(SystemError) {
            let source = FilePath("/proc/self/fd/\(descriptor)")
            _ = try retrying {
                source.withCString { from in
                    beside.withCString { unsafe linkat(AT_FDCWD, from, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) }
                }
            }
        } catch {
            // No /proc, or a folder on another file system than the one above it.
            let copy = try retrying {
                beside.withCString { unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            }
            defer { close(copy) }
            do throws(SystemError) {
                try self.copy(to: copy)
                if synchronizes { _ = try retrying { fdatasync(copy) } }
            } catch {
                beside.remove()
                throw error
            }
        }
        try beside.renameOrRemove(to: path)
    }

    /// Writes the whole output to a descriptor.
    func copy(to target: Int32) throws(SystemError) {
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while offset < size {
            let count = try readOnce(at: offset, into: &buffer)
            if count == 0 { return }
            try writeAll(buffer.span.extracting(0..<count), to: target)
            offset += count
        }
    }

    private func readOnce(at offset: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        try retrying {
            unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
        }
    }

    private func writeOnce(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.extracting(done..<bytes.count)
            done += try retrying {
                unsafe rest.withUnsafeBytes {
                    unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
                }
            }
        }
    }

    /// Does something with the file, unless its job must stop.
    private func attempt<R>(_ body: () throws(SystemError) -> R) throws(MediaError) -> R {
        if clock.isOver { throw MediaError(.stopped, "stopped") }
        do { return try body() } catch {
            failure = failure ?? error
            throw MediaError(.unwritable, error.text)
        }
    }
}

extension OutputFile: MediaOutput {
    func append(_ bytes: Span<UInt8>) throws(MediaError) {
        try checkRoom(for: bytes.count, beyond: droppableBytes)
        do {
            try writeOnce(bytes, at: size)
        } catch {
            failure = failure ?? error
            throw MediaError(.unwritable, error.text)
        }
        size += bytes.count
    }

    func read(at offset: Int, count: Int) throws(MediaError) -> [UInt8] {
        let wanted = max(0, min(count, size - offset))
        var bytes = [UInt8](repeating: 0, count: wanted)
        guard wanted > 0 else { return bytes }
        let got = try attempt { () throws(SystemError) in try readOnce(at: offset, into: &bytes) }
        if got < wanted { bytes.removeLast(wanted - got) }
        return bytes
    }

    func overwrite(at offset: Int, with bytes: Span<UInt8>) throws(MediaError) {
        if clock.isOver { throw MediaError(.stopped, "stopped") }
        do {
            try writeOnce(bytes, at: offset)
        } catch {
            failure = failure ?? error
            throw MediaError(.unwritable, error.text)
        }
    }

    func prepend(_ bytes: Span<UInt8>) throws(MediaError) {
        var end = size
        while end > 0 {
            let start = max(0, end - 65_536)
            let piece = try read(at: start, count: end - start)
            try overwrite(at: start + bytes.count, with: piece.span)
            end = start
        }
        try overwrite(at: 0, with: bytes)
        size += bytes.count
    }

    func truncate(to size: Int) throws(MediaError) {
        guard size < self.size else { return }
        _ = try attempt { () throws(SystemError) in try retrying { ftruncate(descriptor, off_t(size)) } }
        self.size = size
    }

    func expect(_ bytes: Int) throws(MediaError) {
        // Who knows what is still to come knows that nothing of it will be dropped.
        try checkRoom(for: bytes, beyond: 0)
    }

    private func checkRoom(for bytes: Int, beyond droppable: Int) throws(MediaError) {
        guard bytes <= limit + droppable - size else {
            throw MediaError(.overLimit, "limit \(limit) bytes")
        }
    }

    func become(_ format: MediaFormat) throws(MediaError) {
        limit = ceiling(format)
        try checkRoom(for: 0, beyond: droppableBytes)
    }
}
