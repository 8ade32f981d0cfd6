internal import Codecs
internal import Pixels

/// The part of a picture that a square thumbnail should show, in shares of its upright width and height.
///
/// The origin is the upper left corner. `UNNotificationAttachmentOptionsThumbnailClippingRectKey` takes such a rectangle,
/// as a dictionary of a CGRect: each value is 0...1, and (0.25, 0.25, 0.5, 0.5) is the centre (Apple's documentation of
/// that key). The part is the picture's largest square, placed where there is most to see: edges, skin, colours that stand
/// out. Faces are not looked for.
public struct ClippingRect: Hashable, Sendable {
    /// Left edge, 0...1 of the picture's width.
    public let x: Double
    /// Upper edge, 0...1 of the picture's height.
    public let y: Double
    /// Width, 0...1 of the picture's.
    public let width: Double
    /// Height, 0...1 of the picture's.
    public let height: Double

    /// Creates a rectangle from shares of width and height.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Finds the square of a prepared attachment, or of any other picture that is decoded.
    ///
    /// The picture is decoded at the lowest scale that will do, through the same bounded decoders as an upload: a few
    /// milliseconds and, for what `prepare` writes, well below a megabyte.
    ///
    /// - Parameters:
    ///   - source: the picture; a progressive JPEG that is no file goes through a temporary one.
    ///   - options: of these count the limits, the background and whether a picture may end early.
    ///   - cancellation: asked between chunks and rows.
    /// - Returns: nil for what is no picture or is none that is decoded, such as audio and video.
    /// - Throws: why a picture cannot be read.
    public init?(
        of source: AttachmentSource, options: PreparationOptions = .init(preset: .extension),
        cancellation: Cancellation = .init()
    ) throws(PrepError) {
        var options = options
        (options.maxBytes, options.maxEdge, options.animation) = (nil, nil, .firstFrame)
        let preparer = AttachmentPreparer(profile: Self.glance, options: options)
        // Nothing is written, so it does not matter where to.
        var session = PreparationSession(
            preparer, source: source, into: .descriptor(-1), cancellation: cancellation, budget: nil)
        SourceReader(limits: options.limits).read(source, into: &session)
        do {
            guard let square = try session.salientSquare() else { return nil }
            self = square
        } catch {
            if error.code == .unsupportedFormat || error.code == .unsupportedVariant { return nil }
            throw error
        }
    }

    /// Finds the square of the picture in a file, such as `PreparedAttachment.path`.
    ///
    /// - Returns: nil for what is no picture or is none that is decoded, such as audio and video.
    /// - Throws: why a picture cannot be read.
    public init?(ofPictureAt path: String) throws(PrepError) { try self.init(of: .file(path)) }

    /// What is looked at: as large as the finest grid of cells.
    private static let glance = Profile(name: "glance", width: 128, height: 128, maxBytes: 1)

    /// The square of an upright picture of `size` that was found in a small copy of it.
    init(_ small: Bitmap, of size: PixelSize) {
        let side = min(size.width, size.height)
        let smallSide = min(small.size.width, small.size.height)
        let (left, top) = SalientCrop.origin(of: PixelSize(smallSide, smallSide), in: small)
        // The same share of the way, in whole pixels of the picture.
        func start(_ place: Int, _ smallRoom: Int, _ room: Int) -> Int {
            smallRoom > 0 ? (2 * place * room + smallRoom) / (2 * smallRoom) : room / 2
        }
        let x = start(left, small.size.width - smallSide, size.width - side)
        let y = start(top, small.size.height - smallSide, size.height - side)
        self.init(
            x: Double(x) / Double(size.width), y: Double(y) / Double(size.height),
            width: Double(side) / Double(size.width), height: Double(side) / Double(size.height))
    }
}

extension PreparationSession {
    /// Ends the input and finds the square of its picture, which nothing is written of; nil where there is none.
    fileprivate mutating func salientSquare() throws(PrepError) -> ClippingRect? {
        if let error = report.error { throw error }
        guard try endInput(), let header, let picture = finishedBitmaps().first else { return nil }
        return ClippingRect(
            picture.upright(from: header.orientation), of: header.orientation.turned(header.size))
    }
}
