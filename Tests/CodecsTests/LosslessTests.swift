import Codecs
import Pixels
import TestSupport
import Testing

/// What the JPEG decoder keeps and notes besides pixels.
@Suite struct LosslessTests {
    private func exif(_ orientation: UInt8) -> [UInt8] {
        hex("FFE1 0022") + Array("Exif\0\0".utf8) + hex("4D4D 002A 00000008 0001 0112 0003 00000001")
            + [0, orientation, 0, 0, 0, 0, 0, 0]
    }

    private func with(_ segment: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[..<2]) + segment + bytes[2...]
    }

    @Test(arguments: ["4:4:4", "4:2:0", "grey", "restarts", "quality 5"])
    func copyShowsTheSame(_ name: String) throws {
        let bytes = try JPEGSamples.named(name)
        let file = with(exif(1), bytes) + Array("behind".utf8)
        let decoded = try decodeJPEG(file, DecodePlan(copyLimit: 1_000_000))
        let copy = try #require(decoded.losslessCopy)
        #expect(try JPEGSamples.reference(copy) == JPEGSamples.reference(bytes))
        #expect(position(of: Array("Exif".utf8), in: copy) == nil)
        #expect(copy.suffix(2) == [0xFF, 0xD9])
        #expect(copy.count <= bytes.count)
        #expect(decoded.notes.hasMetadata)
    }

    @Test func copyIsBounded() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        let copy = try #require(try decodeJPEG(bytes, DecodePlan(copyLimit: 1_000_000)).losslessCopy)
        #expect(try decodeJPEG(bytes, DecodePlan(copyLimit: copy.count)).losslessCopy == copy)
        #expect(try decodeJPEG(bytes, DecodePlan(copyLimit: copy.count - 1)).losslessCopy == nil)
        #expect(try decodeJPEG(bytes).losslessCopy == nil)
    }

    /// A file that makes a decoder complain is not passed on, nor is one that ends early.
    @Test func oddFilesAreNotCopied() throws {
        let bytes = try JPEGSamples.named("4:2:0")
        let plan = DecodePlan(copyLimit: 1_000_000)
        let odd = try decodeJPEG(with([0, 0x12], bytes), plan)
        #expect(odd.losslessCopy == nil && odd.notes.isOdd)
        var cut = plan
        cut.allowsTruncated = true
        // Nothing but the end marker is missing, and libjpeg does not warn.
        #expect(try decodeJPEG(Array(bytes.dropLast(2)), cut).losslessCopy == nil)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt8>) func orientationIsTold(_ value: UInt8) throws {
        let decoded = try decodeJPEG(with(exif(value), try JPEGSamples.named("4:2:0")))
        #expect(decoded.header.orientation.rawValue == Int(value))
        #expect(decoded.header.mayPassLossless == (value == 1))
        // The rows come as stored.
        #expect(decoded.header.size == PixelSize(71, 45))
    }

    @Test func profilesAndFurtherPicturesAreNoted() throws {
        let bytes = try JPEGSamples.named("grey")
        let profile = hex("FFE2 0010") + Array("ICC_PROFILE\0".utf8) + [1, 1]
        let withProfile = try decodeJPEG(with(profile, bytes))
        #expect(!withProfile.header.mayPassLossless)
        let multi = try decodeJPEG(with(hex("FFE2 0006") + Array("MPF\0".utf8), bytes))
        #expect(multi.notes.isMultiPicture && multi.notes.hasMetadata)
        let plain = try decodeJPEG(bytes).notes
        #expect(!plain.isMultiPicture && !plain.hasMetadata && plain.orientation == nil)
    }
}
