/// The bytes of a JPEG that show, kept while it is decoded, so that it may pass without loss.
///
/// One JFIF header of our own stands in front: it says YCbCr or grey beyond doubt, and holds no thumbnail. Tables are
/// written anew, before the scan that uses them: those that none uses could hold anything.
package struct LosslessCopy: Sendable {
    package private(set) var bytes: [UInt8]
    /// Whether the copy is given up and empty: more than `limit` bytes came, or the file lacks what it needs.
    package private(set) var isOverfull = false
    private let limit: Int
    /// What the file has said so far, and what of it the copy has.
    private var (tables, written) = (ScanTables(), ScanTables())
    /// The frame header; it is written before the first scan.
    private var frame: [UInt8] = []
    private var hasFrame = false

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
            guard let head = head(of: segment) else { return drop() }
            append(head.span)
            append(segment.span)
        case _ where JPEGMarker.isFrame(marker): frame = segment
        default: break
        }
    }

    /// What must stand before a scan: the tables it uses, as far as the copy does not have them, and the frame.
    ///
    /// Nil where the file does not bring them itself. Frames of Motion JPEG do not: libjpeg takes the usual codes then,
    /// but other readers refuse them.
    private mutating func head(of scan: [UInt8]) -> [UInt8]? {
        let count = scan.count > 4 ? Int(scan[4]) : 0
        guard scan.count >= 5 + 2 * count else { return nil }
        var (quantisers, codes): (Set<Int>, Set<Int>) = ([], [])
        for component in 0..<count {
            let numbers = scan[6 + 2 * component]
            let (dc, ac) = (Int(numbers >> 4), Int(numbers & 15))
            guard dc < 4, ac < 4, let quantiser = quantiser(of: scan[5 + 2 * component]) else { return nil }
            quantisers.insert(quantiser)
            codes.formUnion([dc, 4 + ac])
        }
        var (dqt, dht): ([UInt8], [UInt8]) = ([], [])
        for number in quantisers.sorted() {
            guard let values = tables.quantisers[number] else { return nil }
            guard values != written.quantisers[number] else { continue }
            let isWide = values.contains { $0 > 255 }
            dqt.append((isWide ? 0x10 : 0) | UInt8(number))
            dqt += values.flatMap { isWide ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0)] }
        }
        for place in codes.sorted() {
            guard let code = tables.huffman[place] else { return nil }
            if code != written.huffman[place] { dht += [UInt8((place / 4) << 4 | place % 4)] + code }
        }
        let start = hasFrame ? [] : frame
        hasFrame = true
        let dri = [UInt8(tables.restartInterval >> 8), UInt8(tables.restartInterval & 255)]
        return write(JPEGMarker.dqt, dqt) + start + write(JPEGMarker.dht, dht)
            + (tables.restartInterval == written.restartInterval ? [] : write(JPEGMarker.dri, dri))
    }

    /// The number of the quantisation table of a component, by its identifier; nil for one that is not unique.
    private func quantiser(of component: UInt8) -> Int? {
        let places = stride(from: 10, to: frame.count - 2, by: 3).filter { frame[$0] == component }
        guard places.count == 1, let place = places.first, frame[place + 2] < 4 else { return nil }
        return Int(frame[place + 2])
    }

    /// A segment of tables that the copy then has, or none for none.
    private mutating func write(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        guard !body.isEmpty else { return [] }
        let length = body.count + 2
        let segment = [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
        do { try written.take(segment, marker: marker) } catch { drop() }
        return segment
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
        (tables, written, frame) = (ScanTables(), ScanTables(), [])
    }
}
