internal import Pixels

/// The levels of a picture's flat areas, and which divisors of DC meet them.
///
/// A sky of one level is shown lighter or darker by a divisor that does not divide it, and the eye, which forgives
/// much elsewhere, sees it. The divisor beside can be right, for hardly a byte.
struct FlatLevels: Sendable {
    /// Of the components of one table.
    private struct Component {
        /// Flat blocks of each DC value that occurs in them.
        var levels: [(value: Int, count: Int)] = []
        var flat = 0
        var others = 0
    }

    /// What to use in place of a divisor of 0, 1, 2, …; empty where there are no flat areas.
    private let luma: [UInt8]
    private let chroma: [UInt8]

    /// Mean square of AC below which a block is flat: its pixels differ by less than a level.
    private static let flatEnergy: Float = 1
    /// How much more an error counts in flat blocks.
    private static let worth = 4.0
    /// One over the share of blocks that must be flat for their levels to matter.
    private static let largeShare = 4
    /// Beyond, all levels are off by so much that none is worth choosing for.
    private static let largest = 40
    /// DC is -1024...1024.
    private static let range = 2048

    init(_ image: CoefficientImage, rows: RowSample = .all) {
        luma = Self.choices(Self.levels(image, 0..<1, rows))
        chroma = Self.choices(Self.levels(image, 1..<image.geometry.componentCount, rows))
    }

    /// The tables with the divisors of DC that suit.
    func tables(_ tables: QuantisationTables) -> QuantisationTables {
        func chosen(_ table: [UInt8], _ choices: [UInt8]) -> [UInt8] {
            guard let divisor = table.first, Int(divisor) < choices.count else { return table }
            return [choices[Int(divisor)]] + table.dropFirst()
        }
        return QuantisationTables(luma: chosen(tables.luma, luma), chroma: chosen(tables.chroma, chroma))
    }

    private static func levels(
        _ image: CoefficientImage, _ components: Range<Int>, _ rows: RowSample
    ) -> Component {
        var counts = [Int](repeating: 0, count: 2 * range)
        var result = Component()
        unsafe image.coefficients.withUnsafeBufferPointer { coefficients in
            guard let base = coefficients.baseAddress else { return }
            for component in components {
                let perRow = image.geometry.blocksPerMCURow(of: component)
                let first = image.geometry.firstBlock(of: component)
                for row in 0..<image.geometry.mcusDown where rows.contains(row) {
                    let start = unsafe base + (first + row * perRow) * 64
                    unsafe add(start, perRow, to: &result, &counts)
                }
            }
        }
        result.levels = counts.indices.filter { counts[$0] > 0 }.map { ($0 - range, counts[$0]) }
        return result
    }

    /// Safety: `blocks` holds as many blocks.
    private static func add(
        _ blocks: UnsafePointer<Int16>, _ count: Int, to component: inout Component, _ levels: inout [Int]
    ) {
        for block in 0..<count {
            let values = unsafe blocks + block * 64
            guard unsafe BlockActivity.energy(values) < flatEnergy else {
                component.others += 1
                continue
            }
            component.flat += 1
            // Coefficients are sixteenths.
            let level = unsafe (Int(values[0]) + 8) >> 4
            levels[max(0, min(2 * range - 1, level + range))] += 1
        }
    }

    private static func choices(_ component: Component) -> [UInt8] {
        guard component.flat > 0, component.flat * largeShare >= component.flat + component.others else {
            return []
        }
        let errors = (0...largest + 1).map { divisor in
            guard divisor > 0 else { return Double.infinity }
            return component.levels.reduce(0.0) { sum, level in
                let half = divisor / 2
                let error = Double((Int(level.value.magnitude) + half) % divisor - half)
                return sum + Double(level.count) * error * error
            }
        }
        return (0...largest).map { $0 == 0 ? 0 : UInt8(best(near: $0, component, errors)) }
    }

    /// Of a divisor and its neighbours the one with the least error and bits.
    ///
    /// Where all levels occur alike that is the divisor itself: a mean square error of d² / 12 is weighed against
    /// log2(d) bits a block so that their slopes are equal at d.
    private static func best(near divisor: Int, _ component: Component, _ errors: [Double]) -> Int {
        let blocks = worth * Double(component.flat) + Double(component.others)
        let bit = 2 * 0.693147 * blocks * Double(divisor * divisor) / 12
        func cost(_ other: Int) -> Double {
            worth * errors[other] + Double(component.others) * Double(other * other) / 12
                - bit * approximateLog2(Double(other))
        }
        let candidates = [divisor, divisor - 1, divisor + 1].filter { $0 > 0 }
        return candidates.min { cost($0) < cost($1) } ?? divisor
    }
}
