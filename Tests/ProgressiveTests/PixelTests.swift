import Codecs
import Pixels
import Testing

/// Decodes at N/8, then scales by 1: linear light and back give the same bytes.
///
/// Answers the rows, where the picture ended, and whether there was anything odd about it.
func decoded(
    _ jpeg: [UInt8], numerator: Int, isGrey: Bool, _ size: PixelSize, allowsTruncated: Bool = false
) throws -> (rows: [UInt8], end: SpoolEnd, isOdd: Bool) {
    let scaled = PixelSize((size.width * numerator + 7) / 8, (size.height * numerator + 7) / 8)
    let region = SourceRegion(
        x: 0, y: 0, width: Double(scaled.width), height: Double(scaled.height), usable: scaled)
    let pipeline = RowPipeline(
        layout: PixelLayout(isGrey ? .gray : .rgb), width: scaled.width, background: 0xFF_FFFF,
        scalers: [RowScaler(source: region, size: scaled, channels: isGrey ? 1 : 3)])
    var decoder = try JPEGSpoolDecoder(maxScans: 100)
    let job = SpoolJob(numerator: numerator, memoryLimit: 1 << 28, allowsTruncated: allowsTruncated)
    let end = try decoder.decode(from: MemoryBytes(jpeg), job, into: pipeline)
    return (try #require(pipeline.finish().first).samples, end, decoder.notes.isOdd)
}

/// Rows must be those of libjpeg-turbo's own decoder at every scale.
@Suite struct PixelTests {
    private func rows(_ jpeg: [UInt8], numerator: Int, isGrey: Bool, _ size: PixelSize) throws -> [UInt8] {
        let (rows, end, isOdd) = try decoded(jpeg, numerator: numerator, isGrey: isGrey, size)
        #expect(end.end == jpeg.count && !end.isTruncated)
        #expect(!isOdd)
        return rows
    }

    @Test(arguments: ["1x1", "2x1", "2x2", "4x1", "1x2"], [2, 3, 4, 8])
    func progressive(sampling: String, numerator: Int) throws {
        let fixtures = try Fixtures()
        let jpeg = try fixtures.cjpeg(171, 93, ["-quality", "90", "-sample", sampling, "-progressive"])
        let expected = try fixtures.djpeg(jpeg, numerator: numerator)
        #expect(try rows(jpeg, numerator: numerator, isGrey: false, PixelSize(171, 93)) == expected)
    }

    @Test(arguments: ["1x1", "2x2", "1x2"], [1, 2, 3, 4, 8])
    func sequential(sampling: String, numerator: Int) throws {
        let fixtures = try Fixtures()
        let jpeg = try fixtures.cjpeg(171, 93, ["-sample", sampling], scans: "0; 1; 2;\n")
        let expected = try fixtures.djpeg(jpeg, numerator: numerator)
        #expect(try rows(jpeg, numerator: numerator, isGrey: false, PixelSize(171, 93)) == expected)
    }

    @Test(arguments: [1, 2, 3, 4, 8])
    func grey(numerator: Int) throws {
        let fixtures = try Fixtures()
        for (width, height) in [(171, 93), (1, 1), (8, 8), (9, 31)] {
            let jpeg = try fixtures.cjpeg(width, height, ["-progressive"], isGrey: true)
            let expected = try fixtures.djpeg(jpeg, numerator: numerator)
            #expect(
                try rows(jpeg, numerator: numerator, isGrey: true, PixelSize(width, height)) == expected,
                "\(width) x \(height)")
        }
    }

    @Test func meansAloneAtOneEighth() throws {
        // Without subsampling every component's block is one sample; with it, chroma lacks its finer half.
        let fixtures = try Fixtures()
        let jpeg = try fixtures.cjpeg(403, 293, ["-quality", "90", "-sample", "1x1", "-progressive"])
        let expected = try fixtures.djpeg(jpeg, numerator: 1)
        #expect(try rows(jpeg, numerator: 1, isGrey: false, PixelSize(403, 293)) == expected)
    }

    @Test func rareSampling() throws {
        // 12 blocks in an MCU, which libjpeg refuses to interleave; as one component it must not notice.
        let fixtures = try Fixtures()
        let jpeg = try libjpegFile(75, 67, sampling: [(2, 2), (2, 2), (2, 2)], alone: true)
        let expected = try fixtures.djpeg(jpeg, numerator: 4)
        #expect(try rows(jpeg, numerator: 4, isGrey: false, PixelSize(75, 67)) == expected)
    }

    /// Scans that stop early: low coefficients are guessed from the means around, at every scale.
    @Test(arguments: ["1x1", "2x2", "1x2"], [1, 2, 4, 8]) func lackingCoefficients(
        sampling: String, numerator: Int
    ) throws {
        let fixtures = try Fixtures()
        let scripts = [
            // Means alone, and without their last bit.
            "0,1,2: 0-0, 0, 0;\n", "0,1,2: 0-0, 0, 1;\n",
            // Some coefficients, some of their bits, of some components.
            "0,1,2: 0-0, 0, 1; 0: 1-5, 0, 2; 2: 1-63, 0, 1;\n",
            "0,1,2: 0-0, 0, 0; 0: 1-63, 0, 3; 0: 1-63, 3, 2; 1: 1-2, 0, 0; 2: 3-63, 0, 1;\n",
        ]
        for (width, height) in [(171, 93), (40, 200), (9, 9), (16, 33)] {
            for script in scripts {
                let jpeg = try fixtures.cjpeg(
                    width, height, ["-quality", "90", "-sample", sampling], scans: script)
                let expected = try fixtures.djpeg(jpeg, numerator: numerator)
                let got = try rows(jpeg, numerator: numerator, isGrey: false, PixelSize(width, height))
                #expect(got == expected, "\(width) x \(height) \(script)")
            }
        }
    }

    /// Cut anywhere: behind the cut a scan counts as if it had never been.
    @Test(arguments: ["1x1", "2x2"], [2, 8]) func cutFiles(sampling: String, numerator: Int) throws {
        let fixtures = try Fixtures()
        let jpeg = try fixtures.cjpeg(150, 210, ["-quality", "90", "-sample", sampling, "-progressive"])
        let first = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xDA]) })
        for cut in stride(from: first + 40, to: jpeg.count, by: 613) {
            let part = Array(jpeg[..<cut])
            let expected = try fixtures.djpeg(part, numerator: numerator)
            let got = try decoded(
                part, numerator: numerator, isGrey: false, PixelSize(150, 210), allowsTruncated: true)
            #expect(got.rows == expected && got.end.isTruncated, "cut at \(cut)")
        }
    }
}
