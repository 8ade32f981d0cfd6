package import Pixels

/// What a JPEG source has to say about one output made of it.
package struct SourceLimit: Sendable {
    let quantisation: SourceQuantisation
    /// Pixels of the source that the output shows.
    private let shownArea: Double
    /// The source's chroma, where the output's blocks are the source's own as long as it keeps all of its pixels.
    private let ownSubsampling: Subsampling?
    private let isTurned: Bool

    /// - Parameters:
    ///   - subsampling: the source's, as `4:2:0`.
    ///   - placement: as it lies in the stored picture.
    package init(
        _ quantisation: SourceQuantisation, subsampling: String?, placement: Placement,
        orientation: Orientation
    ) {
        self.quantisation = quantisation
        shownArea = placement.width * placement.height
        isTurned = orientation.swapsAxes
        let kept: Subsampling? =
            switch subsampling {
            case "4:2:0": .s420
            case "4:0:0", "4:4:4", "4:2:2", "4:4:0": .s444
            default: nil
            }
        let side = subsampling == "4:0:0" || subsampling == "4:4:4" ? 8.0 : 16
        // Of a mirrored axis the far end becomes the first block's edge.
        func isOnGrid(_ start: Double, _ length: Double, mirrored: Bool) -> Bool {
            (mirrored ? start + length : start).truncatingRemainder(dividingBy: side) == 0
        }
        let mirrored = orientation.mirrorsStored
        let isWhole =
            placement.width == Double(placement.size.width)
            && placement.height == Double(placement.size.height)
            && isOnGrid(placement.x, placement.width, mirrored: mirrored.x)
            && isOnGrid(placement.y, placement.height, mirrored: mirrored.y)
        ownSubsampling = isWhole ? kept : nil
    }

    /// The quality above which a picture of this size shows nothing more of the source.
    func worthwhileQuality(_ size: PixelSize) -> Double {
        quantisation.worthwhileQuality(reduction: (shownArea / Double(max(1, size.area))).squareRoot())
    }

    /// How to write the source's own values again; nil where the picture's blocks are not the source's.
    func own(_ size: PixelSize, minQuality: Double) -> (tables: QuantisationTables, subsampling: Subsampling)?
    {
        guard let ownSubsampling, shownArea == Double(size.area),
            let tables = quantisation.ownTables(isTurned: isTurned, minQuality: minQuality)
        else { return nil }
        return (tables, ownSubsampling)
    }
}

extension Orientation {
    /// Which stored axes run backwards in the upright picture.
    fileprivate var mirrorsStored: (x: Bool, y: Bool) {
        switch self {
        case .upright, .transposed: (false, false)
        case .mirrored, .rotated270: (true, false)
        case .rotated180, .transversed: (true, true)
        case .flipped, .rotated90: (false, true)
        }
    }
}
