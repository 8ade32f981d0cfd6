import JPEGCore
import Pixels
import TestSupport
import Testing

@Suite struct JPEGFactsTests {
    /// Notes a segment; answers whether a decoder needs it.
    private func note(_ facts: inout JPEGFacts, _ marker: UInt8, _ body: [UInt8]) -> Bool {
        facts.note(marker: marker, segment: segment(marker, body))
    }

    private func frame(_ marker: UInt8, _ body: String) -> JPEGFacts.Frame? {
        var facts = JPEGFacts()
        #expect(note(&facts, marker, hex(body)))
        return facts.frame
    }

    /// T.81, B.2.2: precision, lines, samples a line, components with sampling factors and table.
    @Test func framesAreRead() throws {
        let baseline = try #require(frame(0xC0, "08 0BD0 0FC0 03 01 22 00 02 11 01 03 11 01"))
        #expect(baseline.size == PixelSize(4032, 3024))
        #expect(baseline.kind == 0 && baseline.precision == 8 && baseline.components == 3)
        #expect(baseline.subsampling == "4:2:0" && baseline.isSequential && baseline.isDecodable)
        let extended = try #require(frame(0xC1, "0C 0001 FFFF 01 01 11 00"))
        #expect(extended.size == PixelSize(65_535, 1) && extended.subsampling == "4:0:0")
        #expect(extended.isSequential && !extended.isDecodable)
        let progressive = try #require(frame(0xC2, "08 0001 0001 03 01 11 00 02 11 01 03 11 01"))
        #expect(!progressive.isSequential && progressive.isDecodable && progressive.subsampling == "4:4:4")
        for marker: UInt8 in [0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] {
            let other = try #require(frame(marker, "08 0001 0001 01 01 11 00"))
            #expect(!other.isDecodable && !other.isSequential)
        }
        for marker: UInt8 in [0xC4, 0xC8, 0xCC, 0xDB] {
            #expect(frame(marker, "08 0001 0001 01 01 11 00") == nil)
        }
        #expect(frame(0xC0, "08 0001 0001") == nil)
        #expect(frame(0xC0, "") == nil)
    }

    @Test func samplingHasNames() {
        let names: [(String, String?)] = [
            ("11", "4:4:4"), ("21", "4:2:2"), ("22", "4:2:0"), ("12", "4:4:0"), ("41", "4:1:1"), ("31", nil),
            ("42", nil),
        ]
        for (factors, name) in names {
            let read = frame(0xC0, "08 0010 0010 03 01 \(factors) 00 02 11 01 03 11 01")
            #expect(read?.subsampling == name, "\(factors)")
        }
        #expect(frame(0xC0, "08 0010 0010 03 01 22 00 02 21 01 03 11 01")?.subsampling == nil)
        #expect(frame(0xC0, "08 0010 0010 04 01 22 00 02 11 01 03 11 01 04 22 00")?.subsampling == nil)
        // Cut short: fewer components than announced.
        #expect(frame(0xC0, "08 0010 0010 03 01 22 00 02 11 01")?.subsampling == nil)
    }

    @Test func onlyTheFirstFrameCounts() {
        var facts = JPEGFacts()
        _ = note(&facts, 0xC0, hex("08 0010 0020 01 01 11 00"))
        _ = note(&facts, 0xC2, hex("08 0099 0099 01 01 11 00"))
        #expect(facts.frame?.size == PixelSize(32, 16))
        #expect(facts.scans == 0)
        for _ in 0..<3 { #expect(note(&facts, 0xDA, hex("01 01 00 00 3F 00"))) }
        #expect(facts.scans == 3)
    }

    /// What a decoder needs, and what only describes.
    @Test func metadataIsTold() {
        typealias Row = (
            marker: UInt8, body: [UInt8], needed: Bool, metadata: Bool, multi: Bool
        )
        let rows: [Row] = [
            (0xE0, ascii("JFIF\0") + hex("0102 00 0048 0048 00 00"), true, false, false),
            (0xE0, ascii("JFXX\0") + hex("10"), false, true, false),
            (0xEE, ascii("Adobe") + hex("0064 0000 0000 01"), true, false, false),
            (0xEE, ascii("other"), false, true, false),
            (0xE1, ascii("Exif\0\0"), false, true, false),
            (0xE1, ascii("http://ns.adobe.com/xap/1.0/\0<x/>"), false, true, false),
            (0xE2, ascii("ICC_PROFILE\0") + hex("0101"), false, false, false),
            (0xE2, ascii("MPF\0"), false, true, true),
            (0xE2, ascii("FPXR\0"), false, true, false),
            (0xED, ascii("Photoshop 3.0\0"), false, true, false),
            (0xFE, ascii("words"), false, true, false), (0xEF, [], false, true, false),
            (0xE0, [], false, true, false), (0xDB, [0], true, false, false),
            (0xDD, hex("0010"), true, false, false),
        ]
        for row in rows {
            var facts = JPEGFacts()
            #expect(note(&facts, row.marker, row.body) == row.needed, "\(row)")
            #expect(facts.hasMetadata == row.metadata, "\(row)")
            #expect(facts.isMultiPicture == row.multi, "\(row)")
        }
    }

    @Test func theFirstOrientationCounts() {
        func exif(_ value: UInt8) -> [UInt8] {
            ascii("Exif\0\0") + hex("4D4D 002A 00000008 0001 0112 0003 00000001") + [0, value, 0, 0]
        }
        var facts = JPEGFacts()
        _ = note(&facts, 0xE1, ascii("http://ns.adobe.com/xap/1.0/\0"))
        #expect(facts.orientation == nil)
        _ = note(&facts, 0xE1, exif(6))
        _ = note(&facts, 0xE1, exif(3))
        #expect(facts.orientation == .rotated90)
        // Behind the frame, and in a marker that is not APP1.
        var other = JPEGFacts()
        _ = note(&other, 0xE2, exif(6))
        #expect(other.orientation == nil)
        _ = note(&other, 0xC0, hex("08 0010 0020 01 01 11 00"))
        _ = note(&other, 0xE1, exif(8))
        #expect(other.orientation == .rotated270)
    }
}
