package import Pixels

extension BudgetSearch {
    /// The best file within the budget, or nil if `isCancelled`; of a picture from a JPEG none that spends bytes on
    /// what that JPEG does not hold.
    package func fit(
        _ bitmap: Bitmap, from source: SourceLimit?, mayShrink: Bool = false, isCancelled: () -> Bool
    ) -> BudgetFit? {
        guard let source else { return fit(bitmap, mayShrink: mayShrink, isCancelled: isCancelled) }
        let ceiling = max(minQuality, source.worthwhileQuality(bitmap.size))
        guard ceiling < maxQuality else {
            return fit(bitmap, mayShrink: mayShrink, isCancelled: isCancelled)
        }
        if let file = ownFile(bitmap, source) { return .fits(file) }
        let search = BudgetSearch(
            maxBytes: maxBytes, minQuality: minQuality, maxQuality: ceiling, effort: effort,
            progressive: progressive)
        guard let fit = search.fit(bitmap, mayShrink: mayShrink, isCancelled: isCancelled) else { return nil }
        guard case .fits(let file) = fit, file.limitedBy == .quality else { return fit }
        return .fits(file.limitedBySource)
    }

    /// The source's own values written again, where blocks have stayed where they were and the budget allows it.
    ///
    /// Any other divisors, however fine, add an error of their own to what the source's left.
    private func ownFile(_ bitmap: Bitmap, _ source: SourceLimit) -> EncodedJPEG? {
        guard let own = source.own(bitmap.size, minQuality: minQuality), own.tables.quality <= maxQuality
        else { return nil }
        let image = CoefficientImage(bitmap, subsampling: own.subsampling)
        var costs = CodingCosts(image: image)
        guard costs.coding(own.tables, deadZone: 0).unstuffedBytes(image.geometry) <= maxBytes else {
            return nil
        }
        var pass = SearchPass(
            image: image, ladder: ScaleLadder(only: own.tables), maxBytes: maxBytes, effort: effort,
            progressive: progressive)
        guard case .fits(let file)? = pass.run({ false }), file.limitedBy == .quality else { return nil }
        return file.limitedBySource
    }
}

extension EncodedJPEG {
    fileprivate var limitedBySource: EncodedJPEG {
        EncodedJPEG(
            bytes: bytes, quality: quality, subsampling: subsampling, chromaDivisor: chromaDivisor,
            limitedBy: .source)
    }
}
