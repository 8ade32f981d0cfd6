import Codecs
import Pixels
import TestSupport
import Testing

/// A picture does not depend on how its bytes arrive, and an end that comes early is always noticed.
@Suite struct ChunkTests {
    static let jpegs = [
        "4:4:4", "4:2:0", "4:2:2", "4:1:1", "grey", "progressive", "progressive grey", "restarts",
        "restart rows, progressive", "RGB", "quality 100, optimised", "1 x 1",
    ]
    static let pngs = [
        "basn0g01", "basi0g16", "basn2c08", "basi2c16", "basn3p04", "basi3p08", "basn4a16", "basi6a08",
        "tbbn3p08",
        "tp1n3p08", "oi9n2c16", "cs3n3p08",
    ]

    @Test(arguments: jpegs) func jpegInAnyPieces(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        let whole = try decodeJPEG(bytes, DecodePlan(copyLimit: 1_000_000))
        for ranges in cuts(bytes.count) {
            let pushed = try decodeJPEG(bytes, in: ranges, DecodePlan(copyLimit: 1_000_000))
            #expect(pushed.bitmap.samples == whole.bitmap.samples)
            #expect(pushed.losslessCopy == whole.losslessCopy)
            #expect(pushed.consumed == bytes.count)
        }
    }

    @Test(arguments: pngs) func pngInAnyPieces(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name).png")
        let whole = try decodePNG(bytes)
        for ranges in cuts(bytes.count) {
            let pushed = try decodePNG(bytes, in: ranges)
            #expect(pushed.bitmap.samples == whole.bitmap.samples)
            #expect(pushed.consumed == bytes.count)
        }
    }

    private func cuts(_ count: Int) -> [[Range<Int>]] {
        [1, 7, 1000, 65536].map { pieces(of: count, size: $0) }
            + [3, 50].map { pieces(of: count, upTo: $0, seed: UInt64($0)) }
    }

    @Test(arguments: jpegs) func cutJPEGIsNeverWhole(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        for count in ends(bytes.count) {
            let error = #expect(throws: CodecError.self) { try decodeJPEG(Array(bytes[..<count])) }
            #expect(error?.kind == .truncated || error?.kind == .corrupt, "\(count) of \(bytes.count)")
        }
    }

    @Test(arguments: pngs) func cutPNGIsNeverWhole(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name).png")
        for count in ends(bytes.count) {
            let error = #expect(throws: CodecError.self) { try decodePNG(Array(bytes[..<count])) }
            #expect(error?.kind == .truncated || error?.kind == .corrupt, "\(count) of \(bytes.count)")
        }
    }

    /// Every 97th byte, and the last ones.
    private func ends(_ count: Int) -> [Int] {
        Array(stride(from: 0, to: count - 1, by: 97)) + [count - 2, count - 1]
    }

    /// With leave to pad, a cut file gives a picture of full size or an error, nothing else.
    @Test(arguments: ["4:2:0", "progressive", "restarts", "grey"]) func cutJPEGIsPadded(_ name: String) throws
    {
        let bytes = try JPEGSamples.named(name)
        let size = try decodeJPEG(bytes).bitmap.size
        var padded = 0
        for count in ends(bytes.count) {
            let plan = DecodePlan(allowsTruncated: true)
            guard let decoded = try? decodeJPEG(Array(bytes[..<count]), plan) else { continue }
            #expect(decoded.bitmap.size == size)
            padded += 1
        }
        #expect(padded > 2)
    }

    @Test(arguments: pngs) func cutPNGIsPadded(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name).png")
        let whole = try decodePNG(bytes).bitmap
        for count in ends(bytes.count) {
            let plan = DecodePlan(allowsTruncated: true)
            guard let decoded = try? decodePNG(Array(bytes[..<count]), plan) else { continue }
            #expect(decoded.bitmap.size == whole.size)
        }
        // Only the end marker is missing: all of the picture is there.
        let plan = DecodePlan(allowsTruncated: true)
        #expect(try decodePNG(Array(bytes.dropLast(12)), plan).bitmap.samples == whole.samples)
    }
}
