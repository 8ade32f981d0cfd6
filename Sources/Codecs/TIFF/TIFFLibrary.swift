#if TIFF
    internal import CCodecs

    /// libtiff, open on one page.
    @safe final class TIFFLibrary {
        // Safety: made in init, freed in deinit, never handed out; `file` is libtiff's context and lives as long.
        private let tiff: OpaquePointer
        private let file: TIFFForLibrary
        private let picture: TIFFPicture
        private let pads: Bool
        /// Whether a JPEG of several scans was reckoned with.
        private let allowsScans: Bool
        private var chunkInUse = -1

        /// - Parameters:
        ///   - pads: a chunk that is cut is decoded as far as it goes.
        ///   - memoryLimit: of each single allocation.
        init(
            _ picture: TIFFPicture, pads: Bool, allowsScans: Bool, memoryLimit: Int
        ) throws(CodecError) {
            try Self.require(picture.compression)
            self.picture = picture
            self.pads = pads
            self.allowsScans = allowsScans
            file = try TIFFForLibrary(picture, pads: pads)
            let read: ap_read_fn = { context, offset, buffer, count in
                guard let context = unsafe context, let buffer = unsafe buffer,
                    let place = Int(exactly: offset)
                else { return -1 }
                let file = unsafe Unmanaged<TIFFForLibrary>.fromOpaque(context).takeUnretainedValue()
                let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
                return unsafe file.read(at: place, into: target) ?? -1
            }
            let context = unsafe Unmanaged.passUnretained(file).toOpaque()
            guard let tiff = unsafe ap_tiff_create(read, context, UInt64(file.size)) else {
                throw CodecError(.memory, "libtiff cannot start")
            }
            unsafe self.tiff = tiff
            try check(unsafe ap_tiff_open(tiff, picture.rendering, memoryLimit))
        }

        deinit { unsafe ap_tiff_destroy(tiff) }

        /// As libtiff says it itself, or that there is none.
        static var version: String {
            let text = unsafe String(cString: ap_tiff_version())
            return text.split(separator: "\n").first?.split(separator: " ").last.map(String.init) ?? "missing"
        }

        /// Loads libtiff and asks it for a codec.
        static func require(_ compression: Int) throws(CodecError) {
            guard ap_tiff_load() else { throw CodecError(.missingLibrary, "libtiff.so.6") }
            guard let number = UInt16(exactly: compression), ap_tiff_has_codec(number) else {
                throw CodecError(.unsupportedVariant, "compression \(compression)")
            }
        }

        /// What libtiff will write at once.
        var sizes: ap_tiff_sizes {
            var sizes = ap_tiff_sizes()
            unsafe ap_tiff_get_sizes(tiff, &sizes)
            return sizes
        }

        /// Whether it complained without failing.
        var isOdd: Bool { unsafe ap_tiff_oddities(tiff) > 0 }

        // In each of the following libtiff writes at most the count it is given.

        func read(row y: Int, plane: Int, into row: inout [UInt8]) throws(CodecError) {
            let chunk = picture.chunks.index(column: 0, row: y / picture.chunks.height, plane: plane)
            try enter(chunk)
            let status = unsafe row.withUnsafeMutableBytes {
                unsafe ap_tiff_read_row(tiff, UInt32(y), UInt16(plane), $0.baseAddress, $0.count)
            }
            try check(status, chunk)
        }

        /// Decodes a whole strip or tile into `buffer` from `offset` on.
        func read(chunk: Int, into buffer: inout [UInt8], at offset: Int, count: Int) throws(CodecError) {
            try enter(chunk)
            let isTiled = picture.chunks.isTiled
            let status = unsafe buffer.withUnsafeMutableBytes {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[offset..<(offset + count)])
                return unsafe isTiled
                    ? ap_tiff_read_tile(tiff, UInt32(chunk), part.baseAddress, part.count)
                    : ap_tiff_read_strip(tiff, UInt32(chunk), part.baseAddress, part.count)
            }
            try check(status, chunk)
        }

        /// Looks at a chunk before libtiff does: whether it is whole, and what its own header would allocate.
        private func enter(_ chunk: Int) throws(CodecError) {
            guard chunk != chunkInUse else { return }
            chunkInUse = chunk
            if !pads, try picture.isCut(chunk) { throw CodecError.cutPicture }
            try TIFFChunkHeader.check(picture, chunk, allowsScans: allowsScans)
        }

        private func check(_ status: ap_status, _ chunk: Int? = nil) throws(CodecError) {
            if unsafe status == .needsInput && ap_tiff_damage(tiff) == 0 { return }
            if file.failed { throw CodecError(.unreadable, "the input cannot be read again") }
            if let chunk, try picture.isCut(chunk) { throw CodecError.cutPicture }
            throw CodecError(jpeg: status, unsafe String(cString: ap_tiff_message(tiff)))
        }
    }

    extension CodecError {
        static let cutPicture = CodecError(.truncated, "the bytes end before the end of the picture")
    }

    extension TIFFPicture {
        /// Whether a chunk's data is not all there.
        func isCut(_ chunk: Int) throws(CodecError) -> Bool {
            guard let offset = try chunks.offset(chunk, directory) else { return true }
            return offset + (try chunks.byteCount(chunk, directory) ?? 1) > directory.bytes.size
        }

        /// Whether a decoder that runs into padding ends there; those of LZMA, Zstandard and WebP make pixels of it.
        var endsInPadding: Bool { ![34_925, 50_000, 50_001].contains(compression) }

        /// What libtiff shall make of the samples.
        fileprivate var rendering: ap_tiff_rendering {
            switch compression {
            case 7 where isDecodedToRGB: .jpegRGB
            case 32_909: bits == 8 ? .pixar8Bit : .pixar16Bit
            default: isLogarithmic ? .log8Bit : .stored
            }
        }
    }
#endif
