import JPEGCore
import Pixels
import TestSupport
import Testing

@testable import Codecs

/// What becomes of the colours a file says it has.
@Suite struct ColourPlanTests {
    private static let p3 = [
        [0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407],
    ]

    /// One pixel of a PNG with these chunks before its data, as decoded.
    private func pixel(_ levels: [UInt8], _ chunks: [PNGFile.Chunk]) throws -> (Decoded, [UInt8]) {
        let colorType: UInt8 = levels.count == 1 ? 0 : 2
        let file = PNGFile(
            [PNGFile.header(1, 1, colorType: colorType)] + chunks
                + [PNGFile.imageData(rows: [levels]), PNGFile.end])
        let decoded = try decode(PNGDecoder(), file.bytes, in: nil, DecodePlan(convertsColour: true))
        return (decoded, decoded.bitmap.samples)
    }

    /// A profile in a stored zlib block, as iCCP holds it.
    private func iCCP(_ profile: [UInt8]) -> PNGFile.Chunk {
        let idat = PNGFile.imageData(rows: [profile]).data
        // imageData puts a filter byte before the row: leave it out of length, content and checksum.
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in profile {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let count = UInt16(profile.count)
        var stream = Array(idat.prefix(2)) + [1]
        for length in [count, ~count] { stream += [UInt8(length & 255), UInt8(length >> 8)] }
        return PNGFile.Chunk(
            "iCCP", Array("x".utf8) + [0, 0] + stream + profile + bigEndian(high << 16 | low))
    }

    private func gamma(_ value: Double) -> PNGFile.Chunk {
        .init("gAMA", bigEndian(UInt32((value * 100_000).rounded())))
    }

    /// Red and green swapped: red light comes out where green was stored.
    @Test func swappedChannels() throws {
        let sRGB = ProfileBuilder.sRGBColorants
        let profile = ProfileBuilder.rgb([sRGB[1], sRGB[0], sRGB[2]], gamma: 2.2)
        let (decoded, samples) = try pixel([200, 0, 0], [iCCP(profile)])
        // (200/255)^2.2 = 0.5859 through sRGB's curve is 0.7879 · 255 = 200.9.
        #expect(decoded.header.colour.isConverted && !decoded.header.colour.isIgnored)
        #expect(samples[0] <= 3 && abs(Int(samples[1]) - 201) <= 1 && samples[2] <= 3)
    }

    /// CSS Color 4: color(display-p3 1 0 0) is far outside sRGB; (0.5, 0.4, 0.3) is inside.
    @Test func displayP3() throws {
        let profile = ProfileBuilder.rgb(Self.p3, gamma: 2.2)
        let (_, red) = try pixel([255, 0, 0], [iCCP(profile)])
        #expect(red == [255, 0, 0])
        let (_, brown) = try pixel([128, 102, 77], [iCCP(profile)])
        // By hand: light 0.2195, 0.1332, 0.0717; through the matrix of CSS Color 4 0.2389, 0.1296, 0.0640; encoded
        // 133.9, 100.8, 71.5.
        for (got, want) in zip(brown, [134, 101, 71]) { #expect(abs(Int(got) - want) <= 1) }
    }

    /// The matte is the colour that was asked for, whatever a table of the profile does to the picture.
    @Test(arguments: [8, 16]) func tableBeneathAnAlphaChannel(depth: UInt8) throws {
        let profile = ProfileBuilder.table(lab: [178, 148, 158])
        // Red, because lcms2 maps white to white, whatever a table says.
        let row = [0, 128, 255].flatMap { alpha -> [UInt8] in
            [255, 0, 0, alpha].flatMap { level in [UInt8](repeating: level, count: Int(depth) / 8) }
        }
        let file = PNGFile([
            PNGFile.header(3, 1, depth: depth, colorType: 6), iCCP(profile), PNGFile.imageData(rows: [row]),
            PNGFile.end,
        ])
        let decoded = try decode(
            PNGDecoder(), file.bytes, in: nil, DecodePlan(background: 0x4080C0, convertsColour: true))
        #expect(decoded.header.colour.isConverted)
        // By hand: L* 69.8, a* 20, b* 30 relative to D50 is light 0.6949, 0.3338, 0.1779 in sRGB, that is 217.1, 156.3,
        // 117.0; half of it and half of the matte's light 0.0513, 0.2159, 0.5271 is 164.6, 143.1, 160.1.
        let want: [Int] = [0x40, 0x80, 0xC0, 165, 143, 160, 217, 156, 117]
        for (got, want) in zip(decoded.bitmap.samples, want) { #expect(abs(Int(got) - want) <= 2) }
    }

    @Test func grayProfile() throws {
        let (decoded, samples) = try pixel([128], [iCCP(ProfileBuilder.gray(gamma: 1))])
        // Linear 0.50196 is 187.9 in sRGB.
        #expect(decoded.bitmap.channels == 1 && samples == [188])
        // A profile of colours says nothing of a grey picture.
        let rgb = ProfileBuilder.rgb(Self.p3, gamma: 1)
        let (other, kept) = try pixel([128], [iCCP(rgb)])
        #expect(other.header.colour.isIgnored && kept == [128])
    }

    @Test(arguments: [0, 1, 60, 131, 200]) func brokenProfilesAreIgnored(count: Int) throws {
        let profile = Array(ProfileBuilder.rgb(Self.p3, gamma: 2.2).prefix(count))
        let (decoded, samples) = try pixel([10, 20, 30], [iCCP(profile)])
        #expect(decoded.header.colour.isIgnored && !decoded.header.colour.isConverted)
        #expect(samples == [10, 20, 30])
    }

    /// A profile that says it is 64 GB, or is longer than any real one, is never inflated.
    @Test func profileBombs() throws {
        var huge = ProfileBuilder.rgb(Self.p3, gamma: 2.2)
        huge.replaceSubrange(0..<4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let (decoded, samples) = try pixel([10, 20, 30], [iCCP(huge)])
        #expect(decoded.header.colour.isIgnored && samples == [10, 20, 30])
        let long = PNGFile.Chunk("iCCP", [UInt8](repeating: 7, count: (1 << 20) + 1))
        #expect(try pixel([10, 20, 30], [long]).0.header.colour.isIgnored)
    }

    /// sRGB by another name is no conversion: within ΔE 1 nothing is touched.
    @Test func nearSRGBStays() throws {
        let chunks = [gamma(0.45455)]
        let (decoded, samples) = try pixel([10, 120, 230], chunks)
        #expect(!decoded.header.colour.isConverted && samples == [10, 120, 230])
        let plain = ColourPlan(
            profile: ProfileBuilder.rgb(ProfileBuilder.sRGBColorants, gamma: 1.8), layout: PixelLayout(.rgb))
        #expect(plain.isConverted)
    }

    /// cICP > iCCP > sRGB > gAMA and cHRM (PNG specification, 4.3).
    @Test func order() throws {
        let linear = PNGFile.Chunk("cICP", [1, 8, 0, 1])
        let profile = iCCP(ProfileBuilder.rgb(ProfileBuilder.sRGBColorants, gamma: 3))
        let sRGB = PNGFile.Chunk("sRGB", [0])
        func level(_ chunks: PNGFile.Chunk...) throws -> Int {
            Int(try pixel([128, 128, 128], chunks).1[0])
        }
        // Linear 128/255 is 188 in sRGB; to the power of 3 it is 0.1265, which is 100; gamma 1 is linear again.
        #expect(try level(profile, gamma(1), linear) == 188)
        #expect(abs(try level(gamma(1), profile) - 100) <= 1)
        #expect(try level(sRGB, gamma(1)) == 128)
        #expect(try level(gamma(1)) == 188)
        #expect(try level(PNGFile.Chunk("cICP", [1, 99, 0, 1]), gamma(1)) == 188)
        // Not RGB, or not the full range: no PNG can be that.
        #expect(try level(PNGFile.Chunk("cICP", [1, 8, 1, 1]), sRGB) == 128)
        #expect(try level(PNGFile.Chunk("cICP", [1, 8, 0, 0]), sRGB) == 128)
    }

    @Test func chromaticities() throws {
        let points = [0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060]
        let chunk = PNGFile.Chunk("cHRM", points.flatMap { bigEndian(UInt32(($0 * 100_000).rounded())) })
        let (decoded, samples) = try pixel([128, 102, 77], [chunk])
        #expect(decoded.header.colour.isConverted)
        // sRGB's curve: light 0.2159, 0.1329, 0.0742; mixed 0.2346, 0.1294, 0.0668; encoded 132.9, 100.7, 73.0.
        for (got, want) in zip(samples, [133, 101, 73]) { #expect(abs(Int(got) - want) <= 1) }
        let nonsense = PNGFile.Chunk("cHRM", [UInt8](repeating: 0, count: 32))
        #expect(try pixel([1, 2, 3], [nonsense]).1 == [1, 2, 3])
    }
}

/// A profile in the pieces that a JPEG holds.
@Suite struct ProfileSegmentsTests {
    private func collect(_ pieces: [(Int, Int, [UInt8])], limit: Int = 1000) -> [UInt8]? {
        var segments = ProfileSegments(limit: limit)
        for (number, count, bytes) in pieces {
            segments.note(app2: (Array("ICC_PROFILE\0".utf8) + [UInt8(number), UInt8(count)] + bytes)[...])
        }
        return segments.profile
    }

    @Test func pieces() {
        #expect(collect([]) == nil)
        #expect(collect([(1, 1, [1, 2])]) == [1, 2])
        #expect(collect([(2, 3, [3]), (1, 3, [1, 2]), (3, 3, [4])]) == [1, 2, 3, 4])
        #expect(collect([(1, 2, [1])]) == [])
        #expect(collect([(1, 2, [1]), (1, 2, [1])]) == [])
        #expect(collect([(1, 2, [1]), (2, 3, [1])]) == [])
        #expect(collect([(0, 1, [1])]) == [] && collect([(2, 1, [1])]) == [])
        #expect(collect([(1, 1, [UInt8](repeating: 0, count: 1000))]) == [])
        // A second profile contradicts the first.
        #expect(collect([(1, 1, [1, 2]), (1, 1, [3])]) == [])
        var other = ProfileSegments(limit: 1000)
        other.note(app2: Array("MPF\0".utf8)[...])
        #expect(other.profile == nil)
    }
}
