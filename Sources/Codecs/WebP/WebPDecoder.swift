#if WebP
    internal import CCodecs
    internal import JPEGCore
    package import Pixels

    /// WebP through libwebp's incremental decoder, behind a chunk walk: the picture, or the first frame of an
    /// animation on its canvas.
    ///
    /// Lossy opaque pictures take a handful of rows and a reduced picture; what has alpha or is lossless holds the
    /// frame inside libwebp, which the header computes.
    @safe package struct WebPDecoder: ~Copyable, ImageDecoder {
        private enum ChunkUse { case skip, extendedHeader, frameHeader, profile, exif, alpha, image }

        // Safety: made in start, freed in deinit, never handed out.
        private var codec: OpaquePointer?
        private var walk = WebPWalk()
        private var use = ChunkUse.skip
        private var collected: [UInt8] = []
        /// Bytes of the picture's chunks not given to libwebp yet.
        private var pending: [UInt8] = []
        private var bytesGiven = 0
        private var plan = WebPPlan()
        private var canvas: CanvasRows?
        /// What a spooled decoder needs of the bytes before the picture.
        private var kept: [UInt8] = []
        private var isHeaderGiven = false
        private var isStarted = false
        private(set) package var isWhole = false
        private(set) package var notes = DecodeNotes()

        /// An EXIF block larger than a JPEG segment can hold is not read for its orientation.
        static let exifLimit = 65_535

        /// - Parameter orientation: of a file whose EXIF was looked for already.
        package init(orientation: Orientation? = nil) throws(CodecError) {
            guard ap_webp_is_available() != 0 else { throw CodecError(.missingLibrary, "libwebp.so.7") }
            plan.knownOrientation = orientation
        }

        deinit { unsafe ap_webp_destroy(codec) }

        package var head: [UInt8] { kept }

        package mutating func push(
            _ bytes: Span<UInt8>, into rows: RowPipeline?
        ) throws(CodecError) -> DecodeStep {
            var at = 0
            while true {
                switch walk.next(bytes, at: &at) {
                case .needsInput: return .needsInput
                case .malformed: throw CodecError(.corrupt, "no WebP container")
                case .end:
                    guard isWhole else { throw CodecError(.corrupt, "no picture in the container") }
                    return .finished(consumed: at)
                case .chunk(let type):
                    try begin(type)
                    if use == .alpha, !isHeaderGiven { return .header(try header(), consumed: at) }
                case .data(let range):
                    try take(bytes.extracting(range), rows)
                    if use == .image, !isHeaderGiven, plan.bitstream != nil {
                        return .header(try header(), consumed: at)
                    }
                case .chunkEnd: try end(rows)
                }
            }
        }

        package mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError) {
            isStarted = true
            let size = plan.rowSize(numerator)
            unsafe codec = ap_webp_create(
                UInt32(size.width), UInt32(size.height), plan.hasAlpha ? 1 : 0,
                numerator == WebPPlan.steps ? 0 : 1)
            guard unsafe codec != nil else { throw CodecError(.memory, "libwebp cannot start") }
            kept = []
        }

        package mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError) {
            guard !isWhole else { return }
            guard pad, isStarted, let rows else {
                throw CodecError(.truncated, "the bytes end before the end of the picture")
            }
            try feedPending(rows)
        }

        // MARK: Chunks

        private mutating func begin(_ type: String) throws(CodecError) {
            collected.removeAll(keepingCapacity: true)
            walk.most = .max
            use = .skip
            switch type {
            case "VP8X" where !isHeaderGiven: collect(.extendedHeader, WebPPlan.extendedHeaderBytes)
            case "ANMF":
                if isHeaderGiven { notes.isAnimated = true } else { collect(.frameHeader, walk.length) }
            case "ALPH" where !isHeaderGiven && plan.mayHaveAlpha:
                use = .alpha
                plan.alphaBytes = walk.length
                plan.bytesToCome = walk.end == .max ? .max : walk.end - walk.position
                pending += walk.lead
            case "VP8 ", "VP8L":
                guard !isWhole, plan.bitstream == nil else { break }
                collect(.image, min(walk.length, WebPBitstream.headBytes))
                plan.imageBytes = walk.length
            case "ALPH", "ANIM": break
            case "ICCP" where !isHeaderGiven && walk.length <= ColourPlan.profileLimit: use = .profile
            case "ICCP": plan.hasUselessProfile = !isHeaderGiven
            case "EXIF":
                notes.hasMetadata = true
                if walk.length <= Self.exifLimit { use = .exif }
            default: notes.hasMetadata = true
            }
            // Profiles and the like stay out of what a spooled decoder will read.
            if !isHeaderGiven, use != .skip {
                if kept.isEmpty { kept = Array("RIFF\0\0\0\0WEBP".utf8) }
                kept += walk.lead
            }
        }

        /// Gathers `count` bytes before anything is done with them.
        private mutating func collect(_ use: ChunkUse, _ count: Int) {
            self.use = use
            walk.most = use == .frameHeader ? WebPWalk.frameHeaderBytes : count
        }

        private mutating func take(_ data: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) {
            if !isHeaderGiven, use != .skip { kept.append(data) }
            switch use {
            case .skip: break
            case .alpha: try feed(data, rows)
            case .image where plan.bitstream != nil: try feed(data, rows)
            case .extendedHeader, .frameHeader, .profile, .exif, .image:
                collected.append(data)
                guard use != .exif, use != .profile else { return }
                walk.most -= data.count
                if walk.most == 0 { try takeCollected(rows) }
            }
        }

        private mutating func takeCollected(_ rows: RowPipeline?) throws(CodecError) {
            walk.most = .max
            switch use {
            case .extendedHeader: try plan.take(extendedHeader: collected)
            case .frameHeader: try plan.take(frameHeader: collected)
            case .image:
                try plan.take(image: collected, isLossless: walk.lead[3] == UInt8(ascii: "L"))
                pending += walk.lead
                pending += collected
            case .skip, .profile, .exif, .alpha: break
            }
            // What is left of a header is of no use.
            if use != .image { use = .skip }
        }

        private mutating func end(_ rows: RowPipeline?) throws(CodecError) {
            switch use {
            case .extendedHeader, .frameHeader: throw CodecError(.corrupt, "a header chunk is too short")
            case .profile: plan.profile = collected
            case .exif:
                notes.orientation = notes.orientation ?? ExifOrientation.find(inWebP: collected)
                plan.sawEXIF = true
            case .alpha: if walk.length & 1 == 1 { pending.append(0) }
            case .image:
                if plan.bitstream == nil { throw CodecError(.corrupt, "no picture data") }
                try feedPending(rows)
                guard isWhole else { throw CodecError(.corrupt, "the picture's data ends early") }
            case .skip: break
            }
            use = .skip
        }

        private mutating func header() throws(CodecError) -> ImageHeader {
            isHeaderGiven = true
            let orientation = plan.knownOrientation ?? notes.orientation
            return try plan.header(orientation)
        }

        // MARK: libwebp

        private mutating func feed(_ data: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) {
            var at = 0
            while at < data.count {
                let slice = plan.slice(after: bytesGiven)
                let end = min(data.count, at + max(slice - pending.count, 1))
                pending.append(data.extracting(at..<end))
                at = end
                if pending.count >= slice { try feedPending(rows) }
            }
        }

        private mutating func feedPending(_ rows: RowPipeline?) throws(CodecError) {
            guard !pending.isEmpty, !isWhole, let rows else { return }
            if canvas == nil, let frame = plan.composedFrame {
                canvas = CanvasRows(rows, size: plan.size, frame: frame)
            }
            let data = pending
            pending.removeAll(keepingCapacity: data.count <= WebPPlan.smallSlice)
            bytesGiven += data.count
            let status = unsafe data.span.push(into: rows, through: canvas) {
                unsafe ap_webp_push(codec, $0, $1, $2, $3)
            }
            switch status {
            case .needsInput, .header: break
            case .finished:
                isWhole = true
                if canvas?.finish() == false { throw CodecError(.stopped, "stopped") }
            case .stopped: throw CodecError(.stopped, "stopped")
            case .corrupt: throw CodecError(.corrupt, message)
            case .unsupported: throw CodecError(.unsupportedVariant, message)
            case .memory: throw CodecError(.memory, message)
            }
        }

        private var message: String { unsafe String(cString: ap_webp_message(codec)) }
    }
#endif
