internal import MediaTypes

/// AAC in ADTS frames (ISO/IEC 13818-7, 6.2), rewrapped as an MPEG-4 file: the frames without their headers, and
/// an index before them.
package struct ADTSRewriter: MediaRewriter {
    private var hadMetadata: Bool

    package init() { self.init(hadMetadata: false) }

    init(hadMetadata: Bool) { self.hadMetadata = hadMetadata }

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        throw MediaError(.unsupportedVariant, "AAC without a container")
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        throw MediaError(.unsupportedVariant, "AAC without a container")
    }
}
