/// A BMP put together field by field (wingdi.h; OS/2 2.0 Programming Guide, "Bitmap file format").
struct BMPBuilder {
    var width = 0
    /// Negative: the first stored row is the top one.
    var height = 0
    var bits = 24
    var compression = 0
    /// Of the second header: 12, 16, 40, 52, 56, 64, 108 or 124.
    var headerBytes = 40
    /// Red, green, blue and alpha; behind a header of 40 bytes, inside a later one.
    var masks: [UInt32] = []
    /// Blue, green and red, as stored; a fourth byte follows each but in OS/2 1.x.
    var palette: [[UInt8]] = []
    /// Bytes between palette and pixels.
    var gap = 0
    var data: [UInt8] = []

    var bytes: [UInt8] {
        var second = little(headerBytes, 4)
        if headerBytes == 12 {
            second += little(width, 2) + little(height, 2) + little(1, 2) + little(bits, 2)
        } else {
            second += little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
            second += little(compression, 4) + little(data.count, 4) + little(2835, 4) + little(2835, 4)
            second += little(palette.count, 4) + little(0, 4)
            second += masks.prefix(max(0, (headerBytes - 40) / 4)).flatMap { little(Int($0), 4) }
            second += [UInt8](repeating: 0, count: max(0, headerBytes - second.count))
            second = Array(second.prefix(headerBytes))
        }
        if headerBytes == 40 { second += masks.flatMap { little(Int($0), 4) } }
        let colors = palette.flatMap { headerBytes == 12 ? $0 : $0 + [0] }
        let offset = 14 + second.count + colors.count + gap
        let head = Array("BM".utf8) + little(offset + data.count, 4) + little(0, 4) + little(offset, 4)
        return head + second + colors + [UInt8](repeating: 0xAA, count: gap) + data
    }

    private func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
