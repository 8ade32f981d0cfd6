internal import AttachmentPrep
internal import MediaCache

/// `POST /v1/attachments`: an upload on its way into a decoder.
///
/// The body is the input itself, a form with a file, or JSON with a link.
final class UploadRequest {
    private enum Kind {
        case raw
        case form
        case link
    }

    private let head: HTTPRequestHead
    private let connection: HTTPConnection
    private let decoders: DecoderPool
    private let profiles: [Profile]
    private let kind: Kind
    private let maxInputBytes: Int
    private var form: FormReader?
    private var job: DecoderJob
    /// The first bytes, until they are worth a decoder; JSON until it is whole.
    private var pending: [UInt8] = []
    private var lease: DecoderLease?
    private var failure: PrepError?
    /// What came of the input before all of the body did.
    private var early: DecoderAnswer?
    private var surplus = 0

    /// A client that sends slowly gets no decoder before it has sent so much.
    private static let enoughForDecoder = 65_536
    private static let longestJSON = 65_536

    /// - Throws: what is wrong with the request before its body came.
    init(
        _ head: HTTPRequestHead, _ connection: HTTPConnection, _ settings: ServiceSettings,
        _ decoders: DecoderPool
    ) throws(HTTPRefusal) {
        self.head = head
        self.connection = connection
        self.decoders = decoders
        maxInputBytes = settings.links.preparer.options.limits.inputBytes
        var profiles: [Profile] = []
        for item in head.target.query {
            guard item.name == "profile" else {
                throw HTTPRefusal(400, .invalidURL, "the query takes profile=NAME and nothing else")
            }
            for name in item.value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let profile = Profile(named: String(name)) else {
                    throw HTTPRefusal(
                        400, .invalidURL,
                        "there is no such profile; there are "
                            + Profile.all.map(\.name).joined(separator: ", "))
                }
                if !profiles.contains(profile) { profiles.append(profile) }
            }
        }
        self.profiles = profiles.isEmpty ? settings.links.preparer.profiles : profiles
        kind = try Self.kind(head)
        job = DecoderJob(kind == .link ? .link : .bytes, name: "-", profiles: self.profiles)
        guard head.contentLength != nil || head.isChunked else {
            throw HTTPRefusal(411, .invalidPayload, "an upload needs a body: Content-Length, or chunks")
        }
        if let length = head.contentLength, length > limit {
            throw HTTPRefusal(SourceReader.tooLarge(maxInputBytes))
        }
        if decoders.isFull {
            throw HTTPRefusal(
                PrepError(.busy, .admission, "too many are waiting already; try again in a moment"))
        }
        if kind == .form {
            form = connection.form { [unowned self] name, bytes in
                if job.claimedName == nil {
                    job.claimedName = name
                    job.name = name.isEmpty ? "-" : name
                }
                return feed(bytes)
            }
            if form == nil { throw HTTPRefusal(400, .invalidPayload, "the form says no boundary") }
        }
    }

    private static func kind(_ head: HTTPRequestHead) throws(HTTPRefusal) -> Kind {
        if let coding = head["content-encoding"], coding.lowercased() != "identity" {
            throw HTTPRefusal(415, .unsupportedFormat, "send the input as it is, without Content-Encoding")
        }
        let type = (head["content-type"] ?? "").lowercased().prefix { $0 != ";" && $0 != " " }
        switch type {
        case "multipart/form-data": return .form
        case "application/json": return .link
        default: return .raw
        }
    }

    /// Bytes of a body at most: of a form, some more than of what is in it.
    private var limit: Int {
        switch kind {
        case .raw: maxInputBytes
        case .form: maxInputBytes > .max - 65_536 ? .max : maxInputBytes + 65_536
        case .link: Self.longestJSON
        }
    }

    // MARK: - The body

    func take(_ bytes: Span<UInt8>) -> Bool {
        if failure != nil || early != nil {
            // The rest is read, or the client would not get to the answer.
            surplus &+= bytes.count
            return surplus <= limit
        }
        switch kind {
        case .raw: return feed(bytes)
        case .form:
            if form?.push(bytes) == false, failure == nil {
                failure = PrepError(.invalidPayload, .input, "the form cannot be read")
            }
        case .link:
            unsafe bytes.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
            if pending.count > Self.longestJSON {
                failure = PrepError(.invalidPayload, .input, "JSON with a link is no longer than 64 KiB")
            }
        }
        return true
    }

    /// Takes a piece of the input.
    private func feed(_ bytes: Span<UInt8>) -> Bool {
        if failure != nil { return true }
        do throws(PrepError) {
            if let lease {
                try lease.push(bytes)
                // Whoever goes on sending what is judged already must not hold a decoder.
                if lease.isSatisfied { try conclude(lease) }
            } else {
                unsafe bytes.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
                if pending.count >= Self.enoughForDecoder { try begin() }
            }
        } catch {
            failure = error
            lease = nil
        }
        return true
    }

    private func conclude(_ lease: DecoderLease) throws(PrepError) {
        early = try lease.finish(pushed: true)
        self.lease = nil
    }

    /// Whether the client's slowness is at others' cost.
    var holdsDecoder: Bool { lease != nil }

    private func begin() throws(PrepError) {
        let connection = connection
        let lease = try decoders.lease(isGone: { connection.isGone })
        try lease.begin(job)
        self.lease = lease
        let first = pending
        pending = []
        if !first.isEmpty { try lease.push(first.span) }
    }

    func end() -> HTTPAnswer {
        do throws(PrepError) {
            if let early { return HTTPAnswer(early) }
            if let failure { throw failure }
            if kind == .link { return HTTPAnswer(try link()) }
            if kind == .form, form?.end() != true {
                throw PrepError(.invalidPayload, .input, "the form ends early, or holds no file")
            }
            if let failure { throw failure }
            if lease == nil { try begin() }
            guard let answer = try lease?.finish(pushed: true) else { throw DecoderPool.isEnding }
            lease = nil
            return HTTPAnswer(answer)
        } catch {
            lease = nil
            return HTTPAnswer(
                DecoderAnswer(record: PreparationRecord(input: job.name, error: error), isNew: false))
        }
    }

    private struct LinkOrder: Decodable {
        var url: String
    }

    private func link() throws(PrepError) -> DecoderAnswer {
        guard let order = CacheJSON.decode(LinkOrder.self, pending) else {
            throw PrepError(.invalidPayload, .input, "the body is no JSON object with \"url\"")
        }
        guard order.url.utf8.count <= 8192 else {
            throw PrepError(.invalidURL, .input, "the link is longer than 8192 bytes")
        }
        job.name = order.url
        let connection = connection
        return decoders.record(of: job, isGone: { connection.isGone })
    }
}
