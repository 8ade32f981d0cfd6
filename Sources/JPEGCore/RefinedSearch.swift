/// Fills a budget with quantisation that weighs bits against error.
///
/// Two knobs: a step of the ladder brings the size near the budget, then the strength (what errors are worth)
/// takes it there. At the ceiling's step the strength grows until all values are rounded to nearest, so sizes
/// go on without a gap to the file that the quality ceiling alone limits.
struct RefinedSearch {
    let image: CoefficientImage
    var ladder: ScaleLadder
    let maxBytes: Int
    let pass: TrellisPass
    let progressive: Progressive
    private let effort: Effort
    private var script: ScanScript
    /// What the script takes of the bytes of a sequential file, as the latest tries show it.
    var scriptShare = 1.0
    var tokens: [BlockTokens]
    /// What the tokens are of.
    private var made: Try?
    /// What symbols cost in the latest try: luma's, chroma's.
    var rates: [CodeRates] = []
    /// Rows for a glance, and the whole picture's bits per bit of them.
    let rows: RowSample
    var wholePerSample: Double
    /// Where the rows let expect the target.
    var outlook: Outlook?

    /// Share of the budget that is not worth another try, and the share aimed at.
    private let goodFill: Double
    private let aim: Double
    private static let maximumTries = 20
    /// Distance in base-2 log size at which a glance has seen enough.
    static let withinGlance = 0.04
    /// Scale to begin with, in percent: about quality 90.
    static let baseScale = 20.0
    /// Distance in base-2 log size within which a file's scans are counted, not only their share estimated.
    private static let withinCounting = 0.02
    /// Bytes of the Huffman tables, about.
    static let typicalTableBytes = 280
    /// Change of log size with log scale.
    static let typicalStepSlope = -0.65
    /// Change of base-2 log size per unit of strength, until two tries tell better.
    private static let typicalSlope = 0.11 / Double(Strength.unitsPerOctave)
    /// Distance in base-2 log size from which on a quarter of the rows tells how to go on.
    private static let withinSampling = 0.15

    struct Choice: Hashable {
        var step: Int
        var strength = Strength()
    }

    struct Try {
        let choice: Choice
        let coding: PictureCoding
        /// Nil for a sequential file, or one whose scans are not counted yet.
        var scans: ProgressiveCoding?
        /// Length of the file; an estimate where there are scans to be counted.
        var bytes: Int
        /// Rates it was made with, to make it again.
        let rates: [CodeRates]
        var logSize: Double { approximateLog2(Double(bytes)) }
    }

    init(
        image: CoefficientImage, ladder: ScaleLadder, maxBytes: Int, effort: Effort, progressive: Progressive
    ) {
        goodFill = effort == .best ? 0.9993 : 0.9965
        aim = effort == .best ? 0.9998 : 0.9982
        self.progressive = progressive
        self.effort = effort
        script = .sequential
        self.image = image
        self.ladder = ladder
        self.maxBytes = maxBytes
        pass = TrellisPass(image: image, activity: BlockActivity(image))
        rows = .glance(image.geometry)
        wholePerSample = rows == .all ? 1 : Double(RowSample.interval)
        tokens = (0..<image.geometry.componentCount).map {
            BlockTokens(blocks: image.geometry.blockCount(of: $0), maxBytes: maxBytes)
        }
    }

    /// The fit, or nil if cancelled.
    ///
    /// `ceiling` is what plain rounding gives at step 0, or nil where a glance shows that it is far too large.
    mutating func run(_ ceiling: PictureCoding?, _ isCancelled: () -> Bool) -> BudgetFit? {
        // Where scans alone may bring the ceiling within the budget, quality is what limits.
        if progressive != .never, let ceiling, ceiling.unstuffedBytes(image.geometry) < maxBytes / 7 * 8 {
            let tried = attempt(Choice(step: 0, strength: Strength(units: Strength.range.upperBound)))
            let finest = withBestScript(tried)
            if finest.bytes <= maxBytes, let bytes = write(finest) {
                return .fits(result(bytes, finest, .quality))
            }
            if isCancelled() { return nil }
        }
        var target = maxBytes
        // Only what byte stuffing takes beyond its estimate can make a second round necessary.
        for _ in 0..<4 {
            guard var start = nearStep(target, isCancelled) else { return nil }
            start = attempt(aimed(after: start, target))
            guard let found = fill(start, target, isCancelled) else {
                if isCancelled() { return nil }
                let bytes = counted(attempt(Choice(step: ladder.last))).bytes
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
        if rates.isEmpty { rates = plainCounts(ladder.tables(choice.step)).map { CodeRates(counts: $0.ac) } }
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
        let sequential = Double(result.unstuffedBytes(image.geometry) + result.entropyBytes / 256)
        let tried = Try(
            choice: choice, coding: result, bytes: Int((sequential * scriptShare).rounded()), rates: rates)
        made = tried
        return tried
    }

    /// The latest try with its scans counted.
    private mutating func counted(_ latest: Try) -> Try {
        guard script != .sequential, latest.scans == nil else { return latest }
        let coding = latest.coding
        let scans = ProgressiveCoding(script, image.geometry, coding, tokens)
        let sequential = coding.unstuffedBytes(image.geometry) + coding.entropyBytes / 256
        var tried = latest
        tried.scans = scans
        tried.bytes = scans.unstuffedBytes(image.geometry) + scans.entropyBytes / 256
        scriptShare = Double(tried.bytes) / Double(max(1, sequential))
        if effort == .best { rates = scanRates() }
        return tried
    }

    /// What symbols cost in the scans of the latest try.
    private func scanRates() -> [CodeRates] {
        func counts(_ component: Int, _ band: ClosedRange<Int>) -> [UInt32] {
            let scan = ScanScript.Scan(components: component..<(component + 1), band: band)
            return ScanTally(scan, image.geometry, tokens, rows: .all).counts
        }
        let last = CodeRates.Low.last
        let luma = CodeRates(scan: counts(0, (last + 1)...63)[...], low: counts(0, 1...last)[...])
        guard image.geometry.componentCount == 3 else { return [luma] }
        let chroma = zip(counts(1, 1...63), counts(2, 1...63)).map { $0 + $1 }
        return [luma, CodeRates(scan: chroma[...], low: nil)]
    }

    /// Takes the script that needs least for the latest try, as far as a glance tells, and counts its scans.
    private mutating func withBestScript(_ latest: Try) -> Try {
        script = .sequential
        scriptShare = 1
        guard progressive != .never else { return latest }
        let coding = latest.coding
        let sequential = coding.unstuffedBytes(image.geometry) + coding.entropyBytes / 256
        var best = sequential
        let sample = tokenSample()
        compare(sample, with: latest)
        var tallies = ScanTallies(image.geometry, tokens, coding, sample: sample, rows: rows)
        for candidate in ScanScript.allCases where candidate != .sequential {
            let bytes = tallies.bytes(candidate)
            // A reader has more work with it, so it must be worth something.
            let isBetter = script == .sequential ? bytes < best - best / 128 : bytes < best
            if isBetter || (progressive == .always && script == .sequential) {
                script = candidate
                best = bytes
            }
        }
        return counted(latest)
    }

    /// Counts of a quarter of the rows, rounded to nearest: luma's, then chroma's.
    func plainCounts(_ tables: QuantisationTables) -> [SymbolCounts] {
        func counts(_ components: Range<Int>, _ table: [UInt8]) -> SymbolCounts {
            let quantiser = BlockQuantiser(table, deadZone: 0)
            var counts = SymbolCounts()
            for component in components {
                counts.add(image, component: component, quantiser: quantiser, rows: rows)
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
    private mutating func nearStep(_ target: Int, _ isCancelled: () -> Bool) -> Try? {
        let goal = approximateLog2(Double(max(1, target)))
        var slope = Self.typicalStepSlope * ladder.logRatio
        var step = ladder.step(ofScale: (outlook ?? look(ladder)).scale)
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
            if distance.magnitude < Self.withinSampling || over + 1 >= under { break }
            step += jump(distance, slope)
        }
        return latest
    }

    private func boundedSlope(_ a: Try, _ b: Try, expected: Double) -> Double {
        let measured = (b.logSize - a.logSize) / Double(b.choice.step - a.choice.step)
        return max(expected * 2, min(expected / 2, measured))
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
            if (goal - latest.logSize).magnitude < Self.withinCounting { latest = counted(latest) }
            if latest.bytes <= target {
                low = max(low, units)
                if latest.bytes > best?.bytes ?? 0 { best = counted(latest) }
                if Double(latest.bytes) >= Double(target) * goodFill { return latest }
            } else {
                high = min(high, units)
            }
            guard high - low > 1 else { break }
            if isCancelled() { return nil }
            var next = units + jump(goal - latest.logSize, slope)
            // Where the line leads nowhere, halves get there.
            if tries > 5 || next <= low || next >= high { next = low + (high - low) / 2 }
            // Rates that stay the same make sizes a matter of strength alone.
            let tried = attempt(
                Choice(step: step, strength: Strength(units: next)), tries > 0 ? latest.rates : rates)
            let measured = (tried.logSize - latest.logSize) / Double(next - units)
            slope = max(Self.typicalSlope / 8, min(slope * 4, measured))
            latest = tried
        }
        if best != nil || step >= ladder.last { return best }
        return fill(attempt(Choice(step: step + 1)), target, isCancelled)
    }

    /// Where the sampled rows see the target: the nearest step, and the strength that does the rest.
    ///
    /// They also tell what better rates are worth, which alone make a file smaller.
    private mutating func aimed(after latest: Try, _ target: Int) -> Choice {
        let goal = approximateLog2(Double(max(1, target)) * aim)
        compare(tokenSample(), with: latest)
        let header = latest.coding.unstuffedBytes(image.geometry) - latest.coding.entropyBytes
        var slope = Self.typicalStepSlope * ladder.logRatio
        var step = latest.choice.step
        var distance = goal - logSize(sample(Choice(step: step)).counts, header: header)
        for _ in 0..<2 {
            let next = max(0, min(ladder.last, step + jump(distance, slope)))
            if next == step { break }
            let left = goal - logSize(sample(Choice(step: next)).counts, header: header)
            let measured = (distance - left) / Double(next - step)
            slope = max(slope * 2, min(slope / 2, measured))
            (step, distance) = (next, left)
        }
        let units = jump(distance, Self.typicalSlope)
        let floor = step == ladder.last ? 0 : Strength.range.lowerBound
        return Choice(
            step: step, strength: Strength(units: max(floor, min(Strength.range.upperBound, units))))
    }

    /// Steps to cover a distance in log size; bounded, because a slope may be next to nothing.
    func jump(_ distance: Double, _ slope: Double) -> Int {
        let steps = distance / slope
        return Int(max(-65536, min(65536, steps.isNaN ? 0 : steps.rounded())))
    }
}
