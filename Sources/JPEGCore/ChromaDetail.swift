internal import Pixels

/// What halving chroma's resolution would lose.
struct ChromaDetail {
    /// Mean square of what Cb and Cr differ from their averages over 2 × 2 pixels, weighted by itself: what is lost
    /// where most is lost; 0 without colour.
    private(set) var concentrated = 0.0

    /// Whether halved chroma would visibly smear: drawn letters in pure colours have 2400, photographs at most 400.
    var smears: Bool { concentrated > 450 }

    /// How chroma is best kept where a budget leads to this mean divisor of chroma.
    ///
    /// Below what quantisation takes, halving loses nothing that is seen, and the bytes are better spent on the
    /// divisors. Measured with SSIMULACRA2 on 41 photographs, drawn screens and pages in two sizes at five budgets:
    /// 0.14 behind the best of the three in the mean, 2.8 at most.
    ///
    /// - Parameters:
    ///   - finest: the divisor at the ceiling of quality. There the time is better saved; between 1.2 and 2.2 times
    ///     that divisor the share grows from 0 to 1, so that a larger budget never gives a worse file.
    ///   - isAmple: whether the budget leaves room for everything at the ceiling.
    func sampling(divisor: Double, finest: Double, isAmple: Bool) -> Sampling {
        // Loss against 49 × divisor ^ 1.5.
        if concentrated * concentrated > 2401 * divisor * divisor * divisor { return .full }
        if smears { return isAmple ? .full : .sharp(share: 1) }
        let share = min(1, divisor / finest - 1.2)
        return share > 0 && concentrated > divisor * divisor / 2 ? .sharp(share: share) : .halved
    }

    enum Sampling: Equatable {
        /// The mean of 2 × 2 pixels.
        case halved
        /// Halved, and this share of the way to what is chosen together with luma.
        case sharp(share: Double)
        case full
    }

    /// Row pairs looked at: one in this many.
    private static let interval = 4

    init(_ bitmap: Bitmap) {
        guard bitmap.channels == 3 else { return }
        let (across, down) = (bitmap.size.width / 2, bitmap.size.height / 2)
        let stride = bitmap.size.width * 3
        guard across > 0, down > 0, bitmap.pixels.count >= down * 2 * stride else { return }
        var (sum, squares) = (0.0, 0.0)
        unsafe bitmap.pixels.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for pair in 0..<down where pair % Self.interval == min(Self.interval, down) / 2 {
                // Both rows lie within the samples, as checked above.
                let upper = unsafe base + pair * 2 * stride
                let row = unsafe Self.lost(upper, upper + stride, across: across)
                sum += Double(row.sum)
                squares += Double(row.squares)
            }
        }
        guard sum > 0 else { return }
        concentrated = squares / sum
    }

    /// Sums over the 2 × 2 groups of two rows.
    ///
    /// Safety: 6 · `across` readable bytes at each.
    private static func lost(
        _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, across: Int
    ) -> (sum: Float, squares: Float) {
        var (sum, squares): (Float, Float) = (0, 0)
        for column in 0..<across {
            let at = column * 6
            let red = unsafe SIMD4<Float>(
                Float(upper[at]), Float(upper[at + 3]), Float(lower[at]), Float(lower[at + 3]))
            let green = unsafe SIMD4<Float>(
                Float(upper[at + 1]), Float(upper[at + 4]), Float(lower[at + 1]), Float(lower[at + 4]))
            let blue = unsafe SIMD4<Float>(
                Float(upper[at + 2]), Float(upper[at + 5]), Float(lower[at + 2]), Float(lower[at + 5]))
            let luma = red * 0.299 + green * 0.587 + blue * 0.114
            let lost = variance(blue - luma) * (0.564 * 0.564) + variance(red - luma) * (0.713 * 0.713)
            sum += lost
            squares += lost * lost
        }
        return (sum, squares)
    }

    @inline(__always)
    private static func variance(_ values: SIMD4<Float>) -> Float {
        let halves = values.lowHalf + values.highHalf
        let difference = values - (halves[0] + halves[1]) / 4
        let squares = difference * difference
        let sums = squares.lowHalf + squares.highHalf
        return (sums[0] + sums[1]) / 4
    }
}
