// Progressive JPEGs of one colour and any size, written bit by bit (ITU-T T.81, annexes B and G): a few kilobytes that
// a decoder must treat as tens of megapixels.

struct FlatProgressive: Sendable, CustomStringConvertible {
    let description: String
    /// Sampling factors, across and down, of each component.
    let sampling: [(across: Int, down: Int)]
    /// Adobe's marker with this transform.
    var transform: UInt8?

    static let grey = Self(description: "grey", sampling: [(1, 1)])
    static let quarterChroma = Self(description: "4:2:0", sampling: [(2, 2), (1, 1), (1, 1)])
    static let halfChroma = Self(description: "4:2:2", sampling: [(2, 1), (1, 1), (1, 1)])
    static let fullChroma = Self(description: "4:4:4", sampling: [(1, 1), (1, 1), (1, 1)])
    static let rgb = Self(description: "RGB", sampling: [(1, 1), (1, 1), (1, 1)], transform: 0)
    static let inks = Self(
        description: "CMYK", sampling: [(1, 1), (1, 1), (1, 1), (1, 1)], transform: 0)
    static let convertedInks = Self(
        description: "YCCK", sampling: [(2, 2), (1, 1), (1, 1), (2, 2)], transform: 2)
    static let all = [grey, quarterChroma, halfChroma, fullChroma, rgb, inks, convertedInks]

    /// Up to the data of the first scan, which is one of all components' DC coefficients.
    func head(_ width: Int, _ height: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        if let transform {
            bytes += JPEGParts.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
        }
        bytes += JPEGParts.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        var frame: [UInt8] = [8] + [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        frame.append(UInt8(sampling.count))
        for (i, factors) in sampling.enumerated() {
            frame += [UInt8(i + 1), UInt8(factors.across << 4 | factors.down), 0]
        }
        bytes += JPEGParts.segment(0xC2, frame)
        // DC: the code 0 for no difference. AC: codes of four bits for ends of 2^n to 2^(n+1) - 1 blocks.
        bytes += JPEGParts.segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
        bytes += JPEGParts.segment(
            0xC4, [0x10, 0, 0, 0, 15] + [UInt8](repeating: 0, count: 12) + (0..<15).map { UInt8($0 << 4) })
        let components: [UInt8] = sampling.indices.flatMap { [UInt8($0 + 1), 0] as [UInt8] }
        return bytes + JPEGParts.segment(0xDA, [UInt8(sampling.count)] + components + [0, 0, 0])
    }

    /// A whole file: the DC scan, then for each component one of all its AC coefficients.
    func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        func ceiling(_ a: Int, _ b: Int) -> Int { (a + b - 1) / b }
        let across = sampling.map(\.across).max() ?? 1
        let down = sampling.map(\.down).max() ?? 1
        let isAlone = sampling.count == 1
        let mcus = ceiling(width, 8 * (isAlone ? 1 : across)) * ceiling(height, 8 * (isAlone ? 1 : down))
        let blocks = isAlone ? 1 : sampling.reduce(0) { $0 + $1.across * $1.down }
        var bytes = head(width, height) + [UInt8](repeating: 0, count: mcus * blocks / 8)
        if mcus * blocks % 8 > 0 { bytes.append(0xFF >> UInt8(mcus * blocks % 8)) }
        for (i, factors) in sampling.enumerated() {
            bytes += JPEGParts.segment(0xDA, [1, UInt8(i + 1), 0, 1, 63, 0])
            bytes += Self.ends(
                of: ceiling(width * factors.across, 8 * across) * ceiling(height * factors.down, 8 * down))
        }
        return bytes + [0xFF, 0xD9]
    }

    /// Runs that end so many blocks.
    private static func ends(of count: Int) -> [UInt8] {
        var bits: [UInt8] = []
        var left = count
        while left > 0 {
            let run = min(left, 0x7FFF)
            let size = Int.bitWidth - 1 - run.leadingZeroBitCount
            bits += (0..<4).map { UInt8(size >> (3 - $0) & 1) }
            bits += (0..<size).map { UInt8(run >> (size - 1 - $0) & 1) }
            left -= run
        }
        while bits.count % 8 > 0 { bits.append(1) }
        return stride(from: 0, to: bits.count, by: 8).flatMap { at in
            let byte = bits[at..<at + 8].reduce(0) { $0 << 1 | $1 }
            return byte == 0xFF ? [0xFF, 0] : [byte]
        }
    }
}
