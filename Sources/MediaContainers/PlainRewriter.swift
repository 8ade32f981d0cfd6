package import MediaTypes

/// MPEG program and elementary streams: they have no place for metadata, and pass as they are.
package struct PlainRewriter: MediaRewriter {
    private let format: MediaFormat

    package init(_ format: MediaFormat) { self.format = format }

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        try output.append(bytes)
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        RewrittenMedia(format: format)
    }
}
