/// The marker segments around the entropy-coded data: JFIF, tables, frame and scan header, nothing else.
enum JPEGHeader {
    /// The tables a scan uses, those for chroma only if it has chroma.
    struct Tables {
        let quantisation: QuantisationTables
        /// DC and AC of luma, then of chroma.
        let huffman: [HuffmanTable]
    }

    /// Everything before the entropy-coded data.
    static func bytes(_ geometry: ScanGeometry, _ tables: Tables) -> [UInt8] {
        var bytes = beforeTables(geometry, tables.quantisation, isProgressive: false)
        var huffman: [UInt8] = []
        for (index, table) in tables.huffman.enumerated() {
            append(table, isAC: index % 2 == 1, number: index / 2, to: &huffman)
        }
        append(0xC4, huffman, to: &bytes)

        var scan: [UInt8] = [UInt8(geometry.componentCount)]
        for component in 0..<geometry.componentCount {
            scan += [UInt8(component + 1), component == 0 ? 0x00 : 0x11]
        }
        append(0xDA, scan + [0, 63, 0], to: &bytes)
        return bytes
    }

    /// Everything up to the first Huffman table.
    static func beforeTables(
        _ geometry: ScanGeometry, _ tables: QuantisationTables, isProgressive: Bool
    ) -> [UInt8] {
        // SOI, then APP0: JFIF 1.01, pixels are square, no thumbnail.
        var bytes: [UInt8] = [0xFF, 0xD8]
        append(0xE0, [0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0], to: &bytes)

        var quantisation: [UInt8] = []
        for (index, table) in [tables.luma, tables.chroma].prefix(min(2, geometry.componentCount))
            .enumerated()
        {
            quantisation.append(UInt8(index))
            quantisation += CoefficientOrder.naturalOfZigzag.map { table[$0] }
        }
        append(0xDB, quantisation, to: &bytes)

        var frame: [UInt8] = [8]
        frame += twoBytes(geometry.height) + twoBytes(geometry.width) + [UInt8(geometry.componentCount)]
        for component in 0..<geometry.componentCount {
            let sampling: UInt8 = geometry.blocksPerMCU(of: component) == 4 ? 0x22 : 0x11
            frame += [UInt8(component + 1), sampling, component == 0 ? 0 : 1]
        }
        append(isProgressive ? 0xC2 : 0xC0, frame, to: &bytes)
        return bytes
    }

    /// Tables and header of one scan of a progressive file.
    static func appendScan(_ scan: ScanScript.Scan, _ tables: [HuffmanTable], to bytes: inout [UInt8]) {
        let isAC = scan.band.lowerBound > 0
        var huffman: [UInt8] = []
        for (number, table) in tables.enumerated() { append(table, isAC: isAC, number: number, to: &huffman) }
        append(0xC4, huffman, to: &bytes)
        var header: [UInt8] = [UInt8(scan.components.count)]
        for component in scan.components {
            // AC tables have number 0; DC tables have luma's and chroma's.
            header += [UInt8(component + 1), isAC || component == 0 ? 0x00 : 0x10]
        }
        header += [
            UInt8(scan.band.lowerBound), UInt8(scan.band.upperBound), UInt8(scan.high << 4 | scan.low),
        ]
        append(0xDA, header, to: &bytes)
    }

    private static func append(_ table: HuffmanTable, isAC: Bool, number: Int, to segment: inout [UInt8]) {
        // The class (0 for DC, 1 for AC) above the table's number.
        segment.append(UInt8((isAC ? 16 : 0) + number))
        segment += table.lengthCounts
        segment += table.symbols
    }

    static let end: [UInt8] = [0xFF, 0xD9]

    /// Length of `bytes` and `end`, of which the tables in `huffman` have `huffmanBytes`.
    static func byteCount(_ geometry: ScanGeometry, huffmanBytes: Int) -> Int {
        byteCountBeforeTables(geometry) + (4 + huffmanBytes) + (8 + 2 * geometry.componentCount) + 2
    }

    /// Length of `beforeTables`.
    static func byteCountBeforeTables(_ geometry: ScanGeometry) -> Int {
        let components = geometry.componentCount
        return 2 + 18 + (4 + 65 * min(2, components)) + (10 + 3 * components)
    }

    private static func append(_ marker: UInt8, _ payload: [UInt8], to bytes: inout [UInt8]) {
        bytes += [0xFF, marker] + twoBytes(payload.count + 2) + payload
    }

    private static func twoBytes(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
