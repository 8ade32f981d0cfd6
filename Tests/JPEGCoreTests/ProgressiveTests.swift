import Pixels
import TestSupport
import Testing

@testable import JPEGCore

/// libjpeg-turbo's decoder judges the scans; its pixels show whether they carry the same coefficients.
@Suite struct ProgressiveTests {
    private func file(
        _ bitmap: Bitmap, _ subsampling: Subsampling, _ progressive: Progressive, maxBytes: Int = 50_000_000,
        quality: Double = 90
    ) throws -> EncodedJPEG {
        let search = BudgetSearch(
            maxBytes: maxBytes, minQuality: 5, maxQuality: quality, progressive: progressive)
        let fit = search.fit(CoefficientImage(bitmap, subsampling: subsampling)) { false }
        guard case .fits(let file)? = fit else { throw Djpeg.Failure(description: "does not fit") }
        return file
    }

    private func isProgressive(_ bytes: [UInt8]) -> Bool {
        // The frame header follows the quantisation tables; no other segment before the scans has this marker.
        zip(bytes, bytes.dropFirst()).contains { $0 == 0xFF && $1 == 0xC2 }
    }

    @Test func scansCarryTheSameCoefficients() throws {
        var files: [[UInt8]] = []
        let pictures = [
            Pictures.texture(131, 97), Pictures.noise(48, 40), Pictures.gradient(200, 60),
            Pictures.text(90, 70),
            Pictures.grey(Pictures.texture(61, 73)), Pictures.flat(40, 33), Pictures.texture(1, 1),
            Pictures.texture(17, 8),
        ]
        for picture in pictures {
            for subsampling in [Subsampling.s420, .s444] {
                for quality in [97.0, 75, 30] {
                    let one = try file(picture, subsampling, .never, quality: quality)
                    let many = try file(picture, subsampling, .always, quality: quality)
                    #expect(!isProgressive(one.bytes) && isProgressive(many.bytes))
                    files += [one.bytes, many.bytes]
                }
            }
        }
        let decoded = try Djpeg.decode(files)
        for index in stride(from: 0, to: decoded.count, by: 2) {
            #expect(decoded[index].samples == decoded[index + 1].samples)
        }
    }

    /// Each script by itself, with values that fill refinement scans and long runs of empty blocks.
    @Test(arguments: ScanScript.allCases)
    func everyScriptIsReadable(_ script: ScanScript) throws {
        guard script != .sequential else { return }
        var files: [[UInt8]] = []
        for (picture, quality) in [
            (Pictures.texture(150, 130), 92.0), (Pictures.noise(40, 40), 98),
            (Pictures.gradient(512, 512), 40),
            (Pictures.grey(Pictures.texture(61, 73)), 80),
        ] {
            let image = CoefficientImage(picture, subsampling: .s420)
            let tables = ScaleLadder(minQuality: quality, maxQuality: quality).tables(0)
            var tokens = [BlockTokens](
                repeating: BlockTokens(blocks: 0, maxBytes: 0), count: image.geometry.componentCount)
            let pass = TrellisPass(image: image, activity: BlockActivity(image))
            let rates = CodeRates(counts: [UInt32](repeating: 1, count: 256)[...])
            let strength = Strength(units: Strength.range.upperBound)
            func coded(_ components: Range<Int>, _ table: [UInt8]) -> ComponentCoding {
                let counts = pass.run(
                    components, table: table, rates: rates, strength: strength, into: &tokens)
                return ComponentCoding(quantiser: BlockQuantiser(table, deadZone: 0), counts: counts)
            }
            let whole = PictureCoding(
                quantisation: tables, luma: coded(0..<1, tables.luma),
                chroma: image.geometry.componentCount == 3 ? coded(1..<3, tables.chroma) : nil)
            let coding = ProgressiveCoding(script, image.geometry, whole, tokens)
            let bytes = try #require(
                ProgressiveWriter.write(image.geometry, tables, coding, tokens, limit: 1_000_000))
            let stuffed = zip(bytes, bytes.dropFirst()).reduce(0) { $0 + ($1.0 == 0xFF && $1.1 == 0 ? 1 : 0) }
            #expect(bytes.count - stuffed == coding.unstuffedBytes(image.geometry))
            _ = try StrictJPEG(bytes)
            files += [bytes, try file(picture, .s420, .never, quality: quality).bytes]
        }
        let decoded = try Djpeg.decode(files)
        for index in stride(from: 0, to: decoded.count, by: 2) {
            #expect(decoded[index].samples == decoded[index + 1].samples)
        }
    }

    @Test func autoNeverNeedsMoreThanOneScan() throws {
        let picture = Pictures.texture(240, 300)
        let whole = try file(picture, .s420, .never).bytes.count
        for part in [2, 4] {
            let fit = try file(picture, .s420, .auto, maxBytes: whole / part)
            #expect(fit.bytes.count <= whole / part && fit.bytes.count >= whole / part * 985 / 1000)
            #expect(fit.limitedBy == .budget)
        }
        // With room to spare nothing is gained by more scans.
        #expect(!isProgressive(try file(picture, .s420, .auto).bytes))
    }
}
