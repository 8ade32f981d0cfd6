/// Decodes the codes of a GIF's image (GIF 89a, appendix F) into palette indices, as bytes arrive.
///
/// A full table without a clear code just stays as it is, and codes may be up to 12 bits from the start: both are met
/// in files that every browser shows.
@safe final class LZWDecoder {
    enum Step: Equatable {
        case needsInput
        /// `line` is whole.
        case line
        /// The codes are over.
        case end
        /// A code that stands for nothing.
        case invalid
    }

    /// What a code stands for: the string of an earlier code and one index more.
    private struct Entry {
        var prefix: UInt16
        /// Indices in the string.
        var length: UInt16
        var first: UInt8
        var last: UInt8
    }

    // Safety: both have the sizes given here from init to deinit.
    private let table = UnsafeMutablePointer<Entry>.allocate(capacity: tableSize)
    /// A string that goes beyond its line.
    private let overhang = UnsafeMutablePointer<UInt8>.allocate(capacity: tableSize)
    private var overhangRange = 0..<0
    /// Indices of the current line; `count` of them are there.
    private(set) var line: [UInt8]
    private(set) var count = 0
    private var state: State

    private struct State {
        let codeSize: Int
        var next: Int
        var bits: Int
        var previous = -1
        var buffer: UInt64 = 0
        var buffered = 0

        var clear: Int { 1 << codeSize }

        mutating func reset() {
            next = clear + 2
            bits = codeSize + 1
            previous = -1
        }
    }

    private static let tableSize = 4096
    private static let longestCode = 12

    /// Bytes one takes besides its line.
    static let memoryNeed = tableSize * (MemoryLayout<Entry>.stride + 1) + 1000

    /// - Parameters:
    ///   - codeSize: bits of an index, 1 to 11.
    ///   - width: indices in a line.
    init(codeSize: Int, width: Int) {
        state = State(codeSize: codeSize, next: 0, bits: 0)
        state.reset()
        line = [UInt8](repeating: 0, count: width)
        for code in 0..<Self.tableSize {
            let index = UInt8(truncatingIfNeeded: code)
            unsafe (table + code).initialize(to: Entry(prefix: 0, length: 1, first: index, last: index))
        }
        unsafe overhang.initialize(repeating: 0, count: Self.tableSize)
    }

    deinit {
        unsafe table.deallocate()
        unsafe overhang.deallocate()
    }

    /// Begins the next line.
    func beginLine() { count = 0 }

    /// Decodes from `at` on, which moves, up to the end of a line or of the bytes.
    func push(_ bytes: Span<UInt8>, at: inout Int) -> Step {
        var state = state
        defer { self.state = state }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe line.withUnsafeMutableBufferPointer { line in
                var count = count
                defer { self.count = count }
                unsafe takeOverhang(into: line, &count)
                while count < line.count {
                    while state.buffered < state.bits {
                        guard at < bytes.count else { return .needsInput }
                        state.buffer |= unsafe UInt64(bytes[at]) << UInt64(truncatingIfNeeded: state.buffered)
                        state.buffered += 8
                        at += 1
                    }
                    let code = Int(truncatingIfNeeded: state.buffer) & ((1 << state.bits) - 1)
                    state.buffer >>= UInt64(truncatingIfNeeded: state.bits)
                    state.buffered -= state.bits
                    if code == state.clear {
                        state.reset()
                    } else if code == state.clear + 1 {
                        return .end
                    } else if unsafe !put(code, &state, line, &count) {
                        return .invalid
                    }
                }
                return .line
            }
        }
    }

    /// Puts a code's string into the line, or what is too much into `overhang`; false for a code without a string.
    private func put(
        _ code: Int, _ state: inout State, _ line: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) -> Bool {
        let previous = state.previous
        // A code is below 2 to the 12th, the table's size; behind the clear code only an index means something.
        guard previous >= 0 ? code <= state.next : code < state.clear else { return false }
        if previous >= 0, state.next < Self.tableSize {
            let before = unsafe table[previous]
            // The code that is about to be defined stands for the previous string and its own first index.
            let last = unsafe code == state.next ? before.first : table[code].first
            unsafe table[state.next] = Entry(
                prefix: UInt16(truncatingIfNeeded: previous), length: before.length &+ 1, first: before.first,
                last: last)
            state.next += 1
            if state.next == 1 << state.bits, state.bits < Self.longestCode { state.bits += 1 }
        } else if code == state.next, previous >= 0 {
            return false
        }
        state.previous = code
        let length = unsafe Int(table[code].length)
        let fits = length <= line.count - count
        guard let base = line.baseAddress else { return false }
        // A string is no longer than the table, and each prefix is an earlier code and a string one index shorter.
        var to = unsafe (fits ? base + count : overhang) + length
        var at = code
        for _ in 0..<length {
            let entry = unsafe table[at]
            unsafe to -= 1
            unsafe to.pointee = entry.last
            at = Int(entry.prefix)
        }
        if fits {
            count += length
        } else {
            overhangRange = 0..<length
            unsafe takeOverhang(into: line, &count)
        }
        return true
    }

    private func takeOverhang(into line: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) {
        let end = min(overhangRange.upperBound, overhangRange.lowerBound + line.count - count)
        for i in overhangRange.lowerBound..<end {
            unsafe line[count] = overhang[i]
            count += 1
        }
        overhangRange = end..<overhangRange.upperBound
    }
}
