internal import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Answers signed links: prepared when the first one asks, once, however many ask.
final class LazyLinks: Sendable {
    private let settings: ServiceSettings
    private let decoders: DecoderPool
    private let flights = SingleFlight<DecoderAnswer>()

    /// Seconds for which a client may keep an answer: what a link leads to may change.
    private static let lifetime = 3600

    init(_ settings: ServiceSettings, _ decoders: DecoderPool) {
        self.settings = settings
        self.decoders = decoders
    }

    /// The attachment a signed link stands for, or the record that says why there is none.
    ///
    /// - Parameter onlyKnown: prepares nothing, as the service is about to end.
    func answer(
        _ path: String, _ head: HTTPRequestHead, onlyKnown: Bool, isGone: @escaping () -> Bool
    ) -> HTTPAnswer {
        do throws(HTTPRefusal) {
            guard let keys = settings.keys else {
                throw HTTPRefusal(404, .notFound, "this service has no keys for signed links: --key-file")
            }
            let link: SignedLink
            do throws(PrepError) { link = try SignedLink(verifying: path, keys: keys, now: time(nil)) } catch
            {
                throw HTTPRefusal(error)
            }
            let answer = try self.answer(link, onlyKnown, isGone)
            guard let file = answer.record.outputs.first?.path, answer.record.outcome <= .skipped else {
                var refusal = HTTPAnswer(answer)
                if refusal.status < 400 { refusal.status = 500 }
                return refusal
            }
            let name = String(decoding: FilePath(file).lastComponent, as: UTF8.self)
            let left = link.expiry == 0 ? Self.lifetime : min(Self.lifetime, max(0, link.expiry - time(nil)))
            var whole = try MediaFile(name, in: settings.links.cache).answer(head, lifetime: left)
            whole.record = answer.record
            return whole
        } catch {
            return error.answer
        }
    }

    private func answer(
        _ link: SignedLink, _ onlyKnown: Bool, _ isGone: @escaping () -> Bool
    ) throws(HTTPRefusal) -> DecoderAnswer {
        let lazy = settings.links.lazy(for: link)
        if let record = lazy.known(link.link) { return DecoderAnswer(record: record, isNew: false) }
        if onlyKnown { throw HTTPRefusal(DecoderPool.isEnding) }
        let decoders = decoders
        let answer = flights.value(of: "\(link.profile.name) \(link.link)", isGone: isGone) {
            // Others wait for it too, so it goes on when this client leaves, but not when the service does.
            decoders.record(
                of: DecoderJob(.signedLink, name: link.link, profiles: [link.profile]),
                isGone: { decoders.isClosed })
        }
        guard let answer else {
            throw HTTPRefusal(PrepError(.cancelled, .input, "nobody waits for the answer any more"))
        }
        return answer
    }
}
