#if TIFF
    /// LZW as TIFF has it (TIFF 6.0, section 13): codes of 9 to 12 bits, highest bit first, that grow one early.
    @safe final class TIFFLZW: TIFFStreamDecoder {
        private static let clear = 256
        private static let end = 257
        private static let longest = 4096

        /// What a code stands for: the string of another one and a byte behind it.
        private struct Entry: BitwiseCopyable {
            var prefix: UInt16
            var length: UInt16
            var last: UInt8
            var first: UInt8
        }

        /// Where decoding stands; its own type, so that the inner loop works on a copy.
        private struct State {
            var next = 258
            var width = 9
            /// -1 after a clear code.
            var previous = -1
            var bits: UInt64 = 0
            var bitCount = 0
            var isOver = false
        }

        // Safety: `longest` initialised entries from init to deinit. Every index is a code of at most 12 bits, or a
        // prefix that was one.
        private let table: UnsafeMutablePointer<Entry>
        private var state = State()
        /// A string that did not fit the row, and how much of it is still due.
        private var string: [UInt8] = []
        private var taken = 0

        init() {
            unsafe table = .allocate(capacity: Self.longest)
            for i in 0..<Self.longest {
                let byte = UInt8(truncatingIfNeeded: i)
                unsafe (table + i).initialize(to: Entry(prefix: 0, length: 1, last: byte, first: byte))
            }
        }

        deinit { unsafe table.deallocate() }

        /// Whether the codes come in the order of writers before TIFF 5.0, lowest bit first: the clear code that
        /// begins a strip shows it.
        static func isOldStyle(_ picture: TIFFPicture) throws(CodecError) -> Bool {
            guard let offset = try picture.chunks.offset(0, picture.directory) else { return false }
            let head = try picture.directory.bytes.bytes(at: offset, count: 2)
            return head.count == 2 && head[0] == 0 && head[1] & 1 == 1
        }

        func begin() {
            state = State()
            (string, taken) = ([], 0)
        }

        func fill(_ row: inout [UInt8], from input: inout TIFFChunkInput) throws(CodecError) -> Bool {
            var to = min(string.count - taken, row.count)
            row.replaceSubrange(0..<to, with: string[taken..<(taken + to)])
            taken += to
            var state = state
            defer { self.state = state }
            while to < row.count {
                // Where the piece ends amid a code, its bits are kept.
                if state.bitCount < state.width {
                    guard !state.isOver, try Self.refill(&state, &input) else { return false }
                }
                try decode(&state, &input, &row, &to)
            }
            return true
        }

        /// Gets bits for at least one code; false when the data has no more.
        private static func refill(_ state: inout State, _ input: inout TIFFChunkInput) throws(CodecError)
            -> Bool
        {
            while state.bitCount < state.width {
                guard let byte = try input.next() else { return false }
                state.bits = state.bits << 8 | UInt64(byte)
                state.bitCount += 8
            }
            return true
        }

        /// Decodes codes as long as the piece and the row reach.
        private func decode(
            _ state: inout State, _ input: inout TIFFChunkInput, _ row: inout [UInt8], _ to: inout Int
        ) throws(CodecError) {
            let table = unsafe table
            var (at, place) = (input.at, to)
            defer { (input.at, to) = (at, place) }
            // `at` and `place` are compared with the buffers' counts before each use.
            let failure: CodecError? = unsafe input.piece.withUnsafeBufferPointer { piece in
                unsafe row.withUnsafeMutableBufferPointer { row in
                    while place < row.count {
                        while state.bitCount <= 48, at < piece.count {
                            unsafe state.bits = state.bits << 8 | UInt64(piece[at])
                            state.bitCount &+= 8
                            at &+= 1
                        }
                        guard state.bitCount >= state.width else { return nil }
                        state.bitCount &-= state.width
                        let mask = UInt64(1) << UInt64(state.width) &- 1
                        let code = Int(state.bits >> UInt64(state.bitCount) & mask)
                        if code == Self.clear {
                            (state.next, state.width, state.previous) = (258, 9, -1)
                            continue
                        }
                        if code == Self.end {
                            (state.isOver, state.bitCount) = (true, 0)
                            return nil
                        }
                        guard unsafe Self.learn(code, &state, table) else {
                            return CodecError(.corrupt, "an LZW code that has no meaning yet")
                        }
                        let length = unsafe Int(table[code].length)
                        guard length <= row.count &- place else {
                            // The only string of the row that is longer than what is left of it.
                            keep(code, length)
                            for i in 0..<(row.count - place) { unsafe row[place + i] = string[i] }
                            taken = row.count - place
                            place = row.count
                            return nil
                        }
                        unsafe Self.write(code, table, to: row, from: place, length)
                        place &+= length
                    }
                    return nil
                }
            }
            if let failure { throw failure }
        }

        /// Adds the string that this code completes: the one before and the first byte of this one.
        ///
        /// False for a code that stands for nothing yet.
        @inline(__always)
        private static func learn(_ code: Int, _ state: inout State, _ table: UnsafeMutablePointer<Entry>)
            -> Bool
        {
            let (previous, next) = (state.previous, state.next)
            state.previous = code
            if previous < 0 { return code < 256 }
            guard code < next || (code == next && next < longest) else { return false }
            guard next < longest else { return true }
            let start = unsafe table[previous]
            let last = unsafe code == next ? start.first : table[code].first
            unsafe table[next] = Entry(
                prefix: UInt16(truncatingIfNeeded: previous), length: start.length &+ 1, last: last,
                first: start.first)
            state.next = next &+ 1
            if state.next >= 1 << state.width &- 1, state.width < 12 { state.width &+= 1 }
            return true
        }

        /// Writes a string from its end: `length` entries lie between a code and its first byte.
        @inline(__always)
        private static func write(
            _ code: Int, _ table: UnsafeMutablePointer<Entry>, to row: UnsafeMutableBufferPointer<UInt8>,
            from start: Int, _ length: Int
        ) {
            var code = code
            var place = start &+ length
            while place > start {
                place &-= 1
                let entry = unsafe table[code]
                unsafe row[place] = entry.last
                code = Int(entry.prefix)
            }
        }

        private func keep(_ code: Int, _ length: Int) {
            string = [UInt8](repeating: 0, count: length)
            unsafe string.withUnsafeMutableBufferPointer {
                unsafe Self.write(code, table, to: $0, from: 0, length)
            }
        }
    }
#endif
