internal import Glibc

/// The pixels of a binary PGM or PPM of 8 bits.
struct Pixmap {
    var width = 0
    var height = 0
    var channels = 3
    var samples: [UInt8] = []

    init(_ path: String) throws(BenchError) {
        let bytes = try readBytes(path)
        guard bytes.count > 2, bytes[0] == 0x50, bytes[1] == 0x35 || bytes[1] == 0x36 else {
            throw BenchError("\(path) is no binary PNM")
        }
        channels = bytes[1] == 0x35 ? 1 : 3
        var at = 2
        var numbers: [Int] = []
        while numbers.count < 3, at < bytes.count {
            if bytes[at] == 0x23 {  // a comment, up to the end of its line
                while at < bytes.count, bytes[at] != 10 { at += 1 }
            } else if bytes[at] >= 48, bytes[at] <= 57 {
                var number = 0
                while at < bytes.count, bytes[at] >= 48, bytes[at] <= 57 {
                    number = number * 10 + Int(bytes[at]) - 48
                    at += 1
                }
                numbers.append(number)
            } else {
                at += 1
            }
        }
        guard numbers.count == 3, numbers[2] == 255 else { throw BenchError("\(path) is no 8-bit PNM") }
        (width, height) = (numbers[0], numbers[1])
        samples = Array(bytes[min(at + 1, bytes.count)...])
        guard samples.count == width * height * channels else { throw BenchError("\(path) ends early") }
    }

    /// Peak signal to noise ratio in decibels; nil for pictures of two shapes, infinity for the same pixels.
    func psnr(_ other: Pixmap) -> Double? {
        guard width == other.width, height == other.height, channels == other.channels else { return nil }
        var squares = 0
        for i in samples.indices {
            let distance = Int(samples[i]) - Int(other.samples[i])
            squares += distance * distance
        }
        guard squares > 0 else { return .infinity }
        return 10 * log10(255 * 255 * Double(samples.count) / Double(squares))
    }
}
