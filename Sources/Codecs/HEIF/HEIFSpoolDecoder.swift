#if HEIF
    package import JPEGCore
    internal import MediaTypes
    package import Pixels

    /// HEIC and AVIF: boxes read here, libde265 and dav1d given one coded picture at a time.
    ///
    /// Of a grid a row of tiles is alive, of a single picture its frame.
    package struct HEIFSpoolDecoder: ~Copyable, SpoolDecoder {
        private var container: HEIFContainer?
        private var plan: HEIFPlan?
        /// Smaller pictures of the same, smallest first.
        private var thumbnails: [HEIFPlan] = []
        /// As in the header.
        private var steps = 8
        private(set) package var notes = DecodeNotes()

        package init() {}

        /// Thumbnails looked at; there is one, in files that have any.
        private static let mostThumbnails = 4

        package mutating func readHeader(
            from file: any RandomAccessBytes, shouldStop: () -> Bool
        ) throws(CodecError) -> ImageHeader? {
            let file = HEIFFile(file: file)
            var container = try HEIFContainer(file, shouldStop: shouldStop)
            notes.hasMetadata = container.items.values.contains {
                ["Exif", "mime", "uri "].contains($0.type)
            }
            if let movie = container.movie {
                let track = try? HEIFTrack.first(in: movie, file)
                notes.isAnimated = (track?.samples ?? 0) > 1
                if container.primary == nil { try track?.add(to: &container) }
            }
            let plan = try HEIFPlan(try container.primaryPicture(file), container, file)
            notes.isOdd = plan.isOdd
            thumbnails = Self.thumbnails(of: plan, container, file)
            self.container = container
            self.plan = plan
            // A thumbnail's width is a numerator, when there is one: each is that part of the stored width.
            steps = thumbnails.isEmpty ? 8 : 8 * plan.part.size.width
            return try header(plan, container, file)
        }

        private func header(
            _ plan: HEIFPlan, _ container: HEIFContainer, _ file: HEIFFile
        ) throws(CodecError) -> ImageHeader {
            var needs: [Int: Int] = [:]
            let whole = try plan.memoryNeed(container, file, isReduced: false)
            for factor in plan.factors {
                needs[steps / factor] = try plan.memoryNeed(container, file, isReduced: factor > 1)
            }
            var rowSizes: [Int: PixelSize] = [:]
            // Of several of one width the first counts, here and in `decode`.
            for thumbnail in thumbnails where rowSizes[8 * thumbnail.part.size.width] == nil {
                let numerator = 8 * thumbnail.part.size.width
                needs[numerator] = try thumbnail.memoryNeed(container, file, isReduced: false)
                rowSizes[numerator] = thumbnail.part.size
            }
            var header = ImageHeader(
                size: plan.part.size, orientation: plan.orientation, layout: plan.layout,
                numerators: needs.keys.sorted(), needsWholeInput: true, mayPassLossless: false,
                subsampling: nil, codecNeed: { [needs] numerator in needs[numerator] ?? whole })
            header.steps = steps
            header.rowSizes = rowSizes
            header.colour = plan.colour
            return header
        }

        /// The pictures that show the same; one that cannot be used is as good as none.
        private static func thumbnails(
            of plan: HEIFPlan, _ container: HEIFContainer, _ file: HEIFFile
        ) -> [HEIFPlan] {
            guard plan.alpha == nil else { return [] }
            return plan.picture.thumbnails.prefix(mostThumbnails)
                .compactMap { id in
                    guard let picture = try? container.picture(id, file),
                        let thumbnail = try? HEIFPlan(picture, container, file),
                        thumbnail.isThumbnail(of: plan), isFaithful(thumbnail, to: plan, container, file)
                    else { return nil }
                    return thumbnail
                }
                .sorted { $0.part.size.width < $1.part.size.width }
        }

        /// Whether a thumbnail is there, and coded with no fewer bytes a pixel than the picture.
        ///
        /// A smaller picture has more detail in each pixel: with fewer bytes for it more of that is lost.
        private static func isFaithful(
            _ thumbnail: HEIFPlan, to plan: HEIFPlan, _ container: HEIFContainer, _ file: HEIFFile
        ) -> Bool {
            guard let isCut = try? thumbnail.isCut(container, file), !isCut,
                let bytes = try? thumbnail.dataBytes(container, file),
                let most = try? plan.dataBytes(container, file)
            else { return false }
            return Double(bytes) * Double(plan.part.size.area) >= Double(most)
                * Double(thumbnail.part.size.area)
        }

        /// Takes no more memory, but knows before the first row whether all bytes are there.
        package mutating func memoryBeyondHeader(
            of file: any RandomAccessBytes, allowsTruncated: Bool, unless mustStop: () -> Bool
        ) throws(CodecError) -> Int {
            if !allowsTruncated { _ = try checkedCut(HEIFFile(file: file), allowsTruncated: false) }
            return 0
        }

        /// Whether bytes of the picture are missing.
        ///
        /// - Throws: `.truncated` where they may not be.
        private func checkedCut(_ file: HEIFFile, allowsTruncated: Bool) throws(CodecError) -> Bool {
            guard let plan, let container else { throw CodecError(.corrupt, "no header") }
            let isCut = try plan.isCut(container, file)
            guard !isCut || allowsTruncated else {
                throw CodecError(.truncated, "the bytes end before the picture's data")
            }
            return isCut
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            guard let plan, let container else { throw CodecError(.corrupt, "no header") }
            let file = HEIFFile(file: file)
            var isTruncated = try checkedCut(file, allowsTruncated: job.allowsTruncated)
            let thumbnail = thumbnails.first { 8 * $0.part.size.width == job.numerator && steps != 8 }
            let shown = thumbnail ?? plan
            let factor = thumbnail == nil ? steps / job.numerator : 1
            do throws(CodecError) {
                try shown.decode(container, file, factor: factor, into: rows)
            } catch {
                guard error.kind == .truncated, job.allowsTruncated, rows.rowsTaken > 0 else { throw error }
                isTruncated = true
                rows.fill(to: (shown.part.size.height + factor - 1) / factor)
            }
            return SpoolEnd(end: isTruncated ? file.size : container.end, isTruncated: isTruncated)
        }
    }
#endif
