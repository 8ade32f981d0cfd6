internal import Codecs
internal import JPEGCore
internal import MediaTypes
internal import Pixels

/// One input on its way to its outputs: bytes are pushed in as they arrive, in pieces of any size.
///
/// This file is the flow of one image. `push` goes through sniffing, admission and decoding while bytes come;
/// `finish` fits, writes and reports. At any moment there lives one decoder with a handful of rows, or the
/// finished bitmaps with one encoder: never the whole encoded input, never the whole source picture.
public struct PreparationSession: ~Copyable {
    enum Stage {
        /// Too few bytes to know the type.
        case sniffing
        /// The type is known and refused; the sniffer looks on until it can name it exactly.
        case refusing
        /// The push route: every byte is decoded as it comes.
        case decoding
        /// The spool route: bytes are put aside until the input is whole.
        case spooling
        /// Audio and video: bytes are rewritten into the output as they come.
        case passing
        /// The picture is whole; what follows is not part of it.
        case decoded
        case failed
    }

    let profiles: [Profile]
    let options: PreparationOptions
    let writer: OutputWriter
    private let budget: MemoryBudget?
    private(set) var clock: JobClock
    var stage = Stage.sniffing
    private(set) var sniffer = MediaSniffer()
    /// The first bytes, kept until the type is known.
    private var prefix: [UInt8] = []
    private var decoder: (any ImageDecoder & ~Copyable)?
    var spoolDecoder: (any SpoolDecoder & ~Copyable)?
    private(set) var header: ImageHeader?
    private(set) var admission: Admission?
    private var grant: MemoryGrant?
    private(set) var rows: RowPipeline?
    var spool: Spool?
    var passage: MediaPassage?
    var animation: AnimationPassage?
    var digest: ContentDigest?
    var notes = DecodeNotes()
    /// The picture's own bytes, where they may be an output.
    var losslessCopy: [UInt8]?
    private(set) var bytesSeen = 0
    private(set) var sawTrailingData = false
    var isTruncated = false
    var report: PreparationRecord
    /// The input as a file, where it is one: the spool route then reads it in place.
    var seekableInput: Spool?

    init(
        _ preparer: AttachmentPreparer, source: AttachmentSource, into destination: AttachmentDestination,
        cancellation: Cancellation, budget: MemoryBudget?
    ) {
        profiles = preparer.profiles
        options = preparer.options
        writer = OutputWriter(destination: destination, severalProfiles: profiles.count > 1)
        clock = JobClock(timeout: options.limits.timeout, cancellation: cancellation)
        self.budget = budget
        report = PreparationRecord(input: source.name, outcome: .failed)
        report.inputBytes = source.nameBytes
        claimed = source.claimedName.map { ClaimedExtension($0) }
    }

    let claimed: ClaimedExtension?

    /// Whether more bytes could change anything.
    ///
    /// A pushed input may end early once this is false.
    public var needsMoreInput: Bool {
        switch stage {
        case .sniffing, .refusing, .decoding, .passing: true
        case .spooling: seekableInput == nil || digest != nil || animation != nil
        // What follows the picture may still be worth a warning; of a file the first byte of it is enough.
        case .decoded: seekableInput == nil || digest != nil || !sawTrailingData
        case .failed: false
        }
    }

    /// Whether the picture is whole and only what follows it is still to come.
    var hasPicture: Bool { stage == .decoded && digest == nil }

    // MARK: Bytes in

    /// Takes the next bytes of the input and works as far as they go.
    ///
    /// - Throws: why this input cannot become an attachment, as soon as that is certain; the input then need
    ///   not be read further, and `record()` still says all that is known.
    public mutating func push(_ bytes: Span<UInt8>) throws(PrepError) {
        if let error = report.error { throw error }
        do {
            try take(bytes)
        } catch {
            fail(error)
            throw error
        }
    }

    /// Takes the next bytes of the input, as an array.
    public mutating func push(_ bytes: [UInt8]) throws(PrepError) { try push(bytes.span) }

    private mutating func take(_ bytes: Span<UInt8>) throws(PrepError) {
        try clock.check(.input)
        bytesSeen += bytes.count
        guard bytesSeen <= options.limits.inputBytes else {
            throw SourceReader.tooLarge(options.limits.inputBytes)
        }
        if writer.needsDigest {
            if digest == nil { digest = try ContentDigest() }
            digest?.update(bytes)
        }
        try copyAnimation(bytes)
        switch stage {
        case .sniffing: try sniff(bytes)
        case .refusing: try refuse(bytes)
        case .decoding: try decode(bytes)
        case .spooling:
            // Bytes of a file that is read in place are there already.
            if seekableInput == nil { try append(bytes) }
        case .passing:
            sniffer.push(bytes)
            try pass(bytes)
        case .decoded: noteTrailing(bytes)
        case .failed: break
        }
    }

    // MARK: Sniff

    private mutating func sniff(_ bytes: Span<UInt8>) throws(PrepError) {
        sniffer.push(bytes)
        guard let format = sniffer.format else {
            // The sniffer decides within 4 KiB, so this stays small.
            unsafe bytes.withUnsafeBufferPointer { unsafe prefix.append(contentsOf: $0) }
            return
        }
        if let decoder = try Decoders.make(format, options) {
            self.decoder = consume decoder
            stage = .decoding
            try beginAnimation(format)
            let seen = prefix
            try copyAnimation(seen.span)
            try copyAnimation(bytes)
        } else if try !beginPassage(format), try !beginSpool(format) {
            stage = .refusing
            return try refuse(nil)
        }
        let first = prefix
        prefix = []
        if !first.isEmpty { try take(again: first.span) }
        try take(again: bytes)
    }

    /// Runs bytes that were counted already through whatever stage is next.
    private mutating func take(again bytes: Span<UInt8>) throws(PrepError) {
        switch stage {
        case .decoding: try decode(bytes)
        case .spooling: if seekableInput == nil { try append(bytes) }
        case .passing: try pass(bytes)
        case .decoded: noteTrailing(bytes)
        case .sniffing, .refusing, .failed: break
        }
    }

    private mutating func refuse(_ bytes: Span<UInt8>?) throws(PrepError) {
        if let bytes { sniffer.push(bytes) }
        if sniffer.isSettled { throw refusal }
    }

    private var refusal: PrepError { Refusal.error(sniffer, picturesOnly: options.takesPicturesOnly) }

    // MARK: Decode, push route

    private mutating func decode(_ bytes: Span<UInt8>) throws(PrepError) {
        let step: DecodeStep
        do {
            guard let next = try decoder?.push(bytes, into: rows) else { return }
            step = next
        } catch {
            throw failure(error)
        }
        switch step {
        case .needsInput: break
        case .header(let header, let consumed):
            try admit(header)
            try take(again: bytes.extracting(consumed..<bytes.count))
        case .finished(let consumed):
            stage = .decoded
            noteTrailing(bytes.extracting(consumed..<bytes.count))
        }
    }

    /// The header is known: decide, reserve, and build what the rows go through.
    private mutating func admit(_ header: ImageHeader) throws(PrepError) {
        if header.isProvisional { return try turnToSpool() }
        let admission = try reserve(header)
        switch admission.route {
        case .push:
            decoder?.keepLosslessCopy(limit: admission.losslessLimit)
            try start(header, admission)
            stage = .decoding
        case .spool: try turnToSpool()
        }
    }

    private mutating func turnToSpool() throws(PrepError) {
        notes = decoder?.notes ?? notes
        let head = decoder?.head ?? []
        decoder = nil
        guard let format = sniffer.format, try beginSpool(format) else { return }
        if let limit = admission?.losslessLimit { spoolDecoder?.keepLosslessCopy(limit: limit) }
        if seekableInput == nil { try append(head.span) }
    }

    /// Decides from a header, and waits for the memory that takes.
    mutating func reserve(_ header: ImageHeader) throws(PrepError) -> Admission {
        self.header = header
        let admission = try Admission(header, profiles: profiles, options: options)
        self.admission = admission
        try claim(admission.need)
        return admission
    }

    /// Sees that the job may take so much memory in all, and waits until it is free.
    mutating func claim(_ need: Int) throws(PrepError) {
        report.memory = .init(need: need, limit: options.limits.memory)
        try Admission.check(need: need, options.limits)
        guard let budget else { return }
        // Before it asks again: a job that waits holding some could wait for ever.
        grant = nil
        let clock = clock
        let since = ContinuousClock.now
        grant = budget.take(need) { clock.cancellation.isCancelled }
        self.clock.excuse(ContinuousClock.now - since)
        try self.clock.check(.admission)
    }

    private mutating func start(_ header: ImageHeader, _ admission: Admission) throws(PrepError) {
        makeRows(header, admission)
        do { try decoder?.start(numerator: admission.numerator, memoryLimit: admission.need) } catch {
            throw failure(error)
        }
    }

    /// Makes what the decoder's rows go through.
    mutating func makeRows(_ header: ImageHeader, _ admission: Admission) {
        let n = admission.numerator
        let scalers = admission.placements.map { placement in
            RowScaler(
                source: header.region(of: placement, numerator: n), size: placement.size,
                channels: header.scaledLayout.channels(over: options.background),
                toSRGB: header.colour.space.toSRGB, interlace: header.interlace)
        }
        let clock = clock
        rows = RowPipeline(
            layout: header.layout, width: header.rowSize(numerator: n).width, background: options.background,
            scalers: scalers, colour: header.colour.space, conversion: header.colour.rows,
            interlace: header.interlace, shouldStop: { clock.isOver })
    }

    mutating func noteTrailing(_ bytes: Span<UInt8>) {
        guard !sawTrailingData else { return }
        for i in bytes.indices where bytes[i] != 0 {
            sawTrailingData = true
            return
        }
    }

    // MARK: Finish

    /// Ends the input, writes the outputs and answers the first profile's attachment.
    public consuming func finish() throws(PrepError) -> PreparedAttachment {
        try PreparedAttachment(record())
    }

    /// Ends the input, writes the outputs and answers everything there is to say; never throws.
    public consuming func record() -> PreparationRecord {
        if report.error == nil {
            do { try complete() } catch { fail(error) }
        }
        describeSource()
        report.elapsedSeconds = clock.elapsedSeconds
        return report
    }

    /// Records an error that its caller met while reading the input.
    package mutating func fail(_ error: PrepError) {
        if let seen = decoder?.notes { notes.add(seen) }
        stage = .failed
        decoder = nil
        spoolDecoder = nil
        rows = nil
        spool = nil
        passage = nil
        animation = nil
        grant = nil
        report.error = error
        report.outcome = error.code.outcome
    }

    private mutating func complete() throws(PrepError) {
        guard try endInput(), let admission, let header else { return }
        let copy = losslessCopy.take() ?? decoder?.takeLosslessCopy()
        decoder = nil
        // No name for the bitmaps here: each is let go as soon as its output is made.
        try write(finishedBitmaps(), copy, admission, header)
        rows = nil
        warn(header)
    }

    /// Ends the input.
    ///
    /// - Returns: whether its picture is decoded; audio and video passed instead.
    mutating func endInput() throws(PrepError) -> Bool {
        try clock.check(.input)
        if stage == .sniffing || stage == .refusing {
            sniffer.finish()
            if stage == .refusing || sniffer.format == nil { throw refusal }
            let none: [UInt8] = []
            try sniff(none.span)
            if stage == .refusing { throw refusal }
        }
        if stage == .passing {
            sniffer.finish()
            try finishPassage()
            return false
        }
        if stage == .spooling { try decodeSpooled() }
        if stage == .decoding { try endEarly() }
        guard admission != nil, header != nil else {
            throw PrepError(.truncated, .decode, Refusal.endsEarly(options))
        }
        if let seen = decoder?.notes { notes.add(seen) }
        return true
    }

    /// The finished pictures in sRGB, in the order of the admission's placements.
    func finishedBitmaps() -> [Bitmap] {
        let bitmaps = rows?.finish() ?? []
        if let conversion = header?.colour.picture {
            for bitmap in bitmaps { bitmap.convert(conversion) }
        }
        return bitmaps
    }

    /// The bytes ended before the picture did.
    private mutating func endEarly() throws(PrepError) {
        do { try decoder?.finish(padding: options.allowsTruncated, into: rows) } catch {
            throw failure(error)
        }
        guard let rows, let header, let admission else {
            throw PrepError(.truncated, .decode, Refusal.endsEarly(options))
        }
        stage = .decoded
        if decoder?.isWhole == true {
            notes.isOdd = true
            return
        }
        rows.fill(to: header.rowSize(numerator: admission.numerator).height)
        isTruncated = true
    }
}
