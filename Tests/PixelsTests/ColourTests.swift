import Foundation
import Testing

@testable import Pixels

/// Colour arithmetic, against figures of standards and arithmetic in floating point.
@Suite struct ColourTests {
    /// IEC 61966-2-1's primaries adapted to D50, as ICC's own sRGB profile has them.
    @Test func primariesOfSRGB() throws {
        let matrix = try #require(ColourMatrix.toD50(.bt709))
        let expected = [
            [0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169],
            [0.0139322, 0.0971045, 0.7141733],
        ]
        for (row, values) in zip(matrix.rows, expected) {
            for i in 0..<3 { #expect(abs(row[i] - values[i]) < 4e-4) }
        }
    }

    /// CSS Color 4, section 18: linear Display P3 to linear sRGB; ITU-R BT.2087: BT.2020 to BT.709.
    @Test(arguments: [
        (Primaries.displayP3, [[1.2249, -0.2249, 0], [-0.0421, 1.0421, 0], [-0.0196, -0.0786, 1.0983]]),
        (
            Primaries.bt2020,
            [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
        ),
    ]) func wideGamuts(primaries: Primaries, expected: [[Double]]) throws {
        let matrix = try #require(ColourMatrix.toD50(primaries)?.fromD50ToSRGB)
        for (row, values) in zip(matrix.rows, expected) {
            for i in 0..<3 { #expect(abs(row[i] - values[i]) < 1e-3) }
        }
    }

    @Test func noSpaceHasNoInverse() {
        let flat = ColourMatrix(SIMD3(1, 2, 3), SIMD3(2, 4, 6), SIMD3(0, 0, 1))
        #expect(flat.inverse == nil)
        let point = Chromaticity(0.3, 0.3)
        #expect(ColourMatrix(red: point, green: point, blue: point, white: .d65) == nil)
        let zero = Chromaticity(0.3, 0)
        #expect(ColourMatrix(red: zero, green: point, blue: point, white: .d65) == nil)
    }

    /// Every pixel of a row through curve and matrix, in floating point, is what the pipeline gives.
    @Test(arguments: [8, 16]) func pipelineConverts(bits: Int) throws {
        let matrix = try #require(ColourMatrix.toD50(.displayP3)?.fromD50ToSRGB)
        let space = ColourSpace(curves: [{ pow($0, 2.2) }], toSRGB: matrix)
        let size = PixelSize(64, 8)
        var levels: [Int] = []
        for i in 0..<(size.area * 3) { levels.append((i * 7919 + i / 5 * 31) % (1 << bits)) }
        let row: [UInt8] =
            bits == 8
            ? levels.map { UInt8($0) } : levels.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let scaler = RowScaler(source: SourceRegion(64, 8), size: size, channels: 3, toSRGB: matrix)
        let layout = PixelLayout(.rgb, bitsPerSample: bits)
        let rows = RowPipeline(layout: layout, width: 64, background: 0, scalers: [scaler], colour: space)
        push(row, 64 * layout.bytesPerPixel, into: rows)
        let made = rows.finish()[0].samples
        for pixel in 0..<size.area {
            let light = (0..<3).map { pow(Double(levels[3 * pixel + $0]) / Double((1 << bits) - 1), 2.2) }
            for channel in 0..<3 {
                let mixed = (0..<3).reduce(0.0) { $0 + matrix.rows[channel][$1] * light[$1] }
                let clamped = min(max(mixed, 0), 1)
                let expected =
                    255 * (clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * pow(clamped, 1 / 2.4) - 0.055)
                #expect(abs(Double(made[3 * pixel + channel]) - expected) < 1.01)
            }
        }
    }

    /// Channels may have curves of their own; a transparent pixel shows the background in sRGB whatever they are.
    @Test func curvesByChannelAndMatte() throws {
        let matrix = try #require(ColourMatrix.toD50(.displayP3)?.fromD50ToSRGB)
        let curves: [ColourSpace.TransferCurve] = [{ $0 }, { $0 * $0 }, { $0 * $0 * $0 }]
        let scaler = RowScaler(source: SourceRegion(2, 1), size: PixelSize(2, 1), channels: 3)
        let plain = RowPipeline(
            layout: PixelLayout(.rgb), width: 2, background: 0, scalers: [scaler],
            colour: ColourSpace(curves: curves, toSRGB: nil))
        push([128, 128, 128, 255, 255, 255], 6, into: plain)
        // (128/255)^n through IEC 61966-2-1: 0.50196 -> 187.9, 0.25196 -> 137.4, 0.12648 -> 100.1.
        #expect(plain.finish()[0].samples == [188, 137, 100, 255, 255, 255])
        let wide = RowScaler(source: SourceRegion(2, 1), size: PixelSize(2, 1), channels: 3, toSRGB: matrix)
        let matte = RowPipeline(
            layout: PixelLayout(.rgba), width: 2, background: 0x3366CC, scalers: [wide],
            colour: ColourSpace(curves: [{ pow($0, 2.2) }], toSRGB: matrix))
        push([1, 2, 3, 0, 255, 255, 255, 255], 8, into: matte)
        let made = matte.finish()[0].samples
        for (got, want) in zip(made, [0x33, 0x66, 0xCC, 255, 255, 255] as [Int]) {
            #expect(abs(Int(got) - want) <= 1)
        }
    }
}

/// The curves of high dynamic range, against the figures of ST 2084, BT.2100 and BT.2408.
@Suite struct HighDynamicRangeTests {
    @Test func curves() {
        // BT.2408 table 1: 203 nits is 58 % PQ and 75 % HLG; ST 2084: 100 nits is 0.5081.
        #expect(abs(HighDynamicRange.pq(nits: 203) - 0.5807) < 1e-3)
        #expect(abs(HighDynamicRange.pq(nits: 100) - 0.5081) < 1e-4)
        #expect(abs(HighDynamicRange.nits(pq: 0.5081) - 100) < 0.1)
        #expect(abs(HighDynamicRange.nits(pq: 1) - 10_000) < 1e-6)
        #expect(abs(1000 * pow(HighDynamicRange.scene(hlg: 0.75), 1.2) - 203) < 1)
        #expect(abs(HighDynamicRange.scene(hlg: 0.5) - 1.0 / 12) < 1e-9)
        #expect(abs(HighDynamicRange.scene(hlg: 1) - 1) < 1e-6)
    }

    /// BT.2390: nothing changes below the knee, nothing exceeds diffuse white, and the curve never falls.
    @Test func knee() {
        let limit = HighDynamicRange.pq(nits: 203) / HighDynamicRange.pq(nits: 1000)
        let knee = HighDynamicRange.nits(pq: (1.5 * limit - 0.5) * HighDynamicRange.pq(nits: 1000))
        var last = 0.0
        for nits in stride(from: 0.0, through: 1000, by: 5) {
            let bent = HighDynamicRange.bent(nits, peak: 1000)
            if nits < knee { #expect(abs(bent - nits) < 0.01) }
            #expect(bent >= last && bent < 203.01)
            last = bent
        }
        #expect(abs(last - 203) < 0.01)
        #expect(HighDynamicRange.bent(150, peak: 203) == 150)
    }

    /// Greys of a PQ picture through the rows: as bright as the curve says, alpha untouched, white the brightest.
    @Test(arguments: [HighDynamicRange.Signal.pq, .hlg]) func rows(signal: HighDynamicRange.Signal) throws {
        let layout = PixelLayout(.rgba, bitsPerSample: 16)
        let conversion = HighDynamicRange(signal, layout: layout, toSRGB: nil, peak: nil)
        #expect(conversion.output == layout)
        let levels: [UInt16] = [0, 10_000, 20_000, 30_000, 38_000, 45_000, 50_000]
        let row: [UInt16] = levels.flatMap { level -> [UInt16] in [level, level, level, 12_345] }
        var out = [UInt16](repeating: 1, count: row.count)
        unsafe row.withUnsafeBytes { row in
            unsafe out.withUnsafeMutableBytes { out in
                guard let from = row.baseAddress, let to = out.baseAddress else { return }
                unsafe conversion.convert(from, width: levels.count, into: to)
            }
        }
        for (i, level) in levels.enumerated() {
            let value = Double(level) / 65535
            let nits =
                signal == .pq
                ? HighDynamicRange.nits(pq: value) : 1000 * pow(HighDynamicRange.scene(hlg: value), 1.2)
            let light = HighDynamicRange.bent(min(nits, 1000), peak: 1000) / 203
            let encoded = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
            for channel in 0..<3 { #expect(abs(Double(out[4 * i + channel]) / 65535 - encoded) < 0.002) }
            #expect(out[4 * i + 3] == 12_345)
        }
    }
}
