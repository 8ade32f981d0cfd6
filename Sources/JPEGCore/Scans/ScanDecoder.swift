/// Decodes one scan, one row of MCUs at a time, into the coefficients that earlier scans left.
///
/// The inner loops are in the extensions: one for each kind of scan (T.81, F.2 and G.2).
@safe final class ScanDecoder {
    enum Kind { case sequential, firstDC, refineDC, firstAC, refineAC }

    /// A block of an MCU: where it is in the row's first MCU, and in which steps it moves from MCU to MCU.
    struct BlockPlace {
        let component: Int
        let start: Int
        let step: Int
        let predictor: Int
    }

    let kind: Kind
    let scan: ScanIndex.Scan
    let source: ScanBytes
    var reader: BitReader
    let dcTables: [HuffmanLookup]
    let acTables: [HuffmanLookup]
    /// Blocks whose coefficients are zero, still to come, of an end-of-band run.
    var blocksToSkip = 0
    var predictors = [0, 0, 0, 0]
    /// Whether a code was met that stands for nothing.
    var sawBadCode = false
    private let geometry: FrameGeometry
    private let places: [BlockPlace]
    private var restartsIn: Int
    private var nextRestart: UInt8 = 0
    /// Whether the data has run out where that is allowed: what comes stays as earlier scans left it.
    private var isOver = false
    /// The row in which that showed.
    private(set) var lastRow: Int?
    private let mayBeCut: Bool
    private var isOdd = false

    /// - Parameter mayBeCut: whether the scan may end early, because the input does.
    init(
        _ scan: ScanIndex.Scan, _ geometry: FrameGeometry, _ source: ScanBytes, dcTables: [HuffmanLookup],
        acTables: [HuffmanLookup], isProgressive: Bool, mayBeCut: Bool
    ) {
        self.scan = scan
        self.geometry = geometry
        self.source = source
        self.dcTables = dcTables
        self.acTables = acTables
        self.mayBeCut = mayBeCut
        kind =
            switch (isProgressive, scan.isDC, scan.high == 0) {
            case (false, _, _): .sequential
            case (true, true, true): .firstDC
            case (true, true, false): .refineDC
            case (true, false, true): .firstAC
            case (true, false, false): .refineAC
            }
        reader = source.start()
        restartsIn = scan.restartInterval
        var places: [BlockPlace] = []
        for (slot, index) in scan.components.enumerated() {
            let component = geometry.components[index]
            // A scan of one component has MCUs of one block, whatever its sampling (T.81, A.2.2).
            let (across, down) = scan.components.count == 1 ? (1, 1) : (component.across, component.down)
            for y in 0..<down {
                for x in 0..<across {
                    places.append(
                        BlockPlace(
                            component: index, start: (y * component.rowBlocks + x) * 64, step: across * 64,
                            predictor: slot))
                }
            }
        }
        self.places = places
    }

    /// Decodes what the scan has of MCU row `row`.
    func decode(row: Int, into coefficients: CoefficientRow) throws(ScanError) {
        defer { if isOver, lastRow == nil { lastRow = row } }
        if scan.components.count == 1 {
            let component = geometry.components[scan.components[0]]
            for y in 0..<geometry.blockRows(of: component, inRow: row) {
                try decode(component.blocksWide, coefficients, firstBlock: y * component.rowBlocks)
            }
        } else {
            try decode(geometry.mcusPerRow, coefficients, firstBlock: 0)
        }
    }

    /// After the last row; true if there is more data than the picture needs.
    func finish() -> Bool {
        // A word of padding is what libjpeg reads ahead without noticing.
        isOdd || (!isOver && source.unused(reader) >= 8)
    }

    /// Decodes `count` MCUs of a row, from restart to restart.
    private func decode(_ count: Int, _ coefficients: CoefficientRow, firstBlock: Int) throws(ScanError) {
        var done = 0
        while done < count, !isOver {
            var run = count - done
            if scan.restartInterval > 0 {
                if restartsIn == 0 { try restart() }
                if isOver { return }
                run = min(run, restartsIn)
                restartsIn -= run
            }
            decode(run, coefficients, firstBlock: firstBlock, firstMCU: done)
            try judge()
            done += run
        }
    }

    private func decode(_ run: Int, _ coefficients: CoefficientRow, firstBlock: Int, firstMCU: Int) {
        // Safety: an MCU row holds every MCU up to `firstMCU + run` of its geometry, for each place.
        switch kind {
        case .firstAC, .refineAC:
            let block = firstBlock + firstMCU
            let index = scan.components[0]
            let blocks = unsafe coefficients.planes[index] + block * 64
            let masks = unsafe coefficients.masks[index] + block
            if kind == .firstAC {
                unsafe firstAC(blocks, masks, run)
            } else {
                unsafe refineAC(blocks, masks, run)
            }
        case .sequential, .firstDC, .refineDC:
            let starts = unsafe places.map { place in
                let offset = firstBlock * 64 + place.start + firstMCU * place.step
                return unsafe coefficients.planes[place.component] + offset
            }
            switch kind {
            case .firstDC: unsafe firstDC(places, starts, run)
            case .refineDC: unsafe refineDC(places, starts, run)
            default: unsafe sequential(places, starts, run)
            }
        }
    }

    /// Looks at what the inner loops leave to be judged once a run.
    private func judge() throws(ScanError) {
        if let failure = source.failure { throw failure }
        if sawBadCode { throw .corrupt("a Huffman code that stands for nothing") }
        guard reader.isPastEnd else { return }
        guard mayBeCut else { throw .corrupt("entropy-coded data ends early") }
        isOver = true
    }

    private func restart() throws(ScanError) {
        let (marker, unused) = source.nextSegment(&reader)
        if let failure = source.failure { throw failure }
        if marker != 0xD0 + nextRestart {
            guard marker == 0, mayBeCut else { throw .corrupt("restart marker \(nextRestart) is missing") }
            isOver = true
        }
        if unused > 0 { isOdd = true }
        nextRestart = (nextRestart + 1) & 7
        restartsIn = scan.restartInterval
        blocksToSkip = 0
        predictors = [0, 0, 0, 0]
    }
}
