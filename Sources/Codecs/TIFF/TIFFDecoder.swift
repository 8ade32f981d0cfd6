#if TIFF
    package import JPEGCore
    package import Pixels

    /// TIFF: the first full page's rows, through libtiff where they are compressed; of a camera's raw file the
    /// largest JPEG inside.
    ///
    /// The directories are read here first, so that sizes and memory are judged before libtiff sees a byte.
    package struct TIFFDecoder: ~Copyable, SpoolDecoder {
        private enum Content {
            case picture(TIFFPicture, allowsScans: Bool)
            case jpeg(TIFFEmbeddedJPEG)
        }

        private let maxScans: Int
        private var content: Content?
        package private(set) var notes = DecodeNotes()

        /// - Parameter maxScans: an embedded JPEG with more scan headers is refused.
        package init(maxScans: Int) { self.maxScans = maxScans }

        package mutating func readHeader(
            from file: any RandomAccessBytes, shouldStop: () -> Bool
        ) throws(CodecError) -> ImageHeader? {
            let pages = try TIFFPages(TIFFBytes(file))
            notes.hasMetadata = pages.hasMetadata
            if let raw = pages.raw {
                guard let jpeg = try TIFFEmbeddedJPEG(raw, maxScans: maxScans, shouldStop: shouldStop) else {
                    throw CodecError(.unsupportedVariant, "a camera's raw file without a JPEG inside")
                }
                return try use(jpeg, orientation: raw[0].value(TIFFTag.orientation))
            }
            notes.isMultiPage = pages.isMultiPage
            let compression = try pages.picture.value(TIFFTag.compression)
            if compression == 6,
                let jpeg = try TIFFEmbeddedJPEG([pages.picture], maxScans: maxScans, shouldStop: shouldStop),
                try jpeg.header.size.width == pages.picture.value(TIFFTag.width),
                try jpeg.header.size.height == pages.picture.value(TIFFTag.height)
            {
                return try use(jpeg, orientation: pages.picture.value(TIFFTag.orientation))
            }
            return try use(TIFFPicture(pages.picture), shouldStop)
        }

        private mutating func use(_ jpeg: TIFFEmbeddedJPEG, orientation: Int?) -> ImageHeader {
            content = .jpeg(jpeg)
            let header = jpeg.header
            return ImageHeader(
                size: header.size, orientation: orientation.flatMap(Orientation.init) ?? header.orientation,
                layout: header.layout, numerators: header.numerators, needsWholeInput: true,
                mayPassLossless: false, subsampling: nil, colour: header.colour,
                quantisation: header.quantisation,
                codecNeed: { header.codecNeed($0) + 2 * TIFFStoredRows.pieceBytes })
        }

        private mutating func use(
            _ picture: TIFFPicture, _ shouldStop: () -> Bool
        ) throws(CodecError) -> ImageHeader {
            var isScanned = false
            if picture.compression == 7 { isScanned = try TIFFChunkHeader.hasSeveralScans(picture, 0) }
            content = .picture(picture, allowsScans: isScanned)
            let need = try TIFFMemory.need(picture, allowsScans: isScanned, shouldStop: shouldStop)
            let layout = try TIFFColors(picture).layout
            return ImageHeader(
                size: picture.size, orientation: picture.orientation, layout: layout, numerators: [8],
                needsWholeInput: true, mayPassLossless: false, subsampling: nil,
                colour: try colour(picture, layout), codecNeed: { _ in need })
        }

        /// What the page's profile makes of rows; L*a*b* and the like are sRGB by then.
        private func colour(_ picture: TIFFPicture, _ layout: PixelLayout) throws(CodecError) -> ColourPlan {
            guard picture.directory.has(TIFFTag.iccProfile), !picture.isAbsolute else { return .sRGB }
            let limit = ColourPlan.profileLimit
            guard let profile = try picture.directory.content(TIFFTag.iccProfile, limit: limit) else {
                return .ignored
            }
            return ColourPlan(profile: profile, layout: layout)
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            let isTruncated: Bool
            switch content {
            case .jpeg(let jpeg): isTruncated = try jpeg.decode(from: file, job, into: rows, notes: &notes)
            case .picture(let picture, let allowsScans):
                isTruncated = try decode(picture, allowsScans: allowsScans, job, rows)
            case nil: throw CodecError(.corrupt, "no header")
            }
            // What lies behind the picture is as much a part of a TIFF as what lies before it.
            return SpoolEnd(end: file.size, isTruncated: isTruncated)
        }

        private mutating func decode(
            _ picture: TIFFPicture, allowsScans: Bool, _ job: SpoolJob, _ rows: RowPipeline
        ) throws(CodecError) -> Bool {
            let source = try TIFFRowSource(picture, allowsScans: allowsScans, job, rows)
            defer { notes.isOdd = source.isOdd }
            do throws(CodecError) {
                for _ in 0..<picture.size.height {
                    guard try source.deliver(into: rows) else { throw CodecError(.stopped, "stopped") }
                }
                return false
            } catch {
                guard error.kind == .truncated, job.allowsTruncated, rows.rowsTaken > 0 else { throw error }
                rows.fill(to: picture.size.height)
                return true
            }
        }
    }
#endif
