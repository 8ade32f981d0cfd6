package import JPEGCore
package import Pixels

/// A pushed decoder of one picture: bytes in as they arrive, rows out to a pipeline, one shot.
///
/// The order of calls is `push` until it answers `.header`, `start`, `push` from where the header ended until
/// `.finished`, and `finish` when the bytes end before that.
package protocol ImageDecoder: ~Copyable {
    /// Decodes as far as the bytes go.
    ///
    /// - Parameter rows: where rows go; needed once the decoder was started.
    /// - Throws: for good; the decoder is then of no more use.
    mutating func push(_ bytes: Span<UInt8>, into rows: RowPipeline?) throws(CodecError) -> DecodeStep

    /// Begins decoding at `numerator`/`steps` of the stored size.
    ///
    /// - Parameter memoryLimit: bytes the codec may hold, where it knows how to count them.
    mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError)

    /// Says that no bytes follow. Throws `.truncated`, or with `pad` delivers what there is of the picture.
    mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError)

    /// What a decoder saw besides pixels.
    var notes: DecodeNotes { get }

    /// Whether all of the picture was there, when the bytes ended before the file did.
    var isWhole: Bool { get }

    /// Bytes of the head that a second decoder needs before the bytes that follow the header.
    var head: [UInt8] { get }

    /// Takes the bytes of the picture itself without metadata, where they may pass without loss and were kept.
    mutating func takeLosslessCopy() -> [UInt8]?

    /// Keeps such a copy up to `limit` bytes from now on, or gives it up when `limit` is nil.
    mutating func keepLosslessCopy(limit: Int?)
}

extension ImageDecoder where Self: ~Copyable {
    package var isWhole: Bool { false }
    package var head: [UInt8] { [] }
    package mutating func takeLosslessCopy() -> [UInt8]? { nil }
    package mutating func keepLosslessCopy(limit: Int?) {}
}

/// How far a push went.
package enum DecodeStep: Sendable {
    /// All given bytes are used up.
    case needsInput
    /// The header is known; bytes from index `consumed` on belong to the picture.
    case header(ImageHeader, consumed: Int)
    /// The picture is whole; bytes from index `consumed` on do not belong to it.
    case finished(consumed: Int)
}

/// What is known before the first row, and what decoding would take.
package struct ImageHeader: Sendable {
    /// Stored size, before `orientation`.
    package let size: PixelSize
    package let orientation: Orientation
    package let layout: PixelLayout
    /// The N of N/`steps` the codec can decode at, smallest first; `steps` itself is what is left where none will do.
    package let numerators: [Int]
    /// 8 with libjpeg's blocks; of other numbers a scaled row is the whole stored one, however it is rounded.
    package var steps = 8
    /// Of N where a smaller stored picture is decoded, which has a size of its own.
    package var rowSizes: [Int: PixelSize] = [:]
    /// Whether a larger N than must be is worth its memory, as the codec scales more crudely than we do.
    package var prefersDetail = false
    /// The passes in which rows come, if they do.
    package var interlace: Interlace?
    /// Whether rows come from the bottom by the format's own rule: `orientation` says so, but the file has none.
    package var isBottomUp = false
    /// Whether the codec can show nothing before the last byte: the spool route.
    package let needsWholeInput: Bool
    /// Whether what decides lies behind the picture: the spooled decoder's `readHeader` finds it.
    package var isProvisional = false
    /// Whether 1/8 takes a part of the bytes only: the DC coefficients' scans of a progressive JPEG.
    package var isProgressive = false
    /// Whether the data itself may be an output: plain, 8 bit, grey or YCbCr, upright, without a profile.
    package let mayPassLossless: Bool
    /// Chroma subsampling of the stored picture, where it has a name.
    package let subsampling: String?
    /// What becomes of its colours.
    package var colour = ColourPlan.sRGB
    /// What quantisation left of the stored picture, where it was quantised and that is known.
    package var quantisation: SourceQuantisation?
    /// Bytes the codec holds when decoding at N/`steps`.
    package let codecNeed: @Sendable (_ numerator: Int) -> Int

    package var isInterlaced: Bool { interlace != nil }

    /// Of the rows that are scaled: as decoded, or as converted.
    package var scaledLayout: PixelLayout { colour.rows?.output ?? layout }

    /// Size of the rows at N/`steps`, rounded up as libjpeg does.
    package func rowSize(numerator n: Int) -> PixelSize {
        rowSizes[n]
            ?? PixelSize((size.width * n + steps - 1) / steps, (size.height * n + steps - 1) / steps)
    }

    /// Where a placement lies in the rows at N/`steps`.
    package func region(of placement: Placement, numerator n: Int) -> SourceRegion {
        guard steps != 8 else { return placement.region(scale: n, of: size) }
        let rows = rowSize(numerator: n)
        let (x, y) = (
            Double(rows.width) / Double(size.width), Double(rows.height) / Double(size.height)
        )
        return SourceRegion(
            x: placement.x * x, y: placement.y * y, width: placement.width * x,
            height: placement.height * y, usable: rows)
    }
}

/// What a decoder saw besides pixels.
package struct DecodeNotes: Sendable {
    package var hasMetadata = false
    package var isAnimated = false
    package var orientation: Orientation?
    /// The file says that more pictures follow.
    package var isMultiPicture = false
    /// Pages follow the one that is shown.
    package var isMultiPage = false
    /// Oddities that every decoder shrugs at.
    package var isOdd = false

    package init(
        hasMetadata: Bool = false, orientation: Orientation? = nil,
        isMultiPicture: Bool = false, isOdd: Bool = false
    ) {
        self.hasMetadata = hasMetadata
        self.orientation = orientation
        self.isMultiPicture = isMultiPicture
        self.isOdd = isOdd
    }

    /// Adds what another decoder of the same picture saw.
    package mutating func add(_ other: DecodeNotes) {
        hasMetadata = hasMetadata || other.hasMetadata
        isAnimated = isAnimated || other.isAnimated
        orientation = orientation ?? other.orientation
        isMultiPicture = isMultiPicture || other.isMultiPicture
        isMultiPage = isMultiPage || other.isMultiPage
        isOdd = isOdd || other.isOdd
    }
}

/// Why a decoder gave up.
package struct CodecError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case corrupt, truncated, unsupportedVariant, tooManyScans, tooManyPixels, memory, stopped, unreadable
        /// The library that decodes this type is not installed; `detail` names it.
        case missingLibrary
    }

    package let kind: Kind
    /// The codec's words.
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
}
