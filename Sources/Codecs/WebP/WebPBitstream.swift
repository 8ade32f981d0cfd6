internal import Pixels

/// What the first bytes of a VP8 or VP8L chunk say: enough to compute what decoding will take.
struct WebPBitstream: Equatable {
    let size: PixelSize
    let isLossless: Bool
    /// Of VP8L: whether it says that alpha is used.
    let hasAlpha: Bool
    /// Of VP8: bytes of the first partition, which libwebp wants whole.
    let firstPartition: Int
    /// Of VP8: whether rows take turns in several partitions, so that all of them must be there.
    let hasPartitions: Bool

    /// Bytes that `init` wants, or all of a shorter chunk: a VP8 header's bits reach to here at most.
    static let headBytes = 48

    /// - Parameter bytes: the first ones of a VP8L chunk (RFC 9649, 3.4).
    init?(lossless bytes: [UInt8]) {
        guard bytes.count >= 5, bytes[0] == 0x2F else { return nil }
        let bits = WebPWalk.number(bytes[1..<5])
        size = PixelSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        isLossless = true
        hasAlpha = bits >> 28 & 1 == 1
        firstPartition = 0
        hasPartitions = false
    }

    /// - Parameter bytes: the first ones of a VP8 chunk (RFC 6386, 9.1 and 19.2).
    init?(lossy bytes: [UInt8]) {
        guard bytes.count >= 10, bytes[0] & 1 == 0, bytes[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else {
            return nil
        }
        size = PixelSize(
            WebPWalk.number(bytes[6..<8]) & 0x3FFF, WebPWalk.number(bytes[8..<10]) & 0x3FFF)
        guard size.width > 0, size.height > 0 else { return nil }
        isLossless = false
        hasAlpha = false
        firstPartition = WebPWalk.number(bytes[0..<3]) >> 5
        var reader = BoolReader(bytes[10...])
        hasPartitions = reader.partitions > 0
    }
}

/// Reads the bits of a VP8 frame header, each as likely 0 as 1 (RFC 6386, 7); behind the bytes there are zeros.
private struct BoolReader {
    private var bytes: ArraySlice<UInt8>
    private var value: UInt32
    private var range: UInt32 = 255
    private var bitCount = 0

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        value = 0
        for _ in 0..<2 { value = value << 8 | UInt32(self.bytes.popFirst() ?? 0) }
    }

    private mutating func flag() -> Bool {
        let split = 1 + (range - 1) / 2
        let isSet = value >= split << 8
        if isSet {
            range -= split
            value -= split << 8
        } else {
            range = split
        }
        while range < 128 {
            value <<= 1
            range <<= 1
            bitCount += 1
            if bitCount == 8 {
                bitCount = 0
                value |= UInt32(bytes.popFirst() ?? 0)
            }
        }
        return isSet
    }

    private mutating func bits(_ count: Int) -> Int {
        (0..<count).reduce(0) { bits, _ in bits << 1 | (flag() ? 1 : 0) }
    }

    /// Numbers that are there only behind a set flag, with signs or without.
    private mutating func skip(_ count: Int, bits width: Int) {
        for _ in 0..<count where flag() { _ = bits(width) }
    }

    /// The logarithm of the number of partitions, which stands behind what segments and the loop filter need.
    var partitions: Int {
        mutating get {
            _ = bits(2)  // colour space, clamping
            if flag() {
                let (hasMap, hasData) = (flag(), flag())
                if hasData {
                    _ = flag()
                    skip(4, bits: 8)
                    skip(4, bits: 7)
                }
                if hasMap { skip(3, bits: 8) }
            }
            _ = bits(10)  // filter's type, level and sharpness
            if flag(), flag() { skip(8, bits: 7) }
            return bits(2)
        }
    }
}
