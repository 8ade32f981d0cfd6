import CCodecs
import Codecs
import Foundation
import Pixels
import TestSupport
import Testing

/// PngSuite against libpng's pull interface, twice.
///
/// The rows that the shim delivers are compared sample for sample at their full depth. The decoder as a whole is
/// compared behind a pipeline at 1:1, where the filter has the single weight 1: that needs no way into the
/// pipeline that only tests would use, and covers the layout that the decoder promises as well.
@Suite struct PngSuiteTests {
    static let names = fixtureNames(in: "pngsuite").filter { $0.hasSuffix(".png") }
    static let whole = names.filter { !$0.hasPrefix("x") }
    static let damaged = names.filter { $0.hasPrefix("x") }

    @Test func suiteIsComplete() {
        #expect(Self.whole.count == 161)
        #expect(Self.damaged.count == 14)
    }

    @Test(arguments: whole) func shimDeliversEverySample(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name)")
        let reference = try #require(ReferencePNG(bytes))
        let rows = try #require(ShimRows(bytes))
        #expect(rows.header.width == reference.width && rows.header.height == reference.height)
        #expect(rows.header.channels == reference.channels && rows.header.bits == reference.bits)
        #expect(rows.samples == reference.samples)
    }

    @Test(arguments: whole) func decoderShowsEverySample(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name)")
        let reference = try #require(ReferencePNG(bytes))
        let hasAlpha = reference.channels % 2 == 0
        // Two backgrounds tell every colour and every alpha apart; without alpha none may show.
        for background: UInt32 in hasAlpha ? [0, 0xFFFFFF, 0x3060C0] : [0xFF00FF] {
            let isGray = reference.channels <= 2
            if isGray, hasAlpha, background == 0x3060C0 { continue }
            let decoded = try decodePNG(bytes, DecodePlan(background: background))
            #expect(decoded.header.size == PixelSize(reference.width, reference.height))
            #expect(decoded.header.layout.channelCount == reference.channels)
            #expect(decoded.header.layout.bitsPerSample == reference.bits)
            #expect(decoded.header.layout.isGray == isGray)
            #expect(decoded.consumed == bytes.count)
            #expect(decoded.bitmap.channels == (isGray ? 1 : 3))
            let worst = largestDifference(decoded.bitmap, reference, background)
            // Nothing but a table and its inverse lies between 8-bit samples and the bitmap.
            #expect(hasAlpha || reference.bits == 16 ? worst <= 1 : worst == 0, "\(worst) over \(background)")
        }
    }

    @Test(arguments: damaged) func damagedFilesAreRefused(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name)")
        #expect(ReferencePNG(bytes) == nil)
        let error = #expect(throws: CodecError.self) { try decodePNG(bytes) }
        #expect(error?.kind == .corrupt)
        for allowsTruncated in [false, true] {
            #expect(throws: CodecError.self) {
                try decodePNG(bytes, DecodePlan(allowsTruncated: allowsTruncated))
            }
        }
    }
}

/// The largest distance of a bitmap from the reference laid over the background in linear light, in levels.
private func largestDifference(
    _ bitmap: Bitmap, _ reference: ReferencePNG, _ background: UInt32
) -> Double {
    let top = Double(reference.bits == 16 ? 65535 : 255)
    let colours = reference.channels <= 2 ? 1 : 3
    let matte = [16, 8, 0].map { decodedLight(Double(background >> $0 & 255) / 255) }
    var worst = 0.0
    for pixel in 0..<(reference.width * reference.height) {
        let at = pixel * reference.channels
        let last = Double(reference.samples[at + reference.channels - 1])
        let alpha = reference.channels % 2 == 0 ? last / top : 1
        for c in 0..<colours {
            let sample = Double(reference.samples[at + c]) / top
            let shown =
                alpha == 1 ? sample : encodedLight(decodedLight(sample) * alpha + matte[c] * (1 - alpha))
            let exact = (shown * 255).rounded()
            worst = max(worst, abs(Double(bitmap.samples[pixel * colours + c]) - exact))
        }
    }
    return worst
}

/// IEC 61966-2-1, from its text.
private func decodedLight(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
}

private func encodedLight(_ value: Double) -> Double {
    value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
}

/// All rows that the shim delivers, as 16-bit numbers.
private struct ShimRows {
    var header = ap_png_header()
    var samples: [UInt16] = []

    init?(_ bytes: [UInt8]) {
        guard let png = unsafe ap_png_create() else { return nil }
        defer { unsafe ap_png_destroy(png) }
        let sink = unsafe Sink(png: png, isInterlaced: bytes[28] == 1)
        let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
        let status = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe ap_png_push(
                png, bytes.baseAddress, bytes.count,
                { context, row in
                    guard let context = unsafe context, let row = unsafe row else { return 1 }
                    unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue().take(row)
                    return 0
                }, context)
        }
        guard status == .finished else { return nil }
        unsafe ap_png_get_header(png, &header)
        samples = withExtendedLifetime(sink) { sink.samples }
        // IHDR's last byte: rows came pass by pass, each pixel goes to its place.
        if bytes[28] == 1 { samples = inPlace(samples) }
    }

    private func inPlace(_ passes: [UInt16]) -> [UInt16] {
        let (width, channels) = (Int(header.width), Int(header.channels))
        var samples = [UInt16](repeating: 0, count: passes.count)
        var from = 0
        for pass in Interlace(adam7: PixelSize(width, Int(header.height))).passes {
            for row in 0..<pass.size.height {
                for column in 0..<pass.size.width {
                    let pixel = (pass.top + row * pass.down) * width + pass.left + column * pass.across
                    for c in 0..<channels { samples[pixel * channels + c] = passes[from + c] }
                    from += channels
                }
            }
        }
        return samples
    }

    @safe private final class Sink {
        let png: OpaquePointer
        let isInterlaced: Bool
        /// Of each row that is to come.
        var widths: [Int] = []
        var rows = 0
        var samples: [UInt16] = []

        init(png: OpaquePointer, isInterlaced: Bool) {
            unsafe self.png = png
            self.isInterlaced = isInterlaced
        }

        func take(_ row: UnsafeRawPointer) {
            var header = ap_png_header()
            unsafe ap_png_get_header(png, &header)
            if widths.isEmpty {
                let size = PixelSize(Int(header.width), Int(header.height))
                widths =
                    isInterlaced
                    ? Interlace(adam7: size).passes.flatMap {
                        [Int](repeating: $0.size.width, count: $0.size.height)
                    }
                    : [Int](repeating: size.width, count: size.height)
            }
            let width = widths[rows]
            rows += 1
            let count = width * Int(header.channels)
            for i in 0..<count {
                samples.append(
                    header.bits == 16
                        ? unsafe row.load(fromByteOffset: 2 * i, as: UInt16.self)
                        : UInt16(unsafe row.load(fromByteOffset: i, as: UInt8.self)))
            }
        }
    }
}
