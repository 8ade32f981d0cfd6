/// Tells a file's type from its bytes alone, as they arrive.
///
/// Push the file in pieces of any size; how it is cut never changes the answer. The answer comes in two
/// stages: `format` is there after at most 4096 bytes, and what only later bytes tell (is a PNG animated, has
/// an MPEG-4 file pictures, what stands behind an ID3 tag) refines it until `isSettled`. Memory is constant:
/// 4 KiB and a few numbers, whatever the input says of itself. No input traps.
public struct MediaSniffer: Sendable {
    /// The type, or nil before enough bytes have come; `unknown` if none of the table fits.
    ///
    /// Until `isSettled` it may change within its family: from `png` to `apng`, from `mp4` to `m4a`, from
    /// `heif` to `avif`, from `mp3` to `aac` or `flac`. Source: signatures and brands of the package's table
    /// of types.
    public private(set) var format: MediaFormat?

    /// Whether further bytes cannot change the answer; they need not be pushed then.
    public private(set) var isSettled = false

    private var head: [UInt8] = []
    private var need = 1
    private var specialRejection: MediaRejection?
    private var isMPEG1 = false
    private var chunkWalk: PNGChunkWalk?
    private var boxWalk: ISOBoxWalk?
    private var audioWalk: AudioBehindTagWalk?

    /// A sniffer that has seen nothing yet.
    public init() {}

    /// Takes the next bytes of the file; once settled, does nothing.
    public mutating func push(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count, format == nil {
            let end = min(bytes.count, index + need - head.count)
            while index < end {
                head.append(bytes[index])
                index += 1
            }
            if head.count >= need { lookAtHead(isEnd: false) }
        }
        if !isSettled && index < bytes.count { walk(bytes.extracting(index..<bytes.count)) }
    }

    /// Ends the input: decides with what there is.
    public mutating func finish() {
        if format == nil {
            if head.isEmpty {
                accept(Verdict(format: .unknown, rejection: .empty))
            } else {
                lookAtHead(isEnd: true)
            }
        }
        guard !isSettled else { return }
        chunkWalk?.finish()
        boxWalk?.finish()
        audioWalk?.finish()
        takeFindings()
    }

    /// The extension for the file, without a dot: that of its format, but `mpg` for an MPEG-1 elementary
    /// stream (note of types.tsv).
    public var fileExtension: String? { isMPEG1 ? "mpg" : format?.fileExtension }

    /// The type hint for iOS: that of its format, but `public.mpeg` for an MPEG-1 elementary stream (note of
    /// types.tsv).
    public var typeHint: String? { isMPEG1 ? "public.mpeg" : format?.typeHint }

    /// True for an APNG, false for a PNG without animation once that is settled, nil where it is not told
    /// here.
    public var isAnimated: Bool? {
        switch format {
        case .apng: true
        case .png where isSettled: false
        default: nil
        }
    }

    /// Why such a file is refused for its type alone, once known; nil if it is not.
    ///
    /// It may still come with a later byte until `isSettled`. Source: `action` and `note` of types.tsv.
    public var rejection: MediaRejection? {
        if let specialRejection { return specialRejection }
        guard let format, format.action == .reject else { return nil }
        switch format {
        case .unknown: return .unknownFormat
        case .html: return .htmlDocument
        default: return .unsupportedFormat
        }
    }
}

extension MediaSniffer {
    /// The recognisers in the order in which they are believed: fixed signatures first, guesses last.
    private static let recognisers: [@Sendable (SniffWindow) -> Look] = [
        Signature.look,
        CheckedSignatures.jpeg,
        CheckedSignatures.bmp,
        CheckedSignatures.ebml,
        CheckedSignatures.mpegVideo,
        ISOBrands.look,
        ISOBrands.classicQuickTime,
        // Behind the boxes: one of 256 bytes begins like an icon.
        CheckedSignatures.icon,
        ID3Tag.look,
        TextDocuments.look,
        { MPEGAudio.look(at: $0) },
        CheckedSignatures.transportStream,
        CheckedSignatures.pdf,
    ]

    /// Asks the recognisers in turn.
    ///
    /// They are asked at the same lengths however the input is cut, so that cannot change their answer.
    private mutating func lookAtHead(isEnd: Bool) {
        let window = SniffWindow(bytes: head, isFinal: isEnd || head.count >= SniffWindow.limit)
        for look in Self.recognisers {
            switch look(window) {
            case .no: continue
            case .more(let count):
                need = min(max(count, head.count + 1), SniffWindow.limit)
                return
            case .yes(let verdict): return accept(verdict)
            }
        }
        accept(Verdict(format: .unknown))
    }

    /// Ends stage one and begins stage two with the bytes seen so far.
    private mutating func accept(_ verdict: Verdict) {
        format = verdict.format
        specialRejection = verdict.rejection
        switch verdict.question {
        case .none: isSettled = true
        case .mpeg1:
            isMPEG1 = true
            isSettled = true
        case .pngAnimation: chunkWalk = PNGChunkWalk()
        case .movieTracks: boxWalk = ISOBoxWalk(.tracks)
        case .heifItems: boxWalk = ISOBoxWalk(.items)
        case .behindTag: audioWalk = AudioBehindTagWalk()
        }
        let seen = head
        head = []
        if !isSettled { walk(seen.span) }
    }

    private mutating func walk(_ bytes: Span<UInt8>) {
        chunkWalk?.push(bytes)
        boxWalk?.push(bytes)
        audioWalk?.push(bytes)
        takeFindings()
    }

    private mutating func takeFindings() {
        if let finding = chunkWalk?.finding {
            if finding == .animated { format = .apng }
            if finding == .crushed { specialRejection = .unsupportedVariant }
            isSettled = true
        }
        if let finding = audioWalk?.finding {
            format = finding.format
            specialRejection = finding.rejection
            isSettled = true
        }
        if let boxWalk, boxWalk.isDone {
            if boxWalk.goal == .items { takeItems(boxWalk.findings) } else { takeTracks(boxWalk.findings) }
            isSettled = true
        }
        if isSettled { (chunkWalk, boxWalk, audioWalk) = (nil, nil, nil) }
    }

    private mutating func takeTracks(_ findings: ISOBoxWalk.Findings) {
        let isSoundOnly = findings.hasMovie && findings.hasSoundTrack && !findings.hasPictureTrack
        if format == .mp4 && isSoundOnly { format = .m4a }
        if findings.isProtected { specialRejection = .unsupportedVariant }
    }

    private mutating func takeItems(_ findings: ISOBoxWalk.Findings) {
        let primary = findings.primaryCodec.flatMap { ISOBrands.isCodec($0) ? $0 : nil }
        let verdict = ISOBrands.verdict(
            forCodec: primary ?? findings.firstItemCodec ?? findings.pictureCodec)
        format = verdict.format
        specialRejection = verdict.rejection
    }
}
