public import MediaTypes

/// Everything there is to say about one input: what came of it, what it was, what it cost.
///
/// The same record serves the command line, workers, HTTP and the library; its JSON keeps a null for what
/// does not apply, and `schema` only grows.
public struct PreparationRecord: Hashable, Sendable {
    /// Version of this shape.
    public static let schema = 1
    /// The input as the caller named it, invalid UTF-8 replaced by U+FFFD.
    public var input: String
    /// The input's exact bytes when `input` could not show them.
    public var inputBytes: [UInt8]?
    /// The worst outcome of the outputs.
    public var outcome: Outcome
    /// One entry for each profile asked for, or none if the input was refused before.
    public var outputs: [Output] = []
    /// What the input is, as far as it is known.
    public var source: Source?
    /// Computed memory need against the limit, once known.
    public var memory: Memory?
    /// What the caller may want to know about a success.
    public var warnings: [Warning] = []
    /// Why the input as a whole was refused.
    public var error: PrepError?
    /// Wall-clock seconds from begin to end.
    public var elapsedSeconds: Double = 0
    /// SHA-256 of the input as 64 hexadecimal digits, where outputs are named by content; not part of the JSON.
    package var sourceDigest: String?

    /// Creates a record with everything still unknown.
    public init(input: String, outcome: Outcome) {
        self.input = input
        self.outcome = outcome
    }

    /// Creates the record of an input that was refused before anything was known of it.
    package init(input: String, error: PrepError) {
        self.init(input: input, outcome: error.code.outcome)
        self.error = error
    }

    /// What came of one profile.
    public struct Output: Hashable, Sendable {
        /// Name of the profile.
        public var profile: String
        /// What came of it.
        public var outcome: Outcome
        /// Where the file lies; nil if there is none.
        public var path: String?
        /// Public address, where a server knows one.
        public var url: String?
        /// Type of the file.
        public var format: MediaFormat?
        /// Size of the file.
        public var bytes: Int?
        /// Upright width in pixels.
        public var width: Int?
        /// Upright height in pixels.
        public var height: Int?
        /// How the picture was encoded; nil when the input's own data was passed through.
        public var encoding: Encoding?
        /// Why there is no file.
        public var error: PrepError?
        /// An elementary stream of MPEG-1, which has names of its own (note of types.tsv).
        package var isMPEG1 = false

        /// Creates an entry with everything still unknown.
        public init(profile: String, outcome: Outcome) {
            self.profile = profile
            self.outcome = outcome
        }

        /// Uniform type identifier given to iOS as type hint.
        public var typeHint: String? { isMPEG1 ? "public.mpeg" : format?.typeHint }

        /// Extension of the file's name, without a dot.
        public var fileExtension: String? { isMPEG1 ? "mpg" : format?.fileExtension }

        /// Height divided by width.
        public var sizeRatio: Double? {
            guard let width, let height, width > 0 else { return nil }
            return Double(height) / Double(width)
        }
    }

    /// How a picture was encoded.
    public struct Encoding: Hashable, Sendable {
        /// The budget in bytes.
        public var maxBytes: Int
        /// The libjpeg quality whose Annex K luminance table has the same mean as the emitted one.
        public var quality: Double?
        /// Chroma subsampling as `4:2:0`, `4:4:4` or `4:0:0` (grey).
        public var subsampling: String
        /// What kept the file from being larger.
        public var limitedBy: Limit

        /// Creates a description.
        public init(maxBytes: Int, quality: Double?, subsampling: String, limitedBy: Limit) {
            self.maxBytes = maxBytes
            self.quality = quality
            self.subsampling = subsampling
            self.limitedBy = limitedBy
        }

        /// What kept a file from being larger.
        public enum Limit: String, Hashable, Sendable {
            case budget, quality, source, lossless
        }
    }

    /// What the input is, as stored.
    public struct Source: Hashable, Sendable {
        /// The type its bytes say.
        public var format: MediaFormat
        /// The extension its name claims, lower case.
        public var claimedExtension: String?
        /// Whether the name claims another type than the bytes.
        public var typeMismatch = false
        /// Bytes of encoded input seen.
        public var bytes: Int = 0
        /// Stored width in pixels.
        public var width: Int?
        /// Stored height in pixels.
        public var height: Int?
        /// EXIF orientation, 1...8.
        public var orientation: Int?
        /// Whether it holds an animation.
        public var animated: Bool?

        /// Creates a description.
        public init(format: MediaFormat) { self.format = format }
    }

    /// Computed need against the limit, in bytes.
    public struct Memory: Hashable, Sendable {
        /// What the job was computed to need.
        public var need: Int
        /// What it was allowed.
        public var limit: Int

        /// Creates a pair.
        public init(need: Int, limit: Int) {
            self.need = need
            self.limit = limit
        }
    }

    /// The closed list of warnings; raw values are the words of the record.
    public enum Warning: String, Hashable, Sendable, CaseIterable {
        case metadataRemoved = "metadata-removed"
        case colorConverted = "color-converted"
        case profileIgnored = "profile-ignored"
        case shrunkToFit = "shrunk-to-fit"
        case firstFrameOnly = "first-frame-only"
        case truncatedInput = "truncated-input"
        case rewrapped
        case moovLast = "moov-last"
        case trailingData = "trailing-data"
        case harmlessDamage = "harmless-damage"
        case mismatchedExtension = "mismatched-extension"
    }
}
