#if HEIF
    internal import MediaTypes

    /// A cursor over the content of a box (ISO/IEC 14496-12, 4.2); to read over its end is the file's fault.
    struct BoxBytes {
        private let bytes: [UInt8]
        private(set) var at: Int
        private let end: Int

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            at = 0
            end = bytes.count
        }

        private init(_ bytes: [UInt8], _ range: Range<Int>) {
            self.bytes = bytes
            at = range.lowerBound
            end = range.upperBound
        }

        var count: Int { end - at }
        var isAtEnd: Bool { at == end }

        /// A big-endian number of `size` bytes, at most 8; none is 0.
        mutating func number(_ size: Int) throws(CodecError) -> Int {
            guard size <= count else { throw CodecError(.corrupt, "a box ends within a field") }
            var value: UInt64 = 0
            for byte in bytes[at..<(at + size)] { value = value << 8 | UInt64(byte) }
            at += size
            // Offsets and lengths beyond 2^63 are in no file.
            guard let value = Int(exactly: value) else { throw CodecError(.corrupt, "a number of 2^63 or more") }
            return value
        }

        mutating func code() throws(CodecError) -> FourCC {
            FourCC(UInt32(truncatingIfNeeded: try number(4)))
        }

        mutating func skip(_ size: Int) throws(CodecError) { _ = try take(size) }

        /// The next `size` bytes as a cursor of their own.
        mutating func take(_ size: Int) throws(CodecError) -> BoxBytes {
            guard size >= 0, size <= count else { throw CodecError(.corrupt, "a box ends within a field") }
            defer { at += size }
            return BoxBytes(bytes, at..<(at + size))
        }

        /// All that is left.
        mutating func rest() -> [UInt8] {
            defer { at = end }
            return Array(bytes[at..<end])
        }

        /// Text up to its NUL or the end.
        mutating func text() -> String {
            let stop = bytes[at..<end].firstIndex(of: 0) ?? end
            defer { at = min(stop + 1, end) }
            return String(decoding: bytes[at..<stop], as: UTF8.self)
        }

        /// The head of a full box (4.2): version and flags.
        mutating func versionAndFlags() throws(CodecError) -> (version: Int, flags: Int) {
            let both = try number(4)
            return (both >> 24, both & 0xFF_FFFF)
        }

        /// The next box in here; nil behind the last one.
        mutating func box() throws(CodecError) -> (type: FourCC, content: BoxBytes)? {
            // Fewer bytes than a header are padding.
            guard count >= 8 else { return nil }
            let start = at
            var size = try number(4)
            let type = try code()
            if size == 1 { size = try number(8) }
            if size == 0 { return (type, try take(count)) }
            guard size >= at - start else { throw CodecError(.corrupt, "a box smaller than its header") }
            return (type, try take(size - (at - start)))
        }
    }
#endif
