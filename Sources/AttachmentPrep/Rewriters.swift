internal import MediaContainers
internal import MediaTypes

/// Which rewriter serves which type of audio and video: the one place a new container is added.
enum Rewriters {
    /// A rewriter for the type, or nil when it does not pass.
    static func make(_ format: MediaFormat) -> (any MediaRewriter)? {
        switch format {
        case .mp4, .m4v, .m4a, .mov, .threeGP: ISORewriter(format)
        case .mpegPS, .mpegES: PlainRewriter(format)
        case .avi: AVIRewriter()
        case .mp3, .aac: MPEGAudioRewriter()
        case .wav: WAVERewriter()
        case .aiff: AIFFRewriter(isAIFC: false)
        case .aifc: AIFFRewriter(isAIFC: true)
        case .caf: CAFRewriter()
        default: nil
        }
    }

    /// What any of them holds at most, besides the pieces pushed: the most is an index of a million frames of AAC.
    static let memoryNeed = 12 << 20

    /// The ceiling of types that are only ever rewrapped to another one, until that one is known.
    static let largestCap = 50_000_000
}
