package import AttachmentPrep
internal import CNet
package import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The operator's own address that is told what came of each job, signed so that it can tell who says so.
///
/// The body is a verdict's JSON (`job`, `record`, `finished`). The header is `AttachPrep-Signature:
/// t=SECONDS,k=ID,v1=HEX`, where HEX is HMAC-SHA-256(the key's secret, SECONDS "." body) and SECONDS, since
/// 1970, are those of this attempt: a receiver refuses old ones, which may be a replay.
package struct Callback: Sendable {
    package static let headerName = "AttachPrep-Signature"
    /// Seconds to wait before the second attempt, the third and the fourth.
    package static let pauses = [1.0, 4, 16]

    private let url: String
    private let key: LinkKey
    private let caFile: String?

    /// - Parameters:
    ///   - url: `http` or `https`; it may lead to a private address, as the operator chose it.
    ///   - key: what they are signed with.
    package init(url: String, key: LinkKey, caFile: String? = nil) {
        self.url = url
        self.key = key
        self.caFile = caFile
    }

    private static let timeoutMilliseconds: Int64 = 10_000

    /// The header of a body that is sent at a time.
    func signature(_ body: [UInt8], at seconds: Int) throws(PrepError) -> String {
        let code = try HMAC.sha256(Array("\(seconds).".utf8) + body, key: key.secret)
        return "\(Self.headerName): t=\(seconds),k=\(key.id),v1=\(ContentDigest.hex(code))"
    }

    /// Tells it once.
    ///
    /// - Throws: `http-status` for any answer but a success, `network` for none.
    func send(_ verdict: SpoolVerdict, isStopped: @escaping @Sendable () -> Bool) throws(PrepError) {
        let body = try HookJSON.encode(verdict)
        var lines = ["Content-Type: application/json", "User-Agent: attachprep", "Expect:"]
        lines.append(try signature(body, at: Int(WallClock.now)))
        #if Service && os(Linux)
            var result = ap_transfer_result()
            post(body, lines, isStopped, &result)
            guard result.end == .done else {
                throw PrepError(
                    .network, .output, "the callback cannot be reached", detail: Self.text(result))
            }
            guard (200...299).contains(result.status) else {
                throw PrepError(
                    .httpStatus, .output, "the callback does not take it",
                    detail: "HTTP status \(result.status)")
            }
        #else
            throw PrepError(.io, .output, "this build makes no callbacks")
        #endif
    }

    /// Tells it, several times where it has to, and waits meanwhile; the last failure is thrown.
    package func deliver(_ verdict: SpoolVerdict, isStopped: @escaping @Sendable () -> Bool) throws(PrepError)
    {
        for pause in Self.pauses {
            do throws(PrepError) { return try send(verdict, isStopped: isStopped) } catch {
                let end = ContinuousClock.now + .seconds(pause)
                while ContinuousClock.now < end, !isStopped() { usleep(50_000) }
                if isStopped() { throw error }
            }
        }
        try send(verdict, isStopped: isStopped)
    }
}

#if Service && os(Linux)
    /// Whether to stop, as C asks it.
    private final class StopQuestion: Sendable {
        private let isStopped: @Sendable () -> Bool

        init(_ isStopped: @escaping @Sendable () -> Bool) { self.isStopped = isStopped }

        static let ask: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { context in
            guard let context = unsafe context else { return true }
            return unsafe Unmanaged<StopQuestion>.fromOpaque(context).takeUnretainedValue().isStopped()
        }
    }

    extension Callback {
        private func post(
            _ body: [UInt8], _ lines: [String], _ isStopped: @escaping @Sendable () -> Bool,
            _ result: inout ap_transfer_result
        ) {
            let headers = unsafe lines.map { unsafe UnsafePointer(strdup($0)) }
            defer { unsafe headers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
            let caFile = unsafe caFile.map { unsafe strdup($0) } ?? nil
            defer { unsafe free(caFile) }
            let question = StopQuestion(isStopped)
            unsafe url.withCString { url in
                unsafe body.withUnsafeBufferPointer { body in
                    unsafe headers.withUnsafeBufferPointer { headers in
                        // Any address, as the operator chose it; what is answered beside the status is for people.
                        var request = unsafe ap_transfer_request(
                            url: url, headers: headers.baseAddress, header_count: headers.count,
                            ca_file: UnsafePointer(caFile), connect_timeout_ms: Self.timeoutMilliseconds,
                            timeout_ms: Self.timeoutMilliseconds, low_speed: 0, low_speed_seconds: 0,
                            post: body.baseAddress, post_count: body.count,
                            context: Unmanaged.passUnretained(question).toOpaque(),
                            may_connect: { _, _, _, _ in true }, header: { _, _, _ in true },
                            body: { _, _, _ in true }, should_stop: StopQuestion.ask)
                        unsafe ap_transfer_run(&request, &result)
                    }
                }
            }
            withExtendedLifetime(question) {}
        }

        /// libcurl's own words; a C array is a tuple to Swift.
        private static func text(_ result: ap_transfer_result) -> String {
            unsafe withUnsafeBytes(of: result.message) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }
#endif

/// A verdict that the callback has still to be told: a file of `call/`.
struct PendingCall: Codable {
    var verdict: SpoolVerdict
    var attempts = 0
    var notBefore = 0.0
}

/// Tells a spool's verdicts to a callback, also those that another process could not before it ended.
package struct CallbackSender: Sendable {
    private let spool: JobSpool
    private let callback: Callback

    package init(spool: JobSpool, callback: Callback) {
        self.spool = spool
        self.callback = callback
    }

    /// Tells them as they come, until it is told to stop.
    package func run(isStopped: @escaping @Sendable () -> Bool) {
        let bell = SpoolBell(spool.call.path)
        while !isStopped() {
            _ = deliverDue(isStopped: isStopped)
            var left = 5
            while left > 0, !isStopped(), !bell.rings(within: 200) { left -= 1 }
        }
    }

    /// Tells what is to be told, and waits for what is to be told later.
    package func drain(isStopped: @escaping @Sendable () -> Bool) {
        while !isStopped(), deliverDue(isStopped: isStopped) > 0 { usleep(100_000) }
    }

    /// Tells what is to be told now.
    ///
    /// - Returns: how many are to be told later.
    private func deliverDue(isStopped: @escaping @Sendable () -> Bool) -> Int {
        var later = 0
        let longest = (Callback.pauses.max() ?? 0) + 1
        for entry in spool.call.entries(foreign: { spool.putAside($0, in: spool.call, "it is no job's name") }
        ) {
            if isStopped() { return later }
            let now = WallClock.now
            if entry.time > now, entry.time <= now + longest {
                later += 1
                continue
            }
            guard let lease = spool.take(entry.key, in: spool.call) else { continue }
            guard let bytes = try? lease.read(),
                let pending = try? HookJSON.decode(PendingCall.self, bytes, "the call")
            else {
                spool.putAside(entry.key + SpoolFolder.suffix, in: spool.call, "it holds no record")
                continue
            }
            if !deliver(pending, entry.key, isStopped) { later += 1 }
            withExtendedLifetime(lease) {}
        }
        return later
    }

    /// Whether nothing more is to be told of it.
    private func deliver(_ pending: PendingCall, _ key: String, _ isStopped: @escaping @Sendable () -> Bool)
        -> Bool
    {
        do throws(PrepError) {
            try callback.send(pending.verdict, isStopped: isStopped)
        } catch {
            if isStopped() { return false }
            let words = "\(error.message) (\(error.detail ?? ""))"
            guard pending.attempts < Callback.pauses.count else {
                spool.rules.log("\(pending.verdict.job.name): \(words); given up")
                spool.call.file(key).remove()
                return true
            }
            var next = pending
            next.notBefore = WallClock.now + Callback.pauses[max(0, pending.attempts)]
            next.attempts += 1
            spool.rules.log("\(pending.verdict.job.name): \(words); another attempt follows")
            if (try? spool.keep(next, key)) == nil { spool.rules.log("the queue cannot be written") }
            return false
        }
        spool.call.file(key).remove()
        return true
    }
}
