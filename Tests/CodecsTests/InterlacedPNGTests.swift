import Codecs
import Pixels
import TestSupport
import Testing

/// A picture looks the same whether it is interlaced or not.
@Suite struct InterlacedPNGTests {
    /// The pairs of PngSuite: every colour type and depth, and sizes around those of the passes.
    static let pairs = PngSuiteTests.names.filter { $0.hasPrefix("basi") || $0.dropFirst(3).hasPrefix("i3p") }
        .map { name in
            let at = name.index(name.startIndex, offsetBy: 3)
            return (interlaced: name, plain: name[..<at] + "n" + name[name.index(after: at)...])
        }

    @Test func thereAreAllPairs() {
        #expect(Self.pairs.count == 15 + 18)
        #expect(Self.pairs.allSatisfy { PngSuiteTests.names.contains(String($0.plain)) })
    }

    @Test(arguments: 0..<33) func equalsPlain(_ index: Int) throws {
        let interlaced = try fixture("pngsuite/\(Self.pairs[index].interlaced)")
        let plain = try fixture("pngsuite/\(Self.pairs[index].plain)")
        for side in [40, 31, 21, 16, 9, 3, 1] {
            for background: UInt32 in [0, 0xFFFFFF] {
                let plan = DecodePlan(background: background, size: PixelSize(side, side))
                let expected = try decodePNG(plain, plan).bitmap
                let shown = try decodePNG(interlaced, plan)
                #expect(shown.header.isInterlaced && shown.bitmap.size == expected.size)
                let distances = zip(shown.bitmap.samples, expected.samples).map { abs(Int($0) - Int($1)) }
                #expect(distances.max() ?? 0 <= 1, "\(side)")
            }
        }
    }

    /// The whole of each pass is due: a stream that is sound but ends before is damaged.
    @Test func rowsMustBeComplete() throws {
        // Passes of 3 × 3: (0, 0), (2, 0), (0, 2) with (2, 2), (1, 0) with (1, 2), row 1.
        let rows: [[UInt8]] = [[1], [2], [3, 4], [5], [6], [7, 8, 9]]
        let header = PNGFile.header(3, 3, colorType: 0, interlaced: true)
        let whole = PNGFile([header, PNGFile.imageData(rows: rows), PNGFile.end]).bytes
        #expect(try decodePNG(whole).bitmap.samples == [1, 5, 2, 7, 8, 9, 3, 6, 4])
        for count in 0..<rows.count {
            let data = PNGFile.imageData(rows: Array(rows.prefix(count)))
            let error = #expect(throws: CodecError.self) {
                try decodePNG(PNGFile([header, data, PNGFile.end]).bytes)
            }
            #expect(error?.kind == .corrupt)
        }
    }

    /// What came is shown in blocks, what did not come at all is the background.
    @Test func cutPictures() throws {
        let rows: [[UInt8]] = [[1], [2], [3, 4], [5], [6], [7, 8, 9]]
        let header = PNGFile.header(3, 3, colorType: 0, interlaced: true)
        let stored = PNGFile.imageData(rows: rows).data
        // Behind the zlib header and that of the stored block, a byte for the filter goes before each row.
        let shown: [(bytes: Int, samples: [UInt8])] = [
            (0, [64, 64, 64, 64, 64, 64, 64, 64, 64]), (2, [1, 1, 1, 1, 1, 1, 1, 1, 1]),
            (4, [1, 1, 2, 1, 1, 2, 1, 1, 2]), (7, [1, 1, 2, 1, 1, 2, 3, 3, 4]),
            (9, [1, 5, 2, 1, 5, 2, 3, 3, 4]), (11, [1, 5, 2, 1, 5, 2, 3, 6, 4]),
            (15, [1, 5, 2, 7, 8, 9, 3, 6, 4]),
        ]
        for (bytes, samples) in shown {
            let file = PNGFile([header, .init("IDAT", Array(stored.prefix(7 + bytes)))]).bytes
            #expect(throws: CodecError.self) { try decodePNG(file) }
            let decoded = try decodePNG(file, DecodePlan(background: 0x404040, allowsTruncated: true))
            #expect(decoded.bitmap.samples == samples, "\(bytes) bytes")
        }
    }
}
