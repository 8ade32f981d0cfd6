internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Standard output and standard error of one run.
///
/// A reader that went away is no error: output stops, quietly, and `isOpen` says so.
final class Console {
    /// Whether anybody reads standard output.
    private(set) var isOpen = true
    /// What went wrong with standard output, other than that nobody reads it.
    private(set) var failure: SystemError?
    /// Drawn on standard error; taken away while a line is printed.
    var bar: ProgressBar?

    /// A line on standard output.
    func line(_ text: String) { write(Array((text + "\n").utf8)) }

    /// Bytes on standard output.
    func write(_ bytes: [UInt8]) {
        guard isOpen else { return }
        bar?.erase()
        guard let error = FileSystem.write(bytes, to: 1) else { return }
        isOpen = false
        if error.code != EPIPE { failure = error }
    }

    /// A line of trouble on standard error.
    func complain(_ text: String) { note("attachprep: " + text) }

    /// A line on standard error.
    func note(_ text: String) {
        bar?.erase()
        _ = FileSystem.write(Array((text + "\n").utf8), to: 2)
    }

    /// A value as one line of JSON on standard output.
    func json(_ value: some Encodable) {
        guard let bytes = JSONLine.encode(value) else {
            return complain("a record could not be written as JSON")
        }
        write(bytes)
    }
}
