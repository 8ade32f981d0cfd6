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
    /// Drawn on standard error while a batch runs.
    private var bar: ProgressBar?
    /// Lines for the terminal the bar is on.
    ///
    /// They are printed when the bar is drawn anew, ten times a second:
    /// taking it away for each line would only make it flicker.
    private var held: [(descriptor: Int32, bytes: [UInt8])] = []
    private lazy var outputIsTerminal = isatty(1) == 1

    /// A line on standard output.
    func line(_ text: String) { write(Array((text + "\n").utf8)) }

    /// Bytes on standard output.
    func write(_ bytes: [UInt8]) {
        if bar != nil, outputIsTerminal { held.append((1, bytes)) } else { put(bytes, 1) }
    }

    /// A line of trouble on standard error.
    func complain(_ text: String) { note("attachprep: " + text) }

    /// A line on standard error.
    func note(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        if bar != nil { held.append((2, bytes)) } else { put(bytes, 2) }
    }

    /// A value as one line of JSON on standard output.
    func json(_ value: some Encodable) {
        guard let bytes = JSONLine.encode(value) else {
            return complain("a record could not be written as JSON")
        }
        write(bytes)
    }

    /// Shows a bar, if standard error is a terminal, until `endProgress`.
    func beginProgress(total: Int) { bar = ProgressBar(total: total) }

    /// Draws the bar, and the lines that wait for it.
    func progress(done: Int) {
        guard let bar, bar.isDue else { return }
        if !held.isEmpty {
            bar.erase()
            release()
        }
        bar.draw(done: done)
    }

    /// Takes the bar away for good.
    func endProgress() {
        bar?.erase()
        bar = nil
        release()
    }

    private func release() {
        for line in held { put(line.bytes, line.descriptor) }
        held = []
    }

    private func put(_ bytes: [UInt8], _ descriptor: Int32) {
        if descriptor == 1, !isOpen { return }
        guard let error = FileSystem.write(bytes, to: descriptor), descriptor == 1 else { return }
        isOpen = false
        if error.code != EPIPE { failure = error }
    }
}
