#if GIF
    internal import CCodecs
    internal import JPEGCore

    /// giflib, led to one image of a file.
    @safe final class GIFLibrary {
        /// The file for a C callback, which can carry no existential.
        private final class Source {
            let file: any RandomAccessBytes

            init(_ file: any RandomAccessBytes) { self.file = file }
        }

        // Safety: made in init, freed in deinit, never handed out; `source` is its context and lives as long.
        private let gif: OpaquePointer
        private let source: Source

        /// Codes that are counted before it is asked whether to stop.
        private static let codesAtOnce: UInt32 = 100_000

        init(_ file: any RandomAccessBytes, _ place: GIFPlace) throws(CodecError) {
            try Self.require()
            source = Source(file)
            let read: ap_read_fn = { context, offset, buffer, count in
                guard let context = unsafe context, let buffer = unsafe buffer,
                    let place = Int(exactly: offset)
                else { return -1 }
                let source = unsafe Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
                return unsafe source.file.read(at: place, into: target) ?? -1
            }
            let context = unsafe Unmanaged.passUnretained(source).toOpaque()
            let image = ap_gif_place(
                image: UInt64(place.image), index_bits: UInt64(place.indexBits), size: UInt64(file.size))
            guard let gif = unsafe ap_gif_create(read, context, image) else {
                throw CodecError(.memory, "giflib cannot start")
            }
            unsafe self.gif = gif
            try rewind()
        }

        deinit { unsafe ap_gif_destroy(gif) }

        /// Loads giflib.
        static func require() throws(CodecError) {
            guard ap_gif_load() else { throw CodecError(.missingLibrary, "libgif.so.7") }
        }

        /// Goes back to the image's first code.
        func rewind() throws(CodecError) {
            let status = unsafe ap_gif_open(gif)
            guard status == .needsInput else { throw error(status) }
        }

        /// How many indices the codes stand for, up to `most`; throws when one stands for nothing before.
        func count(most: Int, unless mustStop: () -> Bool) throws(CodecError) -> Int {
            var indices: UInt64 = 0
            while true {
                if mustStop() { throw CodecError(.stopped, "stopped") }
                let status = unsafe ap_gif_count(gif, UInt64(most), Self.codesAtOnce, &indices)
                if status == .finished { return Int(indices) }
                guard status == .needsInput else { throw error(status) }
            }
        }

        /// Reads the next `count` indices, no more than `line` holds.
        func read(into line: inout [UInt8], count: Int) throws(CodecError) {
            let count = min(count, line.count)
            let status = unsafe line.withUnsafeMutableBufferPointer {
                unsafe ap_gif_read_line(gif, $0.baseAddress, count)
            }
            guard status == .needsInput else { throw error(status) }
        }

        private func error(_ status: ap_status) -> CodecError {
            if unsafe ap_gif_has_failed(gif) {
                return CodecError(.unreadable, "the input cannot be read again")
            }
            let words = unsafe String(cString: ap_gif_message(gif))
            return CodecError(status == .memory ? .memory : .corrupt, words)
        }
    }
#endif
