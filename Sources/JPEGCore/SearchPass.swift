/// One search: finds the finest step of the ladder that fits, then uses up what is left of the budget.
struct SearchPass {
    let image: CoefficientImage
    private(set) var ladder: ScaleLadder
    let maxBytes: Int
    private let effort: Effort
    private let progressive: Progressive
    private let target: Double
    var costs: CodingCosts
    /// What plain rounding at the finest tables takes, where that is worth knowing.
    private(set) var ceiling: PictureCoding?
    private var isOpen = false
    private var refined: RefinedSearch?

    /// Symbol counts and Huffman tables of all tries, generously.
    static let tableBytes = 262_144

    /// Tries that count the whole picture to find the step; a handful in practice.
    private static let maximumTries = 24
    /// Tries of the last mile.
    private static let maximumTrims = 6
    /// Slightly wider dead zones tried when a written file turns out too long.
    private static let retries = 8
    /// Share of the budget that is not worth another try.
    private static let goodFill = 0.998
    /// Typical change of log size with log scale, until two tries tell better.
    static let typicalSlope = -0.65
    /// Typical change of base-2 log size with the dead zone.
    static let typicalTrim = -0.0013
    /// Fewer rows of MCUs than this are always counted whole.
    static let rowsWorthSampling = 16

    init(
        image: CoefficientImage, ladder: ScaleLadder, maxBytes: Int, effort: Effort, progressive: Progressive
    ) {
        self.progressive = progressive
        self.effort = effort
        self.image = image
        self.ladder = ladder
        self.maxBytes = maxBytes
        target = approximateLog2(Double(max(1, maxBytes)))
        costs = CodingCosts(image: image)
    }

    var subsampling: Subsampling { image.subsampling }

    private var refines: Bool { effort != .fast || progressive == .always }

    /// The file at the finest tables, if it fits.
    mutating func ceilingFit() -> BudgetFit? {
        if !isOpen {
            isOpen = true
            if !ceilingIsFarOver() { ceiling = coding(Choice(step: 0)) }
        }
        guard progressive != .always, let ceiling, let bytes = write(ceiling) else { return nil }
        return .fits(result(bytes, ceiling, .quality))
    }

    /// What to expect of the budget by any step of `wide`.
    mutating func look(_ wide: ScaleLadder) -> Outlook {
        tune()
        if !refines, let outlook = quickLook() { return outlook }
        var (search, wide) = (refined ?? newSearch(), wide)
        wide.flat = ladder.flat
        let outlook = search.look(wide)
        refined = search
        return outlook
    }

    /// Only where the budget binds: it costs a look at every block.
    private mutating func tune() {
        guard ladder.flat == nil else { return }
        ladder.flat = FlatLevels(image, rows: refines ? .all : .glance(image.geometry))
    }

    private func newSearch() -> RefinedSearch {
        RefinedSearch(
            image: image, ladder: ladder, maxBytes: maxBytes, effort: effort, progressive: progressive)
    }

    mutating func run(_ isCancelled: () -> Bool) -> BudgetFit? {
        if isCancelled() { return nil }
        if let fit = ceilingFit() { return fit }
        tune()
        guard refines else { return runQuick(isCancelled) ?? runPlain(isCancelled) }
        var search = refined.take() ?? newSearch()
        guard let fit = search.run(ceiling, isCancelled) else { return nil }
        guard case .fits(let file) = fit, file.limitedBy == .budget, progressive != .always,
            file.bytes.count < maxBytes - maxBytes / 80
        else {
            return fit
        }
        // Few, large steps, as in a smooth ramp, where nearly all bits are DC: tables divide them more finely.
        guard let plain = runPlain(isCancelled) else { return nil }
        guard case .fits(let other) = plain, other.bytes.count > file.bytes.count else { return fit }
        return plain
    }

    /// Whether a quarter of the rows leaves no doubt that the finest tables need more than the budget.
    private mutating func ceilingIsFarOver() -> Bool {
        guard image.geometry.mcusDown >= Self.rowsWorthSampling else { return false }
        return costs.expectedBytes(ladder.tables(0)) > Double(maxBytes) * 1.5
    }

    private mutating func runPlain(_ isCancelled: () -> Bool) -> BudgetFit? {
        // Known already, mostly.
        let ceiling = coding(Choice(step: 0))
        if let bytes = write(ceiling) { return .fits(result(bytes, ceiling, .quality)) }
        guard let bracket = bracket(ceiling, isCancelled) else { return nil }
        guard let under = bracket.under else { return finish(Choice(step: ladder.last), isCancelled) }
        var choice = Choice(step: under.at)
        if !fillsWell(under) {
            guard let trimmed = lastMile(bracket.over, isCancelled) else { return nil }
            choice = trimmed.deadZone > 0 ? trimmed : choice
        }
        return finish(choice, isCancelled)
    }
}

/// Looking for the step.
extension SearchPass {
    /// A point that was tried, on whichever axis is searched.
    struct Try {
        let at: Int
        let bytes: Int
        var logSize: Double { approximateLog2(Double(bytes)) }
    }

    /// A step whose tables need more than the budget, and the next one, if any, whose tables do not.
    private mutating func bracket(
        _ ceiling: PictureCoding, _ isCancelled: () -> Bool
    ) -> (over: Try, under: Try?)? {
        var over = Try(at: 0, bytes: estimatedBytes(ceiling))
        var under: Try?
        var step = firstGuess(over)
        var slope = Self.typicalSlope * ladder.logRatio
        for _ in 0..<Self.maximumTries {
            if under.map({ $0.at - over.at <= 1 }) ?? (over.at >= ladder.last) { break }
            if isCancelled() { return nil }
            step = max(over.at + 1, min((under?.at ?? ladder.last + 1) - 1, step))
            let tried = Try(at: step, bytes: estimatedBytes(coding(Choice(step: step))))
            slope = measuredSlope(over, tried, expected: slope)
            if tried.bytes <= maxBytes {
                under = tried
            } else {
                over = tried
            }
            step = next(over: over, under: under, latest: tried, slope: slope)
        }
        return (over, under)
    }

    /// Two steps of the secant method on a quarter of the rows.
    mutating func firstGuess(_ ceiling: Try) -> Int {
        var slope = Self.typicalSlope * ladder.logRatio
        var from = (at: ceiling.at, logSize: ceiling.logSize)
        // What does not depend on the tables: headers and the share of stuffed bytes.
        let fixed = Double(ceiling.bytes) - costs.expectedBytes(ladder.tables(0))
        for pass in 0..<3 {
            let guess = max(1, min(ladder.last, from.at + jump(from.logSize, slope)))
            if pass == 2 || guess == from.at || image.geometry.mcusDown < Self.rowsWorthSampling {
                return guess
            }
            let logSize = approximateLog2(costs.expectedBytes(ladder.tables(guess)) + fixed)
            let measured = (logSize - from.logSize) / Double(guess - from.at)
            if measured < slope / 4, measured > slope * 4 { slope = measured }
            from = (guess, logSize)
        }
        return from.at
    }

    /// Change of log size from one step to the next as two tries show it, unless it differs so much from what
    /// was expected that it must be a local matter.
    private func measuredSlope(_ a: Try, _ b: Try, expected: Double) -> Double {
        guard a.at != b.at else { return expected }
        let slope = (b.logSize - a.logSize) / Double(b.at - a.at)
        return max(expected * 2, min(expected / 2, slope))
    }

    /// Distance to the budget along a slope, rounded up; bounded, because a slope may be next to nothing.
    private func jump(_ logSize: Double, _ slope: Double) -> Int {
        let distance = (target - logSize) / slope
        return Int(max(-65536, min(65536, distance.isNaN ? 0 : distance.rounded(.up))))
    }

    /// Where the straight line through the nearest tries meets the budget.
    private func next(over: Try, under: Try?, latest: Try, slope: Double) -> Int {
        guard let under else { return over.at + jump(over.logSize, slope) }
        let rise = over.logSize - under.logSize
        guard rise > 0 else { return (over.at + under.at) / 2 }
        let part = (over.logSize - target) / rise
        let meeting = Double(over.at) + part * Double(under.at - over.at)
        // Round to the side not tried last, so that the bracket closes from both sides; and do not creep along a
        // bent curve: a try that landed close to one end calls for the middle.
        let width = under.at - over.at
        let rounded = Int(meeting.rounded(latest.at == under.at ? .down : .up))
        return width > 8 && (rounded - over.at) * 8 < width ? over.at + width / 4 : rounded
    }

    /// The smallest dead zone found with which a step that is slightly over fits; nil if cancelled.
    ///
    /// One divisor of a strong frequency can be worth more than a percent of the file, so tables alone cannot
    /// fill a budget. Without a fitting dead zone the result has none.
    private mutating func lastMile(_ over: Try, _ isCancelled: () -> Bool) -> Choice? {
        var low = Try(at: 0, bytes: over.bytes)
        var high: Try?
        var slope = Self.typicalTrim
        var deadZone = jump(low.logSize, slope)
        for _ in 0..<Self.maximumTrims {
            if high.map({ $0.at - low.at <= 1 || fillsWell($0) }) ?? (low.at >= BlockQuantiser.widestDeadZone)
            {
                break
            }
            if isCancelled() { return nil }
            deadZone = max(low.at + 1, min((high?.at ?? BlockQuantiser.widestDeadZone + 1) - 1, deadZone))
            let choice = Choice(step: over.at, deadZone: deadZone)
            let tried = Try(at: deadZone, bytes: estimatedBytes(coding(choice)))
            slope = measuredSlope(low, tried, expected: slope)
            if tried.bytes <= maxBytes {
                high = tried
            } else {
                low = tried
            }
            deadZone = next(over: low, under: high, latest: tried, slope: slope)
        }
        return Choice(step: over.at, deadZone: high?.at ?? 0)
    }

    private func fillsWell(_ tried: Try) -> Bool {
        Double(tried.bytes) >= Double(maxBytes) * Self.goodFill
    }
}

/// Sizes and files.
extension SearchPass {
    /// What a search decides on.
    struct Choice {
        var step: Int
        var deadZone = 0
    }

    /// Writes the choice; should the estimate of stuffed bytes have been too low, a slightly coarser one.
    mutating func finish(_ first: Choice, _ isCancelled: () -> Bool) -> BudgetFit? {
        var choice = first
        while choice.step <= ladder.last {
            if isCancelled() { return nil }
            let attempt = coding(choice)
            if let bytes = write(attempt) { return .fits(result(bytes, attempt, .budget)) }
            // At the floor there is nothing to give away but what stuffing took.
            if choice.step == ladder.last, attempt.unstuffedBytes(image.geometry) > maxBytes { break }
            if choice.deadZone < min(BlockQuantiser.widestDeadZone, first.deadZone + Self.retries) {
                choice.deadZone += 1
            } else {
                choice = Choice(step: choice.step + 1)
            }
        }
        let floor = estimatedBytes(coding(Choice(step: ladder.last)))
        return .tooLarge(bytesAtFloor: max(maxBytes + 1, floor))
    }

    mutating func coding(_ choice: Choice) -> PictureCoding {
        costs.coding(ladder.tables(choice.step), deadZone: choice.deadZone)
    }

    /// Length of the file with as many stuffed bytes as random bits would need, usually a little too many.
    func estimatedBytes(_ coding: PictureCoding) -> Int {
        coding.unstuffedBytes(image.geometry) + coding.entropyBytes / 256
    }

    /// The file if it fits; not even begun if it cannot.
    private func write(_ coding: PictureCoding) -> [UInt8]? {
        let unstuffed = coding.unstuffedBytes(image.geometry)
        guard unstuffed <= maxBytes else { return nil }
        // Stuffing at most doubles a file.
        return JPEGWriter.write(image, coding, limit: min(maxBytes, unstuffed * 2))
    }

    private func result(
        _ bytes: [UInt8], _ coding: PictureCoding, _ limit: EncodedJPEG.Limit
    ) -> EncodedJPEG {
        EncodedJPEG(
            bytes: bytes, quality: coding.quantisation.quality, subsampling: image.subsampling,
            chromaDivisor: coding.quantisation.meanChroma,
            limitedBy: limit)
    }
}

/// Base-2 logarithm of a positive number to about 1e-5, from additions, multiplications and a division only, so
/// that it is the same everywhere.
func approximateLog2(_ value: Double) -> Double {
    guard value > 0 else { return 0 }
    // atanh series around 1 for a significand in 0.75…1.5.
    let large = value.significand > 1.5
    let significand = large ? value.significand / 2 : value.significand
    let t = (significand - 1) / (significand + 1)
    let square = t * t
    let series = t * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square / 7)))
    return Double(value.exponent) + (large ? 1 : 0) + series * 2.8853900817779268
}
