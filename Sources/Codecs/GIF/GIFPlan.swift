internal import Pixels

/// What the blocks before a GIF's first image say of it: where it lies on the screen, and its colours.
struct GIFPlan {
    /// Of the screen, made larger where the image reaches beyond it, as browsers do.
    let size: PixelSize
    let frame: PixelFrame
    let layout: PixelLayout
    private let isInterlaced: Bool
    private let hasProfile: Bool
    /// Red, green, blue and alpha of each index; black where the table has none.
    private let colors: [UInt8]
    /// What pixels are that the file leaves out.
    ///
    /// Of a picture with a transparent index that is the matte, as everything that shows through: browsers and
    /// gdk-pixbuf clear the canvas. A picture without one says that it is opaque, and then the format itself names "the
    /// color used for those pixels on the screen that are not covered by an image" (GIF 89a, 18, background colour
    /// index); ImageMagick, FFmpeg, Pillow and libvips paint it so. Where the screen has no colours there is nothing to
    /// name, and it is the matte again.
    private let background: [UInt8]

    static let codeSizes = 1...11
    /// Bytes that decoding takes besides a line and its row: giflib's pages once loaded, its tables and ours, and a piece
    /// of the input for each of them and for the scan.
    private static let libraryNeed = 200_000

    init(_ walk: GIFWalk, transparent: Int?, hasProfile: Bool) throws(CodecError) {
        let found = walk.frame
        guard found.width > 0, found.height > 0 else {
            throw CodecError(.corrupt, "\(found.width) x \(found.height) pixels")
        }
        guard Self.codeSizes.contains(found.codeSize) else {
            throw CodecError(.corrupt, "codes of \(found.codeSize) bits")
        }
        let table = walk.imageTable.isEmpty ? walk.screenTable : walk.imageTable
        guard !table.isEmpty else { throw CodecError(.corrupt, "no table of colours") }
        frame = PixelFrame(x: found.x, y: found.y, size: PixelSize(found.width, found.height))
        size = PixelSize(max(walk.width, found.x + found.width), max(walk.height, found.y + found.height))
        isInterlaced = found.isInterlaced
        self.hasProfile = hasProfile
        let isOpaque = transparent == nil && (frame.size == size || !walk.screenTable.isEmpty)
        layout = PixelLayout(isOpaque ? .rgb : .rgba)
        var colors = [UInt8](repeating: 0, count: 4 * 256)
        for i in 0..<256 {
            for c in 0..<3 where 3 * i + c < table.count { colors[4 * i + c] = table[3 * i + c] }
            colors[4 * i + 3] = i == transparent ? 0 : 255
        }
        self.colors = colors
        let screen = walk.screenTable.isEmpty ? table : walk.screenTable
        let at = 3 * walk.background
        background =
            !isOpaque ? [0, 0, 0, 0] : at + 2 < screen.count ? Array(screen[at..<(at + 3)]) : [0, 0, 0]
    }

    var header: ImageHeader {
        let width = size.width
        return ImageHeader(
            size: size, orientation: .upright, layout: layout, numerators: [8],
            interlace: isInterlaced
                ? Interlace(gif: size, frame: frame.y..<(frame.y + frame.size.height)) : nil,
            needsWholeInput: true, mayPassLossless: false, subsampling: nil,
            colour: hasProfile ? .ignored : .sRGB,
            codecNeed: { _ in 5 * width + Self.libraryNeed })
    }

    /// Rows of the screen that come before those of the image, and after.
    var rowsBefore: Int { isInterlaced ? size.height - frame.size.height : frame.y }
    var rowsAfter: Int { size.height - frame.size.height - rowsBefore }

    /// A row beside which no image lies.
    var emptyRow: [UInt8] { (0..<(size.width * background.count)).map { background[$0 % background.count] } }

    /// Writes a line of indices into a row of the screen, of which `count` are there.
    func put(_ line: [UInt8], count: Int, into row: inout [UInt8]) {
        let bytes = layout.bytesPerPixel
        let width = frame.size.width
        unsafe colors.withUnsafeBufferPointer { colors in
            unsafe row.withUnsafeMutableBufferPointer { row in
                // The frame lies inside the screen, and an index has a colour whatever it is.
                var to = frame.x * bytes
                for x in 0..<count {
                    let from = 4 &* Int(line[x])
                    for c in 0..<bytes { unsafe row[to &+ c] = colors[from &+ c] }
                    to &+= bytes
                }
                for _ in count..<max(width, count) {
                    for c in 0..<bytes { unsafe row[to &+ c] = background[c] }
                    to &+= bytes
                }
            }
        }
    }
}
