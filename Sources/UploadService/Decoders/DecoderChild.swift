internal import AttachmentPrep
internal import CService
package import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The far end of a `DecoderProcess`: does one job after the other, until the service is gone.
///
/// Whatever a codec does to this process, the service only sees it end.
package final class DecoderChild {
    private let links: LinkPreparer
    private let admission: MemoryBudget
    private var reader = FrameReader()
    /// A file that came along with the last bytes.
    private var file: Int32 = -1

    /// Jobs, and answers to them.
    private static let socket: Int32 = 0
    /// A byte for each leave to take memory.
    private static let grants: Int32 = 3
    /// What a process takes besides its job: code that is written to, libraries' own data, TLS.
    private static let ownMemory = 256 << 20
    /// Seconds of CPU of a job without a time limit.
    private static let longestJob: UInt64 = 3600

    package init(_ links: LinkPreparer) {
        self.links = links
        admission = MemoryBudget { need, stop in DecoderChild.ask(need, stop) }
    }

    /// Works until the other end is closed; the exit status.
    package func run() -> Int32 {
        Self.endWithService()
        _ = ap_decoder_confine()
        while case .frame(let frame) = next() {
            guard frame.kind == .job, let job = CacheJSON.decode(DecoderJob.self, frame.body) else {
                return 1
            }
            let file = self.file
            self.file = -1
            defer { if file >= 0 { close(file) } }
            limit()
            guard Self.say(.accepted, []), let answer = answer(job, file),
                let text = CacheJSON.encode(answer.record)
            else { return 0 }
            guard Self.say(answer.isNew ? .made : .known, text) else { return 0 }
        }
        return 0
    }

    /// Ends this process when the service is gone, also in the middle of a job: what decodes then is in nobody's
    /// budget.
    private static func endWithService() {
        let thread = SystemThread {
            while true {
                // No events are asked for, so only the end of the line wakes it.
                var line = pollfd(fd: grants, events: 0, revents: 0)
                if unsafe poll(&line, 1, -1) > 0 { _exit(0) }
            }
        }
        thread?.detach()
    }

    private func limit() {
        let limits = links.preparer.options.limits
        let (memory, overflow) = limits.memory.addingReportingOverflow(Self.ownMemory)
        let seconds = limits.timeout.map { UInt64(max(0, $0.components.seconds)) + 2 } ?? Self.longestJob
        _ = ap_decoder_limit(overflow ? .max : UInt64(max(0, memory)), seconds)
    }

    // MARK: - Jobs

    /// Nil when the service is gone.
    private func answer(_ job: DecoderJob, _ file: Int32) -> DecoderAnswer? {
        var links = links
        links.preparer.profiles = job.profiles.compactMap { Profile(named: $0) }
        switch job.kind {
        case .bytes: return push(job, links)
        case .file:
            var source = AttachmentSource.descriptor(file, name: job.name)
            source.claimedName = job.claimedName
            return keep(
                links.preparer.record(of: source, into: links.cache.destination, admission: admission), links)
        case .link:
            let answer = links.job(of: job.name, admission: admission)
            return DecoderAnswer(record: answer.record, isNew: answer.isNew)
        case .signedLink:
            guard let profile = links.preparer.profiles.first,
                let link = try? SignedLink(job.name, profile: profile, keyID: "")
            else { return nil }
            let answer = links.lazy(for: link).job(of: link.link, admission: admission)
            return DecoderAnswer(record: answer.record, isNew: answer.isNew)
        }
    }

    private func push(_ job: DecoderJob, _ links: LinkPreparer) -> DecoderAnswer? {
        var source = AttachmentSource.bytes([], name: job.name)
        source.claimedName = job.claimedName
        var session = links.preparer.begin(
            source, into: links.cache.destination, cancellation: Cancellation(), admission: admission)
        var isEnough = false
        while true {
            let event = next(orTellAfter: 200)
            if case .silence = event {
                // An empty push asks the session's clock.
                try? session.push([])
                continue
            }
            guard case .frame(let frame) = event else { return nil }
            if frame.kind == .end { return keep(session.record(), links) }
            guard frame.kind == .bytes else { return nil }
            if isEnough { continue }
            // The session keeps its error for the record.
            try? session.push(frame.body.span)
            if !session.needsMoreInput {
                isEnough = true
                guard Self.say(.enough, []) else { return nil }
            }
        }
    }

    private func keep(_ record: PreparationRecord, _ links: LinkPreparer) -> DecoderAnswer {
        var answer = DecoderAnswer(record: record, isNew: false)
        do throws(PrepError) { answer.isNew = try links.cache.keep(record) } catch {
            answer.record.outcome = error.code.outcome
            answer.record.error = error
        }
        if let base = links.publicBase { answer.record.publish(at: base) }
        return answer
    }

    // MARK: - Talk

    private enum Event {
        case frame(Frame)
        /// None came for a while.
        case silence
        /// The service is gone, or out of its mind.
        case end
    }

    /// The next frame, or the word that none came in so many milliseconds.
    private func next(orTellAfter patience: Int32? = nil) -> Event {
        var buffer = [UInt8](repeating: 0, count: 65_536 + Frame.headSize)
        while true {
            if let frame = reader.next() { return .frame(frame) }
            if reader.isBroken { return .end }
            if let patience, !Self.canRead(Self.socket, milliseconds: patience) { return .silence }
            var received: Int32 = -1
            let count = unsafe ap_receive_descriptor(Self.socket, &buffer, buffer.count, &received)
            if received >= 0 {
                if file >= 0 { close(file) }
                file = received
            }
            if count == -Int(EINTR) { continue }
            guard count > 0 else { return .end }
            reader.push(buffer[..<count])
        }
    }

    private static func say(_ kind: Frame.Kind, _ body: [UInt8]) -> Bool {
        let bytes = Frame.head(kind, count: body.count) + body
        return (try? writeAll(bytes.span, to: socket)) != nil
    }

    /// Asks the service for memory, and waits.
    private static func ask(_ need: Int, _ stop: () -> Bool) -> Bool {
        guard say(.need, Frame.bytes(of: need)) else { return false }
        while !canRead(grants, milliseconds: 100) { if stop() { return false } }
        var leave: UInt8 = 0
        return unsafe read(grants, &leave, 1) == 1
    }

    private static func canRead(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, milliseconds) > 0
    }
}
