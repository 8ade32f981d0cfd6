/// The scales a search can choose from, from the ceiling's to the floor's in equal ratios.
///
/// Every step down has each divisor at least as large as the step above, so a bigger budget, which ends further
/// up, never makes any divisor coarser; that of DC may differ by one where flat areas ask for it.
struct ScaleLadder: Sendable {
    /// Largest ratio between neighbours; a file's size changes by about half as much.
    private static let largestRatio = 1.012

    /// In percent of the shapes, ascending.
    private let scales: [Double]
    /// Tables that are no multiple of the shapes, the only step then.
    private let only: QuantisationTables?
    /// What flat areas ask of the tables between the ends.
    var flat: FlatLevels?
    /// Base-2 logarithm of the ratio between neighbours.
    let logRatio: Double

    /// Number of the coarsest scale; 0 is the ceiling's.
    var last: Int { scales.count - 1 }

    init(minQuality: Double, maxQuality: Double) {
        let fine = QuantisationTables.scale(ofQuality: maxQuality, neverFiner: true)
        let coarse = max(fine, QuantisationTables.scale(ofQuality: minQuality, neverFiner: false))
        var ratio = coarse / fine
        let range = approximateLog2(ratio)
        var steps = 1
        // Square roots are exact to the last bit everywhere, other powers need not be.
        while ratio > Self.largestRatio {
            ratio = ratio.squareRoot()
            steps *= 2
        }
        var scales = [fine]
        if coarse > fine {
            var scale = fine
            for _ in 1..<steps {
                scale *= ratio
                scales.append(min(scale, coarse))
            }
            scales.append(coarse)
        }
        self.scales = scales
        only = nil
        logRatio = range / Double(steps)
    }

    /// A ladder of one step.
    init(only tables: QuantisationTables) {
        scales = [1]
        only = tables
        logRatio = 1
    }

    func scale(_ step: Int) -> Double { scales[max(0, min(last, step))] }

    /// The step whose scale is the nearest one that is not below `scale`, or the last one.
    func step(ofScale scale: Double) -> Int {
        scales.firstIndex { $0 >= scale } ?? last
    }

    func tables(_ step: Int) -> QuantisationTables {
        if let only { return only }
        let tables = QuantisationTables(scale: scales[max(0, min(last, step))])
        // At the ends the tables are the ceiling's and the floor's.
        guard let flat, step > 0, step < last else { return tables }
        return flat.tables(tables)
    }
}
