/// The bytes of a JPEG that show, kept while it is decoded, so that it may pass without loss.
///
/// One JFIF header of our own stands in front: it says YCbCr or grey beyond doubt, and holds no thumbnail.
package struct LosslessCopy: Sendable {
    package private(set) var bytes: [UInt8]
    /// Whether the copy is given up and empty: more than `limit` bytes came, or the file lacks what it needs.
    package private(set) var isOverfull = false
    private let limit: Int
    private var tables = ScanTables()

    /// SOI, then JFIF 1.01 (ITU-T T.871): no unit, density 1 : 1, no thumbnail.
    package static let head: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0,
    ]

    package init(limit: Int) {
        self.limit = limit
        bytes = Self.head
    }

    /// Keeps a segment, if a sequential picture needs it: what libjpeg passes over could hold anything.
    package mutating func append(segment: [UInt8], marker: UInt8) {
        switch marker {
        case JPEGMarker.dqt, JPEGMarker.dht, JPEGMarker.dri:
            do { try tables.take(segment, marker: marker) } catch { return drop() }
        case JPEGMarker.sos:
            guard hasCodes(for: segment) else { return drop() }
        case _ where JPEGMarker.isFrame(marker): break
        default: return
        }
        append(segment.span)
    }

    /// Whether the file brings the codes of a scan itself.
    ///
    /// Frames of Motion JPEG do not: libjpeg takes the usual ones then, but other readers refuse them.
    private func hasCodes(for scan: [UInt8]) -> Bool {
        let count = scan.count > 4 ? Int(scan[4]) : 0
        guard scan.count >= 5 + 2 * count else { return false }
        return (0..<count).allSatisfy { component in
            let numbers = scan[6 + 2 * component]
            let (dc, ac) = (Int(numbers >> 4), Int(numbers & 15))
            return dc < 4 && ac < 4 && tables.huffman[dc] != nil && tables.huffman[4 + ac] != nil
        }
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
        tables = ScanTables()
    }
}
