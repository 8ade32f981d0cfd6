import Codecs
import JPEGCore
import Pixels
import TestSupport

/// How a test decodes a file.
struct DecodePlan {
    /// Nil for the stored size.
    var numerator: Int?
    var background: UInt32 = 0xFFFFFF
    /// Size of the bitmap; nil for one sample an output sample.
    var size: PixelSize?
    /// What is missing at the end is filled.
    var allowsTruncated = false
    /// A header that claims more is refused, as admission does.
    var maxPixels = 4_000_000
    var copyLimit: Int?
    var stopsAtOnce = false
    /// Samples are otherwise taken as sRGB, whatever the file says of them: what is compared is the decoder.
    var convertsColour = false
}

/// All a decoder said of a file.
struct Decoded {
    var bitmap: Bitmap
    var header: ImageHeader
    var rowSize: PixelSize
    var rowsTaken: Int
    /// Bytes up to the end of the picture; nil when the file ended before.
    var consumed: Int?
    var notes: DecodeNotes
    var losslessCopy: [UInt8]?
}

/// Decodes a file pushed in the given pieces, all at once if nil, in the order of calls that `ImageDecoder` asks.
func decode(
    _ decoder: consuming some ImageDecoder & ~Copyable, _ bytes: [UInt8], in ranges: [Range<Int>]? = nil,
    _ plan: DecodePlan = DecodePlan()
) throws(CodecError) -> Decoded {
    var decoder = decoder
    var header: ImageHeader?
    var rows: RowPipeline?
    var consumed: Int?
    for range in ranges ?? [0..<bytes.count] where consumed == nil {
        var at = range.lowerBound
        var isJustStarted = false
        // Once started a decoder is pushed on, if only with nothing: it may hold the bytes that its header took.
        while at < range.upperBound || isJustStarted, consumed == nil {
            isJustStarted = false
            switch try decoder.push(bytes.span.extracting(at..<range.upperBound), into: rows) {
            case .needsInput: at = range.upperBound
            case .header(let found, let used):
                at += used
                guard found.size.area <= plan.maxPixels else { throw CodecError(.memory, "too many pixels") }
                header = found
                rows = pipeline(found, plan)
                if let limit = plan.copyLimit { decoder.keepLosslessCopy(limit: limit) }
                try decoder.start(numerator: plan.numerator ?? found.steps, memoryLimit: 64_000_000)
                isJustStarted = true
            case .finished(let used): consumed = at + used
            }
        }
    }
    if consumed == nil { try decoder.finish(padding: plan.allowsTruncated, into: rows) }
    guard let header, let rows else { throw CodecError(.corrupt, "finished without a header") }
    let rowsTaken = rows.rowsTaken
    let rowSize = header.rowSize(numerator: plan.numerator ?? header.steps)
    rows.fill(to: rowSize.height)
    return Decoded(
        bitmap: rows.finish()[0], header: header, rowSize: rowSize, rowsTaken: rowsTaken, consumed: consumed,
        notes: decoder.notes, losslessCopy: decoder.takeLosslessCopy())
}

func pipeline(_ header: ImageHeader, _ plan: DecodePlan) -> RowPipeline {
    let rowSize = header.rowSize(numerator: plan.numerator ?? header.steps)
    let region = SourceRegion(
        x: 0, y: 0, width: Double(rowSize.width), height: Double(rowSize.height), usable: rowSize)
    let size = plan.size.map { PixelSize(min($0.width, rowSize.width), min($0.height, rowSize.height)) }
    let colour = plan.convertsColour ? header.colour : .sRGB
    let scaler = RowScaler(
        source: region, size: size ?? rowSize, channels: header.layout.isGray ? 1 : 3,
        toSRGB: colour.space.toSRGB, interlace: header.interlace)
    let stops = plan.stopsAtOnce
    return RowPipeline(
        layout: header.layout, width: rowSize.width, background: plan.background, scalers: [scaler],
        colour: colour.space, conversion: colour.rows, interlace: header.interlace,
        shouldStop: { stops })
}

func decodeJPEG(
    _ bytes: [UInt8], in ranges: [Range<Int>]? = nil, _ plan: DecodePlan = DecodePlan(), maxScans: Int = 100
) throws(CodecError) -> Decoded {
    try decode(try JPEGDecoder(maxScans: maxScans), bytes, in: ranges, plan)
}

func decodePNG(
    _ bytes: [UInt8], in ranges: [Range<Int>]? = nil, _ plan: DecodePlan = DecodePlan()
) throws(CodecError) -> Decoded {
    try decode(try PNGDecoder(), bytes, in: ranges, plan)
}

extension Picture {
    init(_ bitmap: Bitmap) {
        self.init(
            width: bitmap.size.width, height: bitmap.size.height, channels: bitmap.channels,
            samples: bitmap.samples)
    }
}

/// Bytes in memory that can be read anywhere.
final class MemoryBytes: RandomAccessBytes {
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

#if GIF
    /// Decodes a GIF as a session does: pushed in pieces up to its first image and then from a spool, or in place.
    func decodeGIF(
        _ bytes: [UInt8], in ranges: [Range<Int>]? = nil, _ plan: DecodePlan = DecodePlan()
    ) throws(CodecError) -> Decoded {
        var pushed = try GIFDecoder()
        var spooled = GIFSpoolDecoder()
        var header: ImageHeader?
        var spool = ranges == nil ? bytes : []
        for range in ranges ?? [0..<bytes.count] {
            var at = range.lowerBound
            if header == nil {
                switch try pushed.push(bytes.span.extracting(range), into: nil) {
                case .needsInput: continue
                case .finished: throw CodecError(.corrupt, "finished without a header")
                case .header(let found, let used):
                    guard found.size.area <= plan.maxPixels else {
                        throw CodecError(.memory, "too many pixels")
                    }
                    header = found
                    at += used
                    if ranges != nil { spool = pushed.head }
                    try spooled.watch(spool.span)
                }
            }
            guard ranges != nil else { break }
            spool += bytes[at..<range.upperBound]
            try spooled.watch(bytes.span.extracting(at..<range.upperBound))
        }
        if header == nil { try pushed.finish(padding: plan.allowsTruncated, into: nil) }
        guard let header else { throw CodecError(.corrupt, "finished without a header") }
        let rows = pipeline(header, plan)
        let job = SpoolJob(numerator: 8, memoryLimit: 64_000_000, allowsTruncated: plan.allowsTruncated)
        let end = try spooled.decode(from: MemoryBytes(spool), job, into: rows)
        let rowsTaken = rows.rowsTaken
        rows.fill(to: header.size.height)
        var notes = pushed.notes
        notes.add(spooled.notes)
        return Decoded(
            bitmap: rows.finish()[0], header: header, rowSize: header.size, rowsTaken: rowsTaken,
            // What stands before the image may be shorter in a spool.
            consumed: end.isTruncated ? nil : end.end + bytes.count - spool.count, notes: notes)
    }
#endif
