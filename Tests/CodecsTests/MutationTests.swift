import Codecs
import Pixels
import TestSupport
import Testing

/// Damaged files: the decoders end with a picture or a `CodecError`, and never with anything else.
///
/// Where libpng's pull interface still decodes a damaged PNG, the decoder must agree with it.
@Suite(.timeLimit(.minutes(5))) struct MutationTests {
    /// Damage is looked at in a small picture; memory is bounded by the header, as admission does.
    private static let plan = DecodePlan(
        background: 0, size: PixelSize(8, 8), allowsTruncated: true, maxPixels: 100_000)

    @Test(arguments: Array(JPEGSamples.all.prefix(15))) func damagedJPEG(_ sample: JPEGSample) throws {
        var generator = SeededGenerator(seed: UInt64(sample.bytes.count))
        for round in 0..<40 {
            let bytes = mutated(sample.bytes, &generator)
            let ranges = pieces(of: bytes.count, size: round % 3 == 0 ? 64 : bytes.count)
            var plan = Self.plan
            plan.numerator = [1, 2, 3, 4, 8][round % 5]
            plan.allowsTruncated = round % 2 == 0
            plan.copyLimit = round % 4 == 0 ? 100_000 : nil
            do { _ = try decodeJPEG(bytes, in: ranges, plan, maxScans: 20) } catch {
                #expect(error.kind != .stopped)
            }
        }
    }

    /// Entropy-coded data with a gap is a damaged picture, although its end is there.
    @Test(arguments: ["4:2:0", "grey", "restarts", "progressive"]) func gapsAreDamage(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        let gap = Array(bytes[..<(bytes.count / 2)] + bytes[(bytes.count - 2)...])
        let error = #expect(throws: CodecError.self) { try decodeJPEG(gap) }
        #expect(error?.kind == .corrupt)
    }

    /// Where a damaged file still gives a picture, it is djpeg's; where djpeg has no complaint, there is one.
    @Test(arguments: ["4:2:0", "grey", "restarts", "progressive"]) func damageIsSeenAsDjpegSeesIt(
        _ name: String
    ) throws {
        let sound = try JPEGSamples.named(name)
        let scan = try #require(position(of: [0xFF, 0xDA], in: sound)) + 14
        var generator = SeededGenerator(seed: 17)
        let folder = try TemporaryFolder()
        for _ in 0..<25 {
            var bytes = sound
            let at = Int.random(in: scan..<(bytes.count - 2), using: &generator)
            bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            let path = try folder.file("in.jpg", bytes)
            let decoded = try? decodeJPEG(bytes)
            if let decoded {
                // Status 2: a warning, here one that every decoder shrugs at.
                let reference = Picture(pnm: try run("djpeg", ["-pnm", path], accepting: [0, 2]))
                #expect(Picture(decoded.bitmap) == reference)
            } else {
                #expect(throws: ProgramFailure.self) { try run("djpeg", ["-pnm", path]) }
            }
        }
    }

    /// Bytes are changed anywhere: check sums catch nearly all of it.
    @Test(arguments: ChunkTests.pngs) func damagedPNG(_ name: String) throws {
        let bytes = try fixture("pngsuite/\(name).png")
        var generator = SeededGenerator(seed: UInt64(bytes.count))
        for round in 0..<20 {
            let damaged = mutated(bytes, &generator)
            let ranges = pieces(of: damaged.count, size: round % 3 == 0 ? 64 : damaged.count)
            do { _ = try decodePNG(damaged, in: ranges, Self.plan) } catch {
                #expect(error.kind != .stopped)
            }
        }
    }

    /// Chunks are changed and given their right check sums: damage gets as far as it can.
    @Test(arguments: ChunkTests.pngs) func rearrangedPNG(_ name: String) throws {
        let file = PNGFile(parsing: try fixture("pngsuite/\(name).png"))
        var generator = SeededGenerator(seed: UInt64(file.chunks.count))
        for _ in 0..<40 {
            let damaged = rearranged(file, &generator).bytes
            do {
                let decoded = try decodePNG(damaged, DecodePlan(background: 0, maxPixels: 10_000))
                guard let reference = ReferencePNG(damaged) else { continue }
                #expect(decoded.header.layout.channelCount == reference.channels)
                #expect(decoded.header.size == PixelSize(reference.width, reference.height))
                guard reference.bits == 8, reference.channels % 2 == 1 else { continue }
                #expect(decoded.bitmap.samples == reference.samples.map(UInt8.init))
            } catch { #expect(error.kind != .stopped) }
        }
    }
}

/// One to three changes such as transport and hostility make.
private func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 4 {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, at + Int.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 1: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes[at] = 0xFF
        case 3: bytes.removeSubrange(at..<end)
        case 4: bytes.insert(contentsOf: bytes[at..<end], at: at)
        case 5: bytes.insert(contentsOf: [0xFF, UInt8.random(in: 0xC0...0xFE, using: &generator)], at: at)
        case 6: for i in at..<end { bytes[i] = 0 }
        default: bytes.removeSubrange(at...)
        }
    }
    return bytes
}

private func rearranged(_ file: PNGFile, _ generator: inout SeededGenerator) -> PNGFile {
    var file = file
    for _ in 0..<Int.random(in: 1...3, using: &generator) where file.chunks.count > 1 {
        let at = Int.random(in: 0..<file.chunks.count, using: &generator)
        let other = Int.random(in: 0..<file.chunks.count, using: &generator)
        let length = Int.random(in: 0...12, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: file.chunks.swapAt(at, other)
        case 1: file.chunks.remove(at: at)
        case 2: file.chunks.insert(file.chunks[at], at: other)
        case 3: file.chunks[at].checkSum = 0
        case 4: file.chunks[at].data = Array(file.chunks[at].data.dropLast(length))
        case 5 where !file.chunks[at].data.isEmpty:
            let byte = Int.random(in: 0..<file.chunks[at].data.count, using: &generator)
            file.chunks[at].data[byte] ^= UInt8.random(in: 1...255, using: &generator)
        case 6:
            file.chunks.insert(
                .init("tRNS", (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }), at: at)
        default:
            let type =
                ["PLTE", "acTL", "eXIf", "gAMA", "sBIT", "bKGD"].randomElement(using: &generator) ?? "PLTE"
            file.chunks.insert(.init(type, [UInt8](repeating: 7, count: length)), at: at)
        }
    }
    return file
}
