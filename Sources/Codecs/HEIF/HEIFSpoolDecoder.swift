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
            notes.hasMetadata = container.items.values.contains { ["Exif", "mime", "uri "].contains($0.type) }
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
            let whole = try plan.memoryNeed(container, file)
            for factor in plan.factors { needs[steps / factor] = whole }
            for thumbnail in thumbnails {
                needs[8 * thumbnail.part.size.width] = try thumbnail.memoryNeed(container, file)
            }
            var header = ImageHeader(
                size: plan.part.size, orientation: plan.orientation, layout: plan.layout,
                numerators: needs.keys.sorted(), needsWholeInput: true, mayPassLossless: false,
                subsampling: nil, codecNeed: { [needs] numerator in needs[numerator] ?? whole })
            header.steps = steps
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
                    guard let picture = try? container.picture(id, file) else { return nil }
                    return try? HEIFPlan(picture, container, file)
                }
                .filter { $0.isThumbnail(of: plan) }
                .sorted { $0.part.size.width < $1.part.size.width }
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            guard let plan, let container else { throw CodecError(.corrupt, "no header") }
            let file = HEIFFile(file: file)
            let thumbnail = thumbnails.first { 8 * $0.part.size.width == job.numerator && steps != 8 }
            let shown = thumbnail ?? plan
            let factor = thumbnail == nil ? steps / job.numerator : 1
            do throws(CodecError) {
                try shown.decode(container, file, factor: factor, into: rows)
            } catch {
                guard error.kind == .truncated, job.allowsTruncated, rows.rowsTaken > 0 else { throw error }
                rows.fill(to: (shown.part.size.height + factor - 1) / factor)
                return SpoolEnd(end: file.size, isTruncated: true)
            }
            return SpoolEnd(end: container.end, isTruncated: false)
        }
    }
#endif
