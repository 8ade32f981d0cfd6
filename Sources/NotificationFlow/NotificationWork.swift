internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache

/// The work for one notification, step by step: each leaves behind the best there is.
struct NotificationWork {
    private let flow: NotificationFlow
    private let run: NotificationRun

    init(_ flow: NotificationFlow, _ run: NotificationRun) {
        self.flow = flow
        self.run = run
    }

    func perform() {
        defer { run.deliver(.finished) }
        guard var payload = opened(run.payload) else { return }
        expectMedia(of: payload)
        complete(&payload)
        guard !run.limits.isOver else { return }
        expectMedia(of: payload)
        do throws(PrepError) {
            guard let location = try flow.keys.location(in: payload) else { return run.note(.noMedia) }
            run.note(.located(location))
            guard let attachment = try attachment(at: location) else {
                run.improve { $0.media = .heldBack }
                return
            }
            try attach(attachment)
        } catch {
            run.note(.failed(error))
            // A job that was stopped by the delivery has nothing to say.
            run.improve { $0.media = .failed(error) }
        }
    }

    /// Looks for media, which is late until it is there.
    func expectMedia(of payload: NotificationPayload) {
        do throws(PrepError) {
            let location = try flow.keys.location(in: payload)
            run.improve { $0.media = location == nil ? .none : .late }
        } catch {
            run.improve { $0.media = .failed(error) }
        }
    }

    // MARK: - Text

    /// The payload with what was sealed in it; nil where that cannot be trusted, and neither can the rest.
    private func opened(_ payload: NotificationPayload) -> NotificationPayload? {
        guard let seal = flow.seal else { return payload }
        do throws(PrepError) {
            guard let plain = try seal.opened(payload) else { return payload }
            let payload = payload.replaced(by: plain)
            take(plain, payload)
            run.note(.opened)
            return payload
        } catch {
            fail(error)
            return nil
        }
    }

    private func complete(_ payload: inout NotificationPayload) {
        for source in flow.details where !run.limits.isOver {
            do throws(PrepError) {
                guard let details = try source.details(for: payload, run.limits) else { continue }
                payload = payload.completed(by: details)
                take(details, payload)
                run.note(.detailed)
            } catch {
                fail(error)
            }
        }
    }

    /// Puts text in place at once: the time may be up before the next step is done.
    private func take(_ members: JSONValue, _ payload: NotificationPayload) {
        run.improve { delivery in
            delivery.text.take(from: members)
            delivery.payload = payload
        }
    }

    private func fail(_ error: PrepError) {
        run.note(.failed(error))
        run.improve { $0.problems.append(error) }
    }

    // MARK: - Media

    /// The prepared media in the cache; nil where the network's policy forbids to fetch it.
    private func attachment(at location: MediaLocation) throws(PrepError) -> PreparedAttachment? {
        var preparer = flow.preparer
        preparer.options.limits.memory = min(
            preparer.options.limits.memory,
            flow.admission.room(flow.availableMemory, NotificationFlow.memoryReserve))
        preparer.options.limits.timeout = timeout
        switch location {
        case .file(let path): return try prepared(.file(path), preparer)
        case .bundled(let name):
            guard let path = flow.bundledFile(name) else {
                throw PrepError(.io, .input, "there is no file '\(name)' in the bundle")
            }
            return try prepared(.file(path), preparer)
        case .link(let link): return try fetched(link, preparer)
        }
    }

    private func prepared(
        _ source: AttachmentSource, _ preparer: AttachmentPreparer
    ) throws(PrepError) -> PreparedAttachment {
        run.note(.trying(1))
        guard let path = source.path, path.isRegularFile else {
            // A pipe or a device could be read for ever.
            throw PrepError(.io, .input, "there is no file at \(source.name)")
        }
        let record = preparer.record(
            of: source, into: flow.cache, cancellation: run.cancellation, admission: flow.admission)
        run.note(.prepared(record))
        return try PreparedAttachment(record)
    }

    private func fetched(
        _ link: String, _ preparer: AttachmentPreparer
    ) throws(PrepError) -> PreparedAttachment? {
        var links = LinkPreparer(preparer, cache: flow.cache, fetch: fetchOptions(for: link))
        // The next push comes when it comes, and has one try.
        links.remembersFailedTries = false
        let condition = flow.network()
        switch flow.policy.allowance(on: condition) {
        case .everything: break
        case .upTo(let bytes):
            links.preparer.options.limits.inputBytes = min(links.preparer.options.limits.inputBytes, bytes)
        case .cached:
            guard let record = links.known(link) else {
                run.note(.heldBack(condition))
                return nil
            }
            run.note(.prepared(record))
            return try PreparedAttachment(record)
        }
        var attempt = 1
        while true {
            run.note(.trying(attempt))
            links.preparer.options.limits.timeout = timeout
            let record = links.record(of: link, cancellation: run.cancellation, admission: flow.admission)
            guard let error = record.error, mayTryAgain(after: error, attempt) else {
                run.note(.prepared(record))
                return try PreparedAttachment(record)
            }
            run.note(.failed(error))
            let pause = Int(min(flow.retryPause / .milliseconds(1), 10_000)) * attempt
            if run.wait(milliseconds: pause) { throw PrepError(.cancelled, .input, "delivered without it") }
            attempt += 1
        }
    }

    /// A little more than there is: it is the delivery that ends the job, and says so.
    private var timeout: Duration { run.limits.left + .seconds(1) }

    private func fetchOptions(for link: String) -> FetchOptions {
        var options = flow.fetch
        // A token is for nobody on the way; redirects never lead from https to http.
        guard link.prefix(6).lowercased() == "https:" else { return options }
        for token in flow.tokens {
            guard let value = token.value() else { continue }
            options.headers += token.hosts.sorted().compactMap {
                HostHeader(host: $0, name: "Authorization", value: "Bearer \(value)")
            }
        }
        return options
    }

    /// Whether another try may end better, and there is time for it.
    private func mayTryAgain(after error: PrepError, _ attempt: Int) -> Bool {
        switch error.code {
        case .network, .httpStatus, .truncated:
            attempt < NotificationFlow.mostTries && run.limits.left > flow.retryPause * (attempt + 2)
        default: false
        }
    }

    /// Hands the media out, if there is still somebody to take it.
    private func attach(_ attachment: PreparedAttachment) throws(PrepError) {
        let path = try flow.cache.handOut(attachment, into: flow.handOutFolder)
        var media = NotificationMedia(
            path: path, typeHint: attachment.typeHint, format: attachment.format, bytes: attachment.bytes,
            width: attachment.width, height: attachment.height)
        guard run.improve({ $0.media = .attached(media) }) else { return path.remove() }
        // Where the thumbnail is cut is not worth losing the picture for.
        if media.width != nil,
            let square = try? ClippingRect(
                of: .file(FilePath(attachment.path)), cancellation: run.cancellation)
        {
            media.clippingRect = square
            run.improve { $0.media = .attached(media) }
        }
    }
}
