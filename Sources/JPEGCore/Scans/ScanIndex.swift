/// Where the scans of a JPEG lie and what each needs, found while its bytes pass by once.
package struct ScanIndex: ~Copyable {
    /// A scan header (T.81, B.2.3) with what was in force at it.
    struct Scan {
        /// Places in the frame's list of components.
        let components: [Int]
        /// Huffman tables as segments have them; nil where there is none.
        let dcTables: [[UInt8]?]
        let acTables: [[UInt8]?]
        let firstCoefficient: Int
        let lastCoefficient: Int
        /// Successive approximation: the bit the previous scan ended at (0: none before), and this scan's.
        let high: Int
        let low: Int
        let restartInterval: Int
        /// Its entropy-coded bytes.
        var bytes: Range<Int>
        /// Whether the input ends inside.
        var isCut = true

        var isDC: Bool { firstCoefficient == 0 }
    }

    package private(set) var facts = JPEGFacts()
    package private(set) var geometry: FrameGeometry?
    private(set) var scans: [Scan] = []
    package var scanCount: Int { scans.count }
    /// Divisors of each component in zigzag order, as they stood at its first scan.
    package private(set) var quantisers: [[UInt16]?] = []
    /// Segments before the first scan that say which colours the components are.
    package private(set) var colourSegments: [[UInt8]] = []
    /// Offset behind the end of the picture, once seen.
    package private(set) var end: Int?
    /// Bytes taken so far.
    package private(set) var position = 0
    /// What is wrong with how the scans follow on each other.
    private(set) var inconsistency: ScanError?
    private var isOddScan = false
    private var copy: LosslessCopy?
    private var walk = JPEGMarkerWalk()
    private var tables = ScanTables()
    /// For each component, the lowest bit known of each coefficient; -1 for none.
    package private(set) var known: [[Int8]] = []
    /// The same before the last scan that the component was part of, as libjpeg keeps it.
    package private(set) var knownBefore: [[Int8]] = []
    private let maxScans: Int

    package init(maxScans: Int) { self.maxScans = maxScans }

    /// How many different Huffman tables the scans have.
    var tableCount: Int {
        var tables: Set<[UInt8]> = []
        for scan in scans { tables.formUnion((scan.dcTables + scan.acTables).compactMap { $0 }) }
        return tables.count
    }

    /// Whether low coefficients never came, or not all of their bits: those that can be guessed from means.
    package var lacksCoefficients: Bool {
        isProgressive && known.contains { $0[1..<10].contains { $0 != 0 } }
    }

    package var isProgressive: Bool { facts.frame?.kind == 2 }
    package var isOdd: Bool { isOddScan || walk.sawExtraneousBytes }

    /// Keeps the picture's bytes without metadata, as far as `limit` goes.
    package mutating func keepLosslessCopy(limit: Int) { copy = LosslessCopy(limit: limit) }

    package mutating func takeLosslessCopy() -> [UInt8]? {
        guard let kept = copy.take(), !kept.isOverfull, end != nil else { return nil }
        return kept.bytes
    }

    /// Takes the next bytes of the file.
    package mutating func push(_ bytes: Span<UInt8>) throws(ScanError) {
        var at = 0
        let base = position
        defer { position = base + bytes.count }
        while end == nil {
            switch walk.next(bytes, at: &at) {
            case .needsInput: return
            case .segment(let marker): try take(walk.segment, marker, at: base + at)
            case .entropy(let range):
                copy?.append(bytes.extracting(range))
                extendScan(to: base + range.upperBound)
            case .splitEntropy:
                let pair = walk.segment
                copy?.append(pair.span)
                extendScan(to: base + at)
            case .endOfImage:
                endScan()
                copy?.end()
                end = base + at
            }
        }
    }

    /// Says that no bytes follow.
    package mutating func finish() {
        if walk.isInScan { extendScan(to: position) } else { endScan() }
    }

    private mutating func extendScan(to place: Int) {
        guard let last = scans.indices.last else { return }
        scans[last].bytes = scans[last].bytes.lowerBound..<place
    }

    private mutating func endScan() {
        if let last = scans.indices.last { scans[last].isCut = false }
    }

    private mutating func take(_ segment: [UInt8], _ marker: UInt8, at place: Int) throws(ScanError) {
        endScan()
        let isNeeded = facts.note(marker: marker, segment: segment)
        if facts.scans > maxScans { throw .tooManyScans }
        if isNeeded { copy?.append(segment: segment, marker: marker) }
        switch marker {
        case JPEGMarker.sos: try beginScan(segment, at: place)
        case JPEGMarker.dqt, JPEGMarker.dht, JPEGMarker.dri: try tables.take(segment, marker: marker)
        case JPEGMarker.dac, JPEGMarker.dnl, JPEGMarker.tem: break
        case _ where JPEGMarker.isFrame(marker): try frame(segment)
        case _ where JPEGMarker.isApplicationData(marker):
            if isNeeded, scans.isEmpty { colourSegments.append(segment) }
        case _ where JPEGMarker.isRestart(marker): break
        case JPEGMarker.soi where geometry == nil && scans.isEmpty: break
        default: throw .corrupt("unexpected marker \(String(marker, radix: 16))")
        }
    }

    private mutating func frame(_ segment: [UInt8]) throws(ScanError) {
        guard geometry == nil else { throw .corrupt("two frame headers") }
        guard let frame = facts.frame, frame.isDecodable else { throw .unsupported("SOF\(segment[1] & 15)") }
        guard let geometry = FrameGeometry(segment: segment) else { throw .corrupt("damaged frame header") }
        self.geometry = geometry
        quantisers = geometry.components.map { _ in nil }
        known = geometry.components.map { _ in [Int8](repeating: -1, count: 64) }
        knownBefore = known
    }

    private mutating func beginScan(_ segment: [UInt8], at place: Int) throws(ScanError) {
        guard let geometry else { throw .corrupt("a scan before the frame header") }
        let count = segment.count > 4 ? Int(segment[4]) : 0
        guard (1...4).contains(count), segment.count == 8 + 2 * count else {
            throw .corrupt("damaged scan header")
        }
        var components: [Int] = []
        for i in 0..<count {
            let id = segment[5 + 2 * i]
            guard let index = geometry.components.indices.first(where: { geometry.components[$0].id == id }),
                !components.contains(index)
            else { throw .corrupt("a scan of an unknown component") }
            components.append(index)
        }
        let blocks = components.map { geometry.components[$0].across * geometry.components[$0].down }
        guard count == 1 || blocks.reduce(0, +) <= 10 else { throw .corrupt("more than 10 blocks in an MCU") }
        let numbers = (0..<count).map { segment[6 + 2 * $0] }
        let spectrum = Array(segment[(5 + 2 * count)...])
        let isSequential = !isProgressive
        if isSequential, spectrum != [0, 63, 0] { isOddScan = true }
        let scan = Scan(
            components: components,
            dcTables: numbers.map { $0 >> 4 < 4 ? tables.huffman[Int($0 >> 4)] : nil },
            acTables: numbers.map { $0 & 15 < 4 ? tables.huffman[4 + Int($0 & 15)] : nil },
            firstCoefficient: isSequential ? 0 : Int(spectrum[0]),
            lastCoefficient: isSequential ? 63 : Int(spectrum[1]),
            high: isSequential ? 0 : Int(spectrum[2] >> 4),
            low: isSequential ? 0 : Int(spectrum[2] & 15), restartInterval: tables.restartInterval,
            bytes: place..<place)
        if isProgressive {
            // Told later: that there are too many scans says more, if there are.
            let problem = problem(scan)
            if inconsistency == nil { inconsistency = problem }
        }
        for index in components where quantisers[index] == nil {
            guard let table = tables.quantisers[geometry.components[index].quantiser] else {
                throw .corrupt("a scan before its quantisation table")
            }
            quantisers[index] = table
        }
        scans.append(scan)
    }

    /// What breaks the rules of T.81, G.1.1.1: what a scan may say, and that it goes on where earlier ones ended.
    private mutating func problem(_ scan: Scan) -> ScanError? {
        let band = scan.firstCoefficient...max(scan.firstCoefficient, scan.lastCoefficient)
        let isRight =
            scan.isDC
            ? scan.lastCoefficient == 0
            : scan.firstCoefficient <= scan.lastCoefficient && scan.lastCoefficient < 64
                && scan.components.count == 1
        guard isRight, scan.low <= 13, scan.high == 0 || scan.low == scan.high - 1 else {
            return .corrupt("invalid progressive parameters")
        }
        for component in scan.components {
            if !scans.isEmpty {
                let first = min(scan.firstCoefficient, 1)
                for k in first...max(scan.lastCoefficient, 9) {
                    knownBefore[component][k] = known[component][k]
                }
            } else {
                for k in 0..<10 { knownBefore[component][k] = 0 }
            }
            guard scan.isDC || known[component][0] >= 0 else { return .corrupt("AC coefficients before DC") }
            for k in band {
                guard scan.high == max(0, Int(known[component][k])) else {
                    return .corrupt("scans do not follow on each other")
                }
                known[component][k] = Int8(scan.low)
            }
        }
        return nil
    }
}
