internal import Codecs
internal import JPEGCore
internal import MediaTypes
internal import Pixels

extension PreparationRecord {
    /// The outputs are all there: the worst of them is the record's outcome.
    mutating func concludeFromOutputs() {
        outcome = outputs.map(\.outcome).max() ?? .failed
        error = outputs.filter { $0.outcome == outcome }.lazy.compactMap(\.error).first
    }
}

extension PreparationRecord.Output {
    mutating func fail(_ error: PrepError) {
        self = Self(profile: profile, outcome: error.code.outcome)
        self.error = error
    }

    mutating func describe(lossless header: ImageHeader, maxBytes: Int) {
        outcome = .passedThrough
        format = .jpeg
        width = header.size.width
        height = header.size.height
        encoding = .init(
            maxBytes: maxBytes, quality: nil, subsampling: header.subsampling ?? "", limitedBy: .lossless)
    }

    mutating func describe(_ fitted: OutputFitter.Result, maxBytes: Int) {
        format = .jpeg
        width = fitted.size.width
        height = fitted.size.height
        encoding = .init(
            maxBytes: maxBytes, quality: fitted.encoded.quality, subsampling: fitted.encoded.subsampling.name,
            limitedBy: .init(fitted.encoded.limitedBy))
    }
}
