/// The first bytes of a file, as far as they have come.
struct SniffWindow {
    /// Stage one never looks further than this.
    static let limit = 4096

    /// The bytes from the start of the file.
    let bytes: [UInt8]
    /// Whether no more will come: the input has ended or the limit is reached.
    let isFinal: Bool

    var count: Int { bytes.count }

    /// The byte at `index`, or nil beyond the end.
    func byte(_ index: Int) -> UInt8? {
        index >= 0 && index < bytes.count ? bytes[index] : nil
    }

    /// A big-endian number of `size` (at most 8) bytes at `index`, or nil if it is not complete.
    func bigEndian(_ index: Int, size: Int) -> UInt64? {
        guard index >= 0, size <= 8, index <= bytes.count - size else { return nil }
        return bytes[index..<(index + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A little-endian number of `size` (at most 8) bytes at `index`, or nil if it is not complete.
    func littleEndian(_ index: Int, size: Int) -> UInt64? {
        guard index >= 0, size <= 8, index <= bytes.count - size else { return nil }
        return bytes[index..<(index + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A four-character code at `index`, or nil if it is not complete.
    func code(_ index: Int) -> FourCC? {
        bigEndian(index, size: 4).map { FourCC(UInt32(truncatingIfNeeded: $0)) }
    }

    /// The answer of a recogniser that cannot tell before it has `count` bytes.
    func needs(_ count: Int) -> Look {
        isFinal ? .no : .more(count)
    }

    /// As `needs`, for a search without a fixed length: asks for a quarter more, so that all the repeated
    /// searches together cost little more than one.
    var needsSome: Look { needs(count + Swift.max(1, count / 4)) }
}

/// What a recogniser says of a window.
///
/// Once it says `no` or `yes`, more bytes do not change that.
enum Look {
    /// Not this type.
    case no
    /// Cannot be told before the window holds this many bytes.
    case more(Int)
    /// Recognised.
    case yes(Verdict)

    static func yes(_ format: MediaFormat, _ rejection: MediaRejection? = nil) -> Look {
        .yes(Verdict(format: format, rejection: rejection))
    }
}

/// What stage one found.
struct Verdict: Equatable {
    var format: MediaFormat
    /// Set only where it is not what the table's action says anyway.
    var rejection: MediaRejection?
    /// What is left to find out while streaming.
    var question = Question.none

    /// What only the bytes behind the first 4 KiB may tell.
    enum Question: Equatable {
        case none
        /// Is there an `acTL` before the first `IDAT`?
        case pngAnimation
        /// Which tracks has the movie, and are they protected? The format changes only if it is `mp4`.
        case movieTracks
        /// Which codec has the primary item of a HEIF file with generic brands?
        case heifItems
        /// What comes behind the ID3 tag?
        case behindTag
        /// Not a question but an answer: this elementary stream is MPEG-1.
        case mpeg1
    }
}
