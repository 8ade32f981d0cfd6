internal import CCodecs
internal import JPEGCore
package import Pixels

/// PNG and APNG's default image through libpng's progressive reader, behind a chunk walk that lets only what
/// shows reach it: text, profiles and EXIF are never inflated.
@safe package struct PNGDecoder: ~Copyable, ImageDecoder {
    // Safety: made in init, freed in deinit, never handed out.
    private let png: OpaquePointer
    private var walk = PNGChunkWalk()
    private var signature = 0
    private var use = ChunkUse.skip
    private var collected: [UInt8] = []
    /// Image data not given to libpng yet.
    private var pending: [UInt8] = []
    private var header: PNGHeader?
    private var colour = PNGColour()
    private var isStarted = false
    private var isOver = false
    private(set) package var notes = DecodeNotes()

    /// PLTE may have 768 bytes, tRNS 256, IEND none; libpng would collect any length before it looks.
    private static let tableLimit = 1024

    /// Image data reaches libpng in slices of this many bytes from each chunk's start, however it was pushed:
    /// damage shows a row earlier or later with the bytes that lie behind it.
    private static let sliceBytes = 16_384

    private enum ChunkUse { case decode, decodeSlices, collectHeader, collectEXIF, collectColour, skip }

    private static let signatureBytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// An EXIF block larger than a JPEG segment can hold is not read for its orientation.
    private static let exifLimit = 65_535

    package init() throws(CodecError) {
        guard let png = unsafe ap_png_create() else { throw CodecError(.memory, "libpng cannot start") }
        unsafe self.png = png
    }

    deinit { unsafe ap_png_destroy(png) }

    package mutating func push(_ bytes: Span<UInt8>, into rows: RowPipeline?) throws(CodecError) -> DecodeStep
    {
        var at = 0
        while signature < 8, at < bytes.count {
            guard bytes[at] == Self.signatureBytes[signature] else {
                throw CodecError(.corrupt, "damaged signature")
            }
            at += 1
            signature += 1
            if signature == 8 { try feed(Self.signatureBytes, rows) }
        }
        while signature == 8 {
            switch walk.next(bytes, at: &at) {
            case .needsInput:
                return .needsInput
            case .malformed:
                throw CodecError(.corrupt, "what follows is no PNG chunk")
            case .chunk(let type):
                if let header = try begin(type, rows) { return .header(header, consumed: at) }
            case .data(let range):
                try take(bytes.extracting(range), rows)
            case .chunkEnd:
                try end(rows)
                if isOver { return .finished(consumed: at) }
            }
        }
        return .needsInput
    }

    package mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError) {
        isStarted = true
        let (_, layout) = try shape()
        try feed(walk.lead, nil)
        var shape = ap_png_header()
        unsafe ap_png_get_header(png, &shape)
        // The rows that follow are read by this layout, so nothing is taken on trust.
        guard Int(shape.channels) == layout.channelCount, Int(shape.bits) == layout.bitsPerSample else {
            throw CodecError(.corrupt, "rows of another shape than the header says")
        }
    }

    package mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError) {
        guard !isOver else { return }
        guard pad, isStarted else {
            throw CodecError(.truncated, "the bytes end before the end of the picture")
        }
        try feedPending(rows)
        isOver = true
    }

    /// A chunk begins; the picture's header, when it is the first with image data.
    private mutating func begin(_ type: [UInt8], _ rows: RowPipeline?) throws(CodecError) -> ImageHeader? {
        if header == nil, type != Array("IHDR".utf8) {
            let isCrushed = type == Array("CgBI".utf8)
            throw isCrushed
                ? CodecError(.unsupportedVariant, "a PNG crushed for iOS (CgBI)")
                : CodecError(.corrupt, "the first chunk is not IHDR")
        }
        switch String(decoding: type, as: UTF8.self) {
        case "IHDR" where header == nil: use = .collectHeader
        case "IDAT":
            use = .decodeSlices
            if !isStarted { return try imageHeader() }
        case "tRNS": use = .decode
        case "acTL":
            notes.isAnimated = notes.isAnimated || !isStarted
            use = .skip
        case "eXIf":
            notes.hasMetadata = true
            use = walk.length <= Self.exifLimit ? .collectEXIF : .skip
        case "tEXt", "zTXt", "iTXt", "tIME":
            notes.hasMetadata = true
            use = .skip
        case "iCCP", "cICP", "sRGB", "gAMA", "cHRM", "cLLI", "mDCV":
            use = isStarted || !colour.wants(type, length: walk.length) ? .skip : .collectColour
        default:
            // A critical chunk starts with a capital: libpng must see it, and judge it.
            use = type[0] & 32 == 0 ? .decode : .skip
        }
        if use == .decode, walk.length > Self.tableLimit {
            let name = String(decoding: type, as: UTF8.self)
            throw CodecError(.corrupt, "\(name) of \(walk.length) bytes")
        }
        collected.removeAll(keepingCapacity: true)
        switch use {
        case .decode, .decodeSlices, .collectHeader: try feed(walk.lead, rows)
        case .collectEXIF, .collectColour, .skip: break
        }
        return nil
    }

    private mutating func take(_ data: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) {
        switch use {
        case .decode: try feed(data, rows)
        case .decodeSlices: try feedSlices(data, rows)
        case .collectColour: unsafe data.withUnsafeBufferPointer { unsafe collected.append(contentsOf: $0) }
        case .collectHeader, .collectEXIF:
            // At most 64 KiB, by the choice in begin; IHDR is bounded here.
            guard collected.count + data.count <= Self.exifLimit + 4 else {
                throw CodecError(.corrupt, "IHDR of \(walk.length) bytes")
            }
            unsafe data.withUnsafeBufferPointer { unsafe collected.append(contentsOf: $0) }
        case .skip: break
        }
    }

    private mutating func end(_ rows: RowPipeline?) throws(CodecError) {
        switch use {
        case .collectHeader:
            guard let header = PNGHeader(collected.dropLast(4)) else {
                throw CodecError(.corrupt, "damaged IHDR")
            }
            self.header = header
            try feed(collected, rows)
        case .collectEXIF:
            if notes.orientation == nil {
                notes.orientation = ExifOrientation.find(inTIFF: collected.dropLast(4))
            }
        case .collectColour:
            // Without the checksum, which says nothing that a profile's own form does not.
            colour.take(Array(walk.lead.suffix(4)), collected.dropLast(4))
            collected = []
        case .decodeSlices: try feedPending(rows)
        case .decode, .skip: break
        }
        use = .skip
    }

    private func shape() throws(CodecError) -> (PNGHeader, PixelLayout) {
        guard let header else { throw CodecError(.corrupt, "image data before IHDR") }
        // As libpng judged the chunk: rows are read at the length that the layout says.
        return (header, header.layout(hasTransparency: unsafe ap_png_has_transparency(png) != 0))
    }

    private func imageHeader() throws(CodecError) -> ImageHeader {
        let (header, layout) = try shape()
        let rowBytes = header.size.width * layout.bytesPerPixel
        return ImageHeader(
            size: header.size, orientation: notes.orientation ?? .upright, layout: layout, numerators: [8],
            interlace: header.isInterlaced ? Interlace(adam7: header.size) : nil, needsWholeInput: false,
            mayPassLossless: false, subsampling: nil, colour: colour.plan(layout),
            // The row, the one above it and the expanded one; zlib's window and state.
            codecNeed: { _ in rowBytes * 4 + 100_000 + Self.sliceBytes })
    }

    private mutating func feedSlices(_ data: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) {
        var at = 0
        while at < data.count {
            let slice = data.extracting(at..<min(at + Self.sliceBytes - pending.count, data.count))
            at += slice.count
            if slice.count == Self.sliceBytes {
                try feed(slice, rows)
            } else {
                unsafe slice.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
                if pending.count == Self.sliceBytes { try feedPending(rows) }
            }
        }
    }

    private mutating func feedPending(_ rows: RowPipeline?) throws(CodecError) {
        guard !pending.isEmpty else { return }
        try feed(pending, rows)
        pending.removeAll(keepingCapacity: true)
    }

    // By value: a span of one's own property would forbid the mutation.
    private mutating func feed(_ bytes: [UInt8], _ rows: RowPipeline?) throws(CodecError) {
        try feed(bytes.span, rows)
    }

    private mutating func feed(_ bytes: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) {
        let status = unsafe bytes.push(into: rows) { unsafe ap_png_push(png, $0, $1, $2, $3) }
        switch status {
        case .needsInput, .header: break
        case .finished: isOver = true
        case .stopped, .corrupt, .unsupported, .memory: throw error(status)
        }
        notes.isOdd = unsafe ap_png_oddities(png) > 0
    }

    private func error(_ status: ap_status) -> CodecError {
        let message = unsafe String(cString: ap_png_message(png))
        return switch status {
        case .stopped: CodecError(.stopped, "stopped")
        case .memory: CodecError(.memory, message)
        case .unsupported: CodecError(.unsupportedVariant, message)
        case .corrupt, .needsInput, .header, .finished: CodecError(.corrupt, message)
        }
    }
}

/// IHDR (PNG specification, 11.2.1).
struct PNGHeader: Equatable {
    let size: PixelSize
    let bitDepth: Int
    let colorType: Int
    let isInterlaced: Bool

    /// Nil when a field cannot be right: no decoder gets as far as asking for memory.
    init?(_ data: ArraySlice<UInt8>) {
        guard data.count == 13 else { return nil }
        let bytes = Array(data)
        func long(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        size = PixelSize(long(0), long(4))
        bitDepth = Int(bytes[8])
        colorType = Int(bytes[9])
        isInterlaced = bytes[12] == 1
        let depths: [Int: [Int]] = [
            0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
        ]
        guard size.width > 0, size.height > 0, size.width <= 0x7FFF_FFFF, size.height <= 0x7FFF_FFFF,
            depths[colorType]?.contains(bitDepth) == true, bytes[10] == 0, bytes[11] == 0, bytes[12] <= 1
        else { return nil }
    }

    /// Of the rows that the shim delivers: palettes and low depths expanded, tRNS as alpha.
    func layout(hasTransparency: Bool) -> PixelLayout {
        let bits = bitDepth == 16 ? 16 : 8
        switch colorType {
        case 0: return PixelLayout(hasTransparency ? .grayAlpha : .gray, bitsPerSample: bits)
        case 4: return PixelLayout(.grayAlpha, bitsPerSample: bits)
        case 6: return PixelLayout(.rgba, bitsPerSample: bits)
        default: return PixelLayout(hasTransparency ? .rgba : .rgb, bitsPerSample: bits)
        }
    }
}
