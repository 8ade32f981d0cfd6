#if canImport(ImageIO)
    internal import CoreGraphics
    internal import ImageIO
    package import JPEGCore
    package import Pixels

    /// HEIC and AVIF by the system's decoder, on Apple's systems: the only file that uses ImageIO.
    ///
    /// ImageIO scales while it decodes (`kCGImageSourceThumbnailMaxPixelSize`), so what is resident follows the output;
    /// what it takes besides, its documentation does not say. Not built or run where this package's tests run.
    package struct ImageIODecoder: ~Copyable, SpoolDecoder {
        package let notes = DecodeNotes(hasMetadata: true)
        /// N of the header's steps: eighths of the longer side.
        private static let numerators = [1, 2, 4, 8]

        package init() {}

        package mutating func readHeader(
            from file: any RandomAccessBytes, shouldStop: () -> Bool
        ) throws(CodecError) -> ImageHeader? {
            let source = try Self.source(file)
            guard
                let facts = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
                let width = facts[kCGImagePropertyPixelWidth] as? Int,
                let height = facts[kCGImagePropertyPixelHeight] as? Int, width > 0, height > 0
            else { throw CodecError(.corrupt, "ImageIO finds no picture") }
            let turn = facts[kCGImagePropertyOrientation] as? Int ?? 1
            let size = PixelSize(width, height)
            return ImageHeader(
                size: size, orientation: Orientation(rawValue: turn) ?? .upright, layout: PixelLayout(.rgba),
                numerators: Self.numerators, needsWholeInput: true, mayPassLossless: false, subsampling: nil,
                codecNeed: { numerator in
                    // The scaled picture, and as much again for what decodes it.
                    let (area, overflow) = (size.area / 64).multipliedReportingOverflow(
                        by: numerator * numerator)
                    return overflow ? .max : area * 8
                })
        }

        package mutating func decode(
            from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
        ) throws(CodecError) -> SpoolEnd {
            let source = try Self.source(file)
            guard let facts = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
                let storedWidth = facts[kCGImagePropertyPixelWidth] as? Int,
                let storedHeight = facts[kCGImagePropertyPixelHeight] as? Int
            else { throw CodecError(.corrupt, "ImageIO finds no picture") }
            let width = (storedWidth * job.numerator + 7) / 8
            let height = (storedHeight * job.numerator + 7) / 8
            let options: [CFString: Any] = [
                kCGImageSourceShouldCache: false, kCGImageSourceCreateThumbnailFromImageAlways: true,
                kCGImageSourceCreateThumbnailWithTransform: false,
                kCGImageSourceThumbnailMaxPixelSize: max(width, height),
            ]
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary),
                let space = CGColorSpace(name: CGColorSpace.sRGB)
            else { throw CodecError(.corrupt, "ImageIO cannot decode the picture") }
            try Self.deliver(image, width: width, height: height, space, into: rows)
            return SpoolEnd(end: file.size, isTruncated: false)
        }

        /// Draws the picture in bands, so that it is never there twice.
        private static func deliver(
            _ image: CGImage, width: Int, height: Int, _ space: CGColorSpace, into rows: RowPipeline
        ) throws(CodecError) {
            let band = 64
            guard
                let context = unsafe CGContext(
                    data: nil, width: width, height: band, bitsPerComponent: 8, bytesPerRow: width * 4,
                    space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue),
                let pixels = unsafe context.data
            else { throw CodecError(.memory, "no room for a band of the picture") }
            for top in stride(from: 0, to: height, by: band) {
                context.clear(CGRect(x: 0, y: 0, width: width, height: band))
                // The context's origin is its lower left corner.
                context.draw(
                    image, in: CGRect(x: 0, y: band - height + top, width: width, height: height))
                for row in 0..<min(band, height - top) {
                    let line = unsafe pixels + row * width * 4
                    unsafe Self.undoPremultiplication(line, width)
                    guard unsafe rows.row(line) else { throw CodecError(.stopped, "no more rows are wanted") }
                }
            }
        }

        private static func undoPremultiplication(_ line: UnsafeMutableRawPointer, _ width: Int) {
            let bytes = unsafe line.assumingMemoryBound(to: UInt8.self)
            for pixel in 0..<width {
                let alpha = Int(unsafe bytes[4 * pixel + 3])
                guard alpha > 0, alpha < 255 else { continue }
                for channel in 0..<3 {
                    let value = (Int(unsafe bytes[4 * pixel + channel]) * 255 + alpha / 2) / alpha
                    unsafe bytes[4 * pixel + channel] = UInt8(min(value, 255))
                }
            }
        }

        private final class Reading {
            let file: any RandomAccessBytes
            init(_ file: any RandomAccessBytes) { self.file = file }
        }

        /// A source that reads the bytes where they lie.
        private static func source(_ file: any RandomAccessBytes) throws(CodecError) -> CGImageSource {
            var callbacks = unsafe CGDataProviderDirectCallbacks(
                version: 0, getBytePointer: nil, releaseBytePointer: nil,
                getBytesAtPosition: { info, buffer, position, count in
                    guard let info = unsafe info else { return 0 }
                    let reading = unsafe Unmanaged<Reading>.fromOpaque(info).takeUnretainedValue()
                    let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count)
                    return unsafe reading.file.read(at: Int(position), into: target) ?? 0
                },
                releaseInfo: { info in
                    if let info = unsafe info { unsafe Unmanaged<Reading>.fromOpaque(info).release() }
                })
            let info = unsafe Unmanaged.passRetained(Reading(file)).toOpaque()
            guard
                let provider = unsafe CGDataProvider(
                    directInfo: info, size: off_t(file.size), callbacks: &callbacks),
                let source = CGImageSourceCreateWithDataProvider(provider, nil)
            else { throw CodecError(.corrupt, "ImageIO does not know the file") }
            return source
        }
    }
#endif
