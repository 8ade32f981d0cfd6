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

    /// Loss where most is lost, in squares of the mean chroma divisor, from which on full resolution looks better.
    ///
    /// Below, quantisation takes more than halving does, and the bytes are better spent on the divisors. Measured
    /// with SSIMULACRA2 on photographs at five budgets: full resolution lost 1 to 3 up to 14 and gained from 19 on.
    /// The mean loss tells them apart less well: noisy chroma all over a picture is seen less than its edges.
    private static let worthwhileLoss = 16.0

    /// Loss where most is lost from which on full resolution is needed at any divisor.
    ///
    /// Drawn letters in pure colours have 2400 and fall apart at half resolution, photographs at most 400.
    private static let unbearableLoss = 1000.0

    /// Loss where most is lost from which on halved chroma is worth being chosen together with luma.
    private static let smearingLoss = 500.0

    /// The best file within the budget, with as much chroma as is worth its bytes, or nil if `isCancelled`.
    package func fit(_ bitmap: Bitmap, isCancelled: () -> Bool) -> BudgetFit? {
        let loss = ChromaDetail(bitmap).concentrated
        func full() -> BudgetFit? {
            fit(CoefficientImage(bitmap, subsampling: .s444), isCancelled: isCancelled)
        }
        if loss > Self.unbearableLoss, mayFit(CoefficientImage(bitmap, subsampling: .s444)) {
            let whole = full()
            guard case .tooLarge? = whole else { return whole }
        }
        let halved = fit(halvedImage(bitmap, loss), isCancelled: isCancelled)
        guard case .fits(let file)? = halved, file.subsampling == .s420, loss <= Self.unbearableLoss,
            loss > Self.worthwhileLoss * file.chromaDivisor * file.chromaDivisor
        else { return halved }
        let whole = full()
        if case .tooLarge? = whole { return halved }
        return whole
    }

    /// Whether it is worth a search: weighing bits takes away a quarter of a file at the same divisors at most.
    private func mayFit(_ image: CoefficientImage) -> Bool {
        var costs = CodingCosts(image: image)
        let coarsest = costs.coding(ladder.tables(ladder.last), deadZone: 0)
        return coarsest.unstuffedBytes(image.geometry) / 4 * 3 <= maxBytes
    }

    private func halvedImage(_ bitmap: Bitmap, _ loss: Double) -> CoefficientImage {
        loss > Self.smearingLoss
            ? CoefficientImage(SharpChroma(bitmap)) : CoefficientImage(bitmap, subsampling: .s420)
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
