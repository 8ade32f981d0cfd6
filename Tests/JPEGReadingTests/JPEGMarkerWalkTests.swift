import JPEGCore
import TestSupport
import Testing

@Suite struct JPEGMarkerWalkTests {
    /// Every kind of thing that stands in a JPEG, and what the walk must make of it (T.81, B.1.1).
    private static let bytes =
        hex("FFD8") + hex("FFFFFF") + hex("E0 0004 1122") + hex("FFDB 0003 55") + hex("FFFE 0002")
        + hex("FFDA 0004 0102") + hex("01 FF00 02 FFD0 03 FFFF00 04 FFFFFFD1 05 FF01 06 FFBF FF00FF00 07")
        + hex("FFC4 0003 77") + hex("FFDA 0002") + hex("AA FF00 FFD7 FF") + hex("FFD9")
    private static let items: [Walked.Item] = [
        .segment(0xD8, hex("FFD8")), .segment(0xE0, hex("FFE0 0004 1122")),
        .segment(0xDB, hex("FFDB 0003 55")),
        .segment(0xFE, hex("FFFE 0002")), .segment(0xDA, hex("FFDA 0004 0102")),
        .entropy(hex("01 FF00 02 FFD0 03 FF00 04 FFD1 05 FF01 06 FFBF FF00FF00 07")),
        .segment(0xC4, hex("FFC4 0003 77")), .segment(0xDA, hex("FFDA 0002")), .entropy(hex("AA FF00 FFD7")),
    ]

    @Test func segmentsAndDataAreTold() {
        let walked = Walked(Self.bytes)
        #expect(walked.items == Self.items)
        #expect(walked.consumed == Self.bytes.count)
        #expect(!walked.sawExtraneousBytes)
    }

    @Test func anyPiecesGiveTheSame() {
        // Behind the end lies what must be left alone.
        let bytes = Self.bytes + hex("FFD8 FFDA 0002 0102 FFD9")
        for size in 1...Self.bytes.count {
            let walked = Walked(bytes, in: pieces(of: bytes.count, size: size))
            #expect(walked.items == Self.items, "pieces of \(size)")
            #expect(walked.consumed == Self.bytes.count, "pieces of \(size)")
        }
    }

    @Test(arguments: JPEGSamples.all) func realFilesInAnyPieces(_ sample: JPEGSample) {
        let whole = Walked(sample.bytes)
        #expect(whole.consumed == sample.bytes.count)
        #expect(!whole.sawExtraneousBytes)
        // Nothing is lost: these files have no fill bytes.
        let again = whole.items.flatMap { item in
            switch item {
            case .segment(_, let bytes), .entropy(let bytes): bytes
            }
        }
        #expect(again + hex("FFD9") == sample.bytes)
        let count = sample.bytes.count
        for ranges in [1, 2, 3, 7, 1000, 65536].map({ pieces(of: count, size: $0) }) {
            #expect(Walked(sample.bytes, in: ranges) == whole)
        }
        for seed in 1...4 as ClosedRange<UInt64> {
            #expect(Walked(sample.bytes, in: pieces(of: count, upTo: 100, seed: seed)) == whole)
        }
    }

    /// Data in which every second byte is 0xFF, at every distance from the ends of the words that are searched.
    @Test func markersAreFoundAtEveryPlace() {
        for lead in 0...70 {
            let data = [UInt8](repeating: 0x5A, count: lead)
            let bytes = hex("FFD8 FFDA 0002") + data + hex("FF00 FE FF00 FFD3 FE") + data + hex("FFD9 00")
            let walked = Walked(bytes)
            let entropy = data + hex("FF00 FE FF00 FFD3 FE") + data
            #expect(walked.items.last == .entropy(entropy))
            #expect(walked.consumed == bytes.count - 1)
        }
    }

    @Test func randomDataIsKept() {
        for seed in 1...50 as ClosedRange<UInt64> {
            // No 0xFF is followed by what would end the data or be dropped.
            let data = randomBytes(300, seed: seed).flatMap { $0 < 0xFF ? [$0] : [$0, 0] }
            let bytes = hex("FFD8 FFDA 0002") + data + hex("FFD9")
            #expect(Walked(bytes).items.last == .entropy(data))
        }
    }

    @Test func bytesBetweenSegmentsArePassedOver() {
        let bytes = hex("FFD8 00 1234 FFDB 0003 55 AB FF00 FFDA 0002 01 FFD9")
        let walked = Walked(bytes)
        #expect(
            walked.items == [
                .segment(0xD8, hex("FFD8")), .segment(0xDB, hex("FFDB 0003 55")),
                .segment(0xDA, hex("FFDA 0002")),
                .entropy([1]),
            ])
        #expect(walked.sawExtraneousBytes)
        #expect(Walked(bytes, in: pieces(of: bytes.count, size: 1)) == walked)
    }

    @Test func impossibleLengthsEndAtOnce() {
        for length in ["0000", "0001", "0002"] {
            let walked = Walked(hex("FFD8 FFDB \(length) FFD9"))
            #expect(walked.items.last == .segment(0xDB, hex("FFDB \(length)")))
            #expect(walked.consumed == 8)
        }
    }

    @Test func theLongestSegmentIsWhole() {
        let long = segment(0xE5, randomBytes(65_533, seed: 1))
        let bytes = hex("FFD8") + long + hex("FFD9")
        for size in [1, 1000, bytes.count] {
            let walked = Walked(bytes, in: pieces(of: bytes.count, size: size))
            #expect(walked.items == [.segment(0xD8, hex("FFD8")), .segment(0xE5, long)])
            #expect(walked.consumed == bytes.count)
        }
    }

    @Test func endsAreNotMadeUp() {
        for count in 0..<Self.bytes.count {
            #expect(Walked(Array(Self.bytes[..<count])).consumed == nil, "\(count) bytes")
        }
        #expect(Walked(randomBytes(5000, seed: 3).filter { $0 != 0xFF }) == Walked([1]))
    }

    /// Any bytes whatever, in any pieces: no trap, and the same each time.
    @Test func anyBytesInAnyPieces() {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<300 as Range<UInt64> {
            let bytes =
                [0xFF, 0xD8]
                + (0..<200).map { _ -> UInt8 in
                    [0xFF, 0, 0xD0, 0xDA, 0xC4, 2, 3, UInt8.random(in: 0...255, using: &generator)]
                        .randomElement(using: &generator) ?? 0
                }
            let whole = Walked(bytes)
            #expect(Walked(bytes, in: pieces(of: bytes.count, upTo: 9, seed: round)) == whole)
            #expect(Walked(bytes, in: pieces(of: bytes.count, size: 1)) == whole)
        }
    }
}
