/// Walks the marker segments of a JPEG while its bytes arrive, in constant memory.
///
/// It stands before the C decoder: what is not needed to decode (EXIF, thumbnails, profiles, comments) never
/// reaches C code, and what is needed can be kept for a pass without loss.
package struct JPEGMarkerWalk: ~Copyable {
    package enum Event: Equatable {
        /// All given bytes are used up.
        case needsInput
        /// A whole segment lies in `segment`.
        case segment(marker: UInt8)
        /// Entropy-coded bytes, restart markers included, at these indices of the given bytes.
        case entropy(Range<Int>)
        /// Two entropy-coded bytes that two pushes had split, in `segment`.
        case splitEntropy
        /// The end of the first picture.
        case endOfImage
    }

    private enum State {
        case soi, marker, length, body, entropy, over
    }

    /// The last whole segment: marker, length and body.
    package private(set) var segment: [UInt8] = []
    /// Whether bytes that belong to no segment were passed over.
    package private(set) var sawExtraneousBytes = false
    /// Whether what comes next belongs to a scan, as far as is known.
    package var isInScan: Bool { state == .entropy }
    private var state = State.soi
    /// Bytes of the current segment still to come.
    private var missing = 0
    /// Whether the last byte of entropy-coded data was an 0xFF whose meaning is still open.
    private var holdsFF = false

    package init() {}

    /// The next event at `at`, which moves on.
    package mutating func next(_ bytes: Span<UInt8>, at: inout Int) -> Event {
        while at < bytes.count {
            switch state {
            case .soi, .marker:
                if let event = marker(bytes[at]) {
                    at += 1
                    return event
                }
                at += 1
            case .length:
                segment.append(bytes[at])
                at += 1
                if segment.count == 4 {
                    // A length below 2 is nonsense; the segment then ends here and the decoder will say so.
                    missing = max(0, Int(segment[2]) << 8 + Int(segment[3]) - 2)
                    state = .body
                    if missing == 0 { return endSegment() }
                }
            case .body:
                let take = min(missing, bytes.count - at)
                for i in at..<(at + take) { segment.append(bytes[i]) }
                at += take
                missing -= take
                if missing == 0 { return endSegment() }
            case .entropy:
                if let event = entropy(bytes, at: &at) { return event }
            case .over:
                return .endOfImage
            }
        }
        return .needsInput
    }

    /// One byte where a marker is due; an event when it completes one that stands alone.
    private mutating func marker(_ byte: UInt8) -> Event? {
        guard holdsFF else {
            if byte == 0xFF { holdsFF = true } else { sawExtraneousBytes = true }
            return nil
        }
        if byte == 0xFF { return nil }
        holdsFF = false
        if byte == 0 {
            sawExtraneousBytes = true
            return nil
        }
        return begin(byte)
    }

    private mutating func begin(_ code: UInt8) -> Event? {
        segment.removeAll(keepingCapacity: true)
        segment.append(0xFF)
        segment.append(code)
        if code == JPEGMarker.eoi {
            state = .over
            return .endOfImage
        }
        if JPEGMarker.standsAlone(code) {
            state = .marker
            return .segment(marker: code)
        }
        state = .length
        return nil
    }

    private mutating func endSegment() -> Event {
        let code = segment[1]
        state = code == JPEGMarker.sos ? .entropy : .marker
        return .segment(marker: code)
    }

    /// Entropy-coded bytes up to the next marker that ends them; nil when the state has changed without an event.
    ///
    /// Fill bytes (0xFF before 0xFF, T.81 B.1.1.2) are dropped, so that the kept bytes do not depend on chunking.
    private mutating func entropy(_ bytes: Span<UInt8>, at: inout Int) -> Event? {
        if holdsFF { return resolveFF(bytes[at], at: &at) }
        let start = at
        guard let ff = bytes.firstEscape(from: at) else {
            at = bytes.count
            return .entropy(start..<at)
        }
        holdsFF = true
        at = ff + 1
        return ff > start ? .entropy(start..<ff) : nil
    }

    /// The byte behind an 0xFF that was held back.
    private mutating func resolveFF(_ byte: UInt8, at: inout Int) -> Event? {
        at += 1
        if byte == 0xFF { return nil }
        holdsFF = false
        if endsEntropy(byte) { return begin(byte) }
        segment.removeAll(keepingCapacity: true)
        segment.append(0xFF)
        segment.append(byte)
        return .splitEntropy
    }

    /// Whether 0xFF and this byte end a scan.
    ///
    /// Codes without a known length stay in it: the decoder judges them.
    private func endsEntropy(_ byte: UInt8) -> Bool {
        byte >= 0xC0 && byte != 0xFF && !JPEGMarker.isRestart(byte)
    }
}

extension Span<UInt8> {
    /// Index of the first 0xFF at or behind `start` that is neither stuffed (0xFF 00) nor a restart marker, or
    /// whose partner is not among these bytes.
    fileprivate func firstEscape(from start: Int) -> Int? {
        unsafe withUnsafeBytes { bytes in
            var at = start
            while true {
                unsafe at = Self.skipPlain(bytes, from: at)
                guard at < bytes.count else { return nil }
                guard unsafe bytes[at] == 0xFF else {
                    at &+= 1
                    continue
                }
                guard at + 1 < bytes.count else { return at }
                let next = unsafe bytes[at + 1]
                guard next == 0 || JPEGMarker.isRestart(next) else { return at }
                at &+= 2
            }
        }
    }

    /// The start of the first 32 bytes, counted from `start`, that hold an 0xFF whose partner is not 00.
    ///
    /// A scan is nearly all of a file, and of standard Huffman codes every 30th byte is a stuffed 0xFF, so these
    /// must cost nothing: both bytes are tested in all places of a word at once.
    private static func skipPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        let ones: UInt64 = 0x0101_0101_0101_0101
        // The top bit of a byte: set where it is 0xFF and the byte behind it is not 0. No carry leaves a byte.
        @inline(__always) func hits(_ at: Int) -> UInt64 {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            let next = unsafe bytes.loadUnaligned(fromByteOffset: at &+ 1, as: UInt64.self)
            return ((word & low) &+ ones) & word & (((next & low) &+ low) | next)
        }
        var at = start
        while at &+ 33 <= bytes.count,
            (hits(at) | hits(at &+ 8) | hits(at &+ 16) | hits(at &+ 24)) & ~low == 0
        { at &+= 32 }
        return at
    }
}
