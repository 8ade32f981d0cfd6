#if HEIF
    /// The open bitstream units of an item (AV1 specification, 5.3), one after the other.
    struct AV1Units {
        struct Unit {
            let type: Int
            /// Header included.
            let range: Range<Int>
        }

        static let sequenceHeader = 1

        /// Whether a unit begins a frame.
        static func beginsFrame(_ type: Int) -> Bool { type == 3 || type == 6 }

        private let bytes: [UInt8]
        private var at: Int

        init(_ bytes: [UInt8], from start: Int = 0) {
            self.bytes = bytes
            at = start
        }

        /// The next unit; nil at the end.
        ///
        /// - Throws: `.truncated` where a unit is not whole.
        mutating func next() throws(CodecError) -> Unit? {
            guard at < bytes.count else { return nil }
            let start = at
            let head = bytes[at]
            at += head & 4 == 0 ? 1 : 2
            var size = bytes.count - at
            if head & 2 != 0 { size = try length() }
            guard head & 0x80 == 0, size >= 0, size <= bytes.count - at else {
                throw CodecError(.corrupt, "an AV1 unit ends early")
            }
            at += size
            return Unit(type: Int(head >> 3 & 15), range: start..<at)
        }

        /// leb128() of 4.10.5, at most 32 bits.
        private mutating func length() throws(CodecError) -> Int {
            var value = 0
            for i in 0..<8 {
                guard at < bytes.count else { break }
                let byte = bytes[at]
                at += 1
                value |= Int(byte & 127) << (7 * i)
                if byte & 128 == 0 { return value }
            }
            throw CodecError(.corrupt, "an AV1 unit without its length")
        }
    }
#endif
