/// Why an input did not become an attachment: a code to act on, the stage that gave up, a sentence to show.
public struct PrepError: Error, Hashable, Sendable {
    /// What went wrong; decides outcome, exit status and HTTP status.
    public let code: Code
    /// The stage of the flow that gave up.
    public let stage: Stage
    /// One sentence that names the trouble and, where there is one, the cure.
    public let message: String
    /// What the codec or the system said, or the figures behind the decision.
    public let detail: String?

    /// Creates an error.
    public init(_ code: Code, _ stage: Stage, _ message: String, detail: String? = nil) {
        self.code = code
        self.stage = stage
        self.message = message
        self.detail = detail
    }

    /// The stage of the flow an error comes from, in the order of the flow.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        case input, sniff, admission, decode, encode, output
    }

    /// The closed list of error codes; raw values are the words of the record.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case empty
        case unknownFormat = "unknown-format"
        case unsupportedFormat = "unsupported-format"
        case unsupportedVariant = "unsupported-variant"
        case htmlDocument = "html-document"
        case errorDocument = "error-document"
        case corrupt
        case truncated
        case overLimit = "over-limit"
        case overBudget = "over-budget"
        case tooManyPixels = "too-many-pixels"
        case tooManyScans = "too-many-scans"
        case memoryLimit = "memory-limit"
        case inputTooLarge = "input-too-large"
        case timeLimit = "time-limit"
        case cancelled
        case decoderCrashed = "decoder-crashed"
        case busy
        case notFound = "not-found"
        case expired
        case auth
        case httpStatus = "http-status"
        case network
        case redirectLimit = "redirect-limit"
        case insecureURL = "insecure-url"
        case blockedAddress = "blocked-address"
        case invalidURL = "invalid-url"
        case badSignature = "bad-signature"
        case invalidPayload = "invalid-payload"
        case io
        case noSpace = "no-space"

        /// `rejected` when this input can never work, `failed` when it might another time.
        public var outcome: Outcome {
            switch self {
            case .timeLimit, .cancelled, .decoderCrashed, .busy, .httpStatus, .network, .redirectLimit, .io,
                .noSpace:
                .failed
            default: .rejected
            }
        }

        /// The HTTP status a server answers with.
        public var httpStatus: Int {
            switch self {
            case .empty, .unknownFormat, .unsupportedFormat, .unsupportedVariant, .htmlDocument,
                .errorDocument:
                415
            case .corrupt, .truncated, .overLimit, .overBudget, .tooManyPixels, .tooManyScans, .memoryLimit:
                422
            case .inputTooLarge: 413
            case .timeLimit, .cancelled, .decoderCrashed: 503
            case .busy: 429
            case .notFound: 404
            case .expired: 410
            case .auth, .badSignature: 403
            case .httpStatus, .network, .redirectLimit: 502
            case .insecureURL, .blockedAddress, .invalidURL, .invalidPayload: 400
            case .io: 500
            case .noSpace: 507
            }
        }
    }
}

/// What became of an input or of one of its outputs, best first.
public enum Outcome: String, Hashable, Sendable, CaseIterable, Comparable {
    case prepared, passedThrough, skipped, rejected, failed

    /// Orders by severity: `prepared` is the best, `failed` the worst.
    public static func < (a: Self, b: Self) -> Bool { a.severity < b.severity }

    private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
