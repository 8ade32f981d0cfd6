#if HEIF
    package import JPEGCore
    internal import MediaTypes
    package import Pixels

    /// HEIC and AVIF: the boxes read here, libde265 and dav1d given one coded picture at a time.
    ///
    /// Of a grid a row of tiles is alive, of a single picture its frame.
    package struct HEIFSpoolDecoder: ~Copyable, SpoolDecoder {
        private var plan: Plan?
        private(set) package var notes = DecodeNotes()

        /// What was found, ready to be decoded.
        private struct Plan {
            let container: HEIFContainer
            let picture: HEIFPicture
            let color: PlaneFormat
            let alpha: PlaneFormat?
            let layout: PixelLayout
            let part: PixelRect
        }

        package init() {}

        package mutating func readHeader(
            from file: any RandomAccessBytes, shouldStop: () -> Bool
        ) throws(CodecError) -> ImageHeader? {
            let file = HEIFFile(file: file)
            let container = try HEIFContainer(file, shouldStop: shouldStop)
            notes.hasMetadata = container.items.values.contains { ["Exif", "mime", "uri "].contains($0.type) }
            let picture = try container.primaryPicture(file)
            notes.hasProfile = picture.hasProfile
            let color = try container.format(of: picture.color, file)
            var alpha: PlaneFormat?
            if let mosaic = picture.alpha { alpha = try container.format(of: mosaic, file) }
            let size = picture.color.size ?? color.size
            if let mosaic = picture.alpha, let alpha {
                guard mosaic.size ?? alpha.size == size else {
                    throw CodecError(.unsupportedVariant, "alpha of another size than the picture")
                }
            }
            let stored = storedSize(picture, size)
            let (part, orientation) = try picture.shown(of: stored)
            let depth = color.bits > 8 ? 16 : 8
            let layout = PixelLayout(
                color.isMonochrome ? (alpha == nil ? .gray : .grayAlpha) : (alpha == nil ? .rgb : .rgba),
                bitsPerSample: depth)
            let isWhole = part == PixelRect(x: 0, y: 0, size: size)
            let plan = Plan(
                container: container, picture: picture, color: color, alpha: alpha, layout: layout, part: part)
            self.plan = plan
            let need = try Self.need(plan, file)
            return ImageHeader(
                size: part.size, orientation: orientation, layout: layout,
                numerators: isWhole && alpha == nil ? Self.numerators(picture.color, color) : [8],
                needsWholeInput: true, mayPassLossless: false, subsampling: nil, codecNeed: { _ in need })
        }

        /// The size the container states where the coded picture has that and padding, else the coded one.
        private mutating func storedSize(_ picture: HEIFPicture, _ size: PixelSize) -> PixelSize {
            guard let stated = picture.statedSize, stated != size else { return size }
            notes.isOdd = true
            let isWithin =
                stated.width > 0 && stated.height > 0 && stated.width <= size.width
                && stated.height <= size.height
            return isWithin && !picture.color.isGrid ? stated : size
        }

        /// Means of blocks are as good as what a JPEG's smaller inverse transforms give, where no block lies in two
        /// rows of tiles.
        private static func numerators(_ mosaic: HEIFMosaic, _ format: PlaneFormat) -> [Int] {
            [1, 2, 4, 8].filter { n in n == 8 || mosaic.rows == 1 || format.size.height % (8 / n) == 0 }
        }

        private static func need(_ plan: Plan, _ file: HEIFFile) throws(CodecError) -> Int {
            var need = 0
            for (mosaic, format) in [(plan.picture.color, plan.color), (plan.picture.alpha, plan.alpha)] {
                guard let mosaic, let format else { continue }
                need += MosaicRows.memoryNeed(mosaic, format)
                var bytes = 0
                for tile in Set(mosaic.tiles) {
                    bytes = max(bytes, try plan.container.data(of: tile, fileSize: file.size).count)
                }
                need += CodedPicture.memoryNeed(mosaic.codec, format, dataBytes: bytes)
            }
            let width = plan.picture.color.size?.width ?? plan.color.size.width
            return need + HEIFRows.memoryNeed(width: width, plan.layout)
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            guard let plan = plan.take() else { throw CodecError(.corrupt, "no header") }
            let file = HEIFFile(file: file)
            let color = try Self.rows(plan, plan.picture.color, plan.color, file, rows)
            var alpha: MosaicRows?
            if let mosaic = plan.picture.alpha, let format = plan.alpha {
                alpha = try Self.rows(plan, mosaic, format, file, rows)
            }
            let factor = 8 / job.numerator
            let picture = HEIFRows(
                color: color, alpha: alpha, plan.picture, plan.layout, part: plan.part, factor: factor)
            do throws(CodecError) { try picture.deliver(into: rows) } catch {
                guard error.kind == .truncated, job.allowsTruncated, rows.rowsTaken > 0 else { throw error }
                rows.fill(to: (plan.part.size.height + factor - 1) / factor)
                return SpoolEnd(end: file.size, isTruncated: true)
            }
            return SpoolEnd(end: plan.container.end, isTruncated: false)
        }

        private static func rows(
            _ plan: Plan, _ mosaic: HEIFMosaic, _ format: PlaneFormat, _ file: HEIFFile, _ rows: RowPipeline
        ) throws(CodecError) -> MosaicRows {
            let container = plan.container
            return try MosaicRows(mosaic, format) { tile throws(CodecError) in
                if rows.mustStop { throw CodecError(.stopped, "stopped") }
                return try CodedPicture(
                    try container.coded(tile, file), file, expected: format, shouldStop: { rows.mustStop })
            }
        }
    }

    extension HEIFContainer {
        /// What a mosaic's tiles are like, by the first one's header.
        fileprivate func format(of mosaic: HEIFMosaic, _ file: HEIFFile) throws(CodecError) -> PlaneFormat {
            guard let first = mosaic.tiles.first else { throw CodecError(.corrupt, "a picture without parts") }
            let format = try coded(first, file).format(file)
            try MosaicRows.check(mosaic, format)
            return format
        }
    }
#endif
