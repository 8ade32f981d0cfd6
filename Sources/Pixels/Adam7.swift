/// The passes of an interlaced picture (PNG specification, 8.2): seven lattices that together hold each pixel once.
package struct Adam7: Sendable {
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

    private static let lattices: [(left: Int, top: Int, across: Int, down: Int)] = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
        (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    package init(_ size: PixelSize) {
        self.size = size
        passes = Self.lattices.compactMap { at in
            guard at.left < size.width, at.top < size.height else { return nil }
            let columns = (size.width - at.left + at.across - 1) / at.across
            let rows = (size.height - at.top + at.down - 1) / at.down
            return Pass(
                left: at.left, top: at.top, across: at.across, down: at.down, size: PixelSize(columns, rows))
        }
    }
}
