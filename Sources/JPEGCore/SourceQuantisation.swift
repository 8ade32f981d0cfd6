/// What quantisation left of a JPEG source: its divisors, from which follows how fine an output is worth its bytes.
package struct SourceQuantisation: Hashable, Sendable {
    /// Divisors of each component of the frame, row by row; the first component is luma where there is luma.
    let tables: [[UInt16]]
    /// Whether the components are luma and chroma, as ours are.
    private let hasLuma: Bool

    /// - Parameter tables: 64 divisors for each component, row by row; nil is the answer if one of them is 0.
    package init?(tables: [[UInt16]], hasLuma: Bool = true) {
        guard !tables.isEmpty, tables.allSatisfy({ $0.count == 64 && !$0.contains(0) }) else { return nil }
        self.tables = tables
        self.hasLuma = hasLuma
    }

    /// The same with the finest of all tables only, for components that are not luma and chroma.
    package var finest: SourceQuantisation {
        let finest = tables.min { Self.sum($0) < Self.sum($1) } ?? tables[0]
        return SourceQuantisation(tables: [finest], hasLuma: false) ?? self
    }

    /// The (fractional) libjpeg quality whose Annex K luma table has the same mean as the source's.
    package var quality: Double { QuantisationTables.quality(ofSum: Double(Self.sum(tables[0]))) }

    /// The quality above which an output, smaller by `reduction` on a side, shows nothing more of the source.
    ///
    /// Frequency k of the smaller picture's blocks is k / reduction of the source's, and its coefficients are
    /// smaller by the reduction, so what quantisation left of them is a table as well, which is the finer the more
    /// pixels were averaged. Output divisors go with the square root of that table's mean. Measured with SSIMULACRA2
    /// against pictures that had never been quantised (sources of quality 20 to 80, reductions of 1 to 5): the
    /// factor loses about 1.0 against the default ceiling where the source is worst, and nothing from 2 on.
    package func worthwhileQuality(reduction: Double) -> Double {
        let left = meanLeft(reduction: max(1, reduction)) / Self.annexKMean
        return QuantisationTables.quality(ofSum: Self.worthwhile * left.squareRoot() * Self.annexKMean * 64)
    }

    /// Mean divisor, as a share of Annex K's, worth keeping of a picture quantised with Annex K itself.
    private static let worthwhile = 0.38
    private static let annexKMean = Double(sum(QuantisationTables.annexKLuma.map { UInt16($0) })) / 64

    /// Mean of the divisors as the reduced picture has them.
    private func meanLeft(reduction: Double) -> Double {
        let places = (0..<8).map { Double($0) / reduction }
        func line(_ v: Double, _ values: (Int) -> Double) -> Double {
            let low = min(7, Int(v))
            return values(low) + (values(min(7, low + 1)) - values(low)) * (v - Double(low))
        }
        var sum = 0.0
        for y in places {
            for x in places {
                sum += line(y) { row in line(x) { Double(tables[0][row * 8 + $0]) } }
            }
        }
        return sum / 64 / reduction
    }

    /// Tables with which the source's own values can be written again, at least as fine as `minQuality`.
    ///
    /// What is too coarse for that, or for a byte, is divided into equal parts, on which the source's values still
    /// fall. These are the largest divisors first: hardly any value is left there, so they cost next to nothing.
    ///
    /// - Parameter isTurned: whether rows and columns are exchanged.
    func ownTables(isTurned: Bool, minQuality: Double) -> QuantisationTables? {
        guard hasLuma, tables.count == 1 || (tables.count == 3 && tables[1] == tables[2]) else { return nil }
        func table(_ divisors: [UInt16], atMost most: Int) -> [UInt8] {
            (0..<64).map { at in
                let divisor = Int(divisors[isTurned ? at % 8 * 8 + at / 8 : at])
                let parts = (divisor + most - 1) / most
                return UInt8(max(1, min(255, (divisor + parts / 2) / parts)))
            }
        }
        let chroma = table(tables[tables.count - 1], atMost: 255)
        let coarsest = QuantisationTables.sum(ofQuality: minQuality)
        let luma = (1...255).reversed().lazy.map { table(tables[0], atMost: $0) }
            .first { $0.reduce(0) { $0 + Double($1) } <= coarsest }
        return luma.map { QuantisationTables(luma: $0, chroma: chroma) }
    }

    private static func sum(_ table: [UInt16]) -> Int { table.reduce(0) { $0 + Int($1) } }
}

/// Collects a frame's quantisation tables from the segments before its first scan.
struct SourceTables: Sendable {
    /// Divisors in zigzag order, by number: the latest before the scan count, as in libjpeg.
    private var byNumber: [[UInt16]?] = [nil, nil, nil, nil]
    /// Table numbers of the frame's components.
    private var numbers: [Int] = []

    /// What the tables come to, once a scan has begun; nil if one is missing or makes no sense.
    private(set) var quantisation: SourceQuantisation?
    private var isOver = false

    mutating func note(marker: UInt8, body: ArraySlice<UInt8>) {
        guard !isOver else { return }
        switch marker {
        case JPEGMarker.dqt: take(body)
        case JPEGMarker.sos:
            isOver = true
            let tables = numbers.compactMap { $0 < 4 ? byNumber[$0] : nil }
            if tables.count == numbers.count {
                quantisation = SourceQuantisation(tables: tables.map(Self.rowByRow))
            }
        case _ where JPEGMarker.isFrame(marker) && numbers.isEmpty:
            numbers = body.dropFirst(6).enumerated().filter { $0.offset % 3 == 2 }.map { Int($0.element) }
        default: break
        }
    }

    /// Takes the tables of a segment up to where it is damaged.
    private mutating func take(_ body: ArraySlice<UInt8>) {
        var rest = body
        while let head = rest.popFirst() {
            let bytes = head >> 4 == 0 ? 1 : 2
            let data = Array(rest.prefix(64 * bytes))
            guard head & 15 < 4, data.count == 64 * bytes else { return }
            rest = rest.dropFirst(64 * bytes)
            byNumber[Int(head & 15)] =
                bytes == 1
                ? data.map { UInt16($0) }
                : (0..<64).map { UInt16(data[2 * $0]) << 8 | UInt16(data[2 * $0 + 1]) }
        }
    }

    private static func rowByRow(_ zigzag: [UInt16]) -> [UInt16] {
        var table = [UInt16](repeating: 0, count: 64)
        for (place, natural) in CoefficientOrder.naturalOfZigzag.enumerated() {
            table[natural] = zigzag[place]
        }
        return table
    }
}
