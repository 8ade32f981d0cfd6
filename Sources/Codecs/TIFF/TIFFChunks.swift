#if TIFF
    internal import Pixels

    /// The strips or tiles a picture is stored in.
    struct TIFFChunks {
        let isTiled: Bool
        /// Pixels of a chunk; a strip is as wide as the picture.
        let width: Int
        let height: Int
        /// How many lie side by side, and above each other, in each plane.
        let across: Int
        let down: Int
        let planes: Int
        let offsets: TIFFField
        /// Nil when the file does not say.
        let byteCounts: TIFFField?

        var perPlane: Int { across * down }

        init(_ directory: TIFFDirectory, size: PixelSize, planes: Int, fileSize: Int) throws(CodecError) {
            self.planes = planes
            isTiled = directory.has(TIFFTag.tileWidth) && directory.has(TIFFTag.tileHeight)
            if isTiled {
                width = try directory.value(TIFFTag.tileWidth) ?? 0
                height = try directory.value(TIFFTag.tileHeight) ?? 0
                guard width > 0, height > 0, width <= Int32.max, height <= Int32.max else {
                    throw CodecError(.corrupt, "tiles of \(width) x \(height) pixels")
                }
            } else {
                width = size.width
                let rows = try directory.value(TIFFTag.rowsPerStrip) ?? size.height
                guard rows > 0 else { throw CodecError(.corrupt, "strips of no rows") }
                height = min(rows, size.height)
            }
            across = (size.width + width - 1) / width
            down = (size.height + height - 1) / height
            // So that what is computed from it, 255 samples of 8 bytes and as many planes, fits 63 bits.
            guard across * width <= 1 << 40 / height else {
                throw CodecError(.tooManyPixels, "strips or tiles of \(width) x \(height) pixels")
            }
            // Each has an offset of two bytes at least, somewhere in the file.
            guard across <= fileSize, down <= fileSize, across * down * planes <= max(2, fileSize / 2)
            else { throw CodecError(.corrupt, "more strips or tiles than the file can hold") }
            // Some writers store tiles under the tags of strips, and the other way round.
            let places = [TIFFTag.tileOffsets, TIFFTag.stripOffsets].compactMap { directory.fields[$0] }
            guard let offsets = isTiled ? places.first : directory.fields[TIFFTag.stripOffsets] else {
                throw CodecError(directory.isCut ? .truncated : .corrupt, "no offsets of the picture's data")
            }
            self.offsets = offsets
            byteCounts =
                isTiled
                ? directory.fields[TIFFTag.tileBytes] ?? directory.fields[TIFFTag.stripBytes]
                : directory.fields[TIFFTag.stripBytes]
        }

        /// The number of the chunk at a column and row of chunks.
        func index(column: Int, row: Int, plane: Int) -> Int { plane * perPlane + row * across + column }

        /// Where a chunk lies; nil when the file does not say, or has no such place.
        func offset(_ index: Int, _ directory: TIFFDirectory) throws(CodecError) -> Int? {
            let offset = try directory.value(offsets, index) ?? 0
            return offset > 0 && offset < directory.bytes.size ? offset : nil
        }

        /// Encoded bytes of a chunk; nil when the file does not say.
        func byteCount(_ index: Int, _ directory: TIFFDirectory) throws(CodecError) -> Int? {
            guard let byteCounts else { return nil }
            // One too many says as much as any more.
            return try directory.value(byteCounts, index).map { min($0, directory.bytes.size + 1) }
        }

        /// Encoded bytes of the largest chunk, of what can be in the file at all.
        ///
        /// - Parameter shouldStop: asked now and then, because there may be millions.
        func largest(
            _ directory: TIFFDirectory, fileSize: Int, shouldStop: () -> Bool
        ) throws(CodecError) -> Int {
            guard let byteCounts else { return fileSize }
            var largest = 0
            for i in 0..<min(byteCounts.count, perPlane * planes) {
                if i & 0xFFF == 0, shouldStop() { throw CodecError(.stopped, "stopped") }
                largest = max(largest, try directory.value(byteCounts, i) ?? 0)
            }
            return min(largest, fileSize)
        }
    }
#endif
