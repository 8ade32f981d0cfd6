package import Pixels

/// A finished file.
package struct EncodedJPEG: Sendable {
    /// What kept the file from being larger.
    package enum Limit: Sendable {
        case budget
        case quality
        /// The source, which holds nothing that a larger file would show.
        case source
    }

    package let bytes: [UInt8]
    /// The (fractional) libjpeg quality with the same mean luma divisor.
    package let quality: Double
    package let subsampling: Subsampling
    /// Mean of the chroma table.
    let chromaDivisor: Double
    package let limitedBy: Limit
}

/// What a search ends with.
package enum BudgetFit: Sendable {
    case fits(EncodedJPEG)
    /// Even the coarsest tables need more than the budget: this many bytes.
    case tooLarge(bytesAtFloor: Int)
    /// Fewer pixels look better shown at the same size, about this share of each side.
    case betterSmaller(side: Double)
}

/// How much work goes into a file.
package enum Effort: String, CaseIterable, Sendable {
    /// Rounding to nearest at the finest tables that fit, chroma halved by averaging but where that would smear.
    case fast
    /// Bits are weighed against error where the budget binds.
    case `default`
    /// As `default`, with more rounds for the last bytes.
    case best
}

/// Whether a file may come in several scans.
package enum Progressive: String, CaseIterable, Sendable {
    /// Where that takes fewer bytes and the budget binds.
    case auto
    case never
    case always
}

/// Finds the finest quantisation with which a picture fits a byte budget.
package struct BudgetSearch: Sendable {
    let maxBytes: Int
    let minQuality: Double
    let maxQuality: Double
    let effort: Effort
    let progressive: Progressive
    private let ladder: ScaleLadder
    /// Down to the lowest quality there is, whatever the floor.
    private let wideLadder: ScaleLadder

    /// Qualities are libjpeg's, 1…100; a floor above the ceiling counts as the ceiling.
    package init(
        maxBytes: Int, minQuality: Double, maxQuality: Double, effort: Effort = .default,
        progressive: Progressive = .auto
    ) {
        self.progressive = progressive
        // No picture is as large as the upper end, and sums near it must not overflow.
        self.maxBytes = max(0, min(.max / 16, maxBytes))
        self.effort = effort
        self.minQuality = minQuality
        self.maxQuality = max(minQuality, maxQuality)
        ladder = ScaleLadder(minQuality: minQuality, maxQuality: maxQuality)
        wideLadder = ScaleLadder(minQuality: 1, maxQuality: max(minQuality, maxQuality))
    }

    /// Luma values a block beyond half the resolution, below which fewer pixels look better.
    ///
    /// Measured on 23 pictures at seven budgets from 10 to 80 KB, each at up to seven sizes, shown at its own: the
    /// balance lies at 0.2 in the middle and between 0.07 and 0.6 in nearly all of them.
    private static let worthwhilePixels = 0.2

    /// The share of each side that looks best where the whole size would have this quality.
    ///
    /// From the same measurement. The best shares are flat, so one line does for all; those near 1 are none of them,
    /// because scaling then costs more than a few per cent of pixels give.
    package static func shownBest(atQuality quality: Double) -> Double {
        0.36 + 0.005 * max(1, min(80, quality))
    }

    /// The same, larger where quality is good and detail is nearly worth the whole size.
    ///
    /// There the best share grows with the budget, and a leap to the whole size would not always be one for the better.
    private static func shownBest(_ outlook: Outlook) -> Double {
        let share = shownBest(atQuality: outlook.quality)
        let good = max(0, min(1, (outlook.quality - 60) / 15))
        let detail = max(0, min(1, (outlook.fineDetail / worthwhilePixels - 0.25) / 0.75))
        return share + (0.95 - share) * good * detail
    }

    /// The share in eighths, above the half in sixteenths.
    ///
    /// Scaling down and up again costs more at one size than at the next, by up to a point of SSIMULACRA2, so sizes
    /// that follow every budget make scores go up and down; the half itself is up to three points better than sizes
    /// around it.
    package static func evenShare(_ share: Double, _ rule: FloatingPointRoundingRule) -> Double {
        let parts = share < 0.5625 ? 8.0 : 16.0
        return max(1, min(parts, (share * parts).rounded(rule))) / parts
    }

    /// The best file within the budget, with as much chroma as is worth its bytes, or nil if `isCancelled`.
    ///
    /// Without `mayShrink` the answer is never `betterSmaller`.
    package func fit(_ bitmap: Bitmap, mayShrink: Bool = false, isCancelled: () -> Bool) -> BudgetFit? {
        let detail = ChromaDetail(bitmap)
        var halved = pass(CoefficientImage(bitmap, subsampling: .s420))
        if isCancelled() { return nil }
        let ceiling = halved.ceilingFit()
        let outlook = ceiling == nil ? halved.look(wideLadder) : nil
        if mayShrink, let outlook,
            outlook.quality < min(minQuality, maxQuality) || outlook.fineDetail < Self.worthwhilePixels
        {
            return .betterSmaller(side: Self.evenShare(Self.shownBest(outlook), .toNearestOrAwayFromZero))
        }
        let finest = ladder.tables(0).meanChroma
        let isAmple = if case .fits(let file)? = ceiling { file.bytes.count <= maxBytes / 2 } else { false }
        var sampling = detail.sampling(
            divisor: outlook?.tables.meanChroma ?? finest, finest: finest, isAmple: isAmple)
        // Choosing chroma with luma costs as much as the rest of a quick fit.
        if effort == .fast, !detail.smears, case .sharp = sampling { sampling = .halved }
        guard halved.subsampling == .s420, sampling != .halved else {
            return ceiling ?? halved.run(isCancelled)
        }
        // Of two pictures' coefficients only one is ever held.
        _ = consume halved
        if sampling == .full {
            let full = fitWhole(CoefficientImage(bitmap, subsampling: .s444), isCancelled)
            guard case .tooLarge? = full else { return full }
        }
        if isCancelled() { return nil }
        let share = if case .sharp(let share) = sampling { share } else { 1.0 }
        let planes = SharpChroma(
            bitmap, rounds: detail.smears ? SharpChroma.many : SharpChroma.few, share: Float(share))
        return fit(CoefficientImage(planes), isCancelled: isCancelled)
    }

    /// A fit at full resolution of chroma, not searched for where there can be none.
    ///
    /// Weighing bits takes away a quarter of a file at the same divisors at most.
    private func fitWhole(_ image: CoefficientImage, _ isCancelled: () -> Bool) -> BudgetFit? {
        var costs = CodingCosts(image: image)
        let coarsest = costs.coding(ladder.tables(ladder.last), deadZone: 0)
        let bytes = coarsest.unstuffedBytes(image.geometry) / 4 * 3
        guard bytes <= maxBytes else { return .tooLarge(bytesAtFloor: bytes) }
        return fit(image, isCancelled: isCancelled)
    }

    private func pass(_ image: CoefficientImage) -> SearchPass {
        SearchPass(image: image, ladder: ladder, maxBytes: maxBytes, effort: effort, progressive: progressive)
    }

    /// The best file within the budget, or nil if `isCancelled`, asked between tries, said so.
    package func fit(_ image: CoefficientImage, isCancelled: () -> Bool) -> BudgetFit? {
        var pass = pass(image)
        return pass.run(isCancelled)
    }

    /// Bytes needed besides the bitmap, by arithmetic: coefficients, one strip of planes, what weighing bits takes,
    /// output and tables.
    ///
    /// Those of 4:4:4 cover 4:2:0's coefficients beside the planes of `SharpChroma`.
    package static func memoryNeed(size: PixelSize, subsampling: Subsampling, maxBytes: Int) -> Int {
        let geometry = ScanGeometry(size: size, subsampling: subsampling)
        // A file cannot be larger than all its blocks at their longest.
        let output = min(max(0, maxBytes), geometry.totalBlocks * 512 + 4096) + JPEGWriter.slack
        return CoefficientImage.memoryNeed(geometry) + output + SearchPass.tableBytes
            + BlockTokens.memoryNeed(blocks: geometry.totalBlocks, maxBytes: maxBytes)
            + BlockActivity.memoryNeed(blocks: geometry.totalBlocks)
    }
}
