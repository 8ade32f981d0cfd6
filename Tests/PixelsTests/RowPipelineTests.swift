import Pixels
import TestSupport
import Testing

/// Layouts, mattes and inks, by arithmetic done apart from the code.
@Suite struct RowPipelineTests {
    /// One pixel, given as bytes, over a background.
    private func shown(
        _ pixel: [UInt8], _ layout: PixelLayout, over background: UInt32, channels: Int = 3
    ) -> [UInt8] {
        scale(
            pixel, layout, width: 1, region: SourceRegion(1, 1), to: PixelSize(1, 1), channels: channels,
            background: background
        ).samples
    }

    private func bytes(_ samples: UInt16...) -> [UInt8] {
        unsafe samples.withUnsafeBytes { unsafe Array($0) }
    }

    /// Each value is its own: decoded and encoded, nothing is lost.
    @Test func everyLevelSurvives() {
        let levels = (0...255).map(UInt8.init)
        let size = PixelSize(256, 1)
        let gray = scale(
            levels, PixelLayout(.gray), width: 256, region: SourceRegion(256, 1), to: size, channels: 1)
        #expect(gray.samples == levels)
        let colours = levels.flatMap { [$0, 255 - $0, $0 ^ 0x55] }
        #expect(
            scale(colours, PixelLayout(.rgb), width: 256, region: SourceRegion(256, 1), to: size).samples
                == colours)
        let spread = scale(levels, PixelLayout(.gray), width: 256, region: SourceRegion(256, 1), to: size)
        #expect(spread.samples == levels.flatMap { [$0, $0, $0] })
    }

    /// 16 bits: v / 257 rounded, within a level.
    @Test func deepSamplesAreRounded() {
        for value: UInt16 in [0, 1, 128, 129, 257, 1000, 5000, 32767, 32768, 65407, 65535] {
            let level = shown(bytes(value), PixelLayout(.gray, bitsPerSample: 16), over: 0, channels: 1)[0]
            #expect(abs(Double(level) - (Double(value) / 257).rounded()) <= 1)
        }
        let opaque = shown(
            bytes(0x1111, 0x8080, 0xFFFF, 0xFFFF), PixelLayout(.rgba, bitsPerSample: 16), over: 0)
        #expect(opaque == [0x11, 0x80, 0xFF])
        let clear = shown(
            bytes(0x1111, 0x8080, 0xFFFF, 0), PixelLayout(.rgba, bitsPerSample: 16), over: 0x204060)
        #expect(clear == [0x20, 0x40, 0x60])
    }

    /// Worked out by hand: light = colour × alpha + background × (1 − alpha), alpha = 128 / 255 = 0.50196.
    ///
    /// Black over white leaves light 0.49804, which is 1.055 × 0.49804^(1/2.4) − 0.055 = 0.7341, level 187.2.
    /// White over black is 0.50196 of light, level 187.9. Light of 100 is 0.12744, of 200 is 0.57758:
    /// 100 over 200 is 0.06397 + 0.28766 = 0.35163, level 159.9; 200 over 100 is 0.35339, level 160.3.
    @Test func matteIsInLinearLight() {
        let layout = PixelLayout(.rgba)
        #expect(shown([0, 0, 0, 128], layout, over: 0xFFFFFF) == [187, 187, 187])
        #expect(shown([255, 255, 255, 128], layout, over: 0) == [188, 188, 188])
        #expect(shown([100, 200, 100, 128], layout, over: 0xC864C8) == [160, 160, 160])
        #expect(shown([255, 0, 100, 128], layout, over: 0x00FFC8) == [188, 187, 160])
        #expect(shown([9, 8, 7, 0], layout, over: 0x123456) == [0x12, 0x34, 0x56])
        #expect(shown([9, 8, 7, 255], layout, over: 0x123456) == [9, 8, 7])
        #expect(shown([0, 128], PixelLayout(.grayAlpha), over: 0xFFFFFF, channels: 1) == [187])
        #expect(shown([100, 128], PixelLayout(.grayAlpha), over: 0xC8C8C8, channels: 1) == [160])
        #expect(shown([77, 255], PixelLayout(.grayAlpha), over: 0x010203) == [77, 77, 77])
        #expect(shown([77, 0], PixelLayout(.grayAlpha), over: 0x010203) == [1, 2, 3])
    }

    /// Ink: 255 × (1 − c) × (1 − k), each of 0...1; Adobe stores 1 − c and 1 − k.
    @Test func inksBecomeLight() {
        let (plain, adobe) = (PixelLayout(.cmyk(inverted: false)), PixelLayout(.cmyk(inverted: true)))
        let table: [(inks: [UInt8], light: [UInt8])] = [
            ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 255, 255]),
            ([0, 255, 0, 0], [255, 0, 255]), ([0, 0, 255, 0], [255, 255, 0]),
            ([0, 0, 0, 255], [0, 0, 0]), ([255, 255, 255, 255], [0, 0, 0]),
            // (255 − 51) × (255 − 85) / 255 = 136; (255 − 102) × 170 / 255 = 102; 255 × 170 / 255 = 170.
            ([51, 102, 0, 85], [136, 102, 170]),
            // 155 × 205 / 255 = 124.6; 55 × 205 / 255 = 44.2; 254 × 205 / 255 = 204.2.
            ([100, 200, 1, 50], [125, 44, 204]),
        ]
        for (inks, light) in table {
            #expect(shown(inks, plain, over: 0) == light)
            #expect(shown(inks.map { 255 - $0 }, adobe, over: 0) == light)
        }
    }

    /// Even and odd widths take different ways through the row.
    @Test(arguments: [1, 2, 3, 8, 9]) func channelsKeepTheirPlaces(_ width: Int) {
        let picture = Picture.waves(width, 3)
        let region = SourceRegion(width, 3)
        let size = PixelSize(width, 3)
        let rgb = scale(picture.samples, PixelLayout(.rgb), width: width, region: region, to: size)
        #expect(rgb.samples == picture.samples)
        let withAlpha = stride(from: 0, to: picture.samples.count, by: 3)
            .flatMap { picture.samples[$0..<($0 + 3)] + [255] }
        let rgba = scale(withAlpha, PixelLayout(.rgba), width: width, region: region, to: size)
        #expect(rgba.samples == picture.samples)
        let deep = picture.samples.flatMap { bytes(UInt16($0) * 257) }
        let rgb16 = scale(
            deep, PixelLayout(.rgb, bitsPerSample: 16), width: width, region: region, to: size)
        #expect(rgb16.samples == picture.samples)
    }

    @Test func missingRowsAreBackground() {
        let scaler = RowScaler(source: SourceRegion(2, 5), size: PixelSize(2, 5), channels: 3)
        let pipeline = RowPipeline(
            layout: PixelLayout(.rgb), width: 2, background: 0xAB5401, scalers: [scaler])
        push([1, 2, 3, 4, 5, 6], 6, into: pipeline)
        pipeline.fill(to: 5)
        #expect(pipeline.rowsTaken == 5)
        let matte: [UInt8] = [0xAB, 0x54, 0x01]
        #expect(pipeline.finish()[0].samples == [1, 2, 3, 4, 5, 6] + (0..<8).flatMap { _ in matte })
    }

    /// Rows that are filtered block by block give what whole ones do, which is compared with the definition elsewhere.
    @Test(arguments: [(70_001, 5, 300), (70_000, 4, 999), (9, 7, 4), (40_000, 3, 1)])
    func wideRows(width: Int, height: Int, across: Int) {
        let layout = PixelLayout(.rgba, bitsPerSample: 16)
        let rows = randomBytes(width * height * 8, seed: UInt64(width))
        let plans = [PixelSize(across, height), PixelSize(max(across / 3, 1), max(height / 2, 1))]
        func shown(wide: Int, _ interlace: Interlace?, _ rows: [[UInt8]]) -> [[UInt8]] {
            let pipeline = RowPipeline(
                layout: layout, width: width, background: 0x204060,
                scalers: plans.map {
                    RowScaler(
                        source: SourceRegion(width, height), size: $0, channels: 3, interlace: interlace)
                }, interlace: interlace, wide: wide)
            for row in rows { push(row, row.count, into: pipeline) }
            pipeline.fill(to: height)
            return pipeline.finish().map(\.samples)
        }
        let plain = stride(from: 0, to: rows.count, by: width * 8).map { Array(rows[$0..<($0 + width * 8)]) }
        let size = PixelSize(width, height)
        let passes = interlaced(rows, 8, size).flatMap { $0 }
        for (interlace, rows) in [(nil, plain), (Interlace(adam7: size), passes)] {
            // Whole, and without the last rows.
            for count in [rows.count, rows.count - 2] {
                let part = Array(rows.prefix(count))
                let narrow = shown(wide: .max, interlace, part)
                #expect(Set(narrow[0]).count > 1)
                #expect(shown(wide: 1, interlace, part) == narrow)
            }
        }
    }

    @Test func stopsWithinSixteenRows() {
        var asked = 0
        let scaler = RowScaler(source: SourceRegion(1, 100), size: PixelSize(1, 10), channels: 1)
        let pipeline = RowPipeline(
            layout: PixelLayout(.gray), width: 1, background: 0, scalers: [scaler],
            shouldStop: {
                asked += 1
                return asked > 2
            })
        #expect(!push([UInt8](repeating: 9, count: 100), 1, into: pipeline))
        #expect(pipeline.rowsTaken == 32)
    }
}
