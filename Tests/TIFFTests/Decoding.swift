#if TIFF
    import Codecs
    import JPEGCore
    import Pixels
    import TestSupport

    /// Bytes in memory that can be read anywhere.
    final class Memory: RandomAccessBytes {
        private let bytes: [UInt8]
        var size: Int { bytes.count }

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            guard offset >= 0, offset < bytes.count else { return 0 }
            let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
            unsafe buffer.copyBytes(from: part)
            return part.count
        }
    }

    /// All the decoder said of a file.
    struct Decoded {
        var picture: Picture
        var header: ImageHeader
        var notes: DecodeNotes
        var isTruncated: Bool
    }

    /// Decodes a TIFF one sample an output sample; white is behind transparent and missing pixels.
    func decode(_ bytes: [UInt8], allowsTruncated: Bool = false) throws(CodecError) -> Decoded {
        let file = Memory(bytes)
        var decoder = TIFFDecoder(maxScans: 100)
        guard let header = try decoder.readHeader(from: file, shouldStop: { false }) else {
            throw CodecError(.corrupt, "no header")
        }
        let size = header.size
        guard size.width < 5000, size.height < 5000 else {
            throw CodecError(.tooManyPixels, "too many pixels")
        }
        let region = SourceRegion(
            x: 0, y: 0, width: Double(size.width), height: Double(size.height), usable: size)
        let scaler = RowScaler(source: region, size: size, channels: header.layout.isGray ? 1 : 3)
        let rows = RowPipeline(
            layout: header.layout, width: size.width, background: 0xFF_FFFF, scalers: [scaler])
        let job = SpoolJob(
            numerator: 8, memoryLimit: header.codecNeed(8), allowsTruncated: allowsTruncated)
        let end = try decoder.decode(from: file, job, into: rows)
        rows.fill(to: size.height)
        let bitmap = rows.finish()[0]
        return Decoded(
            picture: Picture(
                width: size.width, height: size.height, channels: bitmap.channels, samples: bitmap.samples),
            header: header, notes: decoder.notes, isTruncated: end.isTruncated)
    }

    func decode(_ page: TIFFFile.Page) throws(CodecError) -> [UInt8] {
        try decode(TIFFFile(pages: [page]).bytes()).picture.samples
    }

    /// Whether all samples are within `tolerance` of those.
    func near(_ samples: [UInt8], _ expected: [UInt8], _ tolerance: Int) -> Bool {
        samples.count == expected.count
            && zip(samples, expected).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
#endif
