internal import Codecs
internal import JPEGCore
internal import Pixels

/// Turns a finished bitmap into a JPEG within a byte budget: by quality first, by fewer pixels below the floor.
struct OutputFitter {
    struct Result {
        let encoded: EncodedJPEG
        let size: PixelSize
        let isShrunk: Bool
    }

    let maxBytes: Int
    let minQuality: Int
    let maxQuality: Int
    let effort: PreparationOptions.Effort
    let progressive: PreparationOptions.Progressive
    /// What a JPEG source has to say.
    var source: SourceLimit?

    /// Bytes an encoding takes besides the bitmap: a turned copy of it, then coefficients and the file.
    static func memoryNeed(size: PixelSize, maxBytes: Int) -> Int {
        max(size.area * 3, BudgetSearch.memoryNeed(size: size, subsampling: .s444, maxBytes: maxBytes))
    }

    /// Fits a picture: all its pixels, or as many as look best shown at its size.
    ///
    /// - Throws: `over-budget` when not even a picture of one pixel fits; what `clock` says.
    func fit(_ bitmap: consuming Bitmap, clock: JobClock) throws(PrepError) -> Result {
        let search = BudgetSearch(
            maxBytes: maxBytes, minQuality: Double(minQuality),
            maxQuality: Double(max(minQuality, maxQuality)),
            effort: Effort(effort), progressive: Progressive(progressive))
        let whole = bitmap.size
        var size = whole
        var smaller: Result?
        // Who asks for the lowest floor wants all pixels.
        var mayShrink = minQuality > 1
        while true {
            try clock.check(.encode)
            let picture = size == whole ? bitmap : bitmap.scaled(to: size)
            let fit = search.fit(
                picture, from: source, mayShrink: mayShrink && size == whole && smaller == nil,
                isCancelled: { clock.isOver })
            guard let fit else {
                throw clock.reason(.encode)
            }
            switch fit {
            case .fits(let encoded):
                let result = Result(encoded: encoded, size: size, isShrunk: size != whole)
                guard let next = larger(than: result, of: whole), smaller == nil else { return result }
                smaller = result
                size = next
            case .betterSmaller(let side):
                // Asked once: of a pixel or two nothing is smaller.
                mayShrink = false
                size = whole.scaled(by: side)
            case .tooLarge(let bytes):
                if let smaller { return smaller }
                guard let next = self.smaller(than: size, of: whole, bytesAtFloor: bytes) else {
                    throw PrepError(
                        .overBudget, .encode,
                        "\(maxBytes) bytes are too few for any picture; raise --max-bytes or lower --min-quality",
                        detail: "one pixel at quality \(minQuality) takes \(bytes) bytes")
                }
                size = next
            }
        }
    }

    /// The next size to try; nil after one pixel.
    ///
    /// Bytes go roughly with the pixels above the fixed headers.
    private func smaller(than size: PixelSize, of whole: PixelSize, bytesAtFloor: Int) -> PixelSize? {
        guard size.area > 1 else { return nil }
        let ratio =
            Double(max(1, maxBytes - Self.headerBytes)) / Double(max(1, bytesAtFloor - Self.headerBytes))
        var factor = min(max(ratio.squareRoot() * 0.99, 0.25), 0.98)
        if size == whole, minQuality > 1 {
            factor = min(factor, BudgetSearch.shownBest(atQuality: Double(minQuality)))
        }
        let share = Double(max(size.width, size.height)) / Double(max(whole.width, whole.height)) * factor
        let next = whole.scaled(by: share)
        return next == size ? PixelSize(max(1, size.width - 1), max(1, size.height - 1)) : next
    }

    /// A size that uses more of a budget which a shrunk picture of the highest quality leaves over.
    private func larger(than result: Result, of whole: PixelSize) -> PixelSize? {
        let bytes = result.encoded.bytes.count
        guard result.isShrunk, result.encoded.limitedBy != .budget, bytes < maxBytes - maxBytes / 80 else {
            return nil
        }
        let ratio =
            Double(max(1, maxBytes - Self.headerBytes)) / Double(max(1, bytes - Self.headerBytes))
        let share =
            Double(max(result.size.width, result.size.height)) / Double(max(whole.width, whole.height))
        let next = whole.scaled(by: BudgetSearch.evenShare(share * ratio.squareRoot() * 1.02, .up))
        return next == result.size ? nil : next
    }

    /// Tables and headers of a small file, about.
    private static let headerBytes = 400
}

extension Effort {
    fileprivate init(_ effort: PreparationOptions.Effort) {
        self =
            switch effort {
            case .fast: .fast
            case .default: .default
            case .best: .best
            }
    }
}

extension Progressive {
    fileprivate init(_ progressive: PreparationOptions.Progressive) {
        self =
            switch progressive {
            case .auto: .auto
            case .never: .never
            case .always: .always
            }
    }
}

extension PixelSize {
    /// The size with both sides scaled, rounded half up and at least 1.
    fileprivate func scaled(by share: Double) -> PixelSize {
        func side(_ n: Int) -> Int { max(1, min(n, Int(Double(n) * share + 0.5))) }
        return PixelSize(side(width), side(height))
    }
}

extension Bitmap {
    /// The same picture at a smaller size, through the same linear-light filter.
    func scaled(to size: PixelSize) -> Bitmap {
        let whole = SourceRegion(
            x: 0, y: 0, width: Double(self.size.width), height: Double(self.size.height), usable: self.size)
        let scaler = RowScaler(source: whole, size: size, channels: channels)
        let rows = RowPipeline(
            layout: PixelLayout(channels == 1 ? .gray : .rgb), width: self.size.width, background: 0,
            scalers: [scaler])
        let rowBytes = self.size.width * channels
        unsafe pixels.withUnsafeBufferPointer { pixels in
            guard let base = pixels.baseAddress else { return }
            for y in 0..<self.size.height { _ = unsafe rows.row(base + y * rowBytes) }
        }
        return rows.finish().first ?? self
    }
}

extension ImageHeader {
    /// What a JPEG source has to say about an output.
    ///
    /// - Parameter shown: where the output lies in the upright source.
    func limit(of shown: Placement) -> SourceLimit? {
        quantisation.map {
            SourceLimit(
                // Converted colours are no longer the source's own values.
                $0, subsampling: colour.isConverted ? nil : subsampling,
                placement: shown.stored(orientation, source: size), orientation: orientation)
        }
    }
}

extension PreparationRecord.Encoding.Limit {
    init(_ limit: EncodedJPEG.Limit) {
        self =
            switch limit {
            case .budget: .budget
            case .quality: .quality
            case .source: .source
            }
    }
}
