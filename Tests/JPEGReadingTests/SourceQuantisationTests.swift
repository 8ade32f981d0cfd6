import TestSupport
import Testing

@testable import JPEGCore

/// What a JPEG's quantisation tables say about how fine an output is worth it.
@Suite struct SourceQuantisationTests {
    /// T.81, table K.1, row by row; its entries add up to 3688.
    private static let annexK: [UInt16] = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
        14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
        18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
        49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]
    private static let oneComponent = hex("08 0010 0010 01 01 11 00")
    private static let threeComponents = hex("08 0010 0010 03 01 22 00 02 11 01 03 11 01")
    private static let scan = hex("01 01 00 00 3F 00")

    private func quantisation(_ segments: [(UInt8, [UInt8])]) -> SourceQuantisation? {
        var facts = JPEGFacts()
        for (marker, body) in segments { _ = facts.note(marker: marker, segment: segment(marker, body)) }
        return facts.quantisation
    }

    private func flat(_ number: UInt8, _ divisor: UInt8) -> [UInt8] {
        [number] + [UInt8](repeating: divisor, count: 64)
    }

    @Test func tablesOfTheFirstScanCount() {
        // Two in one segment, one of them of two bytes a divisor; luma's defined again before the scan.
        let wide = [0x11] + [UInt8](repeating: 1, count: 128)
        let read = quantisation([
            (0xDB, flat(0, 99) + wide), (0xC0, Self.threeComponents), (0xDB, flat(0, 7)), (0xDA, Self.scan),
            (0xDB, flat(0, 50)), (0xC0, Self.oneComponent), (0xDA, Self.scan),
        ])
        let chroma = [UInt16](repeating: 257, count: 64)
        #expect(read?.tables == [[UInt16](repeating: 7, count: 64), chroma, chroma])
    }

    @Test func whatMakesNoSenseSaysNothing() {
        #expect(quantisation([(0xDB, flat(0, 7)), (0xC0, Self.oneComponent)]) == nil)
        #expect(quantisation([(0xC0, Self.oneComponent), (0xDA, Self.scan)]) == nil)
        #expect(quantisation([(0xDB, flat(0, 7)), (0xDA, Self.scan)]) == nil)
        // Chroma's table is missing, a divisor is 0, a table is cut short, numbers that do not exist.
        let bodies: [[UInt8]] = [
            flat(0, 7), flat(0, 7) + flat(1, 0), flat(0, 7) + flat(1, 7).dropLast(), flat(0, 7) + flat(4, 7),
            flat(0, 7) + [0x11] + flat(1, 7), [], [0],
        ]
        for body in bodies {
            #expect(quantisation([(0xDB, body), (0xC0, Self.threeComponents), (0xDA, Self.scan)]) == nil)
        }
        let far = hex("08 0010 0010 01 01 11 FF")
        #expect(quantisation([(0xDB, flat(0, 7)), (0xC0, far), (0xDA, Self.scan)]) == nil)
    }

    /// DQT stores zigzag order (T.81, figure A.6): the third value is the one below the first.
    @Test func zigzagIsUndone() {
        let values = (1...64).map { UInt8($0) }
        let read = quantisation([(0xDB, [0] + values), (0xC0, Self.oneComponent), (0xDA, Self.scan)])
        let table = read?.tables[0] ?? []
        #expect(table.count == 64 && table[1] == 2 && table[8] == 3 && table[16] == 4 && table[63] == 64)
    }

    @Test func qualityIsAnnexKs() throws {
        func quality(_ table: [UInt16]) -> Double? { SourceQuantisation(tables: [table])?.quality }
        #expect(quality(Self.annexK) == 50)
        // libjpeg's quality 35 is 5000 / 35 = 142 %, 75 is 50 %.
        #expect(quality(Self.annexK.map { ($0 * 142 + 50) / 100 }) == 35)
        #expect(quality(Self.annexK.map { ($0 * 50 + 50) / 100 }) == 75)
        #expect(quality([UInt16](repeating: 1, count: 64)) == 100)
        #expect(quality([UInt16](repeating: 255, count: 64)) == 1)
        #expect(quality([UInt16](repeating: 65_535, count: 64)) == 1)
    }

    /// Where the divisors' mean is s times Annex K's, those worth writing have 0.38 √s times it.
    @Test func worthwhileQualityFollowsTheRoot() throws {
        let source = try #require(SourceQuantisation(tables: [Self.annexK]))
        // 38 % is libjpeg's quality (200 - 38) / 2.
        #expect(abs(source.worthwhileQuality(reduction: 1) - 81) < 0.1)
        // 250 % is quality 20: 0.38 √2.5 = 60 %, quality 70.
        let coarse = try #require(
            SourceQuantisation(tables: [Self.annexK.map { ($0 * 250 + 50) / 100 }]))
        #expect(abs(coarse.worthwhileQuality(reduction: 1) - 70) < 0.1)
        // Equal divisors of 16 are 16 · 64 / 3688 = 27.8 %, at a quarter of the side 6.9 %: 20 % and 10 %.
        let even = try #require(SourceQuantisation(tables: [[UInt16](repeating: 16, count: 64)]))
        #expect(abs(even.worthwhileQuality(reduction: 1) - 90) < 0.2)
        #expect(abs(even.worthwhileQuality(reduction: 4) - 95) < 0.2)
    }

    /// No step as long as the reduction grows, and nothing lost at the default ceiling at a third of the size.
    @Test func worthwhileQualityRisesSmoothly() throws {
        for percent: UInt16 in [25, 100, 200] {
            let table = Self.annexK.map { ($0 * percent + 50) / 100 }
            let source = try #require(SourceQuantisation(tables: [table]))
            var last = source.worthwhileQuality(reduction: 1)
            for step in 1...400 {
                let next = source.worthwhileQuality(reduction: 1 + Double(step) / 100)
                #expect(next >= last && next - last < 0.5, "\(percent) \(step)")
                last = next
            }
            #expect(source.worthwhileQuality(reduction: 3) >= 90)
        }
    }

    /// Hostile divisors lead to no quality outside 1...100.
    @Test func extremesStayWithinTheScale() throws {
        for divisor: UInt16 in [1, 255, 256, 65_535] {
            let source = try #require(SourceQuantisation(tables: [[UInt16](repeating: divisor, count: 64)]))
            for reduction in [0, 1, 1.5, 1e9, .infinity] {
                #expect((1...100).contains(source.worthwhileQuality(reduction: reduction)), "\(divisor)")
            }
            for floor in [1.0, 40, 100] {
                let own = try #require(source.ownTables(isTurned: false, minQuality: floor))
                #expect(own.quality >= floor && own.chroma.allSatisfy { $0 >= 1 })
            }
        }
    }

    @Test func ownTablesAreTheSources() throws {
        let source = try #require(SourceQuantisation(tables: [Self.annexK]))
        #expect(source.ownTables(isTurned: false, minQuality: 50)?.luma.map { UInt16($0) } == Self.annexK)
        let turned = source.ownTables(isTurned: true, minQuality: 50)?.luma ?? []
        // Columns of K.1 are 16, 12, 14 … and 11, 12, 13 ….
        #expect(turned.prefix(3) == [16, 12, 14] && turned.dropFirst(8).prefix(3) == [11, 12, 13])
        // Above the source's quality the largest divisors are cut into equal parts, the small ones stay.
        let finer = source.ownTables(isTurned: false, minQuality: 60)
        #expect(finer?.luma.prefix(4) == [16, 11, 10, 16])
        #expect(finer?.luma[53] == 61 || finer?.luma[53] == 40)
        let quality = try #require(finer?.quality)
        #expect(quality >= 60 && quality < 70)
        #expect(source.finest.ownTables(isTurned: false, minQuality: 1) == nil)
        let odd = SourceQuantisation(tables: [Self.annexK, Self.annexK, Self.annexK.reversed()])
        #expect(odd?.ownTables(isTurned: false, minQuality: 1) == nil)
    }
}
