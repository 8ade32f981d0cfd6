#if TIFF
    internal import JPEGCore

    /// Numbers of a TIFF file in its byte order, each checked against the file's end.
    final class TIFFBytes {
        let file: any RandomAccessBytes
        let size: Int
        let isLittleEndian: Bool
        /// Whether offsets are of 8 bytes (BigTIFF).
        let isBig: Bool
        /// Where the first directory lies.
        let firstDirectory: Int
        /// The magic number: 42, 43 of BigTIFF, or a camera maker's own.
        let magic: Int

        /// Numbers lie close together, so they are read through a window.
        private var window: [UInt8] = []
        private var windowStart = 0
        private static let windowBytes = 4096

        /// Raw formats that are TIFF but for the magic number: Panasonic RW2, Olympus ORF of three kinds.
        private static let rawMagics: Set<Int> = [0x55, 0x4F52, 0x5352]

        init(_ file: any RandomAccessBytes) throws(CodecError) {
            self.file = file
            size = file.size
            let head = try Self.read(file, at: 0, count: 16)
            guard head.count >= 8 else { throw CodecError(.truncated, "the header is cut") }
            isLittleEndian = head[0] == 0x49
            guard head[0] == head[1], isLittleEndian || head[0] == 0x4D else {
                throw CodecError(.corrupt, "no byte order")
            }
            let little = isLittleEndian
            func number(_ range: Range<Int>) -> UInt64 { Self.number(head[range], isLittleEndian: little) }
            magic = Int(number(2..<4))
            isBig = magic == 43
            guard magic == 42 || isBig || Self.rawMagics.contains(magic) else {
                throw CodecError(.unsupportedVariant, "magic number \(magic)")
            }
            if isBig {
                guard head.count == 16 else { throw CodecError(.truncated, "the header is cut") }
                guard number(4..<6) == 8, number(6..<8) == 0 else {
                    throw CodecError(.unsupportedVariant, "offsets of \(number(4..<6)) bytes")
                }
            }
            let offset = isBig ? number(8..<16) : number(4..<8)
            guard offset >= UInt64(isBig ? 16 : 8) else {
                throw CodecError(.corrupt, "no directory")
            }
            guard offset < UInt64(size) else { throw CodecError(.truncated, "no directory before the end") }
            firstDirectory = Int(offset)
        }

        /// Whether the file is of a camera maker's own kind.
        var hasRawMagic: Bool { magic != 42 && !isBig }

        /// The unsigned number of `count` bytes (at most 8) at `offset`; nil when it does not lie in the file.
        func number(at offset: Int, count: Int) throws(CodecError) -> UInt64? {
            guard offset >= 0, offset <= size - count else { return nil }
            if offset < windowStart || offset + count > windowStart + window.count {
                window = try Self.read(file, at: offset, count: Self.windowBytes)
                windowStart = offset
                guard window.count >= count else { return nil }
            }
            let start = offset - windowStart
            return Self.number(window[start..<(start + count)], isLittleEndian: isLittleEndian)
        }

        /// A number that is an offset or count, thus small enough for one.
        func place(at offset: Int, count: Int) throws(CodecError) -> Int? {
            try number(at: offset, count: count).flatMap { Int(exactly: $0) }
        }

        /// Bytes of the file; fewer at its end.
        func bytes(at offset: Int, count: Int) throws(CodecError) -> [UInt8] {
            guard offset >= 0, offset < size else { return [] }
            return try Self.read(file, at: offset, count: min(count, size - offset))
        }

        private static func number(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> UInt64 {
            isLittleEndian
                ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
                : bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }

        private static func read(
            _ file: any RandomAccessBytes, at offset: Int, count: Int
        ) throws(CodecError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = try bytes.fill(from: file, at: offset)
            bytes.removeLast(count - got)
            return bytes
        }
    }

    extension [UInt8] {
        /// Fills the array with the bytes at `offset`; answers how many there were.
        mutating func fill(from file: any RandomAccessBytes, at offset: Int) throws(CodecError) -> Int {
            var got = 0
            let ok = unsafe withUnsafeMutableBytes { buffer in
                while got < buffer.count {
                    // Within the buffer: `got` is below its count.
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[got...])
                    guard let count = unsafe file.read(at: offset + got, into: rest) else { return false }
                    if count == 0 { break }
                    got += count
                }
                return true
            }
            guard ok else { throw CodecError(.unreadable, "the input cannot be read again") }
            return got
        }
    }
#endif
