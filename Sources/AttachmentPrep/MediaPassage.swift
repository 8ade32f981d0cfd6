internal import MediaContainers
internal import MediaTypes

/// A file that passes through: bytes are rewritten into its output as they come, its ceiling checked meanwhile.
struct MediaPassage {
    private var rewriter: any MediaRewriter
    let file: OutputFile

    /// The one profile under which anything but a JPEG passes.
    static let profile = Profile.apns.name

    init(_ rewriter: any MediaRewriter, into file: OutputFile) {
        self.rewriter = rewriter
        self.file = file
    }

    /// Begins a passage in a place from which the output can reach its own.
    ///
    /// - Parameter ceiling: bytes that an output of a type may have.
    init(
        _ rewriter: any MediaRewriter, format: MediaFormat, writer: OutputWriter, spool: String?,
        clock: JobClock,
        ceiling: @escaping (MediaFormat) -> Int
    ) throws(PrepError) {
        let place = writer.waitingPlace(spool: spool)
        do throws(SystemError) {
            let file = try OutputFile(
                in: place, format: format, clock: clock, droppableBytes: rewriter.droppableBytes,
                ceiling: ceiling)
            self.init(rewriter, into: file)
        } catch {
            throw error.error(.output, "cannot write in \(place.orHere.display)")
        }
    }

    /// Takes the next bytes of the input.
    mutating func push(_ bytes: Span<UInt8>) throws(MediaError) { try rewriter.push(bytes, into: file) }

    /// Ends the input; the output is then whole, and within its ceiling.
    mutating func finish() throws(MediaError) -> RewrittenMedia {
        let media = try rewriter.finish(into: file)
        try file.become(media.format)
        guard !file.isOverLimit else { throw MediaError(.overLimit, "limit \(file.maxBytes) bytes") }
        return media
    }
}
