#if TIFF
    internal import Pixels

    /// A picture's rows on their way from the file to the pipeline.
    final class TIFFRowSource {
        private let picture: TIFFPicture
        /// One for each plane that shows.
        private let planes: [any TIFFRows]
        private let colors: TIFFColors
        private let samples: TIFFSamples
        private let passesAsStored: Bool
        private var row: [UInt8]
        private var unpacked: [UInt16]
        private var bytes: [UInt8]

        init(
            _ picture: TIFFPicture, allowsScans: Bool, _ job: SpoolJob, _ rows: RowPipeline
        ) throws(CodecError) {
            self.picture = picture
            let isSubsampled = picture.isSubsampled
            let shouldStop = { rows.mustStop }
            var planes: [any TIFFRows] = []
            for plane in 0..<(picture.isPlanar ? picture.shown : 1) {
                guard picture.compression != 1 else {
                    planes.append(
                        isSubsampled
                            ? try TIFFSubsampledRows(picture, nil, shouldStop: shouldStop)
                            : TIFFStoredRows(picture, plane: plane))
                    continue
                }
                if let stream = try TIFFStreamRows(picture, plane: plane) {
                    planes.append(stream)
                    continue
                }
                let library = try TIFFLibrary(
                    picture, pads: job.allowsTruncated && picture.endsInPadding, allowsScans: allowsScans,
                    memoryLimit: job.memoryLimit
                )
                if isSubsampled {
                    planes.append(try TIFFSubsampledRows(picture, library, shouldStop: shouldStop))
                } else if picture.chunks.isTiled {
                    planes.append(try TIFFTileRows(library, picture, plane: plane, shouldStop: shouldStop))
                } else {
                    let rowBytes = picture.rowBytes(width: picture.size.width)
                    planes.append(try TIFFStripRows(library, plane: plane, rowBytes: rowBytes))
                }
            }
            self.planes = planes
            colors = try TIFFColors(picture)
            samples = TIFFSamples(picture, isIndex: picture.colors == .palette)
            passesAsStored = TIFFColors.passesAsStored(picture)
            let width = picture.size.width
            row = [UInt8](
                repeating: 0, count: isSubsampled ? 3 * width : picture.rowBytes(width: width))
            unpacked = passesAsStored ? [] : [UInt16](repeating: 0, count: width * picture.shown)
            bytes = passesAsStored ? [] : [UInt8](repeating: 0, count: width * max(3, picture.shown))
        }

        var isOdd: Bool { planes.contains { $0.isOdd } }

        /// Sends the next row on; false when the pipeline takes no more.
        func deliver(into rows: RowPipeline) throws(CodecError) -> Bool {
            // In each case below the array has at least as many bytes as a row of the layout.
            if passesAsStored {
                try planes[0].next(into: &row)
                return unsafe row.withUnsafeBytes { unsafe Self.send($0, rows) }
            }
            let width = picture.size.width
            for (index, plane) in planes.enumerated() {
                try plane.next(into: &row)
                for sample in picture.isPlanar ? index...index : 0...(picture.shown - 1) {
                    samples.unpack(
                        row, width: width, index: picture.isPlanar ? 0 : sample,
                        perPixel: picture.isPlanar ? 1 : picture.sampleCount, into: &unpacked, at: sample,
                        stride: picture.shown)
                }
            }
            colors.convert(&unpacked, width: width, into: &bytes)
            return colors.layout.bitsPerSample == 16
                ? unsafe unpacked.withUnsafeBytes { unsafe Self.send($0, rows) }
                : unsafe bytes.withUnsafeBytes { unsafe Self.send($0, rows) }
        }

        private static func send(_ row: UnsafeRawBufferPointer, _ rows: RowPipeline) -> Bool {
            guard let base = row.baseAddress else { return false }
            return unsafe rows.row(base)
        }
    }
#endif
