/// The bytes of a JPEG that show, kept while it is decoded, so that it may pass without loss.
///
/// One JFIF header of our own stands in front: it says YCbCr or grey beyond doubt, and holds no thumbnail.
package struct LosslessCopy: Sendable {
    package private(set) var bytes: [UInt8]
    /// Whether more than `limit` bytes came: the copy is given up and empty.
    package private(set) var isOverfull = false
    private let limit: Int

    /// SOI, then JFIF 1.01 (ITU-T T.871): no unit, density 1 : 1, no thumbnail.
    package static let head: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0,
    ]

    package init(limit: Int) {
        self.limit = limit
        bytes = Self.head
    }

    /// Keeps a segment, unless it is the SOI or application data.
    package mutating func append(segment: [UInt8], marker: UInt8) {
        guard marker != JPEGMarker.soi, !JPEGMarker.isApplicationData(marker) else { return }
        append(segment.span)
    }

    /// Keeps entropy-coded bytes.
    package mutating func append(_ more: Span<UInt8>) {
        guard !isOverfull else { return }
        guard bytes.count + more.count + 2 <= limit else {
            drop()
            return
        }
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Ends the picture.
    package mutating func end() {
        guard !isOverfull else { return }
        bytes += [0xFF, JPEGMarker.eoi]
    }

    /// Gives the copy up and its memory back.
    package mutating func drop() {
        isOverfull = true
        bytes = []
    }
}
