/// How a source picture comes to lie in a profile's box: which part of it, at which size.
package struct Placement: Hashable, Sendable {
    /// Size of the output, upright.
    package let size: PixelSize
    /// The shown part of the upright source, in its pixels.
    package let x: Double
    package let y: Double
    package let width: Double
    package let height: Double

    /// The whole picture inside the box: never enlarged, sides rounded half up and at least 1.
    package static func inside(_ box: PixelSize, of source: PixelSize) -> Placement {
        let (w, h) = (source.width, source.height)
        let size =
            if w <= box.width, h <= box.height {
                source
            } else if w * box.height >= h * box.width {
                PixelSize(box.width, halfUp(h * box.width, over: w))
            } else {
                PixelSize(halfUp(w * box.height, over: h), box.height)
            }
        return Placement(size: size, x: 0, y: 0, width: Double(w), height: Double(h))
    }

    /// The centred part that fills the box; of a source smaller than the box the centred part of the box's
    /// shape that its short side allows, never enlarged.
    package static func filling(_ box: PixelSize, of source: PixelSize) -> Placement {
        let (w, h) = (Double(source.width), Double(source.height))
        let isNarrow = source.width * box.height <= source.height * box.width
        let scale = isNarrow ? w / Double(box.width) : h / Double(box.height)
        let shownWidth = isNarrow ? w : Double(box.width) * scale
        let shownHeight = isNarrow ? Double(box.height) * scale : h
        let size =
            if scale >= 1 {
                box
            } else if isNarrow {
                PixelSize(source.width, halfUp(box.height * source.width, over: box.width))
            } else {
                PixelSize(halfUp(box.width * source.height, over: box.height), source.height)
            }
        return Placement(
            size: size, x: (w - shownWidth) / 2, y: (h - shownHeight) / 2, width: shownWidth,
            height: shownHeight)
    }

    /// A side, rounded half up and at least 1.
    ///
    /// In whole numbers: in binary fractions many a half falls just below, that of every 4:3 photograph included.
    private static func halfUp(_ product: Int, over divisor: Int) -> Int {
        max(1, (2 * product + divisor) / (2 * divisor))
    }

    /// The same placement as it lies in the stored picture, before it is turned upright.
    package func stored(_ orientation: Orientation, source: PixelSize) -> Placement {
        let upright = orientation.turned(source)
        let mirroredX = Double(upright.width) - x - width
        let mirroredY = Double(upright.height) - y - height
        let (u, v): (Double, Double) =
            switch orientation {
            case .upright, .transposed: (x, y)
            case .mirrored, .rotated90: (mirroredX, y)
            case .rotated180, .transversed: (mirroredX, mirroredY)
            case .flipped, .rotated270: (x, mirroredY)
            }
        guard orientation.swapsAxes else {
            return Placement(size: size, x: u, y: v, width: width, height: height)
        }
        return Placement(size: orientation.turned(size), x: v, y: u, width: height, height: width)
    }

    /// The region of rows decoded at `numerator`/8 of the stored size.
    package func region(scale numerator: Int, of source: PixelSize) -> SourceRegion {
        let k = Double(numerator) / 8
        // A sample that the stored picture covers only in part also carries block padding: not usable.
        let usable = PixelSize(
            max(1, source.width * numerator / 8), max(1, source.height * numerator / 8))
        return SourceRegion(x: x * k, y: y * k, width: width * k, height: height * k, usable: usable)
    }
}
