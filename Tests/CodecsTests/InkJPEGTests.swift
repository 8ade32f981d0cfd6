import Codecs
import Pixels
import TestSupport
import Testing

/// JPEGs of four components, put together by hand: each component is the single scan of a grey JPEG, all with the
/// same tables (ITU-T T.81, B.2), so djpeg of the grey files tells every ink exactly.
@Suite struct InkJPEGTests {
    private static let width = 29
    private static let height = 19

    private struct Inks {
        var file: [UInt8]
        /// Stored samples of the four components.
        var planes: [[UInt8]]
    }

    /// - Parameter adobe: the transform byte of an Adobe marker, or nil for none.
    private static func make(adobe: UInt8?, components: Int = 4) throws -> Inks {
        var planes: [[UInt8]] = []
        var scans: [UInt8] = []
        var tables: [UInt8] = []
        for id in 1...components {
            let grey = try JPEGSamples.make(.waves(width, height, channels: 1, seed: UInt64(id)), [])
            planes.append(try JPEGSamples.reference(grey).samples)
            let sos = try #require(position(of: [0xFF, 0xDA], in: grey))
            scans += [0xFF, 0xDA, 0, 8, 1, UInt8(id), 0, 0, 63, 0] + grey[(sos + 10)..<(grey.count - 2)]
            if id == 1 {
                let dqt = try #require(position(of: [0xFF, 0xDB], in: grey))
                let sof = try #require(position(of: [0xFF, 0xC0], in: grey))
                let dht = try #require(position(of: [0xFF, 0xC4], in: grey))
                tables = Array(grey[dqt..<sof] + grey[dht..<sos])
            }
        }
        let marker: [UInt8] =
            adobe.map { [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, $0] } ?? []
        var frame: [UInt8] = [0xFF, 0xC0, 0, UInt8(8 + 3 * components), 8]
        frame += [0, UInt8(height), 0, UInt8(width), UInt8(components)]
        for id in 1...components { frame += [UInt8(id), 0x11, 0] }
        let file = [0xFF, 0xD8] + marker + tables + frame + scans + [0xFF, 0xD9]
        return Inks(file: file, planes: planes)
    }

    /// The same coefficients in one interleaved scan, or in progressive ones.
    private static func rewritten(_ bytes: [UInt8], _ options: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        return try run("jpegtran", ["-copy", "all"] + options + [try folder.file("in.jpg", bytes)])
    }

    @Test(arguments: [[], ["-progressive"], ["-optimize"], nil] as [[String]?])
    func adobeInksAreInverted(_ options: [String]?) throws {
        let inks = try Self.make(adobe: 0)
        let file = try options.map { try Self.rewritten(inks.file, $0) } ?? inks.file
        let decoded = try decodeJPEG(file)
        #expect(decoded.header.layout == PixelLayout(.cmyk(inverted: true)))
        #expect(!decoded.header.mayPassLossless)
        // 255 is no ink: colour times black is the light that is left.
        let expected = (0..<(Self.width * Self.height)).flatMap { i in
            (0..<3).map { c in
                UInt8((Double(inks.planes[c][i]) * Double(inks.planes[3][i]) / 255).rounded())
            }
        }
        #expect(decoded.bitmap.samples == expected)
    }

    @Test func inksWithoutAdobeAreAsTheyStand() throws {
        let inks = try Self.make(adobe: nil)
        let decoded = try decodeJPEG(inks.file)
        #expect(decoded.header.layout == PixelLayout(.cmyk(inverted: false)))
        let expected = (0..<(Self.width * Self.height)).flatMap { i in
            (0..<3).map { c in
                let light = (255 - Double(inks.planes[c][i])) * (255 - Double(inks.planes[3][i]))
                return UInt8((light / 255).rounded())
            }
        }
        #expect(decoded.bitmap.samples == expected)
    }

    /// YCCK: libjpeg's inks are 255 less the RGB of the same three planes, then inverted as Adobe stores them.
    @Test func transformedInks() throws {
        let inks = try Self.make(adobe: 2)
        let colours = try JPEGSamples.reference(try Self.make(adobe: 1, components: 3).file)
        #expect(colours.channels == 3)
        let decoded = try decodeJPEG(inks.file)
        #expect(decoded.header.layout == PixelLayout(.cmyk(inverted: true)))
        let expected = (0..<(Self.width * Self.height)).flatMap { i in
            (0..<3).map { c in
                let stored = 255 - Double(colours.samples[3 * i + c])
                return UInt8((stored * Double(inks.planes[3][i]) / 255).rounded())
            }
        }
        #expect(decoded.bitmap.samples == expected)
    }

    @Test func scaledInksHaveTheRightShape() throws {
        let inks = try Self.make(adobe: 0)
        for numerator in [1, 2, 3, 4] {
            let decoded = try decodeJPEG(inks.file, DecodePlan(numerator: numerator))
            let size = PixelSize((Self.width * numerator + 7) / 8, (Self.height * numerator + 7) / 8)
            #expect(decoded.bitmap.size == size)
            #expect(decoded.rowsTaken == size.height)
        }
    }

    /// Two and five components have no colours.
    @Test(arguments: [2, 5]) func otherCountsAreRefused(_ components: Int) throws {
        let error = #expect(throws: CodecError.self) {
            try decodeJPEG(try Self.make(adobe: nil, components: components).file)
        }
        #expect(error?.kind == .unsupportedVariant)
    }
}
