package import AttachmentPrep
package import LinkFetch
package import MediaTypes

/// What is behind a link.
package struct LinkLook: Sendable {
    /// Why nothing was looked at.
    package var error: PrepError?
    /// By its bytes.
    package var format: MediaFormat?
    /// Whether files of the type are accepted, but not this kind of them.
    package var isRefused = false
    package var bytes = 0
    /// Whether there was more, which was not waited for.
    package var isCut = false
    package var seconds = 0.0

    package init() {}

    /// More than any platform shows; what is larger is not read on.
    private static let mostBytes = 50_000_000

    /// Fetches what a device would fetch, as far as it takes to judge it; never throws.
    ///
    /// - Parameter timeout: of the whole; nil for none.
    package init(at link: String, _ options: FetchOptions, timeout: Duration?) {
        let clock = ContinuousClock()
        let started = clock.now
        let fetcher = LinkFetcher(
            options: options, maxBytes: Self.mostBytes, deadline: timeout.map { started + $0 })
        let body = LookedAtBody()
        do throws(PrepError) {
            _ = try fetcher.fetch(try LinkURL(link, readBy: options.reader), into: body)
        } catch {
            self.error = error
        }
        seconds = (clock.now - started) / .seconds(1)
        bytes = body.bytes
        isCut = !body.needsMoreInput
        let sniffer = body.settled()
        format = sniffer.format
        isRefused = sniffer.rejection == .unsupportedVariant
    }
}

/// A body of which only its type and its length are kept.
private final class LookedAtBody: LinkBody {
    private var sniffer = MediaSniffer()
    private(set) var bytes = 0

    func push(_ bytes: Span<UInt8>) throws(PrepError) {
        self.bytes += bytes.count
        sniffer.push(bytes)
    }

    /// Nobody shows what is over its type's limit, or of a type without one.
    var needsMoreInput: Bool {
        guard sniffer.isSettled, let format = sniffer.format else { return true }
        return bytes <= format.capBytes ?? 10_000_000
    }

    let isOver = false

    func settled() -> MediaSniffer {
        sniffer.finish()
        return sniffer
    }
}
