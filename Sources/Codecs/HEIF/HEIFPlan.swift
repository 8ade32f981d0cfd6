#if HEIF
    internal import Pixels

    /// What of a file is to be decoded, ready for it: judged whole before anything of the picture's size is made.
    struct HEIFPlan {
        let picture: HEIFPicture
        let color: PlaneFormat
        let alpha: PlaneFormat?
        let layout: PixelLayout
        /// What is shown of the assembled planes.
        let part: PixelRect
        let orientation: Orientation
        /// Whether the container's size is another than the coded one.
        let isOdd: Bool

        init(_ picture: HEIFPicture, _ container: HEIFContainer, _ file: HEIFFile) throws(CodecError) {
            self.picture = picture
            color = try container.format(of: picture.color, file)
            if let mosaic = picture.alpha {
                alpha = try container.format(of: mosaic, file)
            } else {
                alpha = nil
            }
            let size = picture.color.size ?? color.size
            if let mosaic = picture.alpha, let alpha {
                guard mosaic.size ?? alpha.size == size else {
                    throw CodecError(.unsupportedVariant, "alpha of another size than the picture")
                }
            }
            let stated = picture.statedSize ?? size
            isOdd = stated != size
            // A coded picture may be padded beyond what the container says; what else differs is wrong there.
            let isPadded =
                isOdd && !picture.color.isGrid && stated.width > 0 && stated.height > 0
                && stated.width <= size.width && stated.height <= size.height
            (part, orientation) = try picture.shown(of: isPadded ? stated : size)
            layout = PixelLayout(
                color.isMonochrome ? (alpha == nil ? .gray : .grayAlpha) : (alpha == nil ? .rgb : .rgba),
                bitsPerSample: color.bits > 8 ? 16 : 8)
        }

        /// Whether all of the planes is shown.
        private var isWhole: Bool { part == PixelRect(x: 0, y: 0, size: picture.color.size ?? color.size) }

        /// Pixels, squared, whose means can be had.
        ///
        /// They are as good as what a JPEG's smaller inverse transforms give, where no block lies in two rows of
        /// tiles, and no transparent pixel adds to the colour of others.
        var factors: [Int] {
            guard isWhole, alpha == nil else { return [1] }
            return [8, 4, 2, 1].filter { picture.color.rows == 1 || color.size.height % $0 == 0 }
        }

        /// What the container says of the colours, a profile before codes; else what the stream says.
        var colour: ColourPlan {
            if let profile = picture.profile { return ColourPlan(profile: profile, layout: layout) }
            let codes = picture.codes ?? color.codes
            return ColourPlan(
                coding: CodingPoints(primaries: codes.primaries, transfer: codes.transfer),
                peak: picture.peak,
                layout: layout)
        }

        /// Whether this shows what another plan does, only smaller: in the same colours, of the same shape.
        func isThumbnail(of other: HEIFPlan) -> Bool {
            let (own, whole) = (part.size, other.part.size)
            // Encoders round both sides to whole samples of chroma, so that one may be off by nearly two pixels.
            let isSameShape =
                abs(own.height * whole.width - whole.height * own.width) < 2 * max(whole.width, whole.height)
            return isWhole && alpha == nil && layout == other.layout && orientation == other.orientation
                && picture.steps == other.picture.steps && picture.profile == other.picture.profile
                && (picture.codes ?? color.codes) == (other.picture.codes ?? other.color.codes)
                && picture.peak == other.picture.peak
                && (color.across, color.down) == (other.color.across, other.color.down)
                && own.width < whole.width && own.height < whole.height && isSameShape
        }

        /// Whether bytes of a tile are missing.
        func isCut(_ container: HEIFContainer, _ file: HEIFFile) throws(CodecError) -> Bool {
            for tile in picture.color.tiles + (picture.alpha?.tiles ?? []) {
                guard try container.data(of: tile, fileSize: file.size).isWhole else { return true }
            }
            return false
        }

        /// Bytes that its colours are coded in.
        func dataBytes(_ container: HEIFContainer, _ file: HEIFFile) throws(CodecError) -> Int {
            var sum = 0
            for tile in picture.color.tiles {
                sum += try container.data(of: tile, fileSize: file.size).present
            }
            return sum
        }

        /// Bytes held while it is decoded.
        func memoryNeed(
            _ container: HEIFContainer, _ file: HEIFFile, isReduced: Bool
        ) throws(CodecError) -> Int {
            var need = HEIFRows.memoryNeed(width: picture.color.size?.width ?? color.size.width, layout)
            for (mosaic, format) in [(picture.color, color), (picture.alpha, alpha)] {
                guard let mosaic, let format else { continue }
                var bytes = 0
                for tile in Set(mosaic.tiles) {
                    bytes = max(bytes, try container.data(of: tile, fileSize: file.size).present)
                }
                need += MosaicRows.memoryNeed(mosaic, format)
                need += CodedPicture.memoryNeed(
                    mosaic.codec, format, dataBytes: bytes, isReduced: isReduced)
            }
            return need
        }

        /// Decodes it; of tiles whose bytes are missing, others in their row show where they would be.
        func decode(
            _ container: HEIFContainer, _ file: HEIFFile, factor: Int, into rows: RowPipeline
        ) throws(CodecError) {
            func mosaicRows(
                _ mosaic: HEIFMosaic, _ format: PlaneFormat, isAlpha: Bool
            ) throws(CodecError) -> MosaicRows {
                try MosaicRows(mosaic, format, isAlpha: isAlpha) { tile throws(CodecError) in
                    if rows.mustStop { throw CodecError(.stopped, "stopped") }
                    let item = try container.coded(tile, file)
                    guard item.data.isWhole else { return nil }
                    return try CodedPicture(
                        item, file, expected: format, isReduced: factor > 1,
                        shouldStop: { rows.mustStop })
                }
            }
            var alphaRows: MosaicRows?
            if let mosaic = picture.alpha, let alpha {
                alphaRows = try mosaicRows(mosaic, alpha, isAlpha: true)
            }
            try HEIFRows(
                color: try mosaicRows(picture.color, color, isAlpha: false), alpha: alphaRows, picture,
                layout, part: part,
                factor: factor
            ).deliver(into: rows)
        }
    }

    extension HEIFContainer {
        /// What a mosaic's tiles are like, by the first one's header.
        fileprivate func format(of mosaic: HEIFMosaic, _ file: HEIFFile) throws(CodecError) -> PlaneFormat {
            guard let first = mosaic.tiles.first else {
                throw CodecError(.corrupt, "a picture without parts")
            }
            let format = try coded(first, file).format(file)
            try MosaicRows.check(mosaic, format)
            return format
        }
    }
#endif
