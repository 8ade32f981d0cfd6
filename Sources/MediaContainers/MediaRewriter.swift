package import MediaTypes

/// Rewrites a file that passes through: its media data as it is, its metadata not, its container changed where
/// that is what it takes.
///
/// Bytes are pushed in pieces of any size; how they are cut never changes the output. A rewriter is one shot and
/// holds a bounded amount of memory: what is known only late is read and changed in the output itself.
package protocol MediaRewriter {
    /// Bytes at the output's end that may still be dropped when the input has ended; a ceiling on the output is
    /// not exceeded before it is exceeded by more than this.
    var droppableBytes: Int { get }

    /// Takes the next bytes of the input.
    mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError)

    /// Ends the input and completes the output.
    mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia
}

extension MediaRewriter {
    package var droppableBytes: Int { 0 }
}

/// Where rewritten media goes: a file that grows at its end and can be read and changed anywhere.
package protocol MediaOutput: AnyObject {
    /// Bytes in it.
    var size: Int { get }

    /// Adds bytes at the end.
    func append(_ bytes: Span<UInt8>) throws(MediaError)

    /// The bytes from `offset` on, at most `count` of them; fewer at the end.
    func read(at offset: Int, count: Int) throws(MediaError) -> [UInt8]

    /// Replaces bytes that are there.
    func overwrite(at offset: Int, with bytes: Span<UInt8>) throws(MediaError)

    /// Makes room for bytes before those that are there.
    func prepend(_ bytes: Span<UInt8>) throws(MediaError)

    /// Drops everything behind `size` bytes.
    func truncate(to size: Int) throws(MediaError)

    /// Says that so many bytes are still to come besides those that are pushed: they need room as well.
    func expect(_ bytes: Int) throws(MediaError)

    /// Says what the output will be, as soon as that differs from what the input seemed: its ceiling changes.
    func become(_ format: MediaFormat) throws(MediaError)
}

/// What a rewriter made.
package struct RewrittenMedia: Hashable, Sendable {
    /// Type of the output.
    package var format: MediaFormat
    /// Metadata was dropped.
    package var hadMetadata = false
    /// The container is another one than the input's.
    package var isRewrapped = false
    /// The index of an MP4 comes last: it must be there as a whole before it plays.
    package var isIndexLast = false
    /// Something that is no part of the media came behind it, and was dropped.
    package var hadTrailingData = false

    package init(format: MediaFormat) { self.format = format }
}

/// Why media cannot pass through.
package struct MediaError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case corrupt, truncated
        /// Recognised, but of a kind that is not accepted; `detail` names it.
        case unsupportedVariant
        /// The output is larger than its ceiling.
        case overLimit
        /// Whoever asked for it wants it no more.
        case stopped
        /// The output cannot be written or read; the output itself knows why.
        case unwritable
    }

    package let kind: Kind
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

extension MediaOutput {
    /// Adds bytes at the end.
    package func append(_ bytes: [UInt8]) throws(MediaError) { try append(bytes.span) }

    /// Replaces bytes that are there.
    package func overwrite(at offset: Int, with bytes: [UInt8]) throws(MediaError) {
        try overwrite(at: offset, with: bytes.span)
    }

    /// Replaces bytes that are there by zeros.
    package func clear(at offset: Int, count: Int) throws(MediaError) {
        let zeros = [UInt8](repeating: 0, count: min(count, 65_536))
        var done = 0
        while done < count {
            let step = min(count - done, zeros.count)
            try overwrite(at: offset + done, with: zeros.span.extracting(0..<step))
            done += step
        }
    }
}
