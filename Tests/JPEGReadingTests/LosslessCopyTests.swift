import JPEGCore
import TestSupport
import Testing

@Suite struct LosslessCopyTests {
    /// Copies a file as the decoder does: segments that a decoder needs, and all entropy-coded data.
    private func copy(_ bytes: [UInt8], limit: Int = 1_000_000) -> LosslessCopy {
        var facts = JPEGFacts()
        var copy = LosslessCopy(limit: limit)
        let walked = Walked(bytes)
        for item in walked.items {
            switch item {
            case .segment(let marker, let segment):
                if facts.note(marker: marker, segment: segment) {
                    copy.append(segment: segment, marker: marker)
                }
            case .entropy(let data): copy.append(data.span)
            }
        }
        if walked.consumed != nil { copy.end() }
        return copy
    }

    /// Files that may pass: sequential, grey or YCbCr.
    static let names = [
        "4:4:4", "4:2:0", "4:2:2", "4:4:0", "4:1:1", "grey", "restarts", "quality 100, optimised",
        "quality 5", "1 x 1",
    ]

    @Test(arguments: names) func samplesStayTheSame(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        let copied = copy(bytes)
        #expect(!copied.isOverfull)
        #expect(try JPEGSamples.reference(copied.bytes) == JPEGSamples.reference(bytes))
    }

    /// What describes is dropped wherever it stands, and so are fill bytes.
    @Test(arguments: names) func metadataIsDropped(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        let secret = ascii("SECRET")
        let thumbnail = segment(
            0xE0, ascii("JFIF\0") + hex("0102 00 0048 0048 01 02") + secret)  // 1 × 2 pixels of RGB
        let extra = [
            segment(0xE1, ascii("Exif\0\0") + secret), segment(0xE2, ascii("ICC_PROFILE\0") + secret),
            segment(0xED, secret), segment(0xFE, secret), hex("FFFFFF"), segment(0xEE, secret),
        ]
        .flatMap { $0 }
        // In place of cjpeg's JFIF header, and again before the scan.
        let scan = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDA]) })
        let full = [0xFF, 0xD8] + thumbnail + extra + bytes[20..<scan] + extra + bytes[scan...] + secret
        let copied = copy(full).bytes
        #expect(try JPEGSamples.reference(copied) == JPEGSamples.reference(bytes))
        #expect(copied.starts(with: LosslessCopy.head))
        #expect(!copied.indices.contains { copied[$0...].starts(with: secret) })
        let markers = Walked(copied).items.compactMap { item -> UInt8? in
            if case .segment(let marker, _) = item { marker } else { nil }
        }
        #expect(markers.filter { $0 >= 0xE0 } == [0xE0])
        #expect(copied == copy(bytes).bytes)
        #expect(Walked(copied).consumed == copied.count)
    }

    /// Segments that libjpeg passes over, and markers that stand alone, are dropped like metadata.
    @Test func whatIsNotOfThePictureIsDropped() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        let scan = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDA]) })
        let extra = segment(0xDC, ascii("SECRET")) + segment(0xDC, [0, 1]) + hex("FFD3 FF01")
        let full = bytes[..<scan] + extra + bytes[scan...].dropLast(2) + extra + bytes.suffix(2)
        #expect(copy(Array(full)).bytes == copy(bytes).bytes)
    }

    /// Tables that no scan uses could hold anything: under numbers of their own, replaced before use, or behind the scan.
    @Test(arguments: ["4:2:0", "grey", "restarts"]) func unusedTablesAreDropped(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        let secret = ascii("SECRET")
        let filling = (0..<11).flatMap { _ in secret }
        func quantiser(_ head: UInt8) -> [UInt8] { [head] + filling.prefix(64) }
        let wide = [0x12] + filling + filling.prefix(62)
        func code(_ head: UInt8) -> [UInt8] {
            [head] + [0, 0, 6] + [UInt8](repeating: 0, count: 13) + secret
        }
        let dqt = segment(0xDB, quantiser(0) + wide + quantiser(3))
        let dht = segment(0xC4, code(0x00) + code(0x10) + code(0x03) + code(0x13))
        let behind = segment(0xDB, quantiser(2)) + segment(0xC4, code(0x03)) + segment(0xDD, ascii("SE"))
        let scan = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDA]) })
        let unused = segment(0xDB, quantiser(3)) + segment(0xC4, code(0x02))
        let full =
            [0xFF, 0xD8] + dqt + dht + bytes[2..<scan] + unused + bytes[scan...].dropLast(2) + behind
            + bytes.suffix(2)
        #expect(try JPEGSamples.reference(Array(full)) == JPEGSamples.reference(bytes))
        let copied = copy(Array(full)).bytes
        #expect(!copied.indices.contains { copied[$0...].starts(with: secret) })
        #expect(copied == copy(bytes).bytes)
        #expect(try JPEGSamples.reference(copied) == JPEGSamples.reference(bytes))
    }

    /// Scans that bring tables of their own under the same numbers.
    @Test func tablesOfEachScan() throws {
        let folder = try TemporaryFolder()
        let script = try folder.file("scans", ascii("0;\n1;\n2;\n"))
        let bytes = try JPEGSamples.make(Picture.waves(71, 45), ["-optimize", "-scans", script])
        let copied = copy(bytes)
        #expect(
            Walked(copied.bytes).items.filter { if case .entropy = $0 { true } else { false } }.count == 3)
        #expect(try JPEGSamples.reference(copied.bytes) == JPEGSamples.reference(bytes))
    }

    /// A file without the codes of its scan (a frame of Motion JPEG) is none that every reader shows.
    @Test func codesMustBeInTheFile() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        for missing in 0..<4 {
            var codes = -1
            let items = Walked(bytes).items.flatMap { item -> [UInt8] in
                switch item {
                case .segment(0xC4, let segment):
                    codes += 1
                    return codes == missing ? [] : segment
                case .segment(_, let segment): return segment
                case .entropy(let data): return data
                }
            }
            #expect(codes == 3 && copy(items + [0xFF, 0xD9]).isOverfull, "\(missing)")
        }
        #expect(!copy(bytes).isOverfull)
    }

    /// The head is a JFIF header as T.871 writes it, density 1 : 1, no thumbnail.
    @Test func headIsJFIF() {
        #expect(
            LosslessCopy.head == hex("FFD8") + segment(0xE0, ascii("JFIF\0") + hex("0101 00 0001 0001 00 00"))
        )
    }

    @Test func limitIsKept() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        let whole = copy(bytes).bytes
        #expect(copy(bytes, limit: whole.count).bytes == whole)
        let over = copy(bytes, limit: whole.count - 1)
        #expect(over.isOverfull && over.bytes.isEmpty)
        #expect(copy(bytes, limit: 0).isOverfull)
        var dropped = LosslessCopy(limit: 1000)
        dropped.drop()
        dropped.append([1, 2, 3].span)
        dropped.append(segment: segment(0xDB, [0]), marker: 0xDB)
        dropped.end()
        #expect(dropped.isOverfull && dropped.bytes.isEmpty)
    }
}
