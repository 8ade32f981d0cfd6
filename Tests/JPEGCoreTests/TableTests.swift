import Testing

@testable import JPEGCore

@Suite struct TableTests {
    /// What libjpeg writes with `-quality N` (its first rows; the whole table by its sum).
    @Test(arguments: [
        (40, [20, 14, 13, 20, 30, 50, 64, 76], [21, 23, 30, 59, 124, 124, 124, 124], 4616, 6897),
        (50, [16, 11, 10, 16, 24, 40, 51, 61], [17, 18, 24, 47, 99, 99, 99, 99], 3688, 5505),
        (75, [8, 6, 5, 8, 12, 20, 26, 31], [9, 9, 12, 24, 50, 50, 50, 50], 1858, 2780),
        (90, [3, 2, 2, 3, 5, 8, 10, 12], [3, 4, 5, 9, 20, 20, 20, 20], 736, 1110),
    ])
    func wholeQualitiesAreLibjpegs(
        _ quality: Int, _ luma: [UInt8], _ chroma: [UInt8], _ lumaSum: Int, _ chromaSum: Int
    ) {
        let tables = QuantisationTables(quality: Double(quality))
        #expect(Array(tables.luma.prefix(8)) == luma)
        #expect(Array(tables.chroma.prefix(8)) == chroma)
        #expect(tables.luma.reduce(0) { $0 + Int($1) } == lumaSum)
        #expect(tables.chroma.reduce(0) { $0 + Int($1) } == chromaSum)
    }

    @Test func qualityReadsBackAndIsMonotone() {
        for quality in 10...100 {
            #expect(QuantisationTables(quality: Double(quality)).quality == Double(quality))
        }
        var last = 101.0
        for tenth in 200...1000 {
            let tables = QuantisationTables(quality: Double(1200 - tenth) / 10)
            #expect(tables.quality <= last)
            #expect(abs(tables.quality - Double(1200 - tenth) / 10) < 0.75)
            last = tables.quality
        }
    }

    @Test func strangeQualitiesStayInRange() {
        for quality in [-5, 0, .nan, .infinity, -.infinity, 1e300, 0.5] {
            let tables = QuantisationTables(quality: quality)
            #expect((tables.luma + tables.chroma).allSatisfy { $0 >= 1 })
        }
    }

    @Test func ladderOnlyGetsCoarser() {
        for (floor, ceiling) in [(40.0, 90.0), (1, 100), (90, 40), (75.5, 76.25), (100, 100)] {
            let ladder = ScaleLadder(minQuality: floor, maxQuality: ceiling)
            let (finest, coarsest) = (ladder.tables(0).quality, ladder.tables(ladder.last).quality)
            #expect(finest <= ceiling && finest > ceiling - 0.3)
            #expect(floor > ceiling ? ladder.last == 0 : coarsest >= floor && coarsest < floor + 1.1)
            for step in 1..<max(2, ladder.last + 1) {
                let (fine, coarse) = (ladder.tables(step - 1), ladder.tables(step))
                #expect(zip(fine.luma, coarse.luma).allSatisfy { $0 <= $1 })
                #expect(zip(fine.chroma, coarse.chroma).allSatisfy { $0 <= $1 })
            }
        }
    }

    /// The promise that a quality number means the same with any shape of table.
    @Test func shapesHaveTheMeanOfAnnexK() {
        let annex = QuantisationTables.annexKLuma.reduce(0) { $0 + Int($1) }
        #expect(QuantisationTables.shapeLuma.reduce(0) { $0 + Int($1) } == annex)
        for quality in stride(from: 5.0, through: 100, by: 2.5) {
            let ladder = ScaleLadder(minQuality: quality, maxQuality: quality)
            #expect(abs(ladder.tables(0).quality - quality) < 0.3)
        }
    }

    /// Counts that force long codes, too: Fibonacci numbers give the deepest tree.
    @Test func codesObeyTheStandard() {
        var fibonacci: [UInt32] = [1, 1]
        while fibonacci.count < 40 {
            fibonacci.append(fibonacci[fibonacci.count - 1] + fibonacci[fibonacci.count - 2])
        }
        var random = Random(seed: 6)
        let cases: [[UInt32]] = [
            [7], [3, 0, 9], fibonacci, [UInt32](repeating: 1, count: 256),
            (0..<256).map { _ in UInt32(random.next() % 3 == 0 ? random.next() % 100_000 : 0) },
            (0..<256).map { UInt32(1) << UInt32($0 % 24) },
        ]
        for counts in cases {
            let padded = counts + [UInt32](repeating: 0, count: 256 - counts.count)
            let table = HuffmanTable(counts: padded[...])
            #expect(table.symbols.count == counts.filter { $0 > 0 }.count)
            #expect(Set(table.symbols).count == table.symbols.count)
            #expect(table.lengthCounts.count == 16)
            #expect(table.lengthCounts.reduce(0) { $0 + Int($1) } == table.symbols.count)
            var kraft = 0
            for (index, count) in table.lengthCounts.enumerated() { kraft += Int(count) << (15 - index) }
            // Below 1 in 65 536ths: the code of all ones is free.
            #expect(kraft < 1 << 16)
            // Nothing else is wasted.
            let longest = (table.lengthCounts.lastIndex { $0 > 0 } ?? 0) + 1
            #expect((1 << 16) - kraft == 1 << (16 - longest))
            for packed in table.packedCodes where packed != 0 {
                #expect(packed >> 27 >= 1 && packed >> 27 <= 31)
            }
        }
    }

    /// Against the entropy bound and a known optimum.
    @Test func codeLengthsAreOptimal() {
        var counts = [UInt32](repeating: 0, count: 256)
        // Symbols with no appended bits; lengths 1, 2, 3, 4, and the reserved code beside the last.
        for (symbol, count) in [(0x00, 8), (0x10, 4), (0x20, 2), (0x30, 1)] as [(Int, UInt32)] {
            counts[symbol] = count
        }
        let table = HuffmanTable(counts: counts[...])
        #expect(Array(table.lengthCounts.prefix(4)) == [1, 1, 1, 1])
        #expect(table.symbols == [0x00, 0x10, 0x20, 0x30])
        #expect(table.totalBits == 8 + 8 + 6 + 4)
    }
}
