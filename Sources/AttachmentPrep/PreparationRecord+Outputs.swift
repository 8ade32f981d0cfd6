internal import Codecs
internal import JPEGCore
internal import MediaTypes
internal import Pixels

extension PreparationRecord {
    /// This record without what belongs to the one who asked, as caches keep it: links hold tokens.
    package var anonymous: PreparationRecord {
        var own = self
        own.input = ""
        own.inputBytes = nil
        own.memory = nil
        own.elapsedSeconds = 0
        return own
    }

    /// The same source under another name: what its suffix claims, and whether that is so.
    package mutating func claim(_ name: String) {
        let claimed = ClaimedExtension(name)
        guard let format = source?.format else { return }
        source?.claimedExtension = claimed.text
        source?.typeMismatch = !claimed.matches(format)
        warnings.removeAll { $0 == .mismatchedExtension }
        if source?.typeMismatch == true, format != .unknown { warnings.append(.mismatchedExtension) }
    }

    /// The outputs are all there: the worst of them is the record's outcome.
    package mutating func concludeFromOutputs() {
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
