package import JPEGCore
package import Pixels

/// A decoder of one picture whose bytes must all be there before the first row, one shot.
///
/// They lie in a spool, and are read where and as often as they are needed.
/// What to decode is decided from the header that an `ImageDecoder` of the same type had found, or, for a type
/// that cannot be pushed at all, from what `readHeader` finds when all bytes are there.
package protocol SpoolDecoder: ~Copyable {
    /// Looks at the next bytes while they are put aside, so that hopeless input is refused early and `decode`
    /// need not read all of them again. Need not be called at all.
    mutating func watch(_ bytes: Span<UInt8>) throws(CodecError)

    /// Finds what there is to decode, before anything of the picture's size is allocated.
    ///
    /// Nil for a type whose `ImageDecoder` finds it. `shouldStop` is asked wherever a file could keep this busy.
    mutating func readHeader(
        from file: any RandomAccessBytes, shouldStop: () -> Bool
    ) throws(CodecError) -> ImageHeader?

    /// Looks at what was not watched, and answers how many bytes decoding takes beyond what its header told.
    mutating func memoryBeyondHeader(
        of file: any RandomAccessBytes, allowsTruncated: Bool, unless mustStop: () -> Bool
    ) throws(CodecError) -> Int

    /// Decodes the picture.
    mutating func decode(
        from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
    ) throws(CodecError) -> SpoolEnd

    /// What the decoder saw besides pixels.
    var notes: DecodeNotes { get }

    /// Keeps the picture's bytes without metadata up to `limit`, where they may pass without loss; before all else.
    mutating func keepLosslessCopy(limit: Int)

    /// Takes that copy, after `decode`.
    mutating func takeLosslessCopy() -> [UInt8]?
}

extension SpoolDecoder where Self: ~Copyable {
    package mutating func readHeader(
        from file: any RandomAccessBytes, shouldStop: () -> Bool
    ) throws(CodecError) -> ImageHeader? { nil }
    package mutating func watch(_ bytes: Span<UInt8>) throws(CodecError) {}
    package mutating func memoryBeyondHeader(
        of file: any RandomAccessBytes, allowsTruncated: Bool, unless mustStop: () -> Bool
    ) throws(CodecError) -> Int { 0 }
    package mutating func keepLosslessCopy(limit: Int) {}
    package mutating func takeLosslessCopy() -> [UInt8]? { nil }
}

/// What a spool decoder is to do.
package struct SpoolJob: Sendable {
    /// The N of N/`steps` of the header to decode at.
    package let numerator: Int
    /// Bytes the codec may hold, where it knows how to count them.
    package let memoryLimit: Int
    /// Whether what there is of a picture that ends early will do.
    package let allowsTruncated: Bool

    package init(numerator: Int, memoryLimit: Int, allowsTruncated: Bool) {
        self.numerator = numerator
        self.memoryLimit = memoryLimit
        self.allowsTruncated = allowsTruncated
    }
}

/// How a spooled picture ended.
package struct SpoolEnd: Sendable {
    /// Offset behind the picture.
    package let end: Int
    /// Whether the bytes ended first.
    package let isTruncated: Bool
}
