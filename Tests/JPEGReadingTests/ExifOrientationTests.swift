import JPEGCore
import Pixels
import TestSupport
import Testing

/// EXIF blocks made by hand: TIFF 6.0, section 2, with the tag 0x0112 of Exif 2.32, 4.6.4 A.
@Suite struct ExifOrientationTests {
    struct Entry {
        var tag: Int
        var type = 3
        var count = 1
        /// Four bytes of value, as numbers of the type's width.
        var value: Int
    }

    /// A TIFF stream with one directory at `offset`.
    static func tiff(_ entries: [Entry], little: Bool, offset: Int = 8, claimed: Int? = nil) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return little ? bytes : bytes.reversed()
        }
        let head = little ? hex("4949 2A00") : hex("4D4D 002A")
        let gap = [UInt8](repeating: 0xEE, count: max(0, offset - 8))
        let directory = entries.flatMap { entry in
            let value = entry.type == 4 ? number(entry.value, 4) : number(entry.value, 2) + [0, 0]
            return number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + value
        }
        return head + number(offset, 4) + gap + number(claimed ?? entries.count, 2) + directory + number(0, 4)
    }

    private static func find(_ tiff: [UInt8]) -> Orientation? {
        let inSegment = ExifOrientation.find(inAPP1: (ascii("Exif\0\0") + tiff)[...])
        // As PNG holds it, and as a slice that does not begin at 0.
        let alone = ExifOrientation.find(inTIFF: tiff[...])
        let slice = ExifOrientation.find(inTIFF: (ascii("before") + tiff).dropFirst(6))
        #expect(alone == inSegment && slice == inSegment)
        return alone
    }

    @Test(arguments: 1...8, [true, false]) func everyValueInBothOrders(_ value: Int, _ little: Bool) {
        let entry = Entry(tag: 0x0112, value: value)
        #expect(Self.find(Self.tiff([entry], little: little))?.rawValue == value)
        #expect(Self.find(Self.tiff([entry], little: little, offset: 200))?.rawValue == value)
        // In the middle of others, sorted as writers do and not.
        let others = [Entry(tag: 0x0100, value: 3), entry, Entry(tag: 0x8769, type: 4, value: 99)]
        #expect(Self.find(Self.tiff(others, little: little))?.rawValue == value)
        #expect(Self.find(Self.tiff(others.reversed(), little: little))?.rawValue == value)
        // As LONG, which some writers use.
        let long = Entry(tag: 0x0112, type: 4, value: value)
        #expect(Self.find(Self.tiff([long], little: little))?.rawValue == value)
    }

    @Test(arguments: [true, false]) func whatIsWrongIsNoOrientation(_ little: Bool) {
        let wrong = [
            Entry(tag: 0x0112, value: 0), Entry(tag: 0x0112, value: 9), Entry(tag: 0x0112, value: 65_535),
            Entry(tag: 0x0112, type: 4, value: 0x0006_0000), Entry(tag: 0x0112, type: 4, value: -1),
            Entry(tag: 0x0112, type: 1, value: 6), Entry(tag: 0x0112, type: 2, value: 6),
            Entry(tag: 0x0112, type: 5, value: 6), Entry(tag: 0x0112, type: 0, value: 6),
            Entry(tag: 0x0112, count: 0, value: 6), Entry(tag: 0x0112, count: 2, value: 6),
            Entry(tag: 0x0112, count: -1, value: 6), Entry(tag: 0x1201, value: 6),
        ]
        for entry in wrong { #expect(Self.find(Self.tiff([entry], little: little)) == nil, "\(entry)") }
        #expect(Self.find(Self.tiff([], little: little)) == nil)
    }

    @Test(arguments: [true, false]) func offsetsAreBounded(_ little: Bool) {
        let entry = Entry(tag: 0x0112, value: 6)
        var tiff = Self.tiff([entry], little: little)
        for bytes in ["FFFFFFFF", "7FFFFFFF", "80000000", "00000000", "00000017", "00000019", "0000001A"] {
            tiff.replaceSubrange(4..<8, with: little ? hex(bytes).reversed() : hex(bytes))
            #expect(Self.find(tiff) == nil, "\(bytes)")
        }
        // More entries than bytes.
        let others = (0..<3).map { Entry(tag: 0x0100 + $0, value: 1) }
        #expect(Self.find(Self.tiff(others, little: little, claimed: 65_535)) == nil)
    }

    /// The directory that a stream names as its next may be itself: only the first is read.
    @Test(arguments: [true, false]) func loopsEnd(_ little: Bool) {
        var tiff = Self.tiff([Entry(tag: 0x0100, value: 6)], little: little)
        tiff.replaceSubrange((tiff.count - 4)..., with: little ? hex("08000000") : hex("00000008"))
        #expect(Self.find(tiff) == nil)
    }

    /// Cut at each byte: found only when the value is whole.
    @Test(arguments: [true, false]) func cutsAreNoTraps(_ little: Bool) {
        let tiff = Self.tiff([Entry(tag: 0x0100, value: 1), Entry(tag: 0x0112, value: 6)], little: little)
        let whole = 8 + 2 + 12 + 10
        for count in 0...tiff.count {
            #expect(Self.find(Array(tiff[..<count])) == (count >= whole ? .rotated90 : nil), "\(count)")
        }
        let segment = ascii("Exif\0\0") + tiff
        for count in 0...segment.count {
            let found = ExifOrientation.find(inAPP1: segment[..<count])
            #expect(found == (count >= whole + 6 ? .rotated90 : nil), "\(count)")
        }
    }

    @Test func otherHeadsAreNone() {
        let tiff = Self.tiff([Entry(tag: 0x0112, value: 6)], little: true)
        for head in ["4949 2B00", "4949 002A", "4D4D 2A00", "4D49 2A00", "0000 0000"] {
            #expect(Self.find(hex(head) + tiff.dropFirst(4)) == nil)
        }
        for name in ["exif\0\0", "Exif", "", "http://ns.adobe.com/xap/1.0/\0"] {
            #expect(ExifOrientation.find(inAPP1: (ascii(name) + tiff)[...]) == nil)
        }
    }

    @Test func anyDamageIsNoTrap() {
        var generator = SeededGenerator(seed: 5)
        let entries = (0..<4).map { Entry(tag: 0x0110 + $0, value: 6) }
        for round in 0..<4000 {
            var tiff = Self.tiff(entries, little: round & 1 == 0)
            for _ in 0..<(1 + round % 4) {
                let at = Int.random(in: 0..<tiff.count, using: &generator)
                tiff[at] = [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &generator)][round % 5]
            }
            if let found = Self.find(tiff) { #expect((1...8).contains(found.rawValue)) }
        }
    }
}
