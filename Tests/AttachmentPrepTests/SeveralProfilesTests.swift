import AttachmentPrep
import TestSupport
import Testing

/// Several outputs from one decode.
@Suite struct SeveralProfilesTests {
    private func together(_ bytes: [UInt8], _ profiles: [Profile]) -> [[UInt8]?] {
        AttachmentPreparer(profiles) { _ in }.run(bytes).pictures
    }

    private func alone(_ bytes: [UInt8], _ profiles: [Profile]) -> [[UInt8]?] {
        profiles.map { prepare(bytes, profile: $0).picture }
    }

    private static let turned = JPEGParts.inserting(
        JPEGParts.exif(orientation: 5), into: Photos.budgetSources[0].jpeg("-quality 92"))

    /// Boxes that need the same scale of the codec: 450 × 305 at 8/8 for both.
    @Test func sameScale() {
        let profiles = [Profile.thumb, .fcm, Profile(name: "w300", width: 300, height: 300, maxBytes: 9_000)]
        let pictures = together(Self.turned, profiles)
        #expect(pictures.allSatisfy { $0 != nil })
        #expect(pictures == alone(Self.turned, profiles))
        #expect(together(Self.turned, profiles.reversed()) == pictures.reversed())
    }

    /// A PNG has one scale only, so its outputs never depend on each other.
    @Test func png() {
        let profiles = [
            Profile.small, .icon, .apns, Profile(name: "dot", width: 1, height: 1, maxBytes: 2_000),
        ]
        let pictures = together(Generated.png, profiles)
        #expect(pictures.allSatisfy { $0 != nil } && pictures == alone(Generated.png, profiles))
    }

    /// Beside a large box a small one is made from full scale, and differs a little from the one made alone.
    ///
    /// Alone it would let the codec reduce the picture (here to 2/8) before the real filter.
    @Test func otherScale() throws {
        let tiny = Profile(name: "tiny", width: 40, height: 40, maxBytes: 50_000)
        let shared = together(Self.turned, [.apns, tiny])
        let apart = alone(Self.turned, [.apns, tiny])
        #expect(shared[0] == apart[0] && shared[0] != nil)
        let (a, b) = (Picture(jpeg: shared[1] ?? []), Picture(jpeg: apart[1] ?? []))
        let (one, other) = (try #require(a), try #require(b))
        #expect(one.width == 27 && one.height == 40)
        #expect(try #require(one.distance(to: other)) <= 32)
    }

    @Test func progressive() {
        let profiles = [Profile.small, Profile(name: "w190", width: 190, height: 190, maxBytes: 50_000)]
        let pictures = together(Generated.progressive, profiles)
        #expect(pictures.allSatisfy { $0 != nil } && pictures == alone(Generated.progressive, profiles))
    }

    /// Boxes that come to the same picture share it: its colours are converted once, and it takes no more memory.
    @Test func samePicture() {
        func box(_ maxBytes: Int) -> Profile {
            Profile(name: "box\(maxBytes)", width: 60, height: 40, maxBytes: maxBytes)
        }
        var png = Photos.kitten.png
        png.height = 60
        let profile = ProfileBuilder.table(lab: [178, 148, 158])
        png.before = PNGParts.chunk("iCCP", Array("a".utf8) + [0, 0] + PNGParts.zlib(profile))
        let profiles = [box(50_000), .small, box(49_999), box(900)]
        for bytes in [Self.turned, Generated.interlaced, png.bytes] {
            let pictures = together(bytes, profiles)
            #expect(pictures.allSatisfy { $0 != nil } && pictures[0] == pictures[2])
            #expect((pictures[3]?.count ?? .max) <= 900)
        }
        #expect(together(png.bytes, profiles) == alone(png.bytes, profiles))
        #if ICC
            let run = AttachmentPreparer(profiles) { _ in }.run(png.bytes)
            #expect(run.record.warnings.contains(.colorConverted))
        #endif
        func need(_ profiles: [Profile]) -> Int? {
            AttachmentPreparer(profiles) { _ in }.run(png.bytes).record.memory?.need
        }
        let (one, both) = (need([box(50_000)]), need([box(50_000), box(49_999)]))
        #expect(one != nil && one == both)
    }

    @Test func noProfile() {
        let run = AttachmentPreparer([]) { _ in }.run(Generated.baseline)
        #expect(run.record.outputs.isEmpty && run.record.outcome == .failed)
    }
}
