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

    /// A picture from which the part that fills a box is cut.
    package struct Filling: Hashable, Sendable {
        /// The picture, which covers the box.
        package let cover: Placement
        /// Size of the part, upright.
        package let size: PixelSize
    }

    /// The whole picture, scaled to cover the box, and the size of what is to be cut out of it: the box, or of a source
    /// smaller than the box the largest part of the box's shape, never enlarged.
    ///
    /// Of a source much longer than the box it is the centred part that is `longest` times as long: what it takes is
    /// bounded by the box alone.
    package static func filling(_ box: PixelSize, of source: PixelSize) -> Filling {
        let (w, h) = (source.width, source.height)
        let isNarrow = w * box.height <= h * box.width
        let scale = max(1, isNarrow ? Double(w) / Double(box.width) : Double(h) / Double(box.height))
        var size = box
        var cover = box
        if isNarrow {
            if w < box.width { size = PixelSize(w, halfUp(box.height * w, over: box.width)) }
            // Whole pixels of the output, so that it is scaled alike both ways; less than one of them is lost.
            let height = w < box.width ? h : h * box.width / w
            cover = PixelSize(size.width, min(height, longest * size.height))
        } else {
            if h < box.height { size = PixelSize(halfUp(box.width * h, over: box.height), h) }
            let width = h < box.height ? w : w * box.height / h
            cover = PixelSize(min(width, longest * size.width), size.height)
        }
        let (width, height) = (
            isNarrow ? Double(w) : Double(cover.width) * scale,
            isNarrow ? Double(cover.height) * scale : Double(h)
        )
        return Filling(
            cover: Placement(
                size: cover, x: (Double(w) - width) / 2, y: (Double(h) - height) / 2, width: width,
                height: height),
            size: size)
    }

    /// How many times longer than a box a picture may be that is made to fill it.
    private static let longest = 4

    /// What a part of this picture shows of the source; it begins at pixel `x`, `y` of this picture.
    package func part(x left: Int, y top: Int, size part: PixelSize) -> Placement {
        let (across, down) = (width / Double(size.width), height / Double(size.height))
        return Placement(
            size: part, x: x + Double(left) * across, y: y + Double(top) * down,
            width: Double(part.width) * across, height: Double(part.height) * down)
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
