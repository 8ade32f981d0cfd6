internal import Codecs
internal import MediaContainers
internal import MediaTypes
internal import Pixels

/// An animation on its way through, in case it may pass, while its first frame is decoded, in case it may not.
struct AnimationPassage {
    var copy: AnimationCopy
    let file: OutputFile

    /// Apple's limit for pictures.
    static let maxBytes = 10_000_000
}

// Animations that are kept: the file itself is the output, without what does not show.
extension PreparationSession {
    /// Begins to copy what may be an animation, where it may pass.
    mutating func beginAnimation(_ format: MediaFormat) throws(PrepError) {
        guard options.animation == .keep, profiles.contains(where: { $0.name == MediaPassage.profile }) else {
            return
        }
        let copy: AnimationCopy
        switch format {
        case .gif: copy = .gif()
        case .png, .apng: copy = .png()
        default: return
        }
        let limit = min(AnimationPassage.maxBytes, options.maxBytes ?? .max)
        let place = writer.waitingPlace(spool: options.spoolDirectory)
        do throws(SystemError) {
            let file = try OutputFile(in: place, format: format, clock: clock) { _ in limit }
            animation = AnimationPassage(copy: copy, file: file)
        } catch {
            throw error.error(.output, "cannot write in \(place.orHere.display)")
        }
    }

    /// Copies the next bytes.
    mutating func copyAnimation(_ bytes: Span<UInt8>) throws(PrepError) {
        guard var passage = animation.take() else { return }
        let file = passage.file
        do throws(MediaError) {
            try passage.copy.push(bytes) { (kept: Span<UInt8>) throws(MediaError) in try file.append(kept) }
            animation = passage
        } catch {
            // What is too large for its limit is left at that: the first frame is what remains.
            guard error.kind != .overLimit else { return }
            throw file.failure?.error(.output, "cannot write the output") ?? clock.reason(.output)
        }
    }

    /// Whether the animation is the output of a target: sound, inside its box, upright, in sRGB without its profile.
    func passes(_ target: Admission.Target, _ header: ImageHeader) -> Bool {
        guard let animation, animation.copy.isSound, notes.isAnimated, !isTruncated else { return false }
        if animation.copy.hadProfile,
            header.colour.isConverted || header.colour.isUnread || animation.copy.hasGamma
        {
            return false
        }
        return target.profile.name == MediaPassage.profile && target.size == header.size
            && header.orientation == .upright
    }

    /// Puts the animation in its place.
    func place(
        _ animation: AnimationPassage, _ target: Admission.Target, _ header: ImageHeader, name: String,
        _ output: inout PreparationRecord.Output
    ) throws(PrepError) {
        let format: MediaFormat = sniffer.format == .gif ? .gif : .apng
        output.outcome = .passedThrough
        output.format = format
        output.width = header.size.width
        output.height = header.size.height
        output.bytes = animation.file.size
        output.path = try writer.place(
            animation.file, format: format, suffix: format.fileExtension, profile: target.profile, name: name
        )?.display
    }
}
