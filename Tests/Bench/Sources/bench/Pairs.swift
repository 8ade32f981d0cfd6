/// Repeated figures: the middle one, and how far they spread.
struct Spread {
    var median: Double
    var least: Double
    var most: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = sorted.first ?? 0
        most = sorted.last ?? 0
    }
}

/// Two commands measured in turn, A B A B, so that what else the machine does falls on both.
struct Pairs {
    /// Figures of the first command, of the second, and their ratio pair by pair.
    var first: Spread
    var second: Spread
    var ratio: Spread

    /// Runs `measure` for both sides `count` times after one unmeasured pair that warms the caches.
    init(
        _ count: Int, title: String, first measureFirst: () throws(BenchError) -> Double,
        second measureSecond: () throws(BenchError) -> Double
    ) throws(BenchError) {
        _ = try measureFirst()
        _ = try measureSecond()
        var a: [Double] = []
        var b: [Double] = []
        for pair in 1...count {
            a.append(try measureFirst())
            b.append(try measureSecond())
            progress("  \(title): pair \(pair) of \(count), ratio \(fixed(a[pair - 1] / b[pair - 1], 2))")
        }
        first = Spread(a)
        second = Spread(b)
        ratio = Spread(zip(a, b).map { $0 / $1 })
    }

    /// CPU of two commands, in milliseconds.
    static func cpu(_ count: Int, title: String, _ a: Command, _ b: Command) throws(BenchError) -> Pairs {
        try Pairs(
            count, title: title,
            first: { () throws(BenchError) in Double(try run(a).cpu) / 1000 },
            second: { () throws(BenchError) in Double(try run(b).cpu) / 1000 })
    }
}

/// A number with a fixed count of decimals, without Foundation.
func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return "–" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let digits = String(Int((value.magnitude * scale).rounded()))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = value < 0 ? "-" : ""
    guard decimals > 0 else { return sign + padded }
    return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
}
