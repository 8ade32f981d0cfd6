/// What one quantisation table costs: symbols and Huffman tables of luma, or of both chroma components.
struct ComponentCoding {
    let quantiser: BlockQuantiser
    let dc: HuffmanTable
    let ac: HuffmanTable

    /// Bits of the entropy-coded data.
    var bits: Int { dc.totalBits + ac.totalBits }
    var headerBytes: Int { dc.headerBytes + ac.headerBytes }

    init(quantiser: BlockQuantiser, counts: SymbolCounts) {
        self.quantiser = quantiser
        dc = HuffmanTable(counts: counts.dc)
        ac = HuffmanTable(counts: counts.ac)
    }
}

/// A complete choice of tables for a picture, with its size by arithmetic.
struct PictureCoding {
    let quantisation: QuantisationTables
    let luma: ComponentCoding
    let chroma: ComponentCoding?

    var huffman: [HuffmanTable] { [luma.dc, luma.ac] + (chroma.map { [$0.dc, $0.ac] } ?? []) }
    var entropyBytes: Int { (luma.bits + (chroma?.bits ?? 0) + 7) / 8 }

    /// Length of the file without the zero bytes that byte stuffing adds.
    func unstuffedBytes(_ geometry: ScanGeometry) -> Int {
        let huffmanBytes = luma.headerBytes + (chroma?.headerBytes ?? 0)
        return JPEGHeader.byteCount(geometry, huffmanBytes: huffmanBytes) + entropyBytes
    }
}
