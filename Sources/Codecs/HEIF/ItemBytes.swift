#if HEIF
    internal import JPEGCore

    /// Reads of a file that must be whole.
    struct HEIFFile {
        let file: any RandomAccessBytes

        var size: Int { file.size }

        /// Exactly `count` bytes: room is made for none that the file cannot have.
        func bytes(at offset: Int, count: Int) throws(CodecError) -> [UInt8] {
            guard count <= size - offset else {
                throw CodecError(.truncated, "the bytes end within what is described")
            }
            var bytes = [UInt8](repeating: 0, count: count)
            let read = try read(at: offset, &bytes)
            guard read == count else {
                throw CodecError(.truncated, "the bytes end within what is described")
            }
            return bytes
        }

        private func read(at offset: Int, _ bytes: inout [UInt8]) throws(CodecError) -> Int {
            var done = 0
            var isReadable = true
            unsafe bytes.withUnsafeMutableBytes { buffer in
                while done < buffer.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    guard let count = unsafe file.read(at: offset + done, into: rest) else {
                        isReadable = false
                        return
                    }
                    if count == 0 { return }
                    done += count
                }
            }
            guard isReadable else { throw CodecError(.unreadable, "the input cannot be read again") }
            return done
        }
    }

    /// Where an item's bytes lie: ranges of the file, in order; a file that is cut lacks some of them.
    struct ItemBytes: Equatable {
        let ranges: [Range<Int>]
        let count: Int
        /// Those of them that the file has.
        let present: Int

        var isWhole: Bool { present == count && !beginsBeyond }
        /// Whether a part, of a length left to the file's end, too, begins where the file has ended.
        private let beginsBeyond: Bool

        /// - Throws: `.corrupt` where the ranges could not all be in any file.
        init(_ ranges: [Range<Int>], fileSize: Int) throws(CodecError) {
            var (count, present) = (0, 0)
            for range in ranges {
                let (sum, overflow) = count.addingReportingOverflow(range.count)
                count = sum
                present += range.clamped(to: 0..<fileSize).count
                // Parts that overlap could name the file many times over.
                guard !overflow, present <= fileSize else {
                    throw CodecError(.corrupt, "an item larger than the file")
                }
            }
            self.ranges = ranges
            self.count = count
            self.present = present
            beginsBeyond = ranges.contains { $0.lowerBound > fileSize }
        }

        /// `count` bytes from `offset` in the item.
        func bytes(of file: HEIFFile, at offset: Int, count: Int) throws(CodecError) -> [UInt8] {
            guard offset >= 0, count >= 0, count <= self.count, offset <= self.count - count else {
                throw CodecError(.corrupt, "an item ends within its data")
            }
            var (bytes, skip): ([UInt8], Int) = ([], offset)
            for range in ranges where bytes.count < count {
                if skip >= range.count {
                    skip -= range.count
                    continue
                }
                let part = min(range.count - skip, count - bytes.count)
                let read = try file.bytes(at: range.lowerBound + skip, count: part)
                if bytes.isEmpty { bytes = read } else { bytes += read }
                skip = 0
            }
            return bytes
        }
    }
#endif
