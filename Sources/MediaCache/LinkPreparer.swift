public import AttachmentPrep
public import LinkFetch
internal import MediaTypes

extension LinkEntry {
    var validators: Validators { Validators(etag: etag, lastModified: lastModified, address: address) }
}

/// Turns links into attachments in a cache: fetched once, however many ask.
///
/// A link that was prepared is answered from the disk, without the network, as long as its server said; then the
/// server is asked whether anything changed. What failed is not tried again for a minute. Threads and processes
/// that want the same link at the same time wait for the one that fetches it.
public struct LinkPreparer: Sendable {
    /// What is made of a link's picture.
    public var preparer: AttachmentPreparer
    /// Where it is kept.
    public var cache: AttachmentCache
    /// How links are fetched.
    public var fetch: FetchOptions
    /// The address at which a web server hands out the cache's `media` folder, for the record's `url`.
    public var publicBase: String?

    /// Whether what might work another time is not tried again for a minute either; what never can work is not, in
    /// any case.
    public var remembersFailedTries = true

    /// For how long a failure is not tried again.
    static let failureSeconds = 60.0
    /// No answer is believed for longer, whatever the file says.
    private static let longestMemory = 31 * 86_400.0

    /// Creates a preparer.
    public init(
        _ preparer: AttachmentPreparer, cache: AttachmentCache, fetch: FetchOptions = .init(),
        publicBase: String? = nil
    ) {
        self.preparer = preparer
        self.cache = cache
        self.fetch = fetch
        self.publicBase = publicBase
    }

    /// Prepares a link, from the cache where it is there; never throws.
    ///
    /// - Parameters:
    ///   - link: `https://`, with leave `http://`, or `data:`.
    ///   - cancellation: asked between chunks and rows; a cancelled job ends as `cancelled`.
    ///   - admission: shared by jobs of one process; a job waits until its computed need fits.
    public func record(
        of link: String, cancellation: Cancellation = .init(), admission: MemoryBudget? = nil
    ) -> PreparationRecord {
        job(of: link, cancellation: cancellation, admission: admission).record
    }

    /// Prepares a signed link, whose name says that it is a JPEG; never throws.
    ///
    /// The recipe is the named profile's own: a link carries no other options, so this preparer's do not count,
    /// but for its limits.
    ///
    /// - Returns: `unsupported-format` for audio and video.
    public func record(
        of link: SignedLink, cancellation: Cancellation = .init(), admission: MemoryBudget? = nil
    ) -> PreparationRecord {
        lazy(for: link).record(of: link.link, cancellation: cancellation, admission: admission)
    }

    /// As `record`, and whether the cache had it before.
    package func job(
        of link: String, cancellation: Cancellation = .init(), admission: MemoryBudget? = nil
    ) -> (record: PreparationRecord, isNew: Bool) {
        let started = ContinuousClock.now
        var answer: (record: PreparationRecord, isNew: Bool)
        do throws(PrepError) {
            answer = try self.answer(Request(link, self, cancellation, admission))
        } catch {
            answer = (PreparationRecord(input: link, error: error), false)
        }
        if let publicBase { answer.record.publish(at: publicBase) }
        answer.record.elapsedSeconds = (ContinuousClock.now - started) / .seconds(1)
        return answer
    }

    /// This preparer as it makes signed links of a profile.
    package func lazy(for link: SignedLink) -> LinkPreparer {
        var lazy = self
        lazy.preparer.profiles = [link.profile]
        lazy.preparer.options = PreparationOptions()
        lazy.preparer.options.limits = preparer.options.limits
        lazy.preparer.options.spoolDirectory = preparer.options.spoolDirectory
        lazy.preparer.options.takesPicturesOnly = true
        return lazy
    }

    /// What the cache knows of a link without asking its server, if it may say so.
    package func known(_ link: String) -> PreparationRecord? {
        guard let request = try? Request(link, self, Cancellation(), nil), let key = request.key,
            case .hit(var record) = lookUp(request, key)
        else { return nil }
        if let publicBase { record.publish(at: publicBase) }
        return record
    }

    // MARK: - One link

    /// A link that somebody wants, and under which names its answer is kept.
    private struct Request {
        let link: String
        /// Nil for `data:`, which needs no network and no memory.
        let key: String?
        /// What the link's own name claims to be.
        let fileName: String
        let recipe: String
        let asked = WallClock.now
        let deadline: ContinuousClock.Instant?
        let cancellation: Cancellation
        let admission: MemoryBudget?

        init(
            _ link: String, _ owner: LinkPreparer, _ cancellation: Cancellation, _ admission: MemoryBudget?
        ) throws(PrepError) {
            self.link = link
            let timeout = owner.preparer.options.limits.timeout
            deadline = timeout.map { ContinuousClock.now + $0 }
            self.cancellation = cancellation
            self.admission = admission
            let preparer = owner.preparer
            let names = preparer.profiles.map { RecipeName("", $0, preparer.options).canonical }
            let conditions = owner.conditions
            recipe = ContentDigest.hex(try ContentDigest.sha256((names.joined() + conditions).utf8))
            guard !DataLink.isOne(link) else {
                (key, fileName) = (nil, "")
                return
            }
            let url = try LinkURL(link, readBy: owner.fetch.reader)
            fileName = url.fileName
            let text = "link 1\n\(url.text)\n\(owner.fetch.key)"
            key = ContentDigest.hex(try ContentDigest.sha256(text.utf8))
        }

        /// Whether nobody waits for the answer any more.
        var isOver: Bool {
            cancellation.isCancelled || (deadline.map { ContinuousClock.now >= $0 } ?? false)
        }
    }

    private func answer(_ request: Request) throws(PrepError) -> (record: PreparationRecord, isNew: Bool) {
        guard let key = request.key else {
            let result = try run(request, .init())
            return (result.record, result.isNew)
        }
        if case .hit(let record) = lookUp(request, key) { return (record, false) }
        let lock = CacheLock(cache.folder.path(.locks, key)) { request.isOver }
        defer { withExtendedLifetime(lock) {} }
        // Whoever held the lock may have done the work.
        let remembered = lookUp(request, key)
        if case .hit(let record) = remembered { return (record, false) }
        if request.cancellation.isCancelled {
            throw PrepError(.cancelled, .input, "stopped before it was done")
        }
        if request.isOver {
            throw PrepError(
                .timeLimit, .input,
                "others were still fetching the link when the time was up; raise --timeout")
        }
        guard case .stale(let entry, let record) = remembered else {
            let result = try run(request, .init())
            return (keep(result, request, key), result.isNew)
        }
        let result = try run(request, entry.validators)
        guard result.isUnchanged, var head = result.head else {
            return (keep(result, request, key), result.isNew)
        }
        // A short answer may leave out what has not changed (RFC 9111, 4.3.4); it came from the same address.
        if head.validators.isEmpty { head.validators = entry.validators }
        note(head, source: entry.source, key)
        return (record, false)
    }

    private func run(_ request: Request, _ validators: Validators) throws(PrepError) -> LinkResult {
        var result = preparer.result(
            ofLink: request.link, ifChangedSince: validators, options: fetch, into: cache.destination,
            deadline: request.deadline, cancellation: request.cancellation, admission: request.admission)
        if !result.isUnchanged { result.isNew = try cache.keep(result.record) }
        return result
    }

    // MARK: - What is remembered

    private enum Remembered {
        case hit(PreparationRecord)
        /// There, but its server must be asked whether it is still right.
        case stale(LinkEntry, PreparationRecord)
        case miss
    }

    private func lookUp(_ request: Request, _ key: String) -> Remembered {
        let path = cache.folder.path(.links, key + ".json")
        guard let entry = LinkEntry.read(path) else { return .miss }
        let now = WallClock.now
        // What was asked after this request came is as fresh as can be; what is from the future is of a clock that
        // went back.
        let isFresh = { (checked: Double, until: Double) in
            checked <= now
                && (until > now && until - checked <= Self.longestMemory || checked >= request.asked)
        }
        if let failure = entry.failure, isFresh(failure.checked, failure.freshUntil),
            failure.recipe == nil || failure.recipe == request.recipe
        {
            var record = failure.record
            record.input = request.link
            return .hit(record)
        }
        guard let source = entry.source, let record = remembered(source, request) else { return .miss }
        if isFresh(entry.checked, entry.freshUntil) {
            if let file = FileFacts(of: path),
                Int(now).subtractingReportingOverflow(file.modified).partialValue > 3600
            {
                path.touch()
            }
            return .hit(record)
        }
        return entry.validators.isEmpty ? .miss : .stale(entry, record)
    }

    /// The record of a source's attachments, if all of them are there.
    private func remembered(_ source: String, _ request: Request) -> PreparationRecord? {
        var whole: PreparationRecord?
        for profile in preparer.profiles {
            guard let name = try? RecipeName(source, profile, preparer.options).text(),
                let record = cache.record(named: name), var output = record.outputs.first,
                output.format == .jpeg || !preparer.options.takesPicturesOnly
            else { return nil }
            output.profile = profile.name
            var soFar = whole ?? record
            if whole == nil { soFar.outputs = [] }
            soFar.outputs.append(output)
            soFar.warnings += record.warnings.filter { !soFar.warnings.contains($0) }
            whole = soFar
        }
        whole?.input = request.link
        whole?.claim(request.fileName)
        whole?.concludeFromOutputs()
        return whole
    }

    /// Remembers what came of a link, and hands it on.
    private func keep(_ result: LinkResult, _ request: Request, _ key: String) -> PreparationRecord {
        let record = result.record
        if let error = record.error {
            if isRemembered(error.code) {
                let now = WallClock.now
                // What is known besides stays: another recipe may get on with it, and so may this one later.
                var entry = LinkEntry.read(cache.folder.path(.links, key + ".json")) ?? LinkEntry()
                entry.failure = LinkEntry.Failure(
                    recipe: Self.dependsOnRecipe(error.code) ? request.recipe : nil, checked: now,
                    freshUntil: now + Self.failureSeconds, record: record.anonymous)
                write(entry, key)
            }
        } else if let head = result.head, !record.warnings.contains(.truncatedInput) {
            note(head, source: record.sourceDigest, key)
        }
        return record
    }

    private func note(_ head: ResponseHead, source: String?, _ key: String) {
        let now = WallClock.now
        if head.isNotStored {
            // For those who asked before the answer came, and nobody else.
            return write(LinkEntry(source: source, checked: now, freshUntil: now), key)
        }
        write(
            LinkEntry(
                source: source, etag: head.validators.etag, lastModified: head.validators.lastModified,
                address: head.validators.address, checked: now,
                freshUntil: now + Double(head.lifetime(now: Int(now)))), key)
    }

    /// A link that cannot be remembered is fetched again: no reason to fail.
    private func write(_ entry: LinkEntry, _ key: String) {
        guard let bytes = CacheJSON.encode(entry) else { return }
        let path = cache.folder.path(.links, key + ".json")
        let isNew = FileFacts(of: path) == nil
        guard (try? path.replace(with: bytes)) != nil else { return }
        if isNew { cache.shard(of: key).account(for: FileFacts(of: path)?.space ?? 0, sparing: key) }
    }

    /// Whether it would be the same a moment later.
    private func isRemembered(_ code: PrepError.Code) -> Bool {
        // From a link, what ends early may be whole the next time.
        let mayPass = code.outcome == .failed || code == .truncated || code == .memoryLimit
        if mayPass, !remembersFailedTries { return false }
        return switch code {
        case .cancelled, .busy, .io, .noSpace, .decoderCrashed, .invalidURL, .insecureURL: false
        default: true
        }
    }

    /// What decides whether there is an output, never what is in it.
    fileprivate var conditions: String {
        var limits = preparer.options.limits
        // Who has one try each time has other time and memory for it each time, and they make no lasting failure.
        if !remembersFailedTries { (limits.timeout, limits.memory) = (nil, 0) }
        return "\(limits) pictures-only \(preparer.options.takesPicturesOnly)"
    }

    /// Whether another profile or other limits could have made a picture of it.
    private static func dependsOnRecipe(_ code: PrepError.Code) -> Bool {
        switch code {
        case .overLimit, .overBudget, .tooManyPixels, .tooManyScans, .memoryLimit, .inputTooLarge, .timeLimit,
            .truncated, .corrupt, .unsupportedFormat, .unsupportedVariant:
            true
        default: false
        }
    }
}

extension PreparationRecord {
    /// Names the address of each output in a cache, from that of a server which hands it out.
    package mutating func publish(at base: String) {
        for index in outputs.indices {
            guard let path = outputs[index].path else { continue }
            let name = String(decoding: FilePath(path).lastComponent, as: UTF8.self)
            outputs[index].url = "\(base.withoutSlash)/\(name.prefix(2))/\(name)"
        }
    }
}

extension LinkPreparer {
    /// Whether a link is one that was made here: a signed one, or the address of an attachment.
    package static func isPrepared(_ link: String, at base: String) -> Bool {
        let base = base.withoutSlash + "/"
        guard link.hasPrefix(base) else { return false }
        let parts = link.dropFirst(base.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return SignedLink.isOne(link) }
        return parts[0].count == 2 && parts[1].hasPrefix(parts[0])
            && AttachmentCache.isKey(String(parts[1].prefix(64)))
    }
}
