/// Bytes that can be read at any place, in any order: a file, or a spooled input.
package protocol RandomAccessBytes: AnyObject {
    /// How many there are.
    var size: Int { get }

    /// Reads at most `buffer.count` bytes at `offset` and says how many; 0 at the end, nil when it failed.
    ///
    /// Safety: `buffer` is written within its bounds only, and not kept.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int?
}

/// Why the scans of a JPEG cannot be decoded.
package enum ScanError: Error, Hashable, Sendable {
    case corrupt(String)
    /// The bytes end before the picture does.
    case truncated
    case unsupported(String)
    case tooManyScans
    /// The bytes could not be read again.
    case unreadable
}
