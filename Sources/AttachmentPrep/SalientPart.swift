internal import Pixels

/// What an output shows of a finished picture: all of it, or the part that shows most.
struct SalientPart {
    /// Upright, of the output's size.
    let bitmap: Bitmap
    /// Where it lies in the upright source.
    let shown: Placement

    /// - Parameter picture: upright.
    init(of picture: consuming Bitmap, _ target: Admission.Target) {
        guard target.isCut else {
            bitmap = picture
            shown = target.upright
            return
        }
        let (x, y) = SalientCrop.origin(of: target.size, in: picture)
        bitmap = picture.part(x: x, y: y, size: target.size)
        shown = target.upright.part(x: x, y: y, size: target.size)
    }

    /// Bytes that cutting takes besides the picture as it lies in the stored one: it upright, and what finds the part or
    /// the part itself.
    static func memoryNeed(_ target: Admission.Target) -> Int {
        let picture = target.upright.size
        return picture.area * 3 + max(SalientCrop.memoryNeed(picture), target.size.area * 3)
    }
}
