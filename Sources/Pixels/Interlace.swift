/// The passes in which the rows of an interlaced picture come: lattices that together hold each pixel once.
package struct Interlace: Sendable {
    /// One pass: every `across`-th pixel from `left` on in every `down`-th row from `top` on.
    package struct Pass: Hashable, Sendable {
        package let left: Int
        package let top: Int
        package let across: Int
        package let down: Int
        /// Pixels in each of its rows, and rows; never 0.
        package let size: PixelSize
    }

    /// Size of the picture.
    package let size: PixelSize
    /// The passes that hold pixels at all, in the order of their coming: narrow and low pictures lack some.
    package let passes: [Pass]

    private static let adam7 = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    /// Seven passes, in columns too (PNG specification, 8.2).
    package init(adam7 size: PixelSize) {
        self.size = size
        passes = Self.adam7.compactMap { left, top, across, down in
            guard left < size.width, top < size.height else { return nil }
            let columns = (size.width - left + across - 1) / across
            let rows = (size.height - top + down - 1) / down
            return Pass(left: left, top: top, across: across, down: down, size: PixelSize(columns, rows))
        }
    }

    /// Four passes of whole rows (GIF 89a, appendix E), of a frame that covers `frame` of the picture's rows; before
    /// them come the rows above it and those below.
    package init(gif size: PixelSize, frame: Range<Int>) {
        self.size = size
        let places =
            [(0, 1, frame.lowerBound), (frame.upperBound, 1, size.height)]
            + [(0, 8), (4, 8), (2, 4), (1, 2)].map { (frame.lowerBound + $0, $1, frame.upperBound) }
        passes = places.compactMap { top, down, end in
            guard top < end else { return nil }
            let rows = PixelSize(size.width, (end - top + down - 1) / down)
            return Pass(left: 0, top: top, across: 1, down: down, size: rows)
        }
    }
}
