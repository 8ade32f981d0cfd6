import AttachmentPrep
import Testing

/// Boxes that are filled show the part that matters, seen from outside.
@Suite struct SalientIconTests {
    private static let red: [UInt8] = [210, 40, 40]

    /// Soft greys, with a red square of `side` at `left`, `top`.
    private static func drawn(_ width: Int, _ height: Int, _ left: Int, _ top: Int, side: Int) -> Picture {
        Picture(width: width, height: height) { x, y in
            if (left..<(left + side)).contains(x), (top..<(top + side)).contains(y) { return red }
            let grey = UInt8(90 + 40 * x / width + 40 * y / height)
            return [grey, grey, grey]
        }
    }

    /// Red and blue of every fourth pixel both ways of a picture whose pixels are averaged, `factor` × `factor` each.
    private func sparse(_ picture: Picture, factor: Int, x: Int, y: Int, side: Int) -> [Int] {
        var values: [Int] = []
        for row in stride(from: y, to: y + side, by: 4) {
            for column in stride(from: x, to: x + side, by: 4) {
                for channel in [0, 2] {
                    var sum = 0
                    for down in 0..<factor {
                        let start = ((row * factor + down) * picture.width + column * factor) * 3 + channel
                        for across in 0..<factor { sum += Int(picture.samples[start + 3 * across]) }
                    }
                    values.append(sum / (factor * factor))
                }
            }
        }
        return values
    }

    /// Where along a picture an icon was cut, by comparing it with every place; and how much it differs there on average.
    private func place(of icon: Picture, in source: Picture, factor: Int) -> (at: Int, difference: Double) {
        let isWide = source.width > source.height
        let side = icon.width
        let room = max(source.width, source.height) / factor - side
        let shown = sparse(icon, factor: 1, x: 0, y: 0, side: side)
        var best = (at: 0, difference: Double.infinity)
        for at in 0...room {
            let there = sparse(source, factor: factor, x: isWide ? at : 0, y: isWide ? 0 : at, side: side)
            let sum = zip(shown, there).reduce(0) { $0 + abs($1.0 - $1.1) }
            let difference = Double(sum) / Double(shown.count)
            if difference < best.difference { best = (at, difference) }
        }
        return best
    }

    /// The icon is a cut of the picture scaled by half, and the red square is whole in it.
    @Test(arguments: [(20, 40), (700, 180), (240, 10)]) func iconIsACutOfTheScaledPicture(
        along: Int, across: Int
    )
        throws
    {
        for picture in [
            Self.drawn(768, 384, min(along, 640), across, side: 90),
            Self.drawn(384, 768, across, min(along, 640), side: 90),
        ] {
            let sources = [
                picture.png.bytes, picture.jpeg("-quality 95"), picture.jpeg("-quality 95 -progressive"),
            ]
            for bytes in sources {
                let run = prepare(bytes, profile: .icon)
                let icon = try #require(Picture(jpeg: run.picture ?? []))
                #expect(icon.width == 192 && icon.height == 192)
                let found = place(of: icon, in: picture, factor: 2)
                #expect(found.difference < 3, "\(found)")
                let start = min(along, 640)
                #expect(2 * found.at <= start && 2 * (found.at + 192) >= start + 90, "\(found)")
            }
        }
    }

    /// Smaller than the box: the square of the short side, its pixels as they are.
    @Test func smallSources() throws {
        for left in [0, 70] {
            let picture = Self.drawn(100, 60, left, 20, side: 25)
            let run = prepare(picture.png.bytes, profile: .icon)
            let icon = try #require(Picture(jpeg: run.picture ?? []))
            #expect(icon.width == 60 && icon.height == 60)
            let found = place(of: icon, in: picture, factor: 1)
            #expect(found.difference < 3 && found.at <= left && found.at + 60 >= left + 25, "\(found)")
        }
    }

    /// The longest picture that comes: of the middle, four times as long as it is wide, the part that matters.
    @Test func longPictures() throws {
        for (left, isInside) in [(2100, true), (100, false)] {
            let run = prepare(Self.drawn(4000, 200, left, 80, side: 60).png.bytes, profile: .icon)
            let icon = try #require(Picture(jpeg: run.picture ?? []))
            let hasRed = (0..<192).contains { isClose(icon.pixel($0, 105), Self.red, within: 60) }
            #expect(icon.width == 192 && hasRed == isInside)
        }
    }

    /// The same upright picture stored in eight ways has the same icon.
    @Test(arguments: 1...8) func orientations(orientation: Int) throws {
        let (long, short) = (300, 120)
        // Where upright pixel (x, y) is stored, by Exif's words.
        let upright = Self.drawn(long, short, 230, 20, side: 40)
        let isTurned = orientation >= 5
        let stored = Picture(width: isTurned ? short : long, height: isTurned ? long : short) { x, y in
            let (right, bottom) = (long - 1, short - 1)
            return switch orientation {
            case 2: upright.pixel(right - x, y)
            case 3: upright.pixel(right - x, bottom - y)
            case 4: upright.pixel(x, bottom - y)
            case 5: upright.pixel(y, x)
            case 6: upright.pixel(right - y, x)
            case 7: upright.pixel(right - y, bottom - x)
            case 8: upright.pixel(y, bottom - x)
            default: upright.pixel(x, y)
            }
        }
        var png = stored.png
        png.before = PNGParts.chunk("eXIf", JPEGParts.tiff(orientation: orientation))
        let icon = try #require(Picture(jpeg: prepare(png.bytes, profile: .icon).picture ?? []))
        let plain = try #require(Picture(jpeg: prepare(upright.png.bytes, profile: .icon).picture ?? []))
        #expect(try #require(icon.distance(to: plain)) <= 2)
    }

    /// However bytes come, on however many threads, beside whatever other output.
    @Test func alwaysTheSame() throws {
        let picture = Self.drawn(700, 300, 40, 90, side: 120)
        for bytes in [picture.png.bytes, picture.jpeg(), picture.jpeg("-progressive")] {
            let expected = try #require(prepare(bytes, profile: .icon).picture)
            for arrival: Arrival in [.pieces(997), .file, .pipe] {
                #expect(prepare(bytes, profile: .icon, arrival).picture == expected, "\(arrival)")
            }
            onThreads(4) { _ in #expect(prepare(bytes, profile: .icon).picture == expected) }
        }
        let both = AttachmentPreparer([.apns, .icon]) { _ in }.run(picture.png.bytes)
        #expect(both.pictures[1] == prepare(picture.png.bytes, profile: .icon).picture)
        #expect(both.pictures[0] == prepare(picture.png.bytes).picture)
        // A cut of the very picture that another output is.
        let whole = Profile(name: "whole", width: 448, height: 192, maxBytes: 50_000)
        let shared = AttachmentPreparer([.icon, whole, .icon]) { _ in }.run(picture.png.bytes)
        #expect(shared.pictures[0] == shared.pictures[2] && shared.pictures[0] == both.pictures[1])
        #expect(shared.pictures[1] == prepare(picture.png.bytes, profile: whole).picture)
    }

    /// What the header says is no less than what the longest pictures take.
    @Test(.enabled(if: Outside.isMeasurable), arguments: [false, true]) func memory(isInterlaced: Bool) throws
    {
        let png = PNGParts(width: 3200, height: 800, color: .rgb, depth: 8, isInterlaced: isInterlaced) {
            x, y in
            [UInt8(x & 255), UInt8(y & 255), UInt8((x / 64 ^ y / 64) & 255)]
        }.bytes
        for profiles in [[Profile.icon], [.apns, .icon]] {
            let record = AttachmentPreparer(profiles) { _ in }.run(png).record
            let need = try #require(record.memory?.need)
            let run = try #require(
                Outside(png, profiles.map { "--profile \($0.name)" }.joined(separator: " ")))
            #expect(run.code == nil && run.need == need && run.grown <= need + 500_000)
            #expect(need <= 2 * run.grown + 4_000_000)
            #expect(need <= MemoryPreset.extension.jobMemory)
        }
    }

    /// Both outputs of any progressive JPEG of 48 megapixels within an extension's memory, and the icon from its means.
    @Test func extensionPreset() throws {
        for kind in FlatProgressive.all {
            for (width, height) in [(8000, 6000), (12_000, 4000), (1000, 48_000)] {
                for profiles in [[Profile.icon], [.apns, .icon]] {
                    var options = PreparationOptions(preset: .extension)
                    options.limits.timeout = nil
                    let scratch = Scratch()
                    let record = AttachmentPreparer(profiles: profiles, options: options).record(
                        of: .bytes(kind.head(width, height), name: "head"), into: .directory(scratch.path))
                    #expect(record.error?.code == .truncated, "\(kind) \(width) x \(height)")
                }
            }
        }
        // 1/8 of 3200 x 1600 is 400 x 200: whatever lies behind the means is not looked into.
        var jpeg = FlatProgressive.quarterChroma.jpeg(3200, 1600)
        let last = try #require(jpeg.indices.last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        jpeg[last + 10] = 0xFE
        let server = prepare(
            jpeg, profile: Profile(name: "i", width: 100, height: 100, fit: .fill, maxBytes: 50_000))
        #expect(server.code == nil && server.output?.width == 100)
        #expect(prepare(jpeg, profile: .apns).code == .corrupt)
    }
}
