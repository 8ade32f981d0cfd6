package import AttachmentPrep

/// Whose words a hook's body is in.
package enum HookDialect: Sendable {
    case tusd, s3
}

/// Who keeps hooks' messages.
package protocol HookIntake: Sendable {
    /// Keeps a message, on the disk when this returns.
    ///
    /// - Parameter name: of the event, where version 1 of tusd's hooks says it in a header.
    /// - Throws: `invalid-payload` for what is no message; `io` or `no-space` where it cannot be kept.
    func take(_ dialect: HookDialect, _ body: [UInt8], name: String?) throws(PrepError)
}

/// `POST /hooks/...`: a message about an upload that lies somewhere else.
///
/// tusd waits ten seconds for the answer and asks three times at most, on 5xx only: so the message is kept, and the
/// work is done later.
final class HookRequest {
    private let dialect: HookDialect
    private let name: String?
    private let intake: any HookIntake
    private var body: [UInt8] = []

    private static let longestBody = 1 << 20

    init(
        _ dialect: HookDialect, _ head: HTTPRequestHead, _ settings: ServiceSettings
    ) throws(HTTPRefusal) {
        guard let intake = settings.takeHook else {
            throw HTTPRefusal(404, .notFound, "this service takes no hooks; start it with --queue DIR")
        }
        guard head.contentLength ?? 0 <= Self.longestBody else {
            throw HTTPRefusal(413, .inputTooLarge, "a hook's message is no longer than 1 MiB")
        }
        self.dialect = dialect
        self.intake = intake
        name = head["hook-name"]
    }

    func take(_ bytes: Span<UInt8>) -> Bool {
        guard body.count <= Self.longestBody else { return false }
        unsafe bytes.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
        return true
    }

    func end() -> HTTPAnswer {
        do throws(PrepError) {
            guard body.count <= Self.longestBody else {
                throw PrepError(.inputTooLarge, .input, "a hook's message is no longer than 1 MiB")
            }
            try intake.take(dialect, body, name: name)
            return HTTPAnswer(
                200, headers: [("Content-Type", "application/json")], body: .bytes([0x7B, 0x7D]))
        } catch {
            // Anything of ours is a reason to ask again; a client's mistake is not.
            if error.code.outcome == .rejected { return HTTPRefusal(error).answer }
            return HTTPRefusal(503, error.code, error.message).answer
        }
    }
}
