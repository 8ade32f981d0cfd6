/// The two quantisation tables of a picture: fixed shapes times a continuous scale.
package struct QuantisationTables: Hashable, Sendable {
    /// 64 divisors from 1 to 255, row by row.
    package let luma: [UInt8]
    package let chroma: [UInt8]

    /// T.81, table K.1.
    static let annexKLuma: [UInt8] = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
        14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
        18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
        49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]

    /// T.81, table K.2.
    static let annexKChroma: [UInt8] = [
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
        24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    ]

    /// The shapes in use, found by search for what looks best at equal bytes (SSIMULACRA2, two dozen pictures).
    ///
    /// Against Annex K they spend more on the lowest frequencies, which saves skies from banding, and on
    /// chroma, and less on the middle ones. Luma has Annex K's mean, so equal scales mean equal quality.
    static let shapeLuma: [UInt8] = [
        9, 14, 29, 37, 45, 53, 62, 71, 14, 25, 31, 38, 46, 54, 63, 71,
        29, 31, 35, 42, 49, 57, 65, 73, 37, 38, 42, 47, 53, 61, 68, 76,
        45, 46, 49, 53, 59, 66, 73, 80, 53, 54, 57, 61, 66, 71, 78, 85,
        62, 63, 65, 68, 73, 78, 84, 91, 71, 71, 73, 76, 80, 85, 91, 96,
    ]

    static let shapeChroma: [UInt8] = [
        7, 15, 19, 24, 29, 35, 41, 47, 15, 17, 20, 25, 30, 35, 41, 47,
        19, 20, 23, 27, 32, 37, 43, 49, 24, 25, 27, 31, 35, 40, 45, 51,
        29, 30, 32, 35, 39, 43, 48, 54, 35, 35, 37, 40, 43, 47, 52, 57,
        41, 41, 43, 45, 48, 52, 56, 61, 47, 47, 49, 51, 54, 57, 61, 66,
    ]

    init(luma: [UInt8], chroma: [UInt8]) {
        self.luma = luma
        self.chroma = chroma
    }

    /// Tables for scales in percent of Annex K.
    package init(lumaScale: Double, chromaScale: Double) {
        luma = Self.scaled(Self.annexKLuma, percent: lumaScale)
        chroma = Self.scaled(Self.annexKChroma, percent: chromaScale)
    }

    /// The shapes in use at a scale in percent.
    init(scale: Double) {
        luma = Self.scaled(Self.shapeLuma, percent: scale)
        chroma = Self.scaled(Self.shapeChroma, percent: scale)
    }

    /// Tables of a libjpeg quality; whole numbers give exactly libjpeg's baseline tables.
    package init(quality: Double) {
        let scale = Self.scale(ofQuality: quality)
        self.init(lumaScale: scale, chromaScale: scale)
    }

    /// The (fractional) libjpeg quality whose Annex K luminance table has the same mean as this one.
    ///
    /// Between two whole qualities the mean is taken as a straight line.
    package var quality: Double { Self.quality(ofSum: Double(luma.reduce(0) { $0 + Int($1) })) }

    /// The (fractional) libjpeg quality whose Annex K luma table has this sum.
    static func quality(ofSum sum: Double) -> Double {
        var finer = 100
        while finer > 1, Double(Self.sum(atQuality: finer - 1)) <= sum { finer -= 1 }
        let below = Double(Self.sum(atQuality: finer))
        guard finer > 1, sum > below else { return Double(finer) }
        let above = Double(Self.sum(atQuality: finer - 1))
        return Double(finer) - (sum - below) / (above - below)
    }

    /// The scale whose luma table is as near a quality as can be without being finer, or without being coarser.
    static func scale(ofQuality quality: Double, neverFiner: Bool) -> Double {
        let goal = sum(ofQuality: quality)
        // All divisors are 1 at one end and 255 at the other, which the least of the shape, 9, reaches at 2834 %.
        var low = 1.0
        var high = 2900.0
        for _ in 0..<40 {
            let middle = (low + high) / 2
            let sum = QuantisationTables(scale: middle).luma.reduce(0.0) { $0 + Double($1) }
            if sum == goal { return middle }
            if sum < goal { low = middle } else { high = middle }
        }
        return neverFiner ? high : low
    }

    /// Sum of the Annex K luma table at a quality, straight lines between whole ones.
    static func sum(ofQuality quality: Double) -> Double {
        let bounded = quality > 1 ? min(100, quality) : 1
        let whole = min(99, Int(bounded))
        let lower = Double(sum(atQuality: whole))
        return lower + (Double(sum(atQuality: whole + 1)) - lower) * (bounded - Double(whole))
    }

    var meanChroma: Double { Double(chroma.reduce(0) { $0 + Int($1) }) / 64 }

    /// libjpeg's law from quality to scale in percent, joined by straight lines between its whole numbers.
    ///
    /// Below 50 libjpeg divides 5000 by the quality and drops the remainder, which is why the whole numbers
    /// are computed first. Qualities outside 1…100 are brought to the nearest end, no number counts as 1.
    package static func scale(ofQuality quality: Double) -> Double {
        guard quality > 1 else { return scale(ofWholeQuality: 1) }
        guard quality < 100 else { return scale(ofWholeQuality: 100) }
        let whole = Int(quality)
        let lower = scale(ofWholeQuality: whole)
        let upper = scale(ofWholeQuality: whole + 1)
        return lower + (upper - lower) * (quality - Double(whole))
    }

    private static func scale(ofWholeQuality quality: Int) -> Double {
        Double(quality < 50 ? 5000 / quality : 200 - 2 * quality)
    }

    private static func sum(atQuality quality: Int) -> Int {
        let scale = scale(ofWholeQuality: quality)
        return annexKLuma.reduce(0) { $0 + Int(divisor($1, percent: scale)) }
    }

    private static func scaled(_ table: [UInt8], percent: Double) -> [UInt8] {
        table.map { divisor($0, percent: percent) }
    }

    /// One entry, rounded half up and kept within a byte, as baseline asks.
    static func divisor(_ base: UInt8, percent: Double) -> UInt8 {
        let value = (Double(base) * percent + 50) / 100
        return value < 255 ? UInt8(max(1, value)) : 255
    }
}
