import Pixels
import Testing

@testable import JPEGCore

/// The file at a quality, without a budget to speak of.
func encode(_ bitmap: Bitmap, _ subsampling: Subsampling, quality: Double = 90) throws -> EncodedJPEG {
    let search = BudgetSearch(maxBytes: 50_000_000, minQuality: 40, maxQuality: quality)
    let fit = search.fit(CoefficientImage(bitmap, subsampling: subsampling)) { false }
    guard case .fits(let file)? = fit else { throw Djpeg.Failure(description: "does not fit") }
    return file
}

@Suite struct EncodingTests {
    @Test func everySmallSizeDecodesWithoutAWarning() throws {
        var files: [[UInt8]] = []
        var sizes: [PixelSize] = []
        var channels: [Int] = []
        for width in 1...17 {
            for height in 1...17 {
                let picture = Pictures.texture(width, height)
                for subsampling in [Subsampling.s420, .s444] {
                    files.append(try encode(picture, subsampling).bytes)
                    channels.append(3)
                }
                files.append(try encode(Pictures.grey(picture), .s420).bytes)
                channels.append(1)
                sizes += [PixelSize](repeating: PixelSize(width, height), count: 3)
            }
        }
        let decoded = try Djpeg.decode(files)
        #expect(decoded.map(\.size) == sizes)
        // A texture of one pixel may be grey by chance, no other one is.
        #expect(zip(decoded, channels).allSatisfy { $0.channels == $1 || $0.size.area == 1 })
    }

    @Test func longPicturesDecode() throws {
        for size in [PixelSize(1, 2000), PixelSize(2000, 1)] {
            let picture = Pictures.gradient(size.width, size.height)
            for subsampling in [Subsampling.s420, .s444] {
                let decoded = try Djpeg.decode(encode(picture, subsampling).bytes)
                #expect(decoded.size == size)
                #expect(psnr(decoded, picture) > 30)
            }
        }
    }

    @Test(arguments: [Subsampling.s420, .s444])
    func decodedPictureIsClose(_ subsampling: Subsampling) throws {
        for (picture, least) in [
            (Pictures.gradient(131, 97), 36.0), (Pictures.texture(131, 97), 33), (Pictures.flat(40, 33), 45),
        ] {
            let file = try encode(picture, subsampling)
            #expect(file.limitedBy == .quality)
            #expect(file.quality <= 90 && file.quality > 89.7)
            #expect(file.subsampling == subsampling)
            #expect(psnr(try Djpeg.decode(file.bytes), picture) > least)
        }
        // Exchanged or mis-scaled chroma would show at once.
        let bars = Pictures.bars(64, 16)
        let decoded = try Djpeg.decode(encode(bars, subsampling, quality: 95).bytes)
        for x in [8, 24, 40, 56] {
            for channel in 0..<3 {
                let at = (8 * 64 + x) * 3 + channel
                #expect(abs(Int(decoded.samples[at]) - Int(bars.samples[at])) <= 4)
            }
        }
    }

    @Test func aPictureWithoutColourHasOneComponent() throws {
        let grey = Pictures.grey(Pictures.texture(50, 41))
        let samples = grey.samples.flatMap { [$0, $0, $0] }
        let triple = Bitmap(size: grey.size, channels: 3, samples: samples)
        let a = try encode(grey, .s444)
        let b = try encode(triple, .s420)
        #expect(a.subsampling == .gray)
        #expect(b.subsampling == .gray)
        #expect(a.subsampling.name == "4:0:0")
        #expect(psnr(try Djpeg.decode(b.bytes), grey) > 36)
    }

    @Test func onlyTheNeededSegmentsAreWritten() throws {
        let file = try encode(Pictures.texture(40, 30), .s420).bytes
        var markers: [UInt8] = []
        var at = 2
        while at + 4 < file.count, file[at] == 0xFF {
            markers.append(file[at + 1])
            if file[at + 1] == 0xDA { break }
            at += 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
        }
        #expect(Array(file.prefix(2)) == [0xFF, 0xD8])
        #expect(markers == [0xE0, 0xDB, 0xC0, 0xC4, 0xDA])
        #expect(Array(file[2..<20]) == [0xFF, 0xE0, 0, 16, 74, 70, 73, 70, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
        #expect(Array(file.suffix(2)) == [0xFF, 0xD9])
        // Stuffed zeros only: no marker inside the data.
        let data = file[(at + 14)..<(file.count - 2)]
        for (first, second) in zip(data, data.dropFirst()) where first == 0xFF { #expect(second == 0) }
    }

    @Test func sizesByArithmeticAreExact() throws {
        for picture in [Pictures.texture(133, 61), Pictures.noise(90, 70), Pictures.text(150, 290)] {
            let image = CoefficientImage(picture, subsampling: .s420)
            var costs = CodingCosts(image: image)
            let coding = costs.coding(QuantisationTables(quality: 80), deadZone: 0)
            let file = JPEGWriter.write(image, coding, limit: 10_000_000) ?? []
            let stuffed = zip(file, file.dropFirst()).filter { $0 == 0xFF && $1 == 0 }.count
            #expect(file.count - stuffed == coding.unstuffedBytes(image.geometry))
        }
    }

    @Test func edgePaddingIsCheap() throws {
        // One column more than whole blocks costs little, however much of a block it opens.
        let whole = try encode(Pictures.flat(64, 64), .s420).bytes.count
        let odd = try encode(Pictures.flat(65, 65), .s420).bytes.count
        #expect(odd - whole < 24)
    }

    @Test func missingSamplesAreBlackAndSizesAreBounded() throws {
        let short = Bitmap(size: PixelSize(20, 20), channels: 3, samples: [1, 2, 3])
        #expect(try Djpeg.decode(encode(short, .s420).bytes).size == PixelSize(20, 20))
        let empty = Bitmap(size: PixelSize(0, -3), channels: 1, samples: [])
        #expect(try Djpeg.decode(encode(empty, .s444).bytes).size == PixelSize(1, 1))
    }
}
