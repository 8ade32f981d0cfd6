import AttachmentPrep
import Testing

/// What a notification extension may take: 14 MiB a job, and pictures from means as soon as those have the pixels.
@Suite struct MemoryPresetTests {
    private static let limit = 14 * 1024 * 1024

    private func record(_ bytes: [UInt8], _ preset: MemoryPreset) -> PreparationRecord {
        let scratch = Scratch()
        var session = AttachmentPreparer(preset: preset).begin(into: .directory(scratch.path))
        try? session.push(bytes)
        return session.record()
    }

    @Test func values() {
        let preparer = AttachmentPreparer(preset: .extension)
        #expect(preparer.profiles == [.apns] && preparer.options.limits.memory == Self.limit)
        #expect(AttachmentPreparer(preset: .server).options == PreparationOptions())
    }

    /// Every colour model and sampling in use, as square, as wide and as high as 48 megapixels come.
    @Test(arguments: FlatProgressive.all) func anyProgressiveOf48Megapixels(kind: FlatProgressive) throws {
        let sizes = [
            (8000, 6000), (6000, 8000), (6928, 6928), (12_000, 4000), (48_000, 1000), (1000, 48_000),
            (65_500, 732), (732, 65_500),
        ]
        for (width, height) in sizes {
            let record = record(kind.head(width, height), .extension)
            // Admitted, and then short of its scans.
            #expect(record.error?.code == .truncated, "\(kind) \(width) x \(height): \(record.error as Any)")
            let need = try #require(record.memory?.need)
            #expect(need <= Self.limit && record.memory?.limit == Self.limit)
        }
        // The limit is one: four components of 16 blocks in each MCU, 65,500 pixels wide.
        let wide = FlatProgressive(
            description: "wide", sampling: Array(repeating: (4, 4), count: 4), transform: 0)
        let refused = record(wide.head(65_500, 732), .extension)
        #expect(refused.error?.code == .memoryLimit)
        #expect(try #require(refused.memory).need > Self.limit && refused.memory?.limit == Self.limit)
    }

    @Test func wholePictures() throws {
        let scratch = Scratch()
        for kind in FlatProgressive.all {
            var preparer = AttachmentPreparer(preset: .extension)
            preparer.options.limits.timeout = nil
            let record = preparer.record(
                of: .bytes(kind.jpeg(1999, 301), name: "flat"), into: .directory(scratch.path))
            #expect(record.outcome == .prepared, "\(kind): \(record.error as Any)")
            #expect(record.outputs.first?.width == 1038)
        }
    }

    /// 1/8 of 1600 x 1200 is 200 x 150: the scans behind the means are then not even looked into.
    @Test(arguments: [
        (100, true, true), (104, true, true), (106, true, false), (200, true, false), (201, false, false),
    ])
    func meansAreEnough(edge: Int, inExtension: Bool, onServer: Bool) throws {
        var jpeg = FlatProgressive.quarterChroma.jpeg(1600, 1200)
        // A code that stands for nothing, in the last scan.
        let last = try #require(jpeg.indices.last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        jpeg[last + 10] = 0xFE
        for (preset, isEnough) in [(MemoryPreset.extension, inExtension), (.server, onServer)] {
            let scratch = Scratch()
            var options = PreparationOptions(preset: preset)
            options.maxEdge = edge
            options.limits.timeout = nil
            let record = AttachmentPreparer(profile: .apns, options: options).record(
                of: .bytes(jpeg, name: "damaged"), into: .directory(scratch.path))
            #expect(record.error?.code == (isEnough ? nil : .corrupt), "\(preset) \(edge)")
        }
    }

    /// Two ways to the pixels are two names.
    @Test func namesTellThemApart() throws {
        let scratch = Scratch()
        let jpeg = FlatProgressive.grey.jpeg(64, 64)
        let paths = MemoryPreset.allCases.map { preset in
            AttachmentPreparer(preset: preset).record(
                of: .bytes(jpeg, name: "x"), into: .directory(scratch.path)
            ).outputs.first?.path
        }
        #expect(paths.allSatisfy { $0 != nil } && paths[0] != paths[1])
    }
}
