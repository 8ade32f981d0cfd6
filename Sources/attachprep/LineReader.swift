internal import AttachmentPrep

/// Lines of an input of any length, in constant memory.
struct LineReader {
    struct Line {
        /// Without the line feed.
        var bytes: [UInt8]
        /// Whether a line feed ended it; the last line may have none.
        var isEnded = true
        /// Whether this is the beginning of a line longer than any payload, or a further piece of one.
        var part = Part.whole

        enum Part { case whole, beginning, further }
    }

    private let descriptor: Int32
    private let longest: Int
    /// Called before waiting for more: what is done by then should not wait too.
    private let beforeReading: () -> Void
    private var buffer: [UInt8] = []
    /// Bytes of the buffer that are done.
    private var start = 0
    /// Bytes of the buffer that hold no line feed.
    private var searched = 0
    private var isAtEnd = false
    private var isInLongLine = false

    init(_ descriptor: Int32, longest: Int, beforeReading: @escaping () -> Void) {
        self.descriptor = descriptor
        self.longest = longest
        self.beforeReading = beforeReading
    }

    /// The next line, or nil at the end.
    mutating func next() throws(SystemError) -> Line? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(to: end, isEnded: true)
            }
            searched = buffer.count
            if isAtEnd {
                let isPending = start < buffer.count || isInLongLine
                return isPending ? take(to: buffer.count, isEnded: false) : nil
            }
            if buffer.count - start > longest { return takePiece() }
            try fill()
        }
    }

    private mutating func take(to end: Int, isEnded: Bool) -> Line {
        let part = isInLongLine ? Line.Part.further : end - start > longest ? .beginning : .whole
        let line = Line(bytes: Array(buffer[start..<end]), isEnded: isEnded, part: part)
        start = min(end + 1, buffer.count)
        searched = start
        isInLongLine = false
        return line
    }

    private mutating func takePiece() -> Line {
        let line = Line(
            bytes: Array(buffer[start...]), isEnded: false, part: isInLongLine ? .further : .beginning)
        start = buffer.count
        isInLongLine = true
        return line
    }

    private mutating func fill() throws(SystemError) {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        beforeReading()
        let bytes = try FileSystem.read(1 << 16, from: descriptor)
        isAtEnd = bytes.isEmpty
        buffer += bytes
    }
}
