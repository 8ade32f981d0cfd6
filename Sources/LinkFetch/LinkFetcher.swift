package import AttachmentPrep
internal import CNet

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

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
    private static let connectSeconds = 5
    /// A server that stays under 1 KiB/s for so long will not be done before the push is shown.
    private static let lowSpeed = (bytes: 1024, seconds: 5)

    /// Version of the library that fetches; nil where there is none.
    package static var libraryVersion: String? {
        #if Service && os(Linux)
            unsafe ap_curl_version().map { unsafe String(cString: $0) }
        #else
            nil
        #endif
    }

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
                let next = try LinkURL(hop.head.location, relativeTo: link)
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
                "Accept: image/jpeg, image/png, image/gif;q=0.9, image/*;q=0.8, */*;q=0.5",
                "User-Agent: attachprep",
            ] + validators.lines + options.headers.filter { $0.host == link.host }.map(\.line)
        #if Service && os(Linux)
            let timeout = try remainingMilliseconds()
            var result = ap_transfer_result()
            let headers = unsafe lines.map { unsafe UnsafePointer(strdup($0)) }
            defer { unsafe headers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
            unsafe link.text.withCString { url in
                unsafe withOptionalCString(options.caFile) { caFile in
                    unsafe headers.withUnsafeBufferPointer { headers in
                        var request = unsafe ap_transfer_request(
                            url: url, headers: headers.baseAddress, header_count: headers.count,
                            ca_file: caFile, connect_timeout_ms: Int64(Self.connectSeconds * 1000),
                            timeout_ms: timeout, low_speed: Int64(Self.lowSpeed.bytes),
                            low_speed_seconds: Int64(Self.lowSpeed.seconds), post: nil, post_count: 0,
                            context: Unmanaged.passUnretained(hop).toOpaque(), may_connect: Hop.mayConnect,
                            header: Hop.takeHeader, body: Hop.takeBody, should_stop: Hop.shouldStop)
                        unsafe ap_transfer_run(&request, &result)
                    }
                }
            }
            if let error = failure(of: hop, result) { throw error }
            if hop.status == 200 { try hop.finish() }
        #else
            throw PrepError(.io, .input, "this build fetches no links")
        #endif
    }
}

#if Service && os(Linux)
    // What the end of a transfer means.
    extension LinkFetcher {
        private func remainingMilliseconds() throws(PrepError) -> Int64 {
            guard let deadline else { return 0 }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { throw Self.late }
            return max(1, Int64(left / .milliseconds(1)))
        }

        /// Whether the time is up; libcurl counts whole milliseconds and may be early by one or two.
        private var isLate: Bool {
            deadline.map { ContinuousClock.now + .milliseconds(20) >= $0 } ?? false
        }

        private static let late = PrepError(
            .timeLimit, .input, "the link took longer than allowed; raise --timeout for servers this slow")

        private func failure(of hop: Hop, _ result: ap_transfer_result) -> PrepError? {
            if let error = hop.failure { return error }
            let words = Self.text(result.message)
            switch result.end {
            case .done where hop.head.isWhole: return nil
            case .done: return network("the link's server broke off its answer; try again later", words)
            case .stopped where hop.isEnough: return nil
            case .stopped: return PrepError(.cancelled, .input, "stopped before it was done")
            case .badURL:
                return PrepError(.invalidURL, .input, "not a link that can be fetched", detail: words)
            case .noName:
                return network("the link's host is not known; check its name", words)
            case .noConnection:
                if let refusal = hop.refusalOfAddresses { return refusal }
                return network("the link's server cannot be reached; try again later", words)
            case .tls:
                return network("no secure connection to the link's server: mend its certificate", words)
            case .timeout where isLate: return Self.late
            case .timeout: return network("the link's server is too slow; host the picture elsewhere", words)
            case .broken where hop.sawBody:
                return PrepError(
                    .truncated, .input, "the link's server broke off before the picture was whole; try again",
                    detail: words)
            case .broken, .failed:
                return network("the link's server gave no proper answer; try again later", words)
            case .noLibrary:
                return LinkURL.noLibrary
            }
        }

        private func network(_ sentence: String, _ words: String) -> PrepError {
            PrepError(.network, .input, sentence, detail: words)
        }

        /// Text of a C array that is a tuple to Swift.
        private static func text<Characters>(_ characters: Characters) -> String {
            unsafe withUnsafeBytes(of: characters) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }
#endif
