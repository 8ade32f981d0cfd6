internal import CCodecs
internal import JPEGCore
package import Pixels

/// JPEG through libjpeg-turbo, behind a marker walk that lets only what shows reach it.
@safe package struct JPEGDecoder: ~Copyable, ImageDecoder {
    // Safety: made in init, freed in deinit, never handed out.
    private let jpeg: OpaquePointer
    private var walk = JPEGMarkerWalk()
    private var facts = JPEGFacts()
    private var profile = ProfileSegments(limit: ColourPlan.profileLimit)
    private let maxScans: Int
    /// Segments before the first scan's data, as the decoder needs them.
    private var headSegments: [(marker: UInt8, bytes: [UInt8])] = []
    private var headBytes = 0
    private var seenHeader = false
    private var copy: LosslessCopy?
    private var isOver = false

    /// What the tables before the first scan may take: far above any real file.
    private static let headLimit = 256 * 1024

    /// JPEG_MAX_DIMENSION of libjpeg.
    private static let longestSide = 65_500

    /// - Parameter maxScans: a file with more scan headers is refused.
    package init(maxScans: Int) throws(CodecError) {
        guard let jpeg = unsafe ap_jpeg_create() else { throw CodecError(.memory, "libjpeg cannot start") }
        unsafe self.jpeg = jpeg
        self.maxScans = maxScans
    }

    deinit { unsafe ap_jpeg_destroy(jpeg) }

    package var notes: DecodeNotes {
        DecodeNotes(facts: facts, isOdd: unsafe walk.sawExtraneousBytes || ap_jpeg_oddities(jpeg) > 0)
    }

    package var head: [UInt8] { headSegments.flatMap(\.bytes) }

    package mutating func push(_ bytes: Span<UInt8>, into rows: RowPipeline?) throws(CodecError) -> DecodeStep
    {
        var at = 0
        while true {
            switch walk.next(bytes, at: &at) {
            case .needsInput:
                return .needsInput
            case .segment(let marker):
                if try take(segment: walk.segment, marker: marker, rows) {
                    return .header(try header(), consumed: at)
                }
            case .entropy(let range):
                let data = bytes.extracting(range)
                copy?.append(data)
                _ = try feed(data, rows)
            case .splitEntropy:
                let pair = walk.segment
                copy?.append(pair.span)
                _ = try feed(pair.span, rows)
            case .endOfImage:
                copy?.end()
                try end(rows)
                return .finished(consumed: at)
            }
        }
    }

    package mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError) {
        _ = try check(unsafe ap_jpeg_start(jpeg, Int32(numerator), memoryLimit))
    }

    package mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError) {
        guard !isOver else { return }
        guard pad, seenHeader else {
            throw CodecError(.truncated, "the bytes end before the end of the picture")
        }
        // A copy without its end is not whole.
        copy = nil
        let end: [UInt8] = [0xFF, JPEGMarker.eoi]
        let status = unsafe end.span.push(into: rows) { unsafe ap_jpeg_push(jpeg, $0, $1, $2, $3) }
        guard status == .finished else { throw error(status) }
        isOver = true
    }

    package mutating func keepLosslessCopy(limit: Int?) {
        copy = limit.map { LosslessCopy(limit: $0) }
        for segment in headSegments { copy?.append(segment: segment.bytes, marker: segment.marker) }
    }

    package mutating func takeLosslessCopy() -> [UInt8]? {
        guard let kept = copy, !kept.isOverfull, isOver, unsafe !notes.isOdd && ap_jpeg_damage(jpeg) == 0
        else {
            return nil
        }
        copy = nil
        return kept.bytes
    }

    /// Takes a whole segment; true when it completed the header.
    private mutating func take(
        segment: [UInt8], marker: UInt8, _ rows: RowPipeline?
    ) throws(CodecError) -> Bool {
        if marker == JPEGMarker.app2, !seenHeader { profile.note(app2: segment.dropFirst(4)) }
        guard facts.note(marker: marker, segment: segment) else { return false }
        if let frame = facts.frame, !seenHeader {
            guard frame.isDecodable else { throw Self.unsupported(frame) }
            guard frame.components <= 4 else {
                throw CodecError(.unsupportedVariant, "\(frame.components) components")
            }
            // What libjpeg would refuse as damaged.
            guard max(frame.size.width, frame.size.height) <= Self.longestSide else {
                throw CodecError(.tooManyPixels, "sides of \(frame.size.width) x \(frame.size.height)")
            }
        }
        if facts.scans > maxScans { throw CodecError(.tooManyScans, "more than \(maxScans) scans") }
        if !seenHeader {
            headBytes += segment.count
            guard headBytes <= Self.headLimit else {
                throw CodecError(.corrupt, "more than \(Self.headLimit) bytes of tables before the picture")
            }
            headSegments.append((marker, segment))
        }
        copy?.append(segment: segment, marker: marker)
        return try feed(segment.span, rows) == .header && !seenHeader
    }

    private mutating func header() throws(CodecError) -> ImageHeader {
        seenHeader = true
        var raw = ap_jpeg_header()
        unsafe ap_jpeg_get_header(jpeg, &raw)
        guard let frame = facts.frame, raw.width > 0, raw.height > 0 else {
            throw CodecError(.corrupt, "no frame header before the first scan")
        }
        let layout: PixelLayout =
            switch raw.color {
            case .gray: PixelLayout(.gray)
            case .ycc, .rgb: PixelLayout(.rgb)
            case .cmyk: PixelLayout(.cmyk(inverted: false))
            case .cmykAdobe: PixelLayout(.cmyk(inverted: true))
            }
        let size = PixelSize(Int(raw.width), Int(raw.height))
        let orientation = facts.orientation ?? .upright
        let hasLuma = raw.color == .gray || raw.color == .ycc
        let isPlain = frame.isSequential && hasLuma
        let isWhole = raw.whole_picture != 0
        let channels = layout.channelCount
        let scansNeed = isWhole ? try lockstepNeed() : 0
        let colour = profile.profile.map { ColourPlan(profile: $0, layout: layout) } ?? .sRGB
        profile = ProfileSegments(limit: 0)
        return ImageHeader(
            size: size, orientation: orientation, layout: layout, numerators: [1, 2, 3, 4, 8],
            needsWholeInput: isWhole, isProgressive: frame.kind == 2,
            mayPassLossless: isPlain && orientation == .upright && !colour.isConverted && !colour.isIgnored,
            subsampling: frame.subsampling, colour: colour,
            quantisation: hasLuma ? facts.quantisation : facts.quantisation?.finest,
            codecNeed: { numerator in
                Self.need(width: size.width, channels: channels, numerator: numerator) + scansNeed
            })
    }

    /// What decoding scans in lockstep takes besides libjpeg.
    private func lockstepNeed() throws(CodecError) -> Int {
        guard let frame = headSegments.first(where: { JPEGMarker.isFrame($0.marker) }),
            let geometry = FrameGeometry(segment: frame.bytes)
        else { throw CodecError(.corrupt, "damaged frame header") }
        return LockstepReader.memoryNeed(geometry, maxScans: maxScans)
    }

    /// libjpeg's row groups and upsampling buffers: up to 4 row groups of context for each channel, the input
    /// kept between pushes, the Huffman and colour tables.
    private static func need(width: Int, channels: Int, numerator: Int) -> Int {
        let row = (width + 32) * max(numerator, 2) / 8 + 64
        return row * channels * (4 * numerator + 12) + 400_000
    }

    private mutating func end(_ rows: RowPipeline?) throws(CodecError) {
        guard !isOver else { return }
        let end: [UInt8] = [0xFF, JPEGMarker.eoi]
        let status = try feed(end.span, rows)
        guard status == .finished else {
            throw CodecError(
                .corrupt, seenHeader ? "the picture has no end" : "no picture before the end marker")
        }
        isOver = true
    }

    private mutating func feed(_ bytes: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) -> ap_status {
        let status = try check(unsafe bytes.push(into: rows) { unsafe ap_jpeg_push(jpeg, $0, $1, $2, $3) })
        if unsafe ap_jpeg_damage(jpeg) > 0 { throw CodecError(.corrupt, message) }
        return status
    }

    private func check(_ status: ap_status) throws(CodecError) -> ap_status {
        switch status {
        case .needsInput, .header, .finished: return status
        case .stopped, .corrupt, .unsupported, .memory: throw error(status)
        }
    }

    private func error(_ status: ap_status) -> CodecError { CodecError(jpeg: status, message) }

    private var message: String { unsafe String(cString: ap_jpeg_message(jpeg)) }

    private static func unsupported(_ frame: JPEGFacts.Frame) -> CodecError {
        let what =
            switch frame.kind {
            case 0...2: "\(frame.precision)-bit samples"
            case 3: "lossless JPEG"
            case 5, 6, 7: "hierarchical JPEG"
            case 9, 10: "arithmetic coding"
            default: "SOF\(frame.kind)"
            }
        return CodecError(.unsupportedVariant, what)
    }
}

extension DecodeNotes {
    init(facts: JPEGFacts, isOdd: Bool) {
        self.init(
            hasMetadata: facts.hasMetadata, orientation: facts.orientation,
            isMultiPicture: facts.isMultiPicture, isOdd: isOdd)
    }
}

extension CodecError {
    /// What a status that ends a decode means, in the codec's words.
    init(jpeg status: ap_status, _ message: String) {
        self =
            switch status {
            case .stopped: CodecError(.stopped, "stopped")
            case .unsupported: CodecError(.unsupportedVariant, message)
            case .memory: CodecError(.memory, message)
            case .corrupt, .needsInput, .header, .finished: CodecError(.corrupt, message)
            }
    }
}

/// Versions of the codecs, as they say it themselves.
package enum CodecLibraries {
    package static var versions: [(name: String, version: String)] {
        var versions = [
            (name: "libjpeg-turbo", version: unsafe String(cString: ap_jpeg_version())),
            (name: "libpng", version: unsafe String(cString: ap_png_version())),
        ]
        #if GIF
            if let version = unsafe ap_gif_version() {
                versions.append(("giflib", unsafe String(cString: version)))
            }
        #endif
        #if WebP
            let webp = ap_webp_version()
            if webp != 0 { versions.append(("libwebp", "\(webp >> 16).\(webp >> 8 & 255).\(webp & 255)")) }
        #endif
        #if HEIF
            if let version = unsafe ap_hevc_version() {
                versions.append(("libde265", unsafe String(cString: version)))
            }
            if let version = unsafe ap_av1_version() {
                versions.append(("dav1d", unsafe String(cString: version)))
            }
        #endif
        #if TIFF
            versions.append(("libtiff", TIFFLibrary.version))
        #endif
        return versions
    }
}
