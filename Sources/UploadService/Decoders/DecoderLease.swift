internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A decoder process for one job; given back when it goes away.
final class DecoderLease {
    private let pool: DecoderPool
    private var process: DecoderProcess?
    private let isGone: () -> Bool
    private var patience: Patience
    private var isFinished = false

    /// What a job may take beyond its own time limit, which it keeps itself unless it hangs.
    private static let grace = Duration.seconds(5)
    /// How many processes may turn out to be dead before the job.
    private static let tries = 5

    init(_ pool: DecoderPool, _ process: DecoderProcess?, isGone: @escaping () -> Bool) {
        self.pool = pool
        self.process = process
        self.isGone = isGone
        patience = Patience(nil, for: "", isGone: isGone)
    }

    deinit {
        // A process in the middle of a job is of no use to the next one.
        if !isFinished, let process = process.take() { _ = process.end() }
        pool.giveBack(process)
    }

    /// Whether more of the input would change nothing.
    var isSatisfied: Bool { process?.isSatisfied ?? true }

    /// Begins the job, on another process where this one died in the meantime.
    func begin(_ job: DecoderJob, file: Int32? = nil) throws(PrepError) {
        patience = Patience(
            pool.settings.timeout.map { $0 + Self.grace }, for: "decoding took longer than allowed",
            isGone: isGone)
        for _ in 0..<Self.tries {
            let current: DecoderProcess
            if let process { current = process } else { current = try pool.start() }
            process = current
            if try current.begin(job, file: file, patience) { return }
            process = nil
            pool.noteCrash()
            _ = current.end()
        }
        throw PrepError(.decoderCrashed, .decode, "decoder processes die as soon as they are started")
    }

    /// Hands over a piece of the input.
    func push(_ bytes: Span<UInt8>) throws(PrepError) {
        do throws(DecoderIsGone) { try process?.push(bytes, patience) } catch { throw judge(error) }
    }

    /// Ends the input, where it was pushed, and waits for the record.
    func finish(pushed: Bool = false) throws(PrepError) -> DecoderAnswer {
        guard let process else {
            throw PrepError(.decoderCrashed, .decode, "the decoder process is gone")
        }
        do throws(DecoderIsGone) {
            if pushed { process.endInput() }
            let answer = try process.finish(patience)
            isFinished = true
            return answer
        } catch {
            throw judge(error)
        }
    }

    private func judge(_ error: DecoderIsGone) -> PrepError {
        switch error {
        case .leftAlone(let reason): return reason
        case .crashed:
            pool.noteCrash()
            let detail = process.take()?.end()
            if detail == "signal \(SIGXCPU)" {
                return PrepError(.timeLimit, .decode, "decoding took more of the processor than allowed")
            }
            return PrepError(
                .decoderCrashed, .decode,
                "the decoder process died over this input; other inputs are not affected", detail: detail)
        }
    }
}
