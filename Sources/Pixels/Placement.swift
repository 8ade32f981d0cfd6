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
        let (w, h) = (Double(source.width), Double(source.height))
        let scale = min(1, Double(box.width) / w, Double(box.height) / h)
        // With scale the smaller of the two, rounding cannot leave the box.
        let size = PixelSize(max(1, Int(w * scale + 0.5)), max(1, Int(h * scale + 0.5)))
        return Placement(size: size, x: 0, y: 0, width: w, height: h)
    }

    /// The centred part that fills the box; of a source smaller than the box the centred part of the box's
    /// shape that its short side allows, never enlarged.
    package static func filling(_ box: PixelSize, of source: PixelSize) -> Placement {
        let (w, h) = (Double(source.width), Double(source.height))
        let scale = min(w / Double(box.width), h / Double(box.height))
        let (shownWidth, shownHeight) = (Double(box.width) * scale, Double(box.height) * scale)
        let down = min(1, scale)
        let size = PixelSize(
            max(1, Int(Double(box.width) * down + 0.5)), max(1, Int(Double(box.height) * down + 0.5)))
        return Placement(
            size: size, x: (w - shownWidth) / 2, y: (h - shownHeight) / 2, width: shownWidth,
            height: shownHeight)
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
