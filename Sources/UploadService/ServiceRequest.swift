internal import AttachmentPrep
internal import MediaCache

/// One request, from its head to its line in the log.
final class ServiceRequest: HTTPRequest {
    private let service: UploadService
    private let connection: HTTPConnection
    private let started = ContinuousClock.now
    private var head: HTTPRequestHead?
    private var route: Route?
    private var body: Body = .ignored(nil)
    private var answer: HTTPAnswer?
    private var bytesIn = 0

    private enum Body {
        /// Read and dropped; the answer is known.
        case ignored(HTTPAnswer?)
        case upload(UploadRequest)
        case hook(HookRequest)
    }

    /// A refused body that is no longer is read, so that the answer arrives: a line that is cut while the client
    /// still sends may take the answer with it.
    private static let mostIgnored = 1 << 20

    init(_ service: UploadService, _ connection: HTTPConnection) {
        self.service = service
        self.connection = connection
        service.metrics.began()
    }

    /// What cannot be read is taken to have one, so that nothing behind it is read as a request.
    var hasBody: Bool { head.map { $0.isChunked || ($0.contentLength ?? 0) > 0 } ?? true }

    var holdsDecoder: Bool { if case .upload(let upload) = body { upload.holdsDecoder } else { false } }

    func begin() -> HTTPAnswer? {
        do throws(HTTPRefusal) {
            let head = try connection.head()
            self.head = head
            if let answer = try respond(to: head) { return note(answer) }
            return nil
        } catch {
            var refusal = error.answer
            // What comes behind a head with two readings has them too.
            guard let head, let length = head.contentLength, length <= Self.mostIgnored, length > 0 else {
                if head == nil { refusal.headers.append(("Connection", "close")) }
                return note(refusal)
            }
            body = .ignored(refusal)
            return nil
        }
    }

    /// The answer, or nil where the body is wanted.
    private func respond(to head: HTTPRequestHead) throws(HTTPRefusal) -> HTTPAnswer? {
        let route: Route
        do throws(HTTPRefusal) { route = try Route(head.target) } catch {
            try service.gate.check(head, isPublic: true)
            throw error
        }
        self.route = route
        try service.gate.check(head, isPublic: route.isPublic)
        guard route.methods.contains(head.method) else {
            throw HTTPRefusal(
                405, .invalidPayload, "this path takes \(route.methods.joined(separator: " and "))",
                headers: [("Allow", route.methods.joined(separator: ", "))])
        }
        switch route {
        case .isAlive: return HTTPAnswer(200, text: "alive\n")
        case .isReady:
            let trouble = service.trouble
            return HTTPAnswer(trouble == nil ? 200 : 503, text: (trouble ?? "ready") + "\n")
        case .metrics:
            return HTTPAnswer(
                200, text: service.metricsText, type: "text/plain; version=0.0.4; charset=utf-8")
        case .media(let name): return try MediaFile(name, in: service.settings.links.cache).answer(head)
        case .signedLink(let path):
            let connection = connection
            return service.lazyLinks.answer(
                path, head, onlyKnown: service.isDraining, isGone: { connection.isGone })
        case .attachments:
            if service.isDraining { throw HTTPRefusal(DecoderPool.isEnding) }
            body = .upload(try UploadRequest(head, connection, service.settings, service.decoders))
            return nil
        case .tusdHook, .s3Hook:
            if service.isDraining { throw HTTPRefusal(DecoderPool.isEnding) }
            body = .hook(try HookRequest(route == .s3Hook ? .s3 : .tusd, head, service.settings))
            return nil
        }
    }

    func take(_ bytes: Span<UInt8>) -> Bool {
        bytesIn &+= bytes.count
        switch body {
        case .ignored: return bytesIn <= Self.mostIgnored
        case .upload(let upload): return upload.take(bytes)
        case .hook(let hook): return hook.take(bytes)
        }
    }

    func end() -> HTTPAnswer {
        switch body {
        case .ignored(let answer): note(answer ?? HTTPRefusal(400, .invalidPayload, "nothing to do").answer)
        case .upload(let upload): note(upload.end())
        case .hook(let hook): note(hook.end())
        }
    }

    private func note(_ answer: HTTPAnswer) -> HTTPAnswer {
        var answer = answer
        if service.isDraining { answer.headers.append(("Connection", "close")) }
        self.answer = answer
        return answer
    }

    func done() {
        // A decoder in the middle of an upload that was cut is let go here.
        body = .ignored(nil)
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        service.metrics.ended(route?.name ?? "none", answer, seconds: seconds)
        service.log(
            AccessLine(
                method: head?.method ?? "-", route: route?.name ?? "none", path: path,
                status: answer?.status ?? 499, bytesIn: bytesIn, seconds: seconds,
                outcome: answer?.record?.outcome.rawValue, error: answer?.error?.rawValue))
    }

    /// The path as it may be written down: a signed link works for whoever reads it.
    private var path: String {
        guard let head, let route else { return "-" }
        if case .signedLink = route { return "/s/..." }
        return "/" + head.target.segments.joined(separator: "/")
    }
}

/// What the log says about a request.
struct AccessLine: Encodable {
    let method: String
    let route: String
    let path: String
    let status: Int
    let bytesIn: Int
    let seconds: Double
    let outcome: String?
    let error: String?
}
