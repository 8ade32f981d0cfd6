internal import AttachmentPrep
internal import MediaCache

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An answer on its way to a client.
struct HTTPAnswer {
    enum Body {
        case bytes([UInt8])
        /// A part of an open file, which the server closes.
        case file(Int32, offset: Int, count: Int)
    }

    var status: Int
    var headers: [(name: String, value: String)]
    var body: Body
    /// For the log and the counters.
    var record: PreparationRecord?
    var error: PrepError.Code?

    init(_ status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Text that no cache keeps.
    init(_ status: Int, text: String, type: String = "text/plain; charset=utf-8") {
        self.init(
            status, headers: [("Content-Type", type), ("Cache-Control", "no-store")],
            body: .bytes(Array(text.utf8)))
    }

    /// A record, with the status that says the same.
    init(_ answer: DecoderAnswer) {
        let record = answer.record
        let error = record.error ?? record.outputs.compactMap(\.error).first
        let status: Int =
            if let error { Self.status(of: error.code, record.outcome) } else { answer.isNew ? 201 : 200 }
        self.init(status, json: record)
        self.record = record
        self.error = error?.code
    }

    init(_ status: Int, json value: some Encodable) {
        self.init(
            status,
            headers: [
                ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ], body: .bytes((CacheJSON.encode(value) ?? []) + [0x0A]))
        if status == 429 || status == 503 { headers.append(("Retry-After", "1")) }
    }

    /// Bytes of its body.
    var size: Int {
        switch body {
        case .bytes(let bytes): bytes.count
        case .file(_, _, let count): count
        }
    }

    /// Lets go of what will not be sent.
    func discard() { if case .file(let file, _, _) = body { close(file) } }

    /// The status of SPEC 4's table: what ends early is the server's fault where it came from a link.
    private static func status(of code: PrepError.Code, _ outcome: Outcome) -> Int {
        code == .truncated && outcome == .failed ? 502 : code.httpStatus
    }
}

/// A request that is refused before it is looked into: a status, and the record that says why.
struct HTTPRefusal: Error {
    let status: Int
    let error: PrepError
    var headers: [(name: String, value: String)] = []

    init(
        _ status: Int, _ code: PrepError.Code, _ message: String,
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        error = PrepError(code, .input, message)
        self.headers = headers
    }

    init(_ error: PrepError) {
        status = error.code.httpStatus
        self.error = error
    }

    var answer: HTTPAnswer {
        var answer = HTTPAnswer(status, json: PreparationRecord(input: "", error: error))
        answer.headers += headers
        answer.error = error.code
        return answer
    }
}
