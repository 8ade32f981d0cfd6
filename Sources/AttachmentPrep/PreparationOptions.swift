/// What may be changed about a preparation besides its profiles.
public struct PreparationOptions: Hashable, Sendable {
    /// Replaces every profile's byte budget when set.
    public var maxBytes: Int?
    /// Makes every box min(width, E) × min(height, E) when set.
    public var maxEdge: Int?
    /// Quality floor, 1...100: below it pixels shrink instead.
    public var minQuality = 40
    /// Quality ceiling, 1...100.
    public var maxQuality = 90
    /// How much work goes into the most picture for the bytes.
    public var effort = Effort.default
    /// Whether an output may come in several scans.
    public var progressive = Progressive.auto
    /// What becomes of animated GIFs and PNGs.
    public var animation = Animation.firstFrame
    /// What lies behind transparent pixels, as 0xRRGGBB in sRGB.
    public var background: UInt32 = 0xFF_FFFF
    /// Makes a picture of what there is of an input that ends early, with the warning `truncated-input`.
    public var allowsTruncated = false
    /// Takes the means of 8 × 8 pixels of a progressive JPEG wherever they are as many as the output's pixels.
    ///
    /// They are the first part of the file and cost the least to decode; without this they must be 1.9 times as
    /// many on each side.
    public var acceptsMeans = false
    /// Refuses audio and video under every profile: what is named `.jpg` before it is made must be a picture.
    package var takesPicturesOnly = false
    /// Ceilings on what one input may cost.
    public var limits = ResourceLimits()
    /// Folder for the unlinked temporary files of the spool route; nil means `TMPDIR` or `/tmp`.
    public var spoolDirectory: String?

    /// The defaults.
    public init() {}

    /// What suits the place where jobs run.
    public init(preset: MemoryPreset) {
        limits.memory = preset.jobMemory
        acceptsMeans = preset == .extension
    }

    /// How much work goes into the most picture for the bytes.
    public enum Effort: String, CaseIterable, Sendable {
        /// Least CPU: quality alone is chosen.
        case fast
        /// Bits are weighed against error where the budget is what limits.
        case `default`
        /// As `default`, with more rounds.
        case best
    }

    /// What becomes of an animation.
    public enum Animation: String, CaseIterable, Sendable {
        /// Its first frame.
        case firstFrame = "first-frame"
        /// Under the profile `apns` it passes as it is, without metadata, inside the box and up to 10 MB or
        /// `maxBytes`; where it does not fit, its first frame.
        case keep
    }

    /// Whether an output may come in several scans, which show while they load and take fewer bytes, mostly.
    public enum Progressive: String, CaseIterable, Sendable {
        /// Where the budget limits and scans leave more of it for the picture.
        case auto
        /// One scan.
        case never
        /// Several scans.
        case always
    }
}

/// Ceilings on what one input may cost, checked from its header before anything is allocated.
public struct ResourceLimits: Hashable, Sendable {
    /// Bytes of memory one job may be computed to need.
    public var memory: Int = 512 * 1024 * 1024
    /// Bytes of encoded input.
    public var inputBytes: Int = 256 * 1024 * 1024
    /// Pixels of the source picture.
    public var pixels: Int = 268_435_456
    /// Scans of a JPEG; more than 4096 are refused in any case.
    public var scans: Int = 100
    /// Wall-clock time for one input, all stages; nil for no limit.
    public var timeout: Duration? = .seconds(20)

    /// The limits of the command line and the server.
    public init() {}
}
