/// All tables a search can choose from, in a chain from fine to coarse: each link has every divisor at least
/// as large as the link before it, so a bigger budget, which ends further up, never makes any divisor coarser.
///
/// The scale goes from the ceiling's to the floor's in equal ratios; between two scales the divisors follow
/// in groups, chroma first, then luma from high frequencies to low ones.
struct TableChain {
    /// Scales in percent of Annex K, ascending.
    private let scales: [Double]
    private static let groups = 4
    /// Luma divisors from these zigzag positions on move together, in the second and third group.
    private static let groupStarts = [20, 6]
    /// Largest ratio between neighbouring scales: about what 1 % of the file's bytes amounts to.
    private static let ratio = 1.012

    /// Numbers of the links: 0 is the ceiling.
    let last: Int
    /// Base-2 logarithm of the ratio of the scales of two neighbouring links, on average.
    let logRatio: Double

    init(minQuality: Double, maxQuality: Double) {
        let fine = QuantisationTables.scale(ofQuality: maxQuality)
        let coarse = max(fine, QuantisationTables.scale(ofQuality: minQuality))
        // Below this scale every divisor is 1.
        let start = max(fine, 0.4)
        var step = max(coarse, start) / start
        var halvings = 0
        while step > Self.ratio, halvings < 16 {
            step = step.squareRoot()
            halvings += 1
        }
        var scales = [fine]
        if coarse > start {
            var scale = start
            for _ in 1..<(1 << halvings) {
                scale *= step
                scales.append(min(scale, coarse))
            }
            scales.append(coarse)
        }
        self.scales = scales
        last = (scales.count - 1) * Self.groups
        logRatio = approximateLog2(max(step, 1.000_1)) / Double(Self.groups)
    }

    /// The tables of a link; the logarithm of their scale is proportional to the link's number.
    func tables(_ link: Int) -> QuantisationTables {
        let bounded = max(0, min(last, link))
        let index = bounded / Self.groups
        let group = bounded % Self.groups
        let scale = scales[index]
        guard group > 0 else { return QuantisationTables(lumaScale: scale, chromaScale: scale) }
        let coarser = scales[index + 1]
        guard group > 1 else { return QuantisationTables(lumaScale: scale, chromaScale: coarser) }
        let fine = QuantisationTables(lumaScale: scale, chromaScale: coarser)
        let coarse = QuantisationTables(lumaScale: coarser, chromaScale: coarser)
        var luma = fine.luma
        for position in Self.groupStarts[group - 2]..<64 {
            let natural = CoefficientOrder.naturalOfZigzag[position]
            luma[natural] = coarse.luma[natural]
        }
        return QuantisationTables(luma: luma, chroma: fine.chroma)
    }
}
