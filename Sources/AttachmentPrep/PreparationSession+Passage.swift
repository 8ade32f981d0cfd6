internal import MediaContainers
internal import MediaTypes

// Audio and video: nothing is decoded, the file itself is the output.
extension PreparationSession {
    /// Begins to rewrite the input into its output.
    ///
    /// - Returns: false where it must not pass, for its type or for want of a profile that takes it.
    mutating func beginPassage(_ format: MediaFormat) throws(PrepError) -> Bool {
        guard !options.takesPicturesOnly, profiles.contains(where: { $0.name == MediaPassage.profile }),
            let rewriter = Rewriters.make(format)
        else { return false }
        try claim(Rewriters.memoryNeed)
        let maxBytes = options.maxBytes ?? .max
        passage = try MediaPassage(
            rewriter, format: format, writer: writer, spool: options.spoolDirectory, clock: clock
        ) { min($0.capBytes ?? Rewriters.largestCap, maxBytes) }
        stage = .passing
        return true
    }

    /// Rewrites the next bytes, unless they show that the file is of a kind that is refused.
    mutating func pass(_ bytes: Span<UInt8>) throws(PrepError) {
        if sniffer.rejection != nil { throw Refusal.error(sniffer) }
        do { try passage?.push(bytes) } catch { throw failure(error) }
    }

    /// All bytes are there: completes the output and puts it in its place.
    mutating func finishPassage() throws(PrepError) {
        if sniffer.rejection != nil { throw Refusal.error(sniffer) }
        let media: RewrittenMedia
        do {
            guard let made = try passage?.finish() else { return }
            media = made
        } catch {
            throw failure(error)
        }
        try clock.check(.output)
        let source = try sourceDigest()
        for profile in profiles {
            var output = PreparationRecord.Output(profile: profile.name, outcome: .passedThrough)
            do throws(PrepError) {
                guard profile.name == MediaPassage.profile else {
                    throw Refusal.onlyUnderAPNS(sniffer.format ?? .unknown)
                }
                try place(media, profile, source, &output)
            } catch {
                output.fail(error)
            }
            report.outputs.append(output)
        }
        passage = nil
        report.concludeFromOutputs()
        if media.hadMetadata { warn(.metadataRemoved) }
        if media.isRewrapped { warn(.rewrapped) }
        if media.isIndexLast { warn(.moovLast) }
        if media.hadTrailingData { warn(.trailingData) }
    }

    private func place(
        _ media: RewrittenMedia, _ profile: Profile, _ source: String,
        _ output: inout PreparationRecord.Output
    ) throws(PrepError) {
        guard let passage else { return }
        let name = writer.needsDigest ? try RecipeName(source, profile, options).text() : ""
        output.format = media.format
        output.isMPEG1 = media.format == .mpegES && sniffer.fileExtension == "mpg"
        output.bytes = passage.file.size
        output.path = try writer.place(
            passage.file, format: media.format, suffix: output.fileExtension, profile: profile, name: name
        )?.display
    }

    /// What trouble on the way through means to the sender.
    private func failure(_ error: MediaError) -> PrepError {
        switch error.kind {
        case .stopped: clock.reason(.output)
        case .unwritable:
            passage?.file.failure?.error(.output, "cannot write the output")
                ?? PrepError(.io, .output, "cannot write the output", detail: error.detail)
        default: Refusal.error(error)
        }
    }
}
