internal import MediaContainers
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An output on its way: written piece by piece, and put in its place when it is whole.
///
/// Whatever happens before, nothing of it remains.
final class OutputFile {
    private var file: PendingFile
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
        file = try PendingFile(in: folder)
    }

    /// The ceiling of the output as it is now known.
    var maxBytes: Int { limit }

    /// Whether the whole output is larger than it may be.
    var isOverLimit: Bool { size > limit }

    /// Brings the output to the disk and gives it its name, replacing what had it before.
    func place(at path: FilePath, synchronizes: Bool) throws(SystemError) {
        try file.place(at: path, synchronizes: synchronizes)
    }

    /// Writes the whole output to a descriptor.
    func copy(to target: Int32) throws(SystemError) { try file.copy(to: target) }

    private func writeOnce(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.extracting(done..<bytes.count)
            done += try retrying {
                unsafe rest.withUnsafeBytes {
                    unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(offset + done))
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
        let got = try attempt { () throws(SystemError) in try file.read(at: offset, into: &bytes) }
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
        _ = try attempt { () throws(SystemError) in try retrying { ftruncate(file.descriptor, off_t(size)) } }
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
