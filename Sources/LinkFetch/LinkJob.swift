package import AttachmentPrep

/// A session that a link's bytes are pushed into.
private final class SessionBody: LinkBody {
    // Taken out for each call: a class cannot lend a part of itself to what might come back to it.
    private var session: PreparationSession?
    private let cancellation: Cancellation

    init(_ session: consuming PreparationSession, cancellation: Cancellation) {
        self.session = consume session
        self.cancellation = cancellation
    }

    var needsMoreInput: Bool { session?.needsMoreInput ?? false }
    var isOver: Bool { cancellation.isCancelled }

    func push(_ bytes: Span<UInt8>) throws(PrepError) { try session?.push(bytes) }

    func fail(_ error: PrepError) { session?.fail(error) }

    func record(name: String) -> PreparationRecord {
        if let session = session.take() { return session.record() }
        return PreparationRecord(input: name, outcome: .failed)
    }
}

/// Where a link's bytes come from.
private enum LinkSource {
    /// The link itself.
    case data(String)
    case server(LinkURL)
    case nowhere(PrepError)

    init(_ name: String, readBy reader: AddressReader) {
        do throws(PrepError) {
            self = DataLink.isOne(name) ? .data(name) : .server(try LinkURL(name, readBy: reader))
        } catch {
            self = .nowhere(error)
        }
    }

    /// The last component of the address's path.
    var claimedName: String? { if case .server(let link) = self { link.fileName } else { nil } }

    /// Gets the bytes; an error ends up in the body.
    ///
    /// - Returns: what the server said, where there is one.
    func run(_ fetcher: LinkFetcher, _ validators: Validators, into body: SessionBody) -> LinkFetcher.Answer?
    {
        do throws(PrepError) {
            switch self {
            case .nowhere(let error): throw error
            case .server(let link): return try fetcher.fetch(link, ifChangedSince: validators, into: body)
            case .data(let text):
                let bytes = try DataLink.bytes(of: text)
                try body.push(bytes.span)
            }
        } catch {
            body.fail(error)
        }
        return nil
    }
}

/// What came of a link: the record, and what a cache needs to know of the answer.
package struct LinkResult: Sendable {
    package var record: PreparationRecord
    /// Of an answer with a picture, or with the word that it is unchanged.
    package var head: ResponseHead?
    /// Whether the server says that nothing changed; the record then says nothing.
    package var isUnchanged = false
    /// Whether a cache had nothing of the kind before.
    package var isNew = false
}

extension AttachmentPreparer {
    /// Fetches and prepares a link; never throws.
    ///
    /// - Parameters:
    ///   - name: the link as the caller gave it.
    ///   - validators: of a cached answer; empty to get the picture in any case.
    ///   - deadline: when the transfer must be done, if it began before this call.
    package func result(
        ofLink name: String, ifChangedSince validators: Validators = .init(), options fetch: FetchOptions,
        into destination: AttachmentDestination, deadline: ContinuousClock.Instant? = nil,
        cancellation: Cancellation = .init(), admission: MemoryBudget? = nil
    ) -> LinkResult {
        let link = LinkSource(name, readBy: fetch.reader)
        let timeout = options.limits.timeout
        let fetcher = LinkFetcher(
            options: fetch, maxBytes: options.limits.inputBytes,
            deadline: deadline ?? timeout.map { ContinuousClock.now + $0 })
        var source = AttachmentSource.bytes([], name: DataLink.isOne(name) ? DataLink.short(name) : name)
        source.claimedName = link.claimedName
        let body = SessionBody(
            begin(source, into: destination, cancellation: cancellation, admission: admission),
            cancellation: cancellation)
        let answer = link.run(fetcher, validators, into: body)
        if case .notModified(let head) = answer {
            let nothing = PreparationRecord(input: name, outcome: .skipped)
            return LinkResult(record: nothing, head: head, isUnchanged: true)
        }
        var result = LinkResult(record: body.record(name: name))
        if case .body(let head) = answer { result.head = head }
        if case .server = link { result.record.judgeAsLink() }
        return result
    }

    /// Fetches and prepares a link; never throws.
    ///
    /// The record's `input` is the link, so whoever logs records logs its tokens.
    package func record(
        ofLink name: String, options fetch: FetchOptions, into destination: AttachmentDestination,
        cancellation: Cancellation = .init(), admission: MemoryBudget? = nil
    ) -> PreparationRecord {
        result(
            ofLink: name, options: fetch, into: destination, cancellation: cancellation, admission: admission
        ).record
    }
}

extension PreparationRecord {
    /// What ends early may be whole another time, when it comes from a server (SPEC 4).
    fileprivate mutating func judgeAsLink() {
        if error?.code == .truncated { outcome = .failed }
        for index in outputs.indices where outputs[index].error?.code == .truncated {
            outputs[index].outcome = .failed
        }
    }
}
