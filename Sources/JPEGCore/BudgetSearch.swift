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
}

/// How much work goes into a file.
package enum Effort: String, CaseIterable, Sendable {
    /// Rounding to nearest at the finest tables that fit.
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
    }

    /// Loss of chroma detail, in squares of the mean chroma divisor, from which on full resolution looks better.
    ///
    /// Below, quantisation takes more than halving does, and the bytes are better spent on the divisors. Measured
    /// on 26 pictures at five budgets: up to 0.9 full resolution mostly costs, from 1.3 on it gains in nearly all of them.
    private static let worthwhileDetail = 1.5

    /// Loss where most is lost from which on full resolution is needed at any divisor.
    ///
    /// Drawn letters in pure colours have 2400 and fall apart at half resolution, photographs at most 400.
    private static let unbearableLoss = 1000.0

    /// The best file within the budget, with as much chroma as is worth its bytes, or nil if `isCancelled`.
    package func fit(_ bitmap: Bitmap, isCancelled: () -> Bool) -> BudgetFit? {
        let halved = fit(CoefficientImage(bitmap, subsampling: .s420), isCancelled: isCancelled)
        guard case .fits(let file)? = halved, file.subsampling == .s420 else { return halved }
        let detail = ChromaDetail(bitmap)
        guard
            detail.concentrated > Self.unbearableLoss
                || detail.mean > Self.worthwhileDetail * file.chromaDivisor * file.chromaDivisor
        else { return halved }
        let full = fit(CoefficientImage(bitmap, subsampling: .s444), isCancelled: isCancelled)
        if case .tooLarge? = full { return halved }
        return full
    }

    /// The best file within the budget, or nil if `isCancelled`, asked between tries, said so.
    package func fit(_ image: CoefficientImage, isCancelled: () -> Bool) -> BudgetFit? {
        var pass = SearchPass(
            image: image, ladder: ladder, maxBytes: maxBytes, effort: effort, progressive: progressive)
        return pass.run(isCancelled)
    }

    /// Bytes needed besides the bitmap, by arithmetic: coefficients, one strip of planes, what weighing bits takes,
    /// output and tables.
    package static func memoryNeed(size: PixelSize, subsampling: Subsampling, maxBytes: Int) -> Int {
        let geometry = ScanGeometry(size: size, subsampling: subsampling)
        // A file cannot be larger than all its blocks at their longest.
        let output = min(max(0, maxBytes), geometry.totalBlocks * 512 + 4096) + JPEGWriter.slack
        return CoefficientImage.memoryNeed(geometry) + output + SearchPass.tableBytes
            + BlockTokens.memoryNeed(blocks: geometry.totalBlocks, maxBytes: maxBytes)
            + BlockActivity.memoryNeed(blocks: geometry.totalBlocks)
    }
}
