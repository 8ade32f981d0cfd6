package import AttachmentPrep

/// Where a fetched picture's bytes go, as they come.
package protocol LinkBody: AnyObject {
    /// Takes the next bytes; an error of it stops the transfer.
    func push(_ bytes: Span<UInt8>) throws(PrepError)
    /// Whether more bytes could change anything.
    var needsMoreInput: Bool { get }
    /// Whether the job must stop.
    var isOver: Bool { get }
}

/// Fetches a link: one request after another until there is a picture or a reason.
///
/// Every hop is a connection of its own, checked anew: scheme, address, headers. Bytes are pushed on as they
/// arrive, and the server waits while they are worked on, so nothing piles up.
package struct LinkFetcher: Sendable {
    package enum Answer: Sendable {
        /// The body went where it should, whole.
        case body(ResponseHead)
        /// The server says that nothing changed (304).
        case notModified(ResponseHead)
    }

    let options: FetchOptions
    /// Bytes of a body, before and after gzip is undone.
    let maxBytes: Int
    /// When all hops together must be done.
    let deadline: ContinuousClock.Instant?

    static let mostRedirects = 5

    /// Version of the library that fetches; nil where there is none.
    package static var libraryVersion: String? { Curl.version }

    /// What is preferred: pictures that every platform shows.
    package var accept = "image/jpeg, image/png, image/gif;q=0.9, image/*;q=0.8, */*;q=0.5"

    package init(options: FetchOptions, maxBytes: Int, deadline: ContinuousClock.Instant?) {
        self.options = options
        self.maxBytes = maxBytes
        self.deadline = deadline
    }

    /// Fetches a link's picture.
    ///
    /// - Parameters:
    ///   - validators: of the answer that is cached; empty to get the picture in any case.
    ///   - body: where it goes.
    package func fetch(
        _ link: LinkURL, ifChangedSince validators: Validators = .init(), into body: any LinkBody
    ) throws(PrepError) -> Answer {
        var link = link
        if link.scheme == .http, !options.allowsHTTP { throw LinkRefusal.insecure }
        var redirects: [ResponseHead] = []
        for _ in 0...Self.mostRedirects {
            let address = ContentDigest.hex(try ContentDigest.sha256(link.text.utf8))
            let validators = validators.address == address ? validators : Validators()
            let hop = Hop(options: options, maxBytes: maxBytes, body: body)
            try run(hop, to: link, validators)
            switch hop.status {
            case 301, 302, 303, 307, 308:
                guard !hop.head.location.isEmpty else { throw LinkRefusal.redirectToNowhere }
                let next = try LinkURL(hop.head.location, relativeTo: link, readBy: link.reader)
                if next.scheme == .http, link.scheme == .https { throw LinkRefusal.downgraded }
                redirects.append(hop.head)
                link = next
            case 304 where !validators.isEmpty:
                return .notModified(Self.head(hop.head, after: redirects, from: address))
            default:
                if let error = LinkRefusal.status(hop.status, body: hop.refusal) { throw error }
                return .body(Self.head(hop.head, after: redirects, from: address))
            }
        }
        throw LinkRefusal.tooManyRedirects(Self.mostRedirects)
    }

    private static func head(
        _ head: ResponseHead, after redirects: [ResponseHead], from address: String
    ) -> ResponseHead {
        var head = head
        head.validators.address = address
        for redirect in redirects { head.follow(redirect) }
        return head
    }

    /// One request.
    private func run(
        _ hop: Hop, to link: LinkURL, _ validators: Validators
    ) throws(PrepError) {
        let lines =
            [
                "Accept: \(accept)",
                "User-Agent: attachprep",
            ] + validators.lines + options.headers.filter { $0.host == link.host }.map(\.line)
        let request = LinkRequest(url: link.text, headers: lines, deadline: deadline)
        if let deadline, deadline <= .now { throw Self.late }
        let (end, words) =
            if let transport = options.transport {
                (transport.get(request, LinkExchange(hop)), "")
            } else {
                Curl.get(request, hop, caFile: options.caFile)
            }
        if let error = failure(of: hop, end, words) { throw error }
        if hop.status == 200 { try hop.finish() }
    }
}

// What the end of a transfer means.
extension LinkFetcher {
    /// Whether the time is up; libcurl counts whole milliseconds and may be early by one or two.
    private var isLate: Bool {
        deadline.map { ContinuousClock.now + .milliseconds(20) >= $0 } ?? false
    }

    private static let late = PrepError(
        .timeLimit, .input, "the link took longer than allowed; raise --timeout for servers this slow")

    private func failure(of hop: Hop, _ end: LinkEnd, _ words: String) -> PrepError? {
        if let error = hop.failure { return error }
        switch end {
        case .done where hop.head.isWhole: return nil
        case .done: return network("the link's server broke off its answer; try again later", words)
        case .stopped where hop.isEnough: return nil
        case .stopped: return PrepError(.cancelled, .input, "stopped before it was done")
        case .badURL:
            return PrepError(.invalidURL, .input, "not a link that can be fetched", detail: words)
        case .unknownHost:
            return network("the link's host is not known; check its name", words)
        case .noConnection:
            if let refusal = hop.refusalOfAddresses { return refusal }
            return network("the link's server cannot be reached; try again later", words)
        case .insecure:
            return network("no secure connection to the link's server: mend its certificate", words)
        case .late where isLate: return Self.late
        case .late: return network("the link's server is too slow; host the picture elsewhere", words)
        case .broken where hop.sawBody:
            return PrepError(
                .truncated, .input, "the link's server broke off before the picture was whole; try again",
                detail: words)
        case .broken, .failed:
            return network("the link's server gave no proper answer; try again later", words)
        case .unavailable:
            return LinkURL.noLibrary
        }
    }

    private func network(_ sentence: String, _ words: String) -> PrepError {
        PrepError(.network, .input, sentence, detail: words.isEmpty ? nil : words)
    }
}
