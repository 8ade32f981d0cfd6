import AttachmentPrep
import MediaTypes
import TestSupport
import Testing

/// Animations that are kept pass as they are, but for what does not show.
@Suite struct AnimationTests {
    // One red pixel; the data is that of the smallest GIFs there are: clear, 0, end in three bits each.
    private static let head: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
    private static let loop: [UInt8] = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    private static let comment: [UInt8] = [0x21, 0xFE, 6] + Array("secret".utf8) + [0]
    private static let xmp: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [3, 7, 8, 9, 0]
    private static let control: [UInt8] = [0x21, 0xF9, 4, 4, 10, 0, 0, 0]
    private static let image: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]

    private static let animated =
        head + comment + loop + xmp + control + image + comment + control + image + [0x3B]
    private static let cleaned = head + loop + control + image + control + image + [0x3B]

    private static let exif = PNGParts.chunk("eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0])
    private static let text = PNGParts.chunk("tEXt", Array("a\0secret".utf8))

    private static func announced(_ frames: UInt8) -> [UInt8] {
        PNGParts.chunk("acTL", [0, 0, 0, frames, 0, 0, 0, 0])
    }

    private static func control(
        _ number: Int, _ width: Int, _ height: Int? = nil, x: Int = 0, dispose: UInt8 = 0, blend: UInt8 = 0
    ) -> [UInt8] {
        let numbers = [number, width, height ?? width, x, 0].flatMap(PNGParts.big)
        return PNGParts.chunk("fcTL", numbers + [0, 1, 0, 10, dispose, blend])
    }

    private static func data(_ number: Int) -> [UInt8] {
        PNGParts.chunk("fdAT", PNGParts.big(number) + PNGParts.zlib([0, 1, 2, 3]))
    }

    private static func apng(side: Int, _ dropped: [UInt8] = [], orientation: [UInt8] = []) -> [UInt8] {
        PNGParts(
            width: side, height: side,
            before: announced(2) + dropped + orientation + control(0, side),
            after: control(1, side) + data(2) + dropped
        ) { x, y in [UInt8(x & 255), UInt8(y & 255), 7] }.bytes
    }

    private func keep(
        _ bytes: [UInt8], _ profile: Profile = .apns, _ arrival: Arrival = .whole, maxBytes: Int? = nil,
        maxEdge: Int? = nil
    ) -> Run {
        prepare(bytes, profile: profile, arrival) {
            $0.animation = .keep
            $0.maxBytes = maxBytes
            $0.maxEdge = maxEdge
        }
    }

    @Test(arguments: [Arrival.whole, .pieces(1), .pieces(7), .file, .pipe]) func gif(_ arrival: Arrival)
        throws
    {
        let run = keep(Self.animated + Array("behind".utf8), .apns, arrival)
        #expect(run.picture == Self.cleaned)
        let output = try #require(run.output)
        #expect(output.outcome == .passedThrough && output.format == .gif && output.fileExtension == "gif")
        #expect(output.path == "out.gif" && output.width == 1 && output.height == 1)
        #expect(run.record.warnings == [.metadataRemoved, .trailingData])
    }

    @Test(arguments: [Arrival.whole, .pieces(1), .file]) func apng(_ arrival: Arrival) throws {
        let run = keep(Self.apng(side: 20, Self.text + Self.exif), .apns, arrival)
        #expect(run.picture == Self.apng(side: 20))
        let output = try #require(run.output)
        #expect(output.outcome == .passedThrough && output.format == .apng && output.fileExtension == "png")
        #expect(run.record.warnings == [.metadataRemoved])
    }

    /// What readers refuse or stop at is not passed on.
    @Test func framesThatAreNotAsAnnounced() {
        func outcome(_ before: [UInt8], _ after: [UInt8]) -> Outcome? {
            let bytes = PNGParts(width: 20, height: 20, before: before, after: after) { x, _ in
                [UInt8(x), 5, 7]
            }.bytes
            return keep(bytes).output?.outcome
        }
        let (two, first) = (Self.announced(2), Self.control(0, 20))
        #expect(outcome(two + first, Self.control(1, 10, x: 10) + Self.data(2)) == .passedThrough)
        // The image is no frame.
        let apart = Self.control(0, 20) + Self.data(1) + Self.control(2, 20) + Self.data(3) + Self.data(4)
        #expect(outcome(two, apart) == .passedThrough)
        let second = Self.control(1, 20)
        let broken: [(String, [UInt8], [UInt8])] = [
            ("a number left out", two + first, second + Self.data(3)),
            ("beyond the canvas", two + first, Self.control(1, 10, x: 11) + Self.data(2)),
            ("no pixels", two + first, Self.control(1, 0) + Self.data(2)),
            ("a part of the image", two + Self.control(0, 10), second + Self.data(2)),
            ("no data", two + first, second),
            ("empty data", two + first, second + PNGParts.chunk("fdAT", PNGParts.big(2))),
            ("too few", Self.announced(3) + first, second + Self.data(2)),
            ("too many", Self.announced(1) + first, second + Self.data(2)),
            ("announced twice", two + two + first, second + Self.data(2)),
            ("dispose", two + first, Self.control(1, 20, dispose: 3) + Self.data(2)),
            ("blend", two + first, Self.control(1, 20, blend: 2) + Self.data(2)),
            ("a short control", two + first, PNGParts.chunk("fcTL", PNGParts.big(1)) + Self.data(2)),
            ("data without a control", two + first, second + Self.data(2) + PNGParts.chunk("fcTL", [])),
        ]
        for (name, before, after) in broken { #expect(outcome(before, after) == .prepared, "\(name)") }
    }

    /// GIF 89a, 20: each image "must fit within the boundaries of the logical screen"; readers differ about what does
    /// not, and about codes of a size that no image can have (22).
    @Test func imagesOutsideTheirScreen() {
        func gif(_ place: [UInt8], codes: UInt8 = 2) -> Run {
            let second = [0x2C] + place + [0, codes, 2, 0x44, 0x01, 0]
            return keep(Self.head + Self.image + second + [0x3B])
        }
        let inside = gif([0, 0, 0, 0, 1, 0, 1, 0])
        #expect(inside.output?.outcome == .passedThrough && inside.output?.format == .gif)
        let broken = [
            gif([0, 0, 0, 0, 0, 0, 1, 0]), gif([0, 0, 0, 0, 1, 0, 0, 0]), gif([1, 0, 0, 0, 1, 0, 1, 0]),
            gif([0, 0, 1, 0, 1, 0, 1, 0]), gif([0, 0, 0, 0, 2, 0, 1, 0]), gif([0, 0, 0, 0, 1, 0, 0, 1]),
            gif([0, 0, 0, 0, 1, 0, 1, 0], codes: 0), gif([0, 0, 0, 0, 1, 0, 1, 0], codes: 12),
        ]
        for (i, run) in broken.enumerated() {
            #expect(run.output?.outcome == .prepared && run.output?.format == .jpeg, "\(i)")
            #expect(run.record.warnings.contains(.firstFrameOnly), "\(i)")
        }
        // A first image without pixels leaves nothing to show.
        let none = keep(Self.head + [0x2C, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0] + Self.image + [0x3B])
        #expect(none.code == .corrupt && none.pictures.allSatisfy { $0 == nil })
    }

    /// A colour profile does not pass.
    ///
    /// Without one that is no more than sRGB, or of no use, frames look the same; without another they do not, so the
    /// first one is prepared.
    @Test func colourProfiles() {
        func iCCP(_ profile: [UInt8]) -> [UInt8] {
            PNGParts.chunk("iCCP", Array("secret".utf8) + [0, 0] + PNGParts.zlib(profile))
        }
        let plain = Self.apng(side: 20)
        let colorants = ProfileBuilder.sRGBColorants
        let swapped = ProfileBuilder.rgb([colorants[1], colorants[0], colorants[2]], gamma: 2.2)
        let useless = keep(Self.apng(side: 20, iCCP([1, 2, 3])))
        #if ICC
            #expect(useless.picture == plain && useless.output?.outcome == .passedThrough)
        #else
            // Nobody has read it: it may be one that matters.
            #expect(useless.output?.outcome == .prepared)
            #expect(useless.record.warnings == [.profileIgnored, .firstFrameOnly])
        #endif
        // Too long to be read, though other readers may.
        let long = keep(Self.apng(side: 20, iCCP([UInt8](repeating: 1, count: 1 << 20))))
        #expect(long.output?.outcome == .prepared)
        #expect(long.record.warnings == [.profileIgnored, .firstFrameOnly])
        let wide = keep(Self.apng(side: 20, iCCP(swapped)))
        #expect(wide.output?.outcome == .prepared && wide.record.warnings.contains(.firstFrameOnly))
        let gamma = Self.apng(side: 20, PNGParts.chunk("gAMA", [0, 1, 0x86, 0xA0]))
        #expect(keep(gamma).picture == gamma)
        // A profile would have overruled that.
        let both = Self.apng(side: 20, iCCP([1, 2, 3]) + PNGParts.chunk("gAMA", [0, 1, 0x86, 0xA0]))
        #expect(keep(both).output?.outcome == .prepared)
        let names = ["sPLT", "pHYs", "hIST", "bKGD", "sBIT"].flatMap {
            PNGParts.chunk($0, Array("secret".utf8))
        }
        #expect(keep(Self.apng(side: 20, names)).picture == plain)
    }

    /// Where it does not fit, or may not pass, what remains is the first frame.
    @Test func firstFrame() throws {
        let large = Self.apng(side: 60)
        let turned = PNGParts.chunk(
            "eXIf", [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
        let runs = [
            prepare(Self.animated), keep(Self.animated, .thumb), keep(large, maxBytes: large.count - 1),
            keep(large, maxEdge: 59), keep(Self.apng(side: 20, orientation: turned)),
        ]
        for (i, run) in runs.enumerated() {
            #expect(run.output?.outcome == .prepared && run.output?.format == .jpeg, "\(i)")
            #expect(run.record.warnings.contains(.firstFrameOnly), "\(i)")
        }
        #expect(keep(large, maxBytes: large.count).output?.outcome == .passedThrough)
    }

    @Test func whatDoesNotMoveIsPrepared() {
        let still = Self.head + Self.image + [0x3B]
        let run = keep(still)
        #expect(run.output?.outcome == .prepared && run.output?.format == .jpeg)
        #expect(run.record.warnings == [])
    }

    /// Without its end it is no animation that could be passed on.
    @Test func cutAnimation() {
        let run = keep(Array(Self.animated.dropLast()))
        #expect(run.output?.outcome == .prepared && run.output?.format == .jpeg)
        #expect(run.record.warnings == [.metadataRemoved, .firstFrameOnly, .harmlessDamage])
    }

    @Test func severalProfiles() {
        let run = AttachmentPreparer([.apns, .thumb]) { $0.animation = .keep }.run(Self.animated)
        #expect(run.record.outputs.map(\.format) == [.gif, .jpeg])
        #expect(run.pictures.first == Self.cleaned)
        #expect(run.record.warnings.contains(.firstFrameOnly))
    }
}
