internal import Pixels

/// What the headers of a WebP say of the picture to decode, and what that will take.
struct WebPPlan {
    /// Set when the EXIF of a file was looked for before decoding.
    var knownOrientation: Orientation?
    var sawEXIF = false
    var profile: [UInt8]?
    var hasUselessProfile = false
    /// Bytes of the chunk of alpha, of that with the picture, and of all that is to come from the former on.
    var alphaBytes = 0
    var imageBytes = 0
    var bytesToCome = 0
    private(set) var bitstream: WebPBitstream?
    private var canvas: PixelSize?
    private var hasEXIF = false
    private var frame: PixelFrame?

    static let steps = 64
    static let extendedHeaderBytes = 10

    /// Opaque pictures above this many pixels are reduced inside libwebp, which else holds each row that one push
    /// decodes: of a flat picture all of them.
    private static let largestWhole = 4_400_000

    /// Bytes given to libwebp at once, where it lets go of what it has used: it decodes as many rows as they hold.
    static let smallSlice = 4096

    /// Without an extended header alpha is none of the container's.
    var mayHaveAlpha: Bool { canvas != nil }

    /// Of the picture, which is the canvas of an animation.
    var size: PixelSize { canvas ?? bitstream?.size ?? PixelSize(1, 1) }

    private var frameSize: PixelSize { frame?.size ?? size }

    /// The frame, where it does not cover its canvas.
    var composedFrame: PixelFrame? { frame.flatMap { $0.size == size ? nil : $0 } }

    /// Of the rows that libwebp gives.
    var hasAlpha: Bool { alphaBytes > 0 || bitstream?.hasAlpha == true || composedFrame != nil }

    mutating func take(extendedHeader bytes: [UInt8]) throws(CodecError) {
        guard bytes.count == Self.extendedHeaderBytes else {
            throw CodecError(.corrupt, "an extended header of \(bytes.count) bytes")
        }
        hasEXIF = bytes[0] & 8 != 0
        canvas = PixelSize(WebPWalk.number(bytes[4..<7]) + 1, WebPWalk.number(bytes[7..<10]) + 1)
    }

    mutating func take(frameHeader bytes: [UInt8]) throws(CodecError) {
        func number(_ at: Int) -> Int { WebPWalk.number(bytes[at..<(at + 3)]) }
        guard let canvas, bytes.count == WebPWalk.frameHeaderBytes else {
            throw CodecError(.corrupt, "a frame without a canvas")
        }
        let frame = PixelFrame(
            x: 2 * number(0), y: 2 * number(3), size: PixelSize(number(6) + 1, number(9) + 1))
        guard frame.lies(in: canvas) else { throw CodecError(.corrupt, "a frame outside its canvas") }
        self.frame = frame
    }

    mutating func take(image bytes: [UInt8], isLossless: Bool) throws(CodecError) {
        guard let found = isLossless ? WebPBitstream(lossless: bytes) : WebPBitstream(lossy: bytes) else {
            throw CodecError(.corrupt, "no frame header where the picture should be")
        }
        guard canvas == nil || found.size == frameSize else {
            throw CodecError(.corrupt, "the picture is not as large as its header says")
        }
        guard alphaBytes == 0 || !found.hasPartitions || imageBytes <= unknownImageBytes else {
            throw CodecError(.memory, "more picture data than the container announced")
        }
        bitstream = found
    }

    func header(_ orientation: Orientation?) throws(CodecError) -> ImageHeader {
        let isProvisional = hasEXIF && !sawEXIF && knownOrientation == nil
        let layout = PixelLayout(hasAlpha ? .rgba : .rgb)
        let colour: ColourPlan =
            hasUselessProfile ? .ignored : profile.map { ColourPlan(profile: $0, layout: layout) } ?? .sRGB
        var plan = self
        plan.profile = nil
        return ImageHeader(
            size: size, orientation: orientation ?? .upright, layout: layout,
            numerators: numerators, steps: Self.steps, prefersDetail: true,
            needsWholeInput: isProvisional || knownOrientation != nil, isProvisional: isProvisional,
            mayPassLossless: false, subsampling: nil,
            colour: colour, codecNeed: { [plan] in plan.need($0) })
    }

    /// Of an opaque picture that is too large those that bring it below.
    private var numerators: [Int] {
        let limit = Double(Self.largestWhole)
        guard !hasAlpha, Double(size.width) * Double(size.height) > limit else { return [Self.steps] }
        return (1..<Self.steps).filter {
            let rows = rowSize($0)
            return Double(rows.width) * Double(rows.height) <= limit
        }
    }

    func rowSize(_ numerator: Int) -> PixelSize {
        func scaled(_ side: Int) -> Int { (side * numerator + Self.steps - 1) / Self.steps }
        return PixelSize(scaled(frameSize.width), scaled(frameSize.height))
    }

    /// Bytes libwebp is given after so many, counted so that its copying of them stays in proportion.
    func slice(after given: Int) -> Int {
        let keepsAll = hasAlpha || bitstream?.isLossless == true || bitstream?.hasPartitions == true
        return keepsAll ? max(given, 65_536) : Self.smallSlice
    }

    /// What a picture with alpha may have besides, as long as only the container's size tells.
    private var unknownImageBytes: Int {
        min(max(bytesToCome, 0), frameSize.area * 2) + 65_536
    }

    /// Bytes of libwebp 1.2, of its output and of what waits to be given to it.
    private func need(_ numerator: Int) -> Int {
        let rows = rowSize(numerator)
        let (width, area) = (frameSize.width, frameSize.area)
        var need =
            rows.area * (hasAlpha ? 4 : 3)
            + (composedFrame == nil ? 0 : CanvasRows.memoryNeed(width: size.width))
        // Rescalers, and the rows that the filter of blocks and the upsampler hold back.
        need += 64 * rows.width + 120 * width + 150_000
        guard bitstream?.isLossless != true else {
            // A pixel and 16 rows of cache, tables of up to 20 kB for each group of codes.
            return need + 4 * (area + 17 * width) + min(area / 16, 1000) * 20_000 / 4 + 2 * imageBytes
        }
        if alphaBytes > 0 {
            need += 5 * area + 68 * width + 2 * (alphaBytes + unknownImageBytes)
        }
        guard let bitstream else { return need + 2 * 524_288 }
        return need + 2 * (bitstream.hasPartitions ? imageBytes : bitstream.firstPartition) + 4
            * Self.smallSlice
    }
}
