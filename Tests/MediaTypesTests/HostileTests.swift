import MediaTypes
import Testing

/// Damaged and made-up beginnings: any input ends in an answer, and the same one however it is cut.
@Suite struct HostileTests {
    private static let longer: [[UInt8]] = [
        pngHeader + pngChunk("iCCP", zeros(300)) + pngChunk("acTL", zeros(8)) + pngChunk("IDAT", zeros(20)),
        fileType("isom", "mp42") + box("mdat", zeros(200)) + movie(track("soun", codec: "mp4a")),
        fileType("mif1", "miaf") + itemList(["hvc1", "av01", "grid"], primary: 3),
        fileType("msf1") + movie(track("pict", codec: "av01")),
        id3Tag(size: 300) + mp3Frame + mp3Frame,
        ascii("<?xml version='1.0'?><!-- x --><!DOCTYPE a [<!ENTITY b 'c'>]><Error><Code>"),
    ]

    private func check(_ bytes: [UInt8], _ note: String) {
        let whole = Answer(bytes)
        #expect(whole.format != nil && whole.isSettled, "\(note)")
        for size in [1, 7, 64, 1000] where Answer(bytes, inPiecesOf: size) != whole {
            Issue.record("\(note): pieces of \(size) differ: \(bytes)")
        }
    }

    @Test(arguments: 0..<8) func mutated(seed: Int) {
        var generator = SeededGenerator(state: UInt64(seed))
        let sources = Sample.all.map(\.bytes) + Self.longer + Self.longer
        for round in 0..<150 {
            var bytes = sources.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let index = bytes.indices.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
                case 2: bytes.removeSubrange(index..<min(bytes.count, index + 3))
                case 3: bytes.insert(contentsOf: bytes.suffix(from: index).prefix(9), at: index)
                default: bytes = Array(bytes.prefix(index + 1))
                }
            }
            check(bytes, "seed \(seed), round \(round)")
        }
    }

    /// Sizes of all kinds in every place where a file may write one.
    @Test func everyFieldMadeExtreme() {
        for source in Self.longer {
            for index in stride(from: 0, to: source.count - 4, by: source.count > 500 ? 3 : 1) {
                for field in ["00000000", "00000001", "7FFFFFFF", "FFFFFFFF"] {
                    var bytes = source
                    bytes.replaceSubrange(index..<(index + 4), with: hex(field))
                    let whole = Answer(bytes)
                    #expect(whole.format != nil && Answer(bytes, inPiecesOf: 13) == whole)
                }
            }
        }
    }

    @Test func everyTruncation() {
        for source in Sample.all.map(\.bytes) + Self.longer {
            for count in stride(from: 0, to: source.count, by: source.count > 200 ? 7 : 1) {
                check(Array(source.prefix(count)), "\(count) bytes")
            }
        }
    }

    @Test func noise() {
        var generator = SeededGenerator(state: 99)
        for round in 0..<200 {
            let count = Int.random(in: 1...6000, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Answer(bytes).format == .unknown, "round \(round)")
        }
    }
}
