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
        // SOI, then APP0: JFIF 1.01, pixels are square, no thumbnail.
        var bytes: [UInt8] = [0xFF, 0xD8]
        append(0xE0, [0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0], to: &bytes)

        var quantisation: [UInt8] = []
        let divisors = [tables.quantisation.luma, tables.quantisation.chroma]
        for (index, table) in divisors.prefix(geometry.componentCount == 1 ? 1 : 2).enumerated() {
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
        append(0xC0, frame, to: &bytes)

        var huffman: [UInt8] = []
        for (index, table) in tables.huffman.enumerated() {
            // The class (0 for DC, 1 for AC) above the table's number.
            huffman.append(UInt8(index % 2 * 16 + index / 2))
            huffman += table.lengthCounts
            huffman += table.symbols
        }
        append(0xC4, huffman, to: &bytes)

        var scan: [UInt8] = [UInt8(geometry.componentCount)]
        for component in 0..<geometry.componentCount {
            scan += [UInt8(component + 1), component == 0 ? 0x00 : 0x11]
        }
        append(0xDA, scan + [0, 63, 0], to: &bytes)
        return bytes
    }

    static let end: [UInt8] = [0xFF, 0xD9]

    /// Length of `bytes` and `end`, of which the tables in `huffman` have `huffmanBytes`.
    static func byteCount(_ geometry: ScanGeometry, huffmanBytes: Int) -> Int {
        let components = geometry.componentCount
        let quantisation = 4 + 65 * (components == 1 ? 1 : 2)
        return 2 + 18 + quantisation + (10 + 3 * components) + (4 + huffmanBytes) + (8 + 2 * components) + 2
    }

    private static func append(_ marker: UInt8, _ payload: [UInt8], to bytes: inout [UInt8]) {
        bytes += [0xFF, marker] + twoBytes(payload.count + 2) + payload
    }

    private static func twoBytes(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
