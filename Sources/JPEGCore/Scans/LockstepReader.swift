/// Decodes a JPEG of several scans with a row of MCUs or a few in memory: a decoder for each scan, all of them one
/// row at a time (libjpeg keeps the coefficients of the whole picture instead).
package final class LockstepReader {
    /// The rows decoded last, used in turn: row r is the one at r modulo their count.
    package let rows: [CoefficientRow]
    private let decoders: [ScanDecoder]
    /// Whole DC scans write the same coefficients again in every row, and nothing else.
    private let clearsRows: Bool
    private var nextRow = 0

    /// What all decoders' buffers take together, unless there are so many that each gets the least.
    private static let bufferBytes = 512 * 1024
    private static let bufferSizes = 1024...8192
    /// However many are allowed.
    package static let mostScans = 4096
    /// What a frame header is taken to be followed by; what goes beyond is known when all scans were seen.
    private static let foreseenScans = 100
    /// A decoder and its place in the index.
    private static let decoderBytes = 2048 + ScanBytes.memoryNeed(capacity: bufferSizes.lowerBound)
    /// A Huffman table as it was read and as a decoder wants it.
    private static let tableBytes = 5 * 1024

    /// Bytes a reader of a frame needs with up to `maxScans` scans, a table each, so far as that can be foreseen.
    package static func memoryNeed(_ geometry: FrameGeometry, maxScans: Int) -> Int {
        CoefficientRow.memoryNeed(geometry) + 2 * bufferBytes
            + min(maxScans, foreseenScans) * (decoderBytes + tableBytes)
    }

    /// Bytes a reader of these scans that keeps `rowCount` rows needs beyond what was foreseen.
    package static func memoryBeyondHeader(
        _ index: borrowing ScanIndex, maxScans: Int, rowCount: Int
    ) -> Int {
        let actual = index.scans.count * decoderBytes + index.tableCount * tableBytes
        let rows = index.geometry.map { (rowCount - 1) * CoefficientRow.memoryNeed($0) } ?? 0
        return rows + max(0, actual - min(maxScans, foreseenScans) * (decoderBytes + tableBytes))
    }

    /// - Parameters:
    ///   - isDCOnly: reads the scans of DC coefficients alone; all others are zero then.
    ///   - mayBeCut: whether a scan in which the input ends is read as far as it goes.
    ///   - rowCount: how many rows to keep.
    package init(
        _ index: borrowing ScanIndex, _ file: any RandomAccessBytes, isDCOnly: Bool, mayBeCut: Bool,
        rowCount: Int = 1
    ) throws(ScanError) {
        if let inconsistency = index.inconsistency { throw inconsistency }
        guard let geometry = index.geometry else { throw .truncated }
        guard index.scans.count <= Self.mostScans else { throw .tooManyScans }
        rows = (0..<max(1, rowCount)).map { _ in CoefficientRow(geometry) }
        clearsRows = !isDCOnly || mayBeCut
        let isProgressive = index.isProgressive
        let scans = index.scans.filter { !isDCOnly || $0.isDC }
        let share = Self.bufferBytes / max(1, scans.count)
        let capacity = min(max(share, Self.bufferSizes.lowerBound), Self.bufferSizes.upperBound)
        var tables = TableShelf()
        var decoders: [ScanDecoder] = []
        for scan in scans {
            let needsDC = !isProgressive || (scan.isDC && scan.high == 0)
            let needsAC = !isProgressive || !scan.isDC
            decoders.append(
                ScanDecoder(
                    scan, geometry, ScanBytes(file, scan.bytes, capacity: capacity),
                    dcTables: needsDC ? try tables.lookups(scan.dcTables, isDC: true) : [],
                    acTables: needsAC ? try tables.lookups(scan.acTables, isDC: false) : [],
                    isProgressive: isProgressive, mayBeCut: mayBeCut && scan.isCut))
        }
        self.decoders = decoders
    }

    package var geometry: FrameGeometry { rows[0].geometry }

    /// Whether the last scan of the file reaches a row that was decoded.
    package func isReached(_ row: Int) -> Bool { decoders.last?.lastRow.map { row <= $0 } ?? true }

    /// Decodes the next row; false when there is none.
    package func next() throws(ScanError) -> Bool {
        guard nextRow < geometry.mcuRows else { return false }
        let row = rows[nextRow % rows.count]
        if clearsRows { row.clear() }
        for decoder in decoders { try decoder.decode(row: nextRow, into: row) }
        nextRow += 1
        return true
    }

    /// After the last row: whether there was more data than the picture needs.
    package var isOdd: Bool { decoders.contains { $0.finish() } }
}

/// Decoding tables by their content: most scans of a file share them.
private struct TableShelf {
    private var lookups: [[UInt8]: HuffmanLookup] = [:]

    mutating func lookups(_ tables: [[UInt8]?], isDC: Bool) throws(ScanError) -> [HuffmanLookup] {
        var result: [HuffmanLookup] = []
        for table in tables {
            guard let table else { throw .corrupt("a scan before its Huffman table") }
            if let known = lookups[[isDC ? 1 : 0] + table] {
                result.append(known)
                continue
            }
            guard let lookup = HuffmanLookup(table, isDC: isDC) else {
                throw .corrupt("damaged Huffman table")
            }
            lookups[[isDC ? 1 : 0] + table] = lookup
            result.append(lookup)
        }
        return result
    }
}
