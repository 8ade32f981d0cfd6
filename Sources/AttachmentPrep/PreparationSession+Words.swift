internal import Codecs
internal import MediaTypes
internal import Pixels

// What a record says of an input besides its outputs.
extension PreparationSession {
    func failure(_ error: CodecError) -> PrepError {
        error.kind == .stopped ? clock.reason(.decode) : Refusal.error(error, options)
    }

    mutating func warn(_ warning: PreparationRecord.Warning) {
        if !report.warnings.contains(warning) { report.warnings.append(warning) }
    }

    mutating func warn(_ header: ImageHeader) {
        if notes.hasMetadata || animation?.copy.hadMetadata == true { warn(.metadataRemoved) }
        if header.layout.isInk || header.colour.isConverted { warn(.colorConverted) }
        if header.colour.isIgnored { warn(.profileIgnored) }
        let isKept = report.outputs.allSatisfy { $0.format != .jpeg }
        if notes.isAnimated && !isKept || notes.isMultiPage { warn(.firstFrameOnly) }
        if isTruncated { warn(.truncatedInput) }
        if sawTrailingData, !notes.isMultiPicture { warn(.trailingData) }
        if notes.isOdd { warn(.harmlessDamage) }
    }

    mutating func describeSource() {
        let format = notes.isAnimated && sniffer.format == .png ? .apng : sniffer.format
        guard let format, bytesSeen > 0 else { return }
        var source = PreparationRecord.Source(format: format)
        source.claimedExtension = claimed?.text
        source.typeMismatch = claimed.map { !$0.matches(format) } ?? false
        source.bytes = seekableInput?.size ?? bytesSeen
        source.width = header?.size.width
        source.height = header?.size.height
        source.orientation = header.map { $0.isBottomUp ? 1 : $0.orientation.rawValue }
        source.animated = header.map { _ in notes.isAnimated } ?? sniffer.isAnimated
        if source.typeMismatch, format != .unknown { warn(.mismatchedExtension) }
        report.source = source
    }
}
