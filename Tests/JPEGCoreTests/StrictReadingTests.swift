import CJPEGOracle
import Pixels
import TestSupport
import Testing

@testable import JPEGCore

/// What is written is read by a reader that forgives nothing, and by libjpeg-turbo without a warning; both find the same
/// coefficients.
@Suite struct StrictReadingTests {
    private struct Kind {
        let name: String
        let picture: Bitmap
        let subsampling: Subsampling
        let quality: Double
        var maxBytes = 10_000_000
    }

    /// Sides around the borders of blocks and MCUs, all ways to sample, fine and coarse divisors, tight budgets.
    private static let kinds: [Kind] = {
        var kinds: [Kind] = []
        for (width, height) in [(1, 1), (1, 17), (17, 1), (7, 9), (8, 8), (16, 16), (33, 15), (71, 45)] {
            let texture = Pictures.texture(width, height)
            for quality in [98.0, 60, 8] {
                kinds += [
                    Kind(name: "4:2:0", picture: texture, subsampling: .s420, quality: quality),
                    Kind(name: "4:4:4", picture: texture, subsampling: .s444, quality: quality),
                    Kind(name: "grey", picture: Pictures.grey(texture), subsampling: .gray, quality: quality),
                ]
            }
        }
        // Categories up to the last, and blocks that end at once, in runs over several thousand of them.
        kinds += [
            Kind(name: "noise", picture: Pictures.noise(40, 40), subsampling: .s444, quality: 100),
            Kind(name: "flat", picture: Pictures.flat(640, 480), subsampling: .s420, quality: 50),
            Kind(name: "bars", picture: Pictures.bars(64, 40), subsampling: .s444, quality: 100),
            Kind(
                name: "budget", picture: Pictures.texture(96, 80), subsampling: .s420, quality: 95,
                maxBytes: 2000),
            Kind(
                name: "text, budget", picture: Pictures.text(120, 90), subsampling: .s444, quality: 95,
                maxBytes: 4000),
        ]
        return kinds
    }()

    private func file(_ kind: Kind, _ progressive: Progressive) throws -> EncodedJPEG {
        let search = BudgetSearch(
            maxBytes: kind.maxBytes, minQuality: 1, maxQuality: kind.quality, progressive: progressive)
        let fit = search.fit(CoefficientImage(kind.picture, subsampling: kind.subsampling)) { false }
        guard case .fits(let file)? = fit else { throw Djpeg.Failure(description: "does not fit") }
        return file
    }

    /// libjpeg-turbo's coefficients; any warning is a failure.
    private func libjpeg(_ bytes: [UInt8]) throws -> [[Int16]] {
        guard let oracle = unsafe oracle_read(bytes, bytes.count) else {
            throw Djpeg.Failure(description: "libjpeg-turbo gives up")
        }
        defer { unsafe oracle_free(oracle) }
        var block = [Int16](repeating: 0, count: 64)
        let components = unsafe (0..<oracle_components(oracle)).map { component in
            var values: [Int16] = []
            for row in unsafe 0..<oracle_blocks_high(oracle, component) {
                for column in unsafe 0..<oracle_blocks_wide(oracle, component) {
                    unsafe oracle_block(oracle, component, column, row, &block)
                    values += block
                }
            }
            return values
        }
        #expect(unsafe oracle_warnings(oracle) == 0)
        return components
    }

    @Test func everyFileIsLegalAndReadAlike() throws {
        for kind in Self.kinds {
            for progressive in [Progressive.never, .always] {
                let name: Comment = "\(kind.name) \(kind.picture.size) q \(kind.quality) \(progressive)"
                let bytes = try file(kind, progressive).bytes
                let strict = try StrictJPEG(bytes)
                #expect(strict.width == kind.picture.size.width, name)
                #expect(strict.height == kind.picture.size.height, name)
                #expect(strict.isProgressive == (progressive == .always), name)
                let count = strict.components.count
                if kind.picture.size.area > 1 { #expect(count == (kind.subsampling == .gray ? 1 : 3), name) }
                let side = kind.subsampling == .s420 && count == 3 ? 2 : 1
                #expect(strict.components[0].across == side && strict.components[0].down == side, name)
                #expect(strict.components.dropFirst().allSatisfy { $0.across == 1 && $0.down == 1 }, name)
                let expected = try libjpeg(bytes)
                #expect((0..<count).map { strict.coefficients($0) } == expected, name)
            }
        }
    }

    @Test func severalScansHoldWhatOneHolds() throws {
        for kind in Self.kinds where kind.maxBytes == 10_000_000 {
            let one = try StrictJPEG(file(kind, .never).bytes)
            let many = try StrictJPEG(file(kind, .always).bytes)
            #expect(one.scanCount == 1 && many.scanCount > 1)
            for index in one.components.indices {
                #expect(one.coefficients(index) == many.coefficients(index))
            }
        }
    }

    /// A run of ended blocks has 15 bits for its length.
    @Test func runsOfEndedBlocksAreCutInTime() throws {
        let size = PixelSize(1456, 1456)
        let picture = Bitmap(size: size, channels: 1, samples: [UInt8](repeating: 77, count: size.area))
        let kind = Kind(name: "", picture: picture, subsampling: .gray, quality: 50)
        let bytes = try file(kind, .always).bytes
        let strict = try StrictJPEG(bytes)
        #expect(strict.components[0].blocksWide * strict.components[0].blocksHigh == 182 * 182)
    }

    /// Positions of the segments of a marker.
    private func segments(_ marker: UInt8, _ bytes: [UInt8]) -> [Int] {
        bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == marker }
    }

    @Test func theReaderForgivesNothing() throws {
        let kind = Kind(
            name: "", picture: Pictures.texture(50, 40), subsampling: .s420, quality: 80, maxBytes: 10_000_000
        )
        let one = try file(kind, .never).bytes
        let many = try file(kind, .always).bytes
        let quantisation = try #require(segments(0xDB, one).first)
        let huffman = try #require(segments(0xC4, one).first)
        let scans = segments(0xC4, many)
        let headers = segments(0xDA, many)
        let eoi: [UInt8] = [0xFF, 0xD9]
        func changed(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
            var bytes = bytes
            change(&bytes)
            return bytes
        }
        let faults: [(String, [UInt8])] = [
            ("bytes behind EOI", one + [0]),
            ("no EOI", Array(one.dropLast(2))),
            ("divisor 0", changed(one) { $0[quantisation + 9] = 0 }),
            ("divisors of 16 bits", changed(one) { $0[quantisation + 4] = 0x10 }),
            ("only one code, of ones", changed(one) { $0[huffman + 5] = 2 }),
            ("DC category 12", changed(one) { $0[huffman + 21] = 12 }),
            ("a symbol twice", changed(one) { $0[huffman + 21] = $0[huffman + 22] }),
            ("restart interval", Array(one[..<huffman]) + [0xFF, 0xDD, 0, 4, 0, 1] + one[huffman...]),
            ("a byte more in the scan", Array(one.dropLast(2)) + [0x55] + eoi),
            (
                "AC first",
                Array(many[..<scans[0]]) + many[scans[1]...].dropLast(2) + many[scans[0]..<scans[1]] + eoi
            ),
            ("a scan less", Array(many[..<scans[scans.count - 1]]) + eoi),
            ("a scan twice", Array(many[..<scans[2]]) + many[scans[1]...]),
            ("a refinement before its scan", changed(many) { $0[headers[1] + 9] = 0x10 }),
            ("components of AC together", changed(many) { $0[headers[0] + 12] = 5 }),
        ]
        _ = try StrictJPEG(one)
        _ = try StrictJPEG(many)
        for (name, bytes) in faults {
            #expect(throws: StrictJPEG.Fault.self, Comment(rawValue: name)) { try StrictJPEG(bytes) }
        }
    }
}
