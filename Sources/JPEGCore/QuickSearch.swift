internal import Pixels

/// The way of `Effort.fast`: rounding to nearest, and few looks at the whole picture.
///
/// A quarter of the rows tells where to look. It is off by half a percent, nearly the same at neighbouring tables, so
/// the second look mostly ends within the last percent of the budget.
extension SearchPass {
    /// Share of the budget that is not worth another look, and the share aimed at.
    private static let quickFill = 0.993
    private static let quickAim = 0.998
    private static let quickLooks = 5
    /// The widest dead zone that is taken before finer or coarser tables are.
    private static let quickDeadZone = 24
    /// Bytes of the Huffman tables, about.
    private static let typicalTableBytes = 280

    /// What to expect of the budget, or nil where the rows are too few or the floor is too fine for it.
    mutating func quickLook() -> Outlook? {
        guard isWorthSampling else { return nil }
        let step = firstGuess(quickStart())
        guard step < ladder.last else { return nil }
        let geometry = image.geometry
        let tables = ladder.tables(step)
        let rows = (0..<geometry.mcusDown).count { RowSample.sampled.contains($0) }
        let blocks = rows * geometry.blocksPerMCURow(of: 0)
        return Outlook(
            scale: ladder.scale(step), tables: tables,
            fineDetail: Double(costs.sampledFineValues(tables)) / Double(max(1, blocks)))
    }

    /// A file that nearly fills the budget, or nil if none is found in a few looks.
    mutating func runQuick(_ isCancelled: () -> Bool) -> BudgetFit? {
        guard isWorthSampling else { return nil }
        var choice = Choice(step: firstGuess(quickStart()))
        for _ in 0..<Self.quickLooks {
            if isCancelled() { return nil }
            let bytes = estimatedBytes(coding(choice))
            if bytes <= maxBytes, Double(bytes) >= Double(maxBytes) * Self.quickFill {
                return finish(choice, isCancelled)
            }
            choice = aimed(after: choice, bytes)
        }
        return nil
    }

    private var isWorthSampling: Bool {
        ladder.last > 1 && image.geometry.mcusDown >= Self.rowsWorthSampling
    }

    /// What the finest tables need, as far as is known.
    private mutating func quickStart() -> Try {
        if let ceiling { return Try(at: 0, bytes: estimatedBytes(ceiling)) }
        let header = JPEGHeader.byteCount(image.geometry, huffmanBytes: Self.typicalTableBytes)
        return Try(at: 0, bytes: Int(costs.expectedBytes(ladder.tables(0))) + header)
    }

    /// Where to look after a choice that takes so many bytes.
    private mutating func aimed(after choice: Choice, _ bytes: Int) -> Choice {
        let aim = approximateLog2(Double(max(1, maxBytes)) * Self.quickAim)
        let counted = costs.expectedBytes(ladder.tables(choice.step), deadZone: choice.deadZone)
        let next = moved(choice, by: aim - approximateLog2(Double(bytes)))
        // The sampled rows tell how far that is off.
        let expected = costs.expectedBytes(ladder.tables(next.step), deadZone: next.deadZone)
        return moved(next, by: aim - approximateLog2(expected + Double(bytes) - counted))
    }

    /// The choice whose log size differs by `distance`: tables that are slightly too fine, a dead zone for the rest.
    private func moved(_ choice: Choice, by distance: Double) -> Choice {
        // From the same tables without a dead zone.
        let distance = distance + Double(choice.deadZone) * Self.typicalTrim
        let slope = Self.typicalSlope * ladder.logRatio
        var (step, rest) = (choice.step, distance)
        if distance > 0 || distance < Self.typicalTrim * Double(Self.quickDeadZone) {
            step = max(0, min(ladder.last, step + Int((distance / slope).rounded(.down))))
            rest = distance - Double(step - choice.step) * slope
        }
        let deadZone = Int((rest / Self.typicalTrim).rounded())
        return Choice(step: step, deadZone: max(0, min(BlockQuantiser.widestDeadZone, deadZone)))
    }
}
