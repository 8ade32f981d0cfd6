/// Decodes the codes of a GIF's image (GIF 89a, appendix F) into palette indices, byte by byte.
///
/// A full table without a clear code just stays as it is, and codes may be up to 12 bits from the start: both are met
/// in files that every browser shows.
final class LZWDecoder {
    enum Step: Equatable {
        case needsInput
        /// `line` is whole.
        case line
        /// The codes are over.
        case end
        /// A code that stands for nothing.
        case invalid
    }

    /// Indices of the current line; `count` of them are there.
    private(set) var line: [UInt8]
    private(set) var count = 0

    private let codeSize: Int
    private let clear: Int
    /// For each code the code that its string is without the last index, that last index, and the first one.
    private var prefixes = [UInt16](repeating: 0, count: tableSize)
    private var suffixes = [UInt8](repeating: 0, count: tableSize)
    private var firsts = [UInt8](repeating: 0, count: tableSize)
    /// A string on its way to the line, last index first.
    private var stack = [UInt8](repeating: 0, count: tableSize + 1)
    private var stacked = 0
    private var next: Int
    private var bits: Int
    private var previous = -1
    private var buffer: UInt32 = 0
    private var buffered = 0

    private static let tableSize = 4096
    private static let longestCode = 12

    /// Bytes one takes besides its line.
    static let memoryNeed = 5 * tableSize + 1000

    /// - Parameters:
    ///   - codeSize: bits of an index, 1 to 11.
    ///   - width: indices in a line.
    init(codeSize: Int, width: Int) {
        self.codeSize = codeSize
        clear = 1 << codeSize
        next = clear + 2
        bits = codeSize + 1
        line = [UInt8](repeating: 0, count: width)
        for code in 0..<clear {
            suffixes[code] = UInt8(truncatingIfNeeded: code)
            firsts[code] = UInt8(truncatingIfNeeded: code)
        }
    }

    /// Begins the next line.
    func beginLine() { count = 0 }

    /// Decodes from `at` on, which moves, up to the end of a line or of the bytes.
    func push(_ bytes: Span<UInt8>, at: inout Int) -> Step {
        while true {
            if stacked > 0 { unstack() }
            if count == line.count { return .line }
            while buffered < bits {
                guard at < bytes.count else { return .needsInput }
                buffer |= UInt32(bytes[at]) << UInt32(buffered)
                buffered += 8
                at += 1
            }
            let code = Int(buffer & (1 << UInt32(bits) - 1))
            buffer >>= UInt32(bits)
            buffered -= bits
            if code == clear {
                next = clear + 2
                bits = codeSize + 1
                previous = -1
            } else if code == clear + 1 {
                return .end
            } else if !take(code) {
                return .invalid
            }
        }
    }

    private func take(_ code: Int) -> Bool {
        let isKnown = code < next && code != clear && code != clear + 1
        guard previous >= 0 else {
            // After a clear code only an index by itself means something.
            guard code < clear else { return false }
            stack[0] = UInt8(truncatingIfNeeded: code)
            stacked = 1
            previous = code
            return true
        }
        guard isKnown || code == next && next < Self.tableSize else { return false }
        var at = code
        if !isKnown {
            stack[0] = firsts[previous]
            stacked = 1
            at = previous
        }
        // Each prefix is an earlier code, so the string ends, and is no longer than the table.
        while at >= clear {
            stack[stacked] = suffixes[at]
            stacked += 1
            at = Int(prefixes[at])
        }
        stack[stacked] = UInt8(truncatingIfNeeded: at)
        stacked += 1
        if next < Self.tableSize {
            prefixes[next] = UInt16(truncatingIfNeeded: previous)
            suffixes[next] = UInt8(truncatingIfNeeded: at)
            firsts[next] = firsts[previous]
            next += 1
            if next == 1 << bits, bits < Self.longestCode { bits += 1 }
        }
        previous = code
        return true
    }

    private func unstack() {
        let fits = min(stacked, line.count - count)
        for i in 0..<fits { line[count + i] = stack[stacked - 1 - i] }
        count += fits
        stacked -= fits
    }
}
