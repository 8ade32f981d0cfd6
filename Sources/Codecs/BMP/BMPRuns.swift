internal import Pixels

/// Reads run-length coded pixels (RLE4, RLE8, OS/2's RLE24) byte by byte: a line of red, green, blue and alpha at a
/// time, transparent where the code leaves pixels out, as browsers show it.
struct BMPRuns {
    enum Event: Equatable {
        case needsInput
        /// `line` is whole; it must be taken, and then emptied by `clear`.
        case line
        /// The pixels end here; `linesLeft` empty lines are missing.
        case end
    }

    private enum State: Equatable {
        case code
        /// A run of so many pixels: its value follows, so many bytes of it are there.
        case run(count: Int, have: Int)
        case escape
        case right
        case down(Int)
        /// So many pixels as they are: so many bytes of the next one are there, and a byte of padding may follow.
        case literal(pixels: Int, have: Int, isPadded: Bool)
        case padding
        case end
    }

    private(set) var line: [UInt8]
    /// Lines of the picture that were not given yet.
    private(set) var linesLeft: Int
    private let width: Int
    private let bits: Int
    private let palette: [UInt8]
    private var state = State.code
    private var x = 0
    /// Lines down to go before the next pixel.
    private var pendingLines = 0
    private var isFresh = true
    /// Bytes of a pixel of 24 bits: blue, green, red.
    private var value: (UInt8, UInt8, UInt8) = (0, 0, 0)

    init(_ header: BMPHeader, bits: Int) {
        self.bits = bits
        width = header.size.width
        linesLeft = header.size.height
        palette = header.palette ?? []
        line = [UInt8](repeating: 0, count: width * 4)
    }

    /// Whether only the mark of the end is missing.
    var isWhole: Bool { linesLeft == 0 || linesLeft == 1 && x >= width }

    /// Reads on at `at`, which moves; every line that is announced must be taken by `clear`.
    mutating func next(_ bytes: Span<UInt8>, at: inout Int) -> Event {
        while true {
            if pendingLines > 0, linesLeft > 0 {
                pendingLines -= 1
                linesLeft -= 1
                return .line
            }
            pendingLines = 0
            if state == .end { return .end }
            guard at < bytes.count else { return .needsInput }
            take(bytes[at])
            at += 1
        }
    }

    /// Empties the line that was taken.
    mutating func clear() {
        guard !isFresh else { return }
        for i in line.indices { line[i] = 0 }
        isFresh = true
    }

    /// Counts a line that the code did not reach or end.
    mutating func endLine() { linesLeft -= 1 }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .code: state = byte == 0 ? .escape : .run(count: Int(byte), have: 0)
        case .run(let count, let have): takeRun(byte, count, have)
        case .escape: takeEscape(byte)
        case .right: state = .down(Int(byte))
        case .down(let right):
            x += right
            pendingLines = Int(byte)
            state = .code
        case .literal(let pixels, let have, let isPadded): takeLiteral(byte, pixels, have, isPadded)
        case .padding: state = .code
        case .end: break
        }
        // Behind the last line there may be the mark of the end, and nothing else.
        if linesLeft == 0, state != .escape, state != .code { state = .end }
    }

    private mutating func takeEscape(_ byte: UInt8) {
        switch byte {
        case 0:
            x = 0
            pendingLines = 1
            state = .code
        case 1: state = .end
        case 2: state = .right
        default:
            let count = Int(byte)
            state = .literal(pixels: count, have: 0, isPadded: (count * bits + 7) / 8 & 1 == 1)
        }
    }

    private mutating func takeRun(_ byte: UInt8, _ count: Int, _ have: Int) {
        state = .code
        switch bits {
        case 4:
            let pair = (Int(byte >> 4), Int(byte & 15))
            for i in 0..<count { put(i & 1 == 0 ? pair.0 : pair.1) }
        case 8: for _ in 0..<count { put(Int(byte)) }
        default:
            collect(byte, have)
            guard have == 2 else {
                state = .run(count: count, have: have + 1)
                return
            }
            for _ in 0..<count { put(value.2, value.1, value.0) }
        }
    }

    private mutating func takeLiteral(_ byte: UInt8, _ pixels: Int, _ have: Int, _ isPadded: Bool) {
        var left = pixels - 1
        switch bits {
        case 4:
            put(Int(byte >> 4))
            if pixels > 1 { put(Int(byte & 15)) }
            left = max(pixels - 2, 0)
        case 8: put(Int(byte))
        default:
            collect(byte, have)
            guard have == 2 else {
                state = .literal(pixels: pixels, have: have + 1, isPadded: isPadded)
                return
            }
            put(value.2, value.1, value.0)
        }
        state = left > 0 ? .literal(pixels: left, have: 0, isPadded: isPadded) : isPadded ? .padding : .code
    }

    private mutating func collect(_ byte: UInt8, _ place: Int) {
        switch place {
        case 0: value.0 = byte
        case 1: value.1 = byte
        default: value.2 = byte
        }
    }

    private mutating func put(_ index: Int) {
        guard 3 * index + 2 < palette.count else { return put(0, 0, 0) }
        put(palette[3 * index], palette[3 * index + 1], palette[3 * index + 2])
    }

    /// The next pixel; what reaches beyond the line is left out.
    private mutating func put(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        guard x < width, linesLeft > 0 else { return }
        isFresh = false
        line[4 * x] = red
        line[4 * x + 1] = green
        line[4 * x + 2] = blue
        line[4 * x + 3] = 255
        x += 1
    }
}
