import AttachmentPrep
import Foundation
import TestSupport
import Testing

/// JPEGs of several scans through the whole flow.
@Suite struct SessionTests {
    private let fixtures: Fixtures
    private let progressive: [UInt8]
    /// For what is done many times over.
    private let small: [UInt8]

    init() throws {
        fixtures = try Fixtures()
        progressive = try fixtures.cjpeg(640, 400, ["-quality", "90", "-progressive"])
        small = try fixtures.cjpeg(160, 110, ["-quality", "90", "-progressive"])
    }

    private func preparer(_ change: (inout PreparationOptions) -> Void = { _ in }) -> AttachmentPreparer {
        var options = PreparationOptions()
        options.maxEdge = 120
        change(&options)
        return AttachmentPreparer(profile: .apns, options: options)
    }

    /// Pushes a file in pieces.
    private func pushed(
        _ bytes: [UInt8], piece: Int, _ preparer: AttachmentPreparer, to name: String = "pushed"
    ) -> (record: PreparationRecord, taken: Int) {
        var session = preparer.begin(into: .named(name, in: fixtures.folder.path))
        var at = 0
        while at < bytes.count, session.needsMoreInput {
            let end = min(at + piece, bytes.count)
            do { try session.push(bytes.span.extracting(at..<end)) } catch { break }
            at = end
        }
        return (session.record(), at)
    }

    private func inPlace(_ bytes: [UInt8], _ preparer: AttachmentPreparer) throws -> PreparationRecord {
        let path = try fixtures.write(bytes, "source.jpg")
        return preparer.record(of: .file(path), into: .named("in-place", in: fixtures.folder.path))
    }

    private func output(_ record: PreparationRecord) throws -> [UInt8] {
        let path = try #require(record.outputs.first?.path)
        return try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test(arguments: [1, 977, 65_536])
    func pushedIsAsInPlace(piece: Int) throws {
        let expected = try inPlace(progressive, preparer())
        #expect(expected.outcome == .prepared && expected.warnings == [])
        let got = pushed(progressive, piece: piece, preparer()).record
        #expect(got.outcome == .prepared && got.warnings == [])
        #expect(try output(got) == output(expected))
    }

    @Test func memoryIsARowAndNotThePicture() throws {
        let large = try fixtures.cjpeg(3000, 1500, ["-quality", "30", "-progressive"])
        let record = try inPlace(large, preparer())
        #expect(record.outcome == .prepared)
        // The coefficients of the whole picture are 13.5 MB.
        #expect(try #require(record.memory).need < 6_000_000)
    }

    @Test func meansAloneAreEnoughForASmallPicture() throws {
        // 640 x 400 to 39 x 24: 1/8 is 80 x 50, and leaves 1.9 times as much.
        let tiny = preparer { $0.maxEdge = 39 }
        let record = try inPlace(progressive, tiny)
        #expect(record.outcome == .prepared)
        #expect(record.outputs.first?.width == 39)
    }

    @Test func everyCutIsTruncated() throws {
        let lenient = preparer { $0.allowsTruncated = true }
        for cut in stride(from: 997, to: small.count, by: 997) {
            let part = Array(small[..<cut])
            for record in [try inPlace(part, preparer()), pushed(part, piece: 4096, preparer()).record] {
                #expect(record.error?.code == .truncated, "cut at \(cut)")
            }
            let record = try inPlace(part, lenient)
            #expect(record.outcome == .prepared && record.warnings == [.truncatedInput], "cut at \(cut)")
            #expect(
                try output(record) == output(pushed(part, piece: 777, lenient).record), "cut at \(cut)")
        }
    }

    @Test func scansAreCounted() throws {
        let few = preparer { $0.limits.scans = 5 }
        #expect(try inPlace(progressive, few).error?.code == .tooManyScans)
        let record = pushed(progressive, piece: 512, few)
        #expect(record.record.error?.code == .tooManyScans)
        // Refused at the sixth scan's header, not at the end.
        #expect(record.taken < progressive.count - 512)
        let enough = preparer { $0.limits.scans = 10 }
        #expect(try inPlace(progressive, enough).outcome == .prepared)
    }

    @Test func thousandsOfScans() throws {
        // The last scan, all of luma's AC, again and again.
        let whole = try fixtures.cjpeg(
            64, 48, ["-quality", "20"],
            scans: "0,1,2: 0-0, 0, 0; 1: 1-63, 0, 0; 2: 1-63, 0, 0; 0: 1-63, 0, 0;\n")
        let last = try #require(whole.indices.last { whole[$0...].starts(with: [0xFF, 0xDA]) })
        let repeated = (0..<3000).flatMap { _ in whole[last..<whole.count - 2] }
        let jpeg = Array(whole.dropLast(2) + repeated + whole.suffix(2))
        #expect(try inPlace(jpeg, preparer()).error?.code == .tooManyScans)
        let all = try inPlace(jpeg, preparer { $0.limits.scans = 5000 })
        #expect(try output(all) == output(inPlace(whole, preparer())))
        // Refinement that does not follow on what is known is damage.
        var twice = jpeg
        let header = try #require(twice.indices.last { twice[$0...].starts(with: [0xFF, 0xDA]) })
        twice[header + 9] = 0x10
        #expect(try inPlace(twice, preparer { $0.limits.scans = 5000 }).error?.code == .corrupt)
    }

    @Test func whatLiesAroundThePicture() throws {
        let comment: [UInt8] = [0xFF, 0xFE, 0, 6, 0x61, 0x62, 0x63, 0x64]
        let noted = progressive.prefix(2) + comment + progressive.dropFirst(2) + [1, 2, 3]
        for record in [
            try inPlace(Array(noted), preparer()), pushed(Array(noted), piece: 3000, preparer()).record,
        ] {
            #expect(record.outcome == .prepared)
            #expect(Set(record.warnings) == [.metadataRemoved, .trailingData])
            #expect(try output(record) == output(try inPlace(progressive, preparer())))
        }
        // A comment between scans counts as well.
        let between = Array(progressive.dropLast(2) + comment + progressive.suffix(2))
        #expect(try inPlace(between, preparer()).warnings == [.metadataRemoved])
    }

    @Test func separateSequentialScansPassWithoutLoss() throws {
        let jpeg = try fixtures.cjpeg(100, 80, ["-quality", "85"], scans: "0; 1; 2;\n")
        for record in [try inPlace(jpeg, preparer()), pushed(jpeg, piece: 512, preparer()).record] {
            #expect(record.outcome == .passedThrough)
            #expect(try fixtures.djpeg(output(record), numerator: 8) == fixtures.djpeg(jpeg, numerator: 8))
        }
        // Progressive ones do not, however small.
        let other = try fixtures.cjpeg(100, 80, ["-quality", "85", "-progressive"])
        #expect(try inPlace(other, preparer()).outcome == .prepared)
    }

    @Test func namesByContentCoverAllBytes() throws {
        let folder = AttachmentDestination.directory(fixtures.folder.path)
        var other = progressive
        other += [0]
        let names = try [progressive, other].map { bytes in
            let path = try fixtures.write(bytes, "named.jpg")
            return try #require(preparer().record(of: .file(path), into: folder).outputs.first?.path)
        }
        #expect(names[0] != names[1])
    }

    @Test func dataThatNobodyNeedsIsHarmless() throws {
        // Twenty bytes behind the last scan's data.
        let longer =
            Array(progressive.dropLast(2)) + [UInt8](repeating: 0x55, count: 20) + progressive.suffix(2)
        let record = try inPlace(longer, preparer())
        #expect(record.outcome == .prepared && record.warnings == [.harmlessDamage])
        #expect(try output(record) == output(inPlace(progressive, preparer())))
    }

    @Test func dataThatEndsBeforeItsScanIsDamage() throws {
        let shorter = Array(progressive.dropLast(200)) + progressive.suffix(2)
        for preparer in [preparer(), preparer { $0.allowsTruncated = true }] {
            #expect(try inPlace(shorter, preparer).error?.code == .corrupt)
        }
    }

    @Test func arithmeticCodingIsRefused() throws {
        let jpeg = try fixtures.cjpeg(64, 64, ["-arithmetic", "-progressive"])
        #expect(try inPlace(jpeg, preparer()).error?.code == .unsupportedVariant)
    }

    @Test func hugeSidesAreRefusedBeforeAllElse() throws {
        var jpeg = progressive
        let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC2]) })
        for i in 5...8 { jpeg[frame + i] = 0xFF }
        #expect(try inPlace(jpeg, preparer()).error?.code == .tooManyPixels)
    }

    @Test func aStoppedJobEndsInTime() throws {
        // 65 MP announced by a small file: each row of MCUs asks the clock.
        var jpeg = progressive
        let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC2]) })
        for (i, byte) in [0x1F, 0xFF, 0x1F, 0xFF].enumerated() { jpeg[frame + 5 + i] = UInt8(byte) }
        let lenient = preparer {
            $0.allowsTruncated = true
            $0.limits.timeout = .milliseconds(1)
        }
        let record = try inPlace(Array(jpeg.dropLast(2)), lenient)
        #expect(record.error?.code == .timeLimit)
    }

    @Test func mutatedFilesEndInARecord() throws {
        var random = SeededGenerator(seed: 5)
        for round in 0..<150 {
            var jpeg = small
            for _ in 0...Int(random.next() % 4) {
                let at = Int(random.next() % UInt64(round % 2 == 0 ? 700 : jpeg.count))
                jpeg[at] = UInt8(truncatingIfNeeded: random.next())
            }
            if round % 5 == 0 { jpeg.removeSubrange(300..<300 + Int(random.next() % 400)) }
            let preparer = preparer {
                $0.allowsTruncated = round % 3 == 0
                $0.limits.pixels = 500_000
                $0.limits.timeout = .seconds(10)
            }
            let record = try inPlace(jpeg, preparer)
            #expect(record.outcome != .failed, "\(round): \(record)")
        }
    }
}
