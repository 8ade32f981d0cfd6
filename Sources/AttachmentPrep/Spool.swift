internal import JPEGCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Encoded bytes that can be read at any place: the input file itself, or an unlinked temporary file.
final class Spool: RandomAccessBytes {
    private let descriptor: Int32
    /// Bytes in it.
    private(set) var size: Int
    /// Why a read failed, for its report.
    private(set) var failure: SystemError?

    /// An input that is a file already: read in place.
    init(inPlace file: Int32, size: Int) throws(SystemError) {
        descriptor = try retrying { fcntl(file, F_DUPFD_CLOEXEC, 0) }
        self.size = size
    }

    /// A file without a name in `directory`, gone with the last descriptor whatever happens.
    init(temporaryIn directory: String) throws(SystemError) {
        size = 0
        #if os(Linux)
            let unnamed = unsafe open(directory, temporaryFileFlags | O_RDWR | O_CLOEXEC, 0o600)
            if unnamed >= 0 {
                descriptor = unnamed
                return
            }
        #endif
        var template = Array((directory + "/attachprep-XXXXXX").utf8CString)
        descriptor = try retrying { unsafe mkstemp(&template) }
        _ = unsafe unlink(template)
    }

    deinit { close(descriptor) }

    func append(_ bytes: Span<UInt8>) throws(SystemError) {
        try writeAll(bytes, to: descriptor)
        size += bytes.count
    }

    /// Reads at most `buffer.count` bytes at `offset`; 0 at the end.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        do {
            return try retrying { unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        } catch {
            failure = failure ?? error
            return nil
        }
    }

    /// Where temporary files go when nobody says: TMPDIR, else /tmp.
    static var defaultDirectory: String {
        guard let value = unsafe getenv("TMPDIR"), unsafe value.pointee != 0 else { return "/tmp" }
        return unsafe String(cString: value)
    }
}
