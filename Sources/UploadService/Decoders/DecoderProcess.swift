internal import AttachmentPrep
internal import CService
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A process that decodes for the service, one job at a time; seen from the service.
///
/// Used by one thread at a time: the pool hands it on.
final class DecoderProcess: @unchecked Sendable {
    private let process: pid_t
    private let socket: Int32
    private let grants: Int32
    private var inbox = FrameReader()
    private var outbox: [UInt8] = []
    private var sent = 0
    private var grant: MemoryGrant?
    private let budget: MemoryBudget
    private var isAccepted = false
    /// Whether more of the input would change nothing.
    private(set) var isSatisfied = false
    private var answer: DecoderAnswer?

    /// Bytes that may wait to be sent: a slow decoder slows the client down, not the memory.
    private static let longestOutbox = 256 << 10
    private static let pause: Int32 = 200

    /// Starts one.
    ///
    /// - Throws: `io` where the system has no room for another process.
    init(arguments: [FilePath], budget: MemoryBudget) throws(PrepError) {
        self.budget = budget
        var jobs: [Int32] = [-1, -1]
        var leaves: [Int32] = [-1, -1]
        var process: pid_t = 0
        var error = unsafe ap_socket_pair(&jobs)
        if error == 0 { error = unsafe ap_socket_pair(&leaves) }
        if error == 0 {
            error = unsafe Self.withCStrings(arguments) {
                unsafe ap_program_start($0, jobs[1], leaves[1], &process)
            }
        }
        for descriptor in [jobs[1], leaves[1]] where descriptor >= 0 { close(descriptor) }
        (self.process, socket, grants) = (process, jobs[0], leaves[0])
        guard error == 0 else {
            for descriptor in [jobs[0], leaves[0]] where descriptor >= 0 { close(descriptor) }
            if [EMFILE, ENFILE, EAGAIN, ENOMEM].contains(error) {
                throw PrepError(
                    .busy, .admission, "the system has no room for another decoder; try again in a moment")
            }
            throw SystemError(number: error).error(.decode, "cannot start a decoder process")
        }
    }

    /// Ends it, whatever it is doing.
    func end() -> String {
        grant = nil
        // It may be gone already; until it is waited for, nobody else gets its number.
        kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        close(socket)
        close(grants)
        let signal = status & 0x7F
        return signal == 0 ? "exit status \(status >> 8 & 0xFF)" : "signal \(signal)"
    }

    // MARK: - One job

    /// Begins a job; false when the process was gone before it began, which is not the job's fault.
    func begin(_ job: DecoderJob, file: Int32?, _ patience: Patience) throws(PrepError) -> Bool {
        isAccepted = false
        isSatisfied = false
        answer = nil
        guard let text = CacheJSON.encode(job) else {
            throw PrepError(.io, .input, "a job could not be written as JSON")
        }
        var bytes = Frame.head(.job, count: text.count) + text
        if let file {
            let count = unsafe ap_send_descriptor(socket, bytes, bytes.count, file)
            guard count > 0 else { return false }
            bytes.removeFirst(count)
        }
        outbox.append(contentsOf: bytes)
        do throws(DecoderIsGone) {
            try talk(patience) { $0.isAccepted }
        } catch {
            if case .leftAlone(let reason) = error { throw reason }
            return false
        }
        return true
    }

    /// Hands over a piece of the input.
    func push(_ bytes: Span<UInt8>, _ patience: Patience) throws(DecoderIsGone) {
        if isSatisfied || answer != nil { return }
        outbox.append(contentsOf: Frame.head(.bytes, count: bytes.count))
        unsafe bytes.withUnsafeBufferPointer { unsafe outbox.append(contentsOf: $0) }
        try talk(patience) { $0.waiting <= Self.longestOutbox || $0.isSatisfied }
    }

    /// Ends a pushed input.
    func endInput() { outbox.append(contentsOf: Frame.head(.end, count: 0)) }

    /// Waits for the job's end.
    func finish(_ patience: Patience) throws(DecoderIsGone) -> DecoderAnswer {
        try talk(patience) { $0.answer != nil }
        grant = nil
        guard let answer else { throw .crashed }
        self.answer = nil
        return answer
    }

    private var waiting: Int { outbox.count - sent }

    /// Sends what there is to send, and takes what comes, until a condition holds and nothing goes on by itself.
    private func talk(
        _ patience: Patience, until isDone: (DecoderProcess) -> Bool
    ) throws(DecoderIsGone) {
        while true {
            while let frame = inbox.next() { try take(frame, patience) }
            if inbox.isBroken { throw .crashed }
            if answer != nil { return }
            let isDone = isDone(self)
            var wanted = pollfd(
                fd: socket, events: Int16(POLLIN) | (waiting > 0 ? Int16(POLLOUT) : 0), revents: 0)
            let count = unsafe poll(&wanted, 1, isDone ? 0 : Self.pause)
            if isDone, count <= 0 { return }
            if let reason = patience.reason { throw .leftAlone(reason) }
            guard count > 0 else { continue }
            if wanted.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { try receive() }
            if wanted.revents & Int16(POLLOUT) != 0 { try send() }
        }
    }

    private func receive() throws(DecoderIsGone) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { throw .crashed }
        inbox.push(buffer[..<count])
    }

    private func send() throws(DecoderIsGone) {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        let count = unsafe outbox.withUnsafeBytes {
            unsafe Glibc.send(socket, $0.baseAddress?.advanced(by: sent), waiting, flags)
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count >= 0 else { throw .crashed }
        sent += count
        // What was sent goes: a fast client and a slow decoder never let it become empty.
        if sent == outbox.count || sent >= Self.longestOutbox {
            outbox = Array(outbox[sent...])
            sent = 0
        }
    }

    private func take(_ frame: Frame, _ patience: Patience) throws(DecoderIsGone) {
        switch frame.kind {
        case .accepted: isAccepted = true
        case .enough: isSatisfied = true
        case .need:
            // What it held before goes back first, or two of them could wait for each other for ever.
            grant = nil
            guard let grant = budget.take(Frame.number(frame.body), unless: { patience.isOver }) else {
                throw .leftAlone(patience.reason ?? DecoderPool.isEnding)
            }
            self.grant = grant
            let leave: [UInt8] = [1]
            guard (try? writeAll(leave.span, to: grants)) != nil else { throw .crashed }
        case .made, .known:
            guard let record = CacheJSON.decode(PreparationRecord.self, frame.body) else { throw .crashed }
            answer = DecoderAnswer(record: record, isNew: frame.kind == .made)
        case .job, .bytes, .end: throw .crashed
        }
    }

    private static func withCStrings<R>(
        _ words: [FilePath], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var copies = unsafe words.map { $0.withCString { unsafe strdup($0) } }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe body(copies)
    }
}

/// Why a process does not go on with its job.
enum DecoderIsGone: Error {
    /// It died, or said what it never says.
    case crashed
    /// Nobody waits for it any more.
    case leftAlone(PrepError)
}
