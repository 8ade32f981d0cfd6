#if TIFF
    internal import JPEGCore

    /// The file as libtiff sees it: its own bytes, but for a directory of our making behind the end, which has the
    /// one page to decode and of its fields only those that decoding takes, as we understood them.
    ///
    /// So libtiff meets no loop, no other page, no text or profile to load, and counts that were checked.
    final class TIFFForLibrary {
        private let bytes: TIFFBytes
        private let header: [UInt8]
        /// Even, behind the file's end.
        private let tailStart: Int
        private let tail: [UInt8]
        /// What stands for the bytes behind the end, which no sound encoding goes on with: padding of a cut file.
        private let pads: Bool
        private(set) var failed = false

        var size: Int { tailStart + tail.count }

        /// - Parameter pads: a strip that is cut is read to its end nevertheless.
        init(_ picture: TIFFPicture, pads: Bool) throws(CodecError) {
            let directory = picture.directory
            bytes = directory.bytes
            self.pads = pads
            tailStart = (bytes.size + 1) & ~1
            var writer = TIFFDirectoryWriter(like: bytes)
            try writer.add(picture)
            tail = writer.directory(at: tailStart)
            header = writer.header(directoryAt: tailStart)
            guard bytes.isBig || tailStart + tail.count < 1 << 32 else {
                throw CodecError(.unsupportedVariant, "4 GB without being BigTIFF")
            }
        }

        /// Reads like a file; nil when that fails.
        func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            var done = 0
            while done < buffer.count {
                let place = offset + done
                // Within the buffer: `done` is below its count.
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count: Int
                if place < header.count {
                    unsafe count = Self.copy(header, from: place, into: rest)
                } else if place < bytes.size {
                    let here = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: rest[..<min(rest.count, bytes.size - place)])
                    guard let read = unsafe bytes.file.read(at: place, into: here) else {
                        failed = true
                        return nil
                    }
                    count = read
                } else if place < tailStart {
                    unsafe rest[0] = 0
                    count = 1
                } else if place < size {
                    unsafe count = Self.copy(tail, from: place - tailStart, into: rest)
                } else if pads {
                    unsafe rest.initializeMemory(as: UInt8.self, repeating: 0xFF)
                    count = rest.count
                } else {
                    break
                }
                if count == 0 { break }
                done += count
            }
            return done
        }

        private static func copy(
            _ source: [UInt8], from start: Int, into buffer: UnsafeMutableRawBufferPointer
        ) -> Int {
            let part = source[start..<min(source.count, start + buffer.count)]
            unsafe buffer.copyBytes(from: part)
            return part.count
        }
    }
#endif
