/// Fills a budget with quantisation that weighs bits against error.
///
/// Two knobs: a step of the ladder brings the size near the budget, then the strength (what errors are worth)
/// takes it there. At the ceiling's step the strength grows until all values are rounded to nearest, so sizes
/// go on without a gap to the file that the quality ceiling alone limits.
struct RefinedSearch {
    private let image: CoefficientImage
    private let ladder: ScaleLadder
    private let maxBytes: Int
    private let pass: TrellisPass
    private let progressive: Progressive
    private var script: ScanScript
    private var tokens: [BlockTokens]
    /// What the tokens are of.
    private var made: Try?
    /// AC counts of the latest try: luma, chroma.
    private var rates: [CodeRates] = []

    /// Share of the budget that is not worth another try, and the share aimed at.
    private let goodFill: Double
    private let aim: Double
    private static let maximumTries = 20
    /// Distance in base-2 log size that strength can go without harm.
    private static let withinStrength = 0.04
    /// Fewer rows of MCUs than this are always counted whole.
    private static let rowsWorthSampling = 16
    /// Change of log size with log scale.
    private static let typicalStepSlope = -0.65
    /// Change of base-2 log size per unit of strength, until two tries tell better.
    private static let typicalSlope = 0.3 / Double(Strength.unitsPerOctave)

    struct Choice: Hashable {
        var step: Int
        var strength = Strength()
    }

    private struct Try {
        let choice: Choice
        let coding: PictureCoding
        /// Nil for a sequential file.
        let scans: ProgressiveCoding?
        let bytes: Int
        /// Rates it was made with, to make it again.
        let rates: [CodeRates]
        var logSize: Double { approximateLog2(Double(bytes)) }
    }

    init(
        image: CoefficientImage, ladder: ScaleLadder, maxBytes: Int, effort: Effort, progressive: Progressive
    ) {
        goodFill = effort == .best ? 0.9993 : 0.9965
        aim = effort == .best ? 0.9998 : 0.9985
        self.progressive = progressive
        script = .sequential
        self.image = image
        self.ladder = ladder
        self.maxBytes = maxBytes
        pass = TrellisPass(image: image, activity: BlockActivity(image))
        tokens = (0..<image.geometry.componentCount).map {
            BlockTokens(blocks: image.geometry.blockCount(of: $0), maxBytes: maxBytes)
        }
    }

    /// The fit, or nil if cancelled; `ceiling` is what plain rounding gives at step 0.
    mutating func run(_ ceiling: PictureCoding, _ isCancelled: () -> Bool) -> BudgetFit? {
        // Where scans alone may bring the ceiling within the budget, quality is what limits.
        if progressive != .never, ceiling.unstuffedBytes(image.geometry) < maxBytes / 7 * 8 {
            let finest = withBestScript(
                attempt(Choice(step: 0, strength: Strength(units: Strength.range.upperBound))))
            if let bytes = write(finest) { return .fits(result(bytes, finest, .quality)) }
            if isCancelled() { return nil }
        }
        var target = maxBytes
        // Only what byte stuffing takes beyond its estimate can make a second round necessary.
        for _ in 0..<4 {
            guard let start = nearStep(ceiling, target, isCancelled) else { return nil }
            guard let found = fill(start, target, isCancelled) else {
                if isCancelled() { return nil }
                let bytes = attempt(Choice(step: ladder.last)).bytes
                return .tooLarge(bytesAtFloor: max(maxBytes + 1, bytes))
            }
            if let bytes = write(found) { return .fits(result(bytes, found, .budget)) }
            target -= max(1, target / 256)
        }
        return .tooLarge(bytesAtFloor: maxBytes + 1)
    }

    private func result(_ bytes: [UInt8], _ found: Try, _ limit: EncodedJPEG.Limit) -> EncodedJPEG {
        EncodedJPEG(
            bytes: bytes, quality: found.coding.quantisation.quality, subsampling: image.subsampling,
            chromaDivisor: found.coding.quantisation.meanChroma,
            limitedBy: limit)
    }
}

/// What a try costs.
extension RefinedSearch {
    private mutating func attempt(_ choice: Choice) -> Try {
        let tables = ladder.tables(choice.step)
        if rates.isEmpty { rates = plainCounts(tables).map { CodeRates(counts: $0.ac) } }
        return attempt(choice, rates)
    }

    private mutating func attempt(_ choice: Choice, _ rates: [CodeRates]) -> Try {
        let tables = ladder.tables(choice.step)
        func coding(_ components: Range<Int>, _ table: [UInt8], _ rates: CodeRates) -> ComponentCoding {
            let counts = pass.run(
                components, table: table, rates: rates, strength: choice.strength, into: &tokens)
            self.rates.append(CodeRates(counts: counts.ac))
            return ComponentCoding(quantiser: BlockQuantiser(table, deadZone: 0), counts: counts)
        }
        self.rates = []
        let luma = coding(0..<1, tables.luma, rates[0])
        let chroma = image.geometry.componentCount == 3 ? coding(1..<3, tables.chroma, rates[1]) : nil
        let result = PictureCoding(quantisation: tables, luma: luma, chroma: chroma)
        let tried = sized(Try(choice: choice, coding: result, scans: nil, bytes: 0, rates: rates), script)
        made = tried
        return tried
    }

    /// The choice that the tokens are of, with its size in a file of these scans.
    private func sized(_ made: Try, _ script: ScanScript) -> Try {
        let coding = made.coding
        guard script != .sequential else {
            let bytes = coding.unstuffedBytes(image.geometry) + coding.entropyBytes / 256
            return Try(choice: made.choice, coding: coding, scans: nil, bytes: bytes, rates: made.rates)
        }
        let scans = ProgressiveCoding(script, image.geometry, tokens)
        let bytes = scans.unstuffedBytes(image.geometry) + scans.entropyBytes / 256
        return Try(choice: made.choice, coding: coding, scans: scans, bytes: bytes, rates: made.rates)
    }

    /// Takes the script that needs least for the latest choice, and gives that choice's size.
    private mutating func withBestScript(_ made: Try) -> Try {
        var best = sized(made, .sequential)
        script = .sequential
        guard progressive != .never else { return best }
        for candidate in ScanScript.allCases where candidate != .sequential {
            let tried = sized(made, candidate)
            // A reader has more work with it, so it must be worth something.
            let isBetter =
                script == .sequential ? tried.bytes < best.bytes - best.bytes / 128 : tried.bytes < best.bytes
            if isBetter || (progressive == .always && script == .sequential) {
                script = candidate
                best = tried
            }
        }
        return best
    }

    /// Counts of a quarter of the rows, rounded to nearest: luma's, then chroma's.
    private func plainCounts(_ tables: QuantisationTables) -> [SymbolCounts] {
        func counts(_ components: Range<Int>, _ table: [UInt8]) -> SymbolCounts {
            let quantiser = BlockQuantiser(table, deadZone: 0)
            var counts = SymbolCounts()
            for component in components {
                counts.add(image, component: component, quantiser: quantiser, rows: .sampled)
            }
            return counts
        }
        let luma = counts(0..<1, tables.luma)
        return image.geometry.componentCount == 3 ? [luma, counts(1..<3, tables.chroma)] : [luma]
    }

    private mutating func write(_ found: Try) -> [UInt8]? {
        if made?.choice != found.choice { _ = attempt(found.choice, found.rates) }
        guard let scans = found.scans else {
            return TokenWriter.write(
                image.geometry, found.coding, tokens,
                limit: min(maxBytes, found.coding.unstuffedBytes(image.geometry) * 2))
        }
        guard scans.unstuffedBytes(image.geometry) <= maxBytes else { return nil }
        return ProgressiveWriter.write(
            image.geometry, found.coding.quantisation, scans, tokens, limit: maxBytes)
    }
}

extension RefinedSearch {
    /// A try near the target, or at an end of the ladder, with the best scans chosen; nil if cancelled.
    private mutating func nearStep(
        _ ceiling: PictureCoding, _ target: Int, _ isCancelled: () -> Bool
    ) -> Try? {
        let goal = approximateLog2(Double(max(1, target)))
        var slope = Self.typicalStepSlope * ladder.logRatio
        var step = expectedStep(ceiling, goal, &slope)
        var over = -1
        var under = ladder.last + 1
        var latest: Try?
        for tries in 0..<Self.maximumTries {
            if isCancelled() { return nil }
            step = max(over + 1, min(under - 1, max(0, min(ladder.last, step))))
            var tried = attempt(Choice(step: step))
            if tries == 0 { tried = withBestScript(tried) }
            if let latest, latest.choice.step != step {
                slope = boundedSlope(latest, tried, expected: slope)
            }
            latest = tried
            if tried.bytes > target { over = max(over, step) } else { under = min(under, step) }
            let distance = goal - tried.logSize
            if distance.magnitude < Self.withinStrength || over + 1 >= under { break }
            step += jump(distance, slope)
        }
        return latest
    }

    /// The step that a quarter of the rows points to.
    private mutating func expectedStep(_ ceiling: PictureCoding, _ goal: Double, _ slope: inout Double) -> Int
    {
        let ceilingSize = approximateLog2(Double(ceiling.unstuffedBytes(image.geometry)))
        // Weighing bits saves about a fifth at the same tables.
        var step = max(0, min(ladder.last, jump(goal - ceilingSize + 0.25, slope)))
        guard image.geometry.mcusDown >= Self.rowsWorthSampling else { return step }
        let sampledBits = plainCounts(ladder.tables(0)).reduce(0) { $0 + bits($1) }
        let wholePerSample = Double(ceiling.entropyBytes * 8) / Double(max(1, sampledBits))
        let header = ceiling.unstuffedBytes(image.geometry) - ceiling.entropyBytes
        // Scans save a little more, mostly.
        let aim = goal + (progressive == .never ? 0 : 0.03)
        var last: (step: Int, logSize: Double)?
        for _ in 0..<4 {
            let tables = ladder.tables(step)
            if rates.isEmpty { rates = plainCounts(tables).map { CodeRates(counts: $0.ac) } }
            var counts = [pass.sample(0..<1, table: tables.luma, rates: rates[0])]
            if rates.count > 1 { counts.append(pass.sample(1..<3, table: tables.chroma, rates: rates[1])) }
            rates = counts.map { CodeRates(counts: $0.ac) }
            let bytes = Double(counts.reduce(0) { $0 + bits($1) }) / 8 * wholePerSample * 257 / 256
            let logSize = approximateLog2(bytes + Double(header))
            if let last, last.step != step {
                let measured = (logSize - last.logSize) / Double(step - last.step)
                slope = max(slope * 2, min(slope / 2, measured))
            }
            last = (step, logSize)
            let next = max(0, min(ladder.last, step + jump(aim - logSize, slope)))
            if (next - step).magnitude <= 2 { return next }
            step = next
        }
        return step
    }

    private func boundedSlope(_ a: Try, _ b: Try, expected: Double) -> Double {
        let measured = (b.logSize - a.logSize) / Double(b.choice.step - a.choice.step)
        return max(expected * 2, min(expected / 2, measured))
    }

    private func bits(_ counts: SymbolCounts) -> Int {
        HuffmanTable(counts: counts.dc).totalBits + HuffmanTable(counts: counts.ac).totalBits
    }

    /// The fullest try that fits, by strength alone; failing that, at the next steps; nil if none or cancelled.
    private mutating func fill(_ start: Try, _ target: Int, _ isCancelled: () -> Bool) -> Try? {
        let goal = approximateLog2(Double(max(1, target)) * aim)
        let step = start.choice.step
        var slope = Self.typicalSlope
        var latest = start
        var best: Try?
        var low = step == ladder.last ? -1 : Strength.range.lowerBound
        var high = Strength.range.upperBound
        for tries in 0..<Self.maximumTries {
            let units = latest.choice.strength.units
            if latest.bytes <= target {
                low = max(low, units)
                if latest.bytes > best?.bytes ?? 0 { best = latest }
                if Double(latest.bytes) >= Double(target) * goodFill { return best }
            } else {
                high = min(high, units)
            }
            guard high - low > 1 else { break }
            if isCancelled() { return nil }
            var next = units + jump(goal - latest.logSize, slope)
            // Where the line leads nowhere, halves get there.
            if tries > 5 || next <= low || next >= high { next = low + (high - low) / 2 }
            let tried = attempt(Choice(step: step, strength: Strength(units: next)))
            let measured = (tried.logSize - latest.logSize) / Double(next - units)
            slope = max(Self.typicalSlope / 8, min(slope * 4, measured))
            latest = tried
        }
        if best != nil || step >= ladder.last { return best }
        return fill(attempt(Choice(step: step + 1)), target, isCancelled)
    }

    /// Steps to cover a distance in log size; bounded, because a slope may be next to nothing.
    private func jump(_ distance: Double, _ slope: Double) -> Int {
        let steps = distance / slope
        return Int(max(-65536, min(65536, steps.isNaN ? 0 : steps.rounded())))
    }
}

/// What errors are worth, on a scale of equal ratios; 0 stands for 1.
///
/// A picture of many equal blocks would change all at once, so between two neighbouring strengths a share of the
/// blocks has the higher one already. They differ by a 23rd.
struct Strength: Hashable {
    var units = 0

    static let unitsPerOctave = stepsPerOctave * shares
    private static let stepsPerOctave = 16
    private static let shares = 64

    /// As far as sizes go in practice: from nothing kept that need not be to everything rounded to nearest.
    static let range = (-4 * unitsPerOctave)...(8 * unitsPerOctave)

    /// Factor for the first of `count` blocks, up to `boundary`, and for the others.
    func factors(count: Int) -> (first: Float, boundary: Int, rest: Float) {
        let step = units >> 6
        let share = units & (Self.shares - 1)
        return (Self.factor(step + 1), count * share / Self.shares, Self.factor(step))
    }

    private static func factor(_ steps: Int) -> Float {
        // Square roots are exact to the last bit everywhere, other powers need not be.
        let root = 2.0.squareRoot().squareRoot().squareRoot().squareRoot()
        var factor = 1.0
        for _ in 0..<steps.magnitude { factor *= root }
        return Float(steps < 0 ? 1 / factor : factor)
    }
}
