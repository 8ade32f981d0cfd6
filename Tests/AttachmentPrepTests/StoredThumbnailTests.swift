#if HEIF
    import AttachmentPrep
    import TestSupport
    import Testing

    /// A HEIC's own thumbnail is what is scaled, where both its sides are at least 1.9 times the output's.
    @Suite struct StoredThumbnailTests {
        /// 150 × 100 pixels, with a thumbnail of 80 × 52.
        private let whole = try? fixture("heif/thumbnail.heic")

        /// The same without the reference that makes the smaller picture a thumbnail.
        private var alone: [UInt8]? {
            guard var bytes = whole,
                let start = bytes.indices.first(where: { bytes[$0...].starts(with: "thmb".utf8) })
            else { return nil }
            bytes.replaceSubrange(start..<(start + 4), with: Array("cdsc".utf8))
            return bytes
        }

        /// 41 × 27: 80 is 1.95 times as wide and 52 is 1.93 times as high; 42 × 28: 1.90 and 1.86 times; 45: neither.
        @Test(arguments: [20: true, 41: true, 42: false, 45: false, 60: false])
        func headroom(_ edge: Int, isUsed: Bool) throws {
            let profile = Profile(name: "box", width: edge, height: edge, maxBytes: 50_000)
            let with = try #require(whole)
            let without = try #require(alone)
            let (one, other) = (prepare(with, profile: profile), prepare(without, profile: profile))
            #expect((one.picture != other.picture) == isUsed)
            let (need, wholeNeed) = (one.record.memory?.need ?? 0, other.record.memory?.need ?? 0)
            #expect(isUsed ? need < wholeNeed : need == wholeNeed && need > 0)
            #expect(one.record.source?.width == 150)
            // Both look the same.
            let small = try #require(Picture(jpeg: one.picture ?? []))
            let large = try #require(Picture(jpeg: other.picture ?? []))
            #expect(try #require(small.distance(to: large)) <= 8)
        }

        /// Of several outputs the largest decides.
        @Test func severalProfiles() throws {
            let profiles = [41, 60].map { Profile(name: "w\($0)", width: $0, height: $0, maxBytes: 50_000) }
            let with = try #require(whole)
            let without = try #require(alone)
            let pictures = AttachmentPreparer(profiles) { _ in }.run(with).pictures
            #expect(pictures == AttachmentPreparer(profiles) { _ in }.run(without).pictures)
            #expect(pictures.allSatisfy { $0 != nil })
        }
    }
#endif
