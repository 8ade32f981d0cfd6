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

    /// Fits a picture, which is given up: of two sizes of it only one is ever held.
    ///
    /// - Throws: `over-budget` when not even a picture of one pixel fits; what `clock` says.
    func fit(_ bitmap: consuming Bitmap, clock: JobClock) throws(PrepError) -> Result {
        let search = BudgetSearch(
            maxBytes: maxBytes, minQuality: Double(minQuality),
            maxQuality: Double(max(minQuality, maxQuality)),
            effort: Effort(effort), progressive: Progressive(progressive))
        let size = bitmap.size
        while true {
            try clock.check(.encode)
            guard let fit = search.fit(bitmap, from: source, isCancelled: { clock.isOver }) else {
                throw clock.reason(.encode)
            }
            switch fit {
            case .fits(let encoded):
                return Result(encoded: encoded, size: bitmap.size, isShrunk: bitmap.size != size)
            case .tooLarge(let bytes):
                guard let next = smaller(than: bitmap.size, bytesAtFloor: bytes) else {
                    throw PrepError(
                        .overBudget, .encode,
                        "\(maxBytes) bytes are too few for any picture; raise --max-bytes or lower --min-quality",
                        detail: "one pixel at quality \(minQuality) takes \(bytes) bytes")
                }
                bitmap = bitmap.scaled(to: next)
            }
        }
    }

    /// The next size to try; nil after one pixel.
    ///
    /// Bytes go roughly with the pixels above the fixed headers.
    private func smaller(than size: PixelSize, bytesAtFloor: Int) -> PixelSize? {
        guard size.area > 1 else { return nil }
        let ratio =
            Double(max(1, maxBytes - Self.headerBytes)) / Double(max(1, bytesAtFloor - Self.headerBytes))
        let factor = min(max(ratio.squareRoot() * 0.99, 0.25), 0.98)
        func side(_ n: Int) -> Int { max(1, Int(Double(n) * factor)) }
        return PixelSize(side(size.width), side(size.height))
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
    func limit(of target: Admission.Target) -> SourceLimit? {
        quantisation.map {
            SourceLimit(
                $0, subsampling: subsampling, placement: target.placement, orientation: orientation)
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
