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
