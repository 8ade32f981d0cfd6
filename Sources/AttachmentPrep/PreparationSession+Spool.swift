internal import Codecs
internal import JPEGCore
internal import MediaTypes
internal import Pixels

// The spool route: bytes are put aside until the input is whole, then decoded from where they lie.
extension PreparationSession {
    /// Makes the place where bytes are put aside, unless the input itself is one.
    ///
    /// - Returns: false for a type that no spooled decoder serves.
    mutating func beginSpool(_ format: MediaFormat) throws(PrepError) -> Bool {
        guard let decoder = try Decoders.makeSpooled(format, options) else { return false }
        spoolDecoder = consume decoder
        stage = .spooling
        guard seekableInput == nil else { return true }
        do { spool = try Spool(temporaryIn: options.spoolDirectory ?? Spool.defaultDirectory) } catch {
            throw error.error(.input, "cannot make a temporary file; name another folder with --spool-dir")
        }
        return true
    }

    /// Puts bytes aside; the decoder sees them pass, and may know already that they lead nowhere.
    mutating func append(_ bytes: Span<UInt8>) throws(PrepError) {
        do { try spool?.append(bytes) } catch { throw error.error(.input, "cannot write the temporary file") }
        do { try spoolDecoder?.watch(bytes) } catch { throw failure(error) }
    }

    /// All bytes are there.
    mutating func decodeSpooled() throws(PrepError) {
        guard let spool = seekableInput ?? spool else { return }
        if header == nil { try readSpooledHeader(spool) }
        guard let header, let admission else { return }
        try reserveWhatShows(spool, admission)
        makeRows(header, admission)
        guard let rows else { return }
        let job = SpoolJob(
            numerator: admission.numerator, memoryLimit: admission.need,
            allowsTruncated: options.allowsTruncated)
        do throws(CodecError) {
            guard let end = try spoolDecoder?.decode(from: spool, job, into: rows) else { return }
            isTruncated = end.isTruncated
            if isTruncated { rows.fill(to: header.rowSize(numerator: admission.numerator).height) }
            try noteTrailing(spool, from: end.end)
        } catch {
            if let failure = spool.failure { throw failure.error(.input, "cannot read the input again") }
            throw failure(error)
        }
        if let seen = spoolDecoder?.notes { notes.add(seen) }
        losslessCopy = spoolDecoder?.takeLosslessCopy()
        spoolDecoder = nil
        self.spool = nil
        stage = .decoded
    }

    /// The header of a type that no pushed decoder serves.
    private mutating func readSpooledHeader(_ spool: Spool) throws(PrepError) {
        let clock = clock
        var found: ImageHeader?
        do throws(CodecError) {
            found = try spoolDecoder?.readHeader(from: spool, shouldStop: { clock.isOver })
        } catch {
            if let seen = spoolDecoder?.notes { notes.add(seen) }
            if let failure = spool.failure { throw failure.error(.input, "cannot read the input again") }
            throw failure(error)
        }
        if let found { _ = try reserve(found) }
    }

    /// Reserves what only the whole input tells, such as the decoders of hundreds of scans.
    private mutating func reserveWhatShows(_ spool: Spool, _ admission: Admission) throws(PrepError) {
        let clock = clock
        let more: Int?
        do throws(CodecError) {
            more = try spoolDecoder?.memoryBeyondHeader(
                of: spool, allowsTruncated: options.allowsTruncated, unless: { clock.isOver })
        } catch {
            if let failure = spool.failure { throw failure.error(.input, "cannot read the input again") }
            throw failure(error)
        }
        if let more, more > 0 { try claim(admission.need(beyondHeader: more)) }
    }

    /// Looks at what lies behind the picture, until something is found.
    private mutating func noteTrailing(_ spool: Spool, from start: Int) throws(CodecError) {
        var piece = [UInt8](repeating: 0, count: 4096)
        var offset = start
        while !sawTrailingData {
            if clock.isOver { throw CodecError(.stopped, "stopped") }
            let count = unsafe piece.withUnsafeMutableBytes { unsafe spool.read(at: offset, into: $0) }
            guard let count else { throw CodecError(.unreadable, "the input cannot be read again") }
            if count == 0 { return }
            offset += count
            noteTrailing(piece.span.extracting(0..<count))
        }
    }
}
