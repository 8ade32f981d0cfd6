/// Copies an animated GIF or PNG block by block while it comes, without what does not show.
///
/// That is comments, text, EXIF, colour profiles, and what stands behind the end. Frames are never touched.
package struct AnimationCopy {
    private enum Walk {
        case gif(GIFWalk)
        case png(PNGChunkWalk)
    }

    private enum Fate {
        case keep, drop
        /// An application extension whose name is not complete.
        case unknown
    }

    private var walk: Walk
    private var fate = Fate.keep
    /// Bytes that came before it was known what they belong to: at most a table of colours.
    private var held: [UInt8] = []
    private var name: [UInt8] = []
    private var signatureLeft = 0
    /// Whether the end was there: only then the copy is an animation.
    package private(set) var isWhole = false
    /// Whether something was dropped.
    package private(set) var hadMetadata = false
    /// Whether a colour profile was dropped: where it matters, the copy does not look as its source.
    package private(set) var hadProfile = false
    /// Whether gAMA or cHRM is kept, which a profile would overrule.
    package private(set) var hasGamma = false
    private var frames = APNGFrames()
    private var isBroken = false
    /// Whether a GIF has a frame that not every reader would show as another does.
    private var hasOddFrame = false

    /// Whether it may be passed on: its end was there, its frames lie inside the canvas, and a PNG's are as it
    /// announces them.
    package var isSound: Bool {
        guard case .png = walk else { return isWhole && !hasOddFrame }
        return isWhole && frames.areWhole
    }

    /// PNG's ancillary chunks that say how pixels look and move; the others do not show.
    private static let shownChunks: Set<String> = [
        "acTL", "fcTL", "fdAT", "tRNS", "gAMA", "cHRM", "sRGB", "cICP", "mDCV", "cLLI",
    ]
    /// The application extensions that say how often a GIF repeats.
    private static let shownExtensions: Set<String> = ["NETSCAPE2.0", "ANIMEXTS1.0"]
    private static let nameBytes = 11

    package static func gif() -> AnimationCopy { AnimationCopy(.gif(GIFWalk()), signature: 0) }
    package static func png() -> AnimationCopy { AnimationCopy(.png(PNGChunkWalk()), signature: 8) }

    private init(_ walk: Walk, signature: Int) {
        self.walk = walk
        signatureLeft = signature
    }

    /// Takes the next bytes and gives those to keep.
    package mutating func push<Failure: Error>(
        _ bytes: Span<UInt8>, keep: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        guard !isWhole, !isBroken else { return }
        switch walk {
        case .gif(let gif): try push(bytes, gif, keep)
        case .png(let png): try push(bytes, png, keep)
        }
    }

    private mutating func push<Failure: Error>(
        _ bytes: Span<UInt8>, _ gif: GIFWalk, _ keep: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var gif = gif
        defer { walk = .gif(gif) }
        var at = 0
        while !isWhole, !isBroken {
            let start = at
            let event = gif.next(bytes, at: &at)
            let piece = bytes.extracting(start..<at)
            switch event {
            case .needsInput: return held.append(piece)
            case .extension(0xFE): fate = .drop
            case .extension(0xFF): (fate, name) = (.unknown, [])
            case .extension, .screen: fate = .keep
            case .image:
                fate = .keep
                if !gif.isFrameOnScreen || !gif.isFrameReadable { hasOddFrame = true }
            case .data(let range): if fate == .unknown { read(name: bytes.extracting(range)) }
            case .blockEnd: if fate == .unknown { fate = .drop }
            case .end: isWhole = true
            case .malformed: isBroken = true
            }
            try dispose(of: piece, keep)
            if event == .blockEnd { fate = .keep }
        }
    }

    private mutating func read(name part: Span<UInt8>) {
        for i in part.indices where name.count < Self.nameBytes { name.append(part[i]) }
        guard name.count == Self.nameBytes else { return }
        fate = Self.shownExtensions.contains(String(decoding: name, as: UTF8.self)) ? .keep : .drop
    }

    private mutating func dispose<Failure: Error>(
        of piece: Span<UInt8>, _ keep: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        switch fate {
        case .unknown: return held.append(piece)
        case .drop: hadMetadata = true
        case .keep where !isBroken:
            let before = held
            if !before.isEmpty { try keep(before.span) }
            try keep(piece)
        case .keep: break
        }
        held = []
    }

    private mutating func push<Failure: Error>(
        _ bytes: Span<UInt8>, _ png: PNGChunkWalk, _ keep: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var png = png
        defer { walk = .png(png) }
        var at = min(signatureLeft, bytes.count)
        signatureLeft -= at
        if at > 0 { try keep(bytes.extracting(0..<at)) }
        guard signatureLeft == 0 else { return }
        while !isWhole, !isBroken {
            switch png.next(bytes, at: &at) {
            case .needsInput: return
            case .malformed: isBroken = true
            case .chunk(let type):
                name = type
                frames.begin(type, length: png.length)
                // A critical chunk starts with a capital.
                let isShown =
                    type[0] & 32 == 0 || Self.shownChunks.contains(String(decoding: type, as: UTF8.self))
                fate = isShown ? .keep : .drop
                if type.elementsEqual("iCCP".utf8) {
                    hadProfile = true
                } else if type.elementsEqual("gAMA".utf8) || type.elementsEqual("cHRM".utf8) {
                    hasGamma = true
                } else if !isShown {
                    hadMetadata = true
                }
                let lead = png.lead
                if isShown { try keep(lead.span) }
            case .data(let range):
                frames.take(bytes.extracting(range))
                if fate == .keep { try keep(bytes.extracting(range)) }
            case .chunkEnd:
                frames.end()
                isWhole = name.elementsEqual("IEND".utf8)
            }
        }
    }
}
