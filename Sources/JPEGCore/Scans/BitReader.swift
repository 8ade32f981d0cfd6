/// Bits of entropy-coded data, most significant first.
///
/// The reader is a handful of registers that hot loops copy to locals; the bytes behind it come from `ScanBytes`.
@safe struct BitReader {
    /// The next bit is the topmost one.
    ///
    /// Below the `count` valid ones there may be more of the same data, which `fill` lays over itself.
    var bits: UInt64 = 0
    var count = 0
    /// The first byte that is not wholly in `bits`.
    @safe var next: UnsafePointer<UInt8>
    /// A word may be loaded at any address up to this.
    @safe var lastWord: UnsafePointer<UInt8>
    /// The end of the segment's data, or the highest address there is while it is not known.
    @safe var end: UnsafePointer<UInt8>

    /// Makes at least 56 bits valid; zeros follow the end of a segment.
    @inline(__always)
    mutating func fill(_ source: ScanBytes) {
        if unsafe next > lastWord { self = source.refilled(self) }
        // Safety: `next` is at or below `lastWord` now.
        let word = unsafe UnsafeRawPointer(next).loadUnaligned(as: UInt64.self).bigEndian
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        unsafe next += (63 &- count) &>> 3
        count |= 56
    }

    @inline(__always)
    mutating func skip(_ n: Int) {
        bits &<<= UInt64(truncatingIfNeeded: n)
        count &-= n
    }

    /// The next `n` bits, 1...32 of the valid ones.
    @inline(__always)
    mutating func take(_ n: Int) -> Int {
        let value = Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- n))
        skip(n)
        return value
    }

    /// Whether bits behind the end were used.
    @inline(__always)
    var isPastEnd: Bool { unsafe next > end && (next - end) &* 8 > count }
}

/// The entropy-coded bytes of one scan: read in small pieces, without stuffing, one restart interval at a time.
@safe final class ScanBytes {
    private let file: any RandomAccessBytes
    private var offset: Int
    private let fileEnd: Int
    /// As read from the file.
    private let raw: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private var rawStart = 0
    private var rawEnd = 0
    /// Without stuffed zeros and markers; has room for what is left over, a whole `raw` and a word of zeros.
    private let clean: UnsafeMutablePointer<UInt8>
    private var cleanEnd: UnsafeMutablePointer<UInt8>
    /// Whether the current segment's end is in `clean`.
    private var isEnded = false
    /// The marker that ended it; 0 at the scan's end.
    private var marker: UInt8 = 0
    /// Set once something is wrong; the data then ends there.
    private(set) var failure: ScanError?

    private static let slack = 64

    /// Bytes held for a buffer of `capacity` bytes.
    static func memoryNeed(capacity: Int) -> Int { 2 * capacity + slack }

    init(_ file: any RandomAccessBytes, _ range: Range<Int>, capacity: Int) {
        self.file = file
        offset = range.lowerBound
        fileEnd = range.upperBound
        self.capacity = capacity
        unsafe raw = .allocate(capacity: Self.memoryNeed(capacity: capacity))
        // 16 bytes before it, so that `lastWord` of an empty buffer is an address of the same allocation.
        unsafe clean = raw + capacity + 16
        unsafe cleanEnd = clean
    }

    deinit { unsafe raw.deallocate() }

    /// A reader at the start of what follows.
    private var emptyReader: BitReader {
        unsafe BitReader(
            next: UnsafePointer(clean), lastWord: UnsafePointer(clean - 8),
            end: UnsafePointer(bitPattern: UInt.max) ?? UnsafePointer(clean))
    }

    func start() -> BitReader { emptyReader }

    /// The same place with at least a word at `next`.
    @inline(never)
    func refilled(_ reader: BitReader) -> BitReader {
        var reader = reader
        if isEnded {
            // Past the zeros behind the end: more of them, and far enough for `isPastEnd` to stay true.
            unsafe reader.next = UnsafePointer(cleanEnd + 8)
            return reader
        }
        // Not ended, so at most 7 bytes are left.
        let left = unsafe max(0, UnsafePointer(cleanEnd) - reader.next)
        // To a lower address: ascending order is safe.
        for i in 0..<left { unsafe clean[i] = reader.next[i] }
        unsafe cleanEnd = clean + left
        while unsafe !isEnded && cleanEnd - clean < 8 { unstuff() }
        unsafe reader.next = UnsafePointer(clean)
        if isEnded {
            for i in 0..<24 { unsafe cleanEnd[i] = 0 }
            unsafe reader.lastWord = UnsafePointer(cleanEnd + 8)
            unsafe reader.end = UnsafePointer(cleanEnd)
        } else {
            unsafe reader.lastWord = UnsafePointer(cleanEnd - 8)
        }
        return reader
    }

    /// Goes on behind the restart marker that ends the segment: the marker, 0 if there is none, and how many
    /// whole bytes of the segment had not been used.
    func nextSegment(_ reader: inout BitReader) -> (marker: UInt8, unused: Int) {
        var unused = unsafe max(0, (UnsafePointer(cleanEnd) - reader.next) * 8 + reader.count) / 8
        while !isEnded {
            unsafe cleanEnd = clean
            unstuff()
            unused += unsafe cleanEnd - clean
        }
        let found = marker
        guard JPEGMarker.isRestart(found) else { return (0, unused) }
        isEnded = false
        unsafe cleanEnd = clean
        reader = emptyReader
        return (found, unused)
    }

    /// Whole bytes that were not used, at the end of the scan.
    func unused(_ reader: BitReader) -> Int {
        unsafe max(0, (UnsafePointer(cleanEnd) - reader.next) * 8 + reader.count) / 8 + (rawEnd - rawStart)
            + (fileEnd - offset)
    }

    /// Moves what there is of `raw` to the end of `clean`, or reads more first.
    private func unstuff() {
        if unsafe rawStart == rawEnd || (rawEnd - rawStart == 1 && raw[rawStart] == 0xFF) {
            guard readMore() else {
                isEnded = true
                marker = 0
                return
            }
        }
        var from = unsafe raw + rawStart
        let stop = unsafe raw + rawEnd
        var to = unsafe cleanEnd
        defer {
            unsafe rawStart = from - raw
            unsafe cleanEnd = to
        }
        // Safety: `clean` has room for all of `raw` and 40 bytes more, and nothing grows on the way.
        while unsafe from < stop {
            if unsafe stop - from >= 8 {
                let word = unsafe UnsafeRawPointer(from).loadUnaligned(as: UInt64.self)
                // Some byte is 0xFF exactly if its complement is zero: the usual test for a zero byte.
                if (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
                    unsafe UnsafeMutableRawPointer(to).storeBytes(of: word, as: UInt64.self)
                    unsafe from += 8
                    unsafe to += 8
                    continue
                }
            }
            let byte = unsafe from[0]
            if byte == 0xFF {
                var code = unsafe from + 1
                while unsafe code < stop && code[0] == 0xFF { unsafe code += 1 }
                guard unsafe code < stop else {
                    // What it means is not read yet.
                    unsafe from = code - 1
                    return
                }
                unsafe from = code + 1
                if unsafe code[0] != 0 { return unsafe end(at: code[0]) }
            } else {
                unsafe from += 1
            }
            unsafe to[0] = byte
            unsafe to += 1
        }
    }

    private func end(at code: UInt8) {
        isEnded = true
        marker = code
        if !JPEGMarker.isRestart(code) { fail(.corrupt("a reserved marker in entropy-coded data")) }
    }

    private func fail(_ error: ScanError) { if failure == nil { failure = error } }

    /// Reads the next piece behind a held 0xFF; false at the end.
    private func readMore() -> Bool {
        let held = rawEnd - rawStart
        if held == 1 { unsafe raw[0] = 0xFF }
        let want = min(capacity - held, fileEnd - offset)
        guard want > 0 else {
            rawStart = rawEnd
            return false
        }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: raw + held, count: want)
        guard let count = unsafe file.read(at: offset, into: buffer), count > 0, count <= want else {
            fail(.unreadable)
            rawStart = rawEnd
            return false
        }
        offset += count
        rawStart = 0
        rawEnd = held + count
        return true
    }
}
