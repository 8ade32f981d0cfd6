#if GIF
    package import Pixels

    /// GIF, pushed: the first image on its screen, one line in memory, interlaced or not.
    ///
    /// The codes are read here and not by giflib: that cannot stop for want of input, refuses indices of more than
    /// eight bits that other decoders read, and does not say how much of a damaged line it has read.
    package struct GIFDecoder: ~Copyable, ImageDecoder {
        private enum Stage { case before, image, after, over }

        private var walk = GIFWalk()
        private var stage = Stage.before
        private var label: UInt8 = 0
        /// The first block of an extension, as far as it is needed.
        private var collected: [UInt8] = []
        private var transparent: Int?
        private var hasProfile = false
        private var plan: GIFPlan?
        private var codes: LZWDecoder?
        /// A row of the screen.
        private var row: [UInt8] = []
        private var linesLeft = 0
        private var isBegun = false
        private var areCodesOver = false
        private(set) package var notes = DecodeNotes()

        private static let collectLimit = 11

        package init() {}

        package var isWhole: Bool { stage == .after || stage == .over }

        package mutating func push(
            _ bytes: Span<UInt8>, into rows: RowPipeline?
        ) throws(CodecError) -> DecodeStep {
            var at = 0
            while stage != .over {
                switch walk.next(bytes, at: &at) {
                case .needsInput: return .needsInput
                case .screen: break
                case .extension(let label):
                    self.label = label
                    collected = []
                    if label == 0xFE { notes.hasMetadata = true }
                case .image:
                    label = 0
                    guard plan == nil else {
                        notes.isAnimated = true
                        break
                    }
                    let plan = try GIFPlan(walk, transparent: transparent, hasProfile: hasProfile)
                    self.plan = plan
                    return .header(plan.header, consumed: at)
                case .data(let range):
                    let data = bytes.extracting(range)
                    if stage == .image, label == 0 { try decode(data, rows) } else { collect(data) }
                case .blockEnd: try endBlock(rows)
                case .end: stage = try over("the file ends before an image")
                case .malformed(let byte):
                    stage = try over("a block that begins with \(byte)")
                    at -= 1
                }
            }
            return .finished(consumed: at)
        }

        private func over(_ why: String) throws(CodecError) -> Stage {
            guard stage == .after else { throw CodecError(.corrupt, why) }
            return .over
        }

        package mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError) {
            guard let plan else { throw CodecError(.corrupt, "started before an image") }
            codes = LZWDecoder(codeSize: walk.frame.codeSize, width: plan.frame.size.width)
            linesLeft = plan.frame.size.height
            row = plan.emptyRow
            stage = .image
        }

        package mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError) {
            guard stage == .before || stage == .image else { return }
            guard pad, stage == .image else {
                throw CodecError(.truncated, "the bytes end before the end of the picture")
            }
            if let rows { try deliverPart(rows) }
        }

        // MARK: Extensions

        private mutating func collect(_ data: Span<UInt8>) {
            for i in data.indices where collected.count < Self.collectLimit { collected.append(data[i]) }
        }

        private mutating func endBlock(_ rows: RowPipeline?) throws(CodecError) {
            switch label {
            case 0: if stage == .image, let rows { try endImage(rows) }
            case 0xF9 where stage == .before && collected.count >= 4:
                transparent = collected[0] & 1 == 1 ? Int(collected[3]) : nil
            case 0xFF:
                if collected.starts(with: Array("XMP Data".utf8)) { notes.hasMetadata = true }
                if collected.starts(with: Array("ICCRGBG1".utf8)) { hasProfile = true }
            default: break
            }
        }

        // MARK: Lines

        private mutating func decode(_ data: Span<UInt8>, _ rows: RowPipeline?) throws(CodecError) {
            guard let plan, let codes, let rows else { throw CodecError(.corrupt, "codes before start") }
            if !isBegun {
                isBegun = true
                try give(plan.rowsBefore, rows)
            }
            var at = 0
            while linesLeft > 0, !areCodesOver {
                switch codes.push(data, at: &at) {
                case .needsInput: return
                case .line: try deliver(plan, codes, rows)
                case .invalid: throw CodecError(.corrupt, "a code that stands for nothing")
                // What is missing is noticed when the data ends.
                case .end: areCodesOver = true
                }
            }
        }

        private mutating func deliver(
            _ plan: GIFPlan, _ codes: LZWDecoder, _ rows: RowPipeline
        ) throws(CodecError) {
            plan.put(codes.line, count: codes.count, into: &row)
            codes.beginLine()
            linesLeft -= 1
            try give(1, rows)
            guard linesLeft == 0, plan.rowsAfter > 0 else { return }
            row = plan.emptyRow
            try give(plan.rowsAfter, rows)
        }

        /// Hands on the row so many times.
        private func give(_ count: Int, _ rows: RowPipeline) throws(CodecError) {
            for _ in 0..<count {
                let isTaken = unsafe row.withUnsafeBytes { row in
                    guard let base = row.baseAddress else { return false }
                    return unsafe rows.row(base)
                }
                guard isTaken else { throw CodecError(.stopped, "stopped") }
            }
        }

        /// The image's data is over, and may be too little.
        private mutating func endImage(_ rows: RowPipeline) throws(CodecError) {
            stage = .after
            if linesLeft > 0 {
                guard isBegun, linesLeft < walk.frame.height || codes?.count ?? 0 > 0 else {
                    throw CodecError(.corrupt, "no pixels")
                }
                notes.isOdd = true
                try deliverPart(rows)
            }
            codes = nil
        }

        /// The line that is there in part; the others show the matte.
        private mutating func deliverPart(_ rows: RowPipeline) throws(CodecError) {
            guard let plan, let codes, linesLeft > 0 else { return }
            if codes.count > 0 { try deliver(plan, codes, rows) }
            if linesLeft > 0 { rows.fill(to: plan.size.height) }
        }
    }
#endif
