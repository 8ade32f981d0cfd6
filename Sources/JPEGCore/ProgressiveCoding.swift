/// The Huffman tables of a progressive file's scans, and its size by arithmetic.
struct ProgressiveCoding {
    struct Part {
        let scan: ScanScript.Scan
        /// One table, or luma's and chroma's in the DC scan of a picture in colour.
        let tables: [HuffmanTable]
        /// Bits of the entropy-coded data.
        let bits: Int

        var entropyBytes: Int { (bits + 7) / 8 }
        /// DHT, SOS and data.
        var bytes: Int {
            tables.reduce(4) { $0 + $1.headerBytes } + 8 + scan.components.count * 2 + entropyBytes
        }
    }

    let parts: [Part]

    init(_ script: ScanScript, _ geometry: ScanGeometry, _ coding: PictureCoding, _ tokens: [BlockTokens]) {
        parts = script.scans(components: geometry.componentCount).map { scan in
            guard scan.band.upperBound > 0 else {
                // The same differences in the same order as in a sequential file.
                let tables = [coding.luma.dc] + (coding.chroma.map { [$0.dc] } ?? [])
                return Part(scan: scan, tables: tables, bits: tables.reduce(0) { $0 + $1.totalBits })
            }
            let tally = ScanTally(scan, geometry, tokens, rows: .all)
            let table = HuffmanTable(counts: tally.counts[...])
            return Part(scan: scan, tables: [table], bits: tally.bits + table.totalBits)
        }
    }

    var entropyBytes: Int { parts.reduce(0) { $0 + $1.entropyBytes } }

    /// Length of the file without the zero bytes that byte stuffing adds.
    func unstuffedBytes(_ geometry: ScanGeometry) -> Int {
        parts.reduce(JPEGHeader.byteCountBeforeTables(geometry) + JPEGHeader.end.count) { $0 + $1.bytes }
    }
}

/// Writes a progressive file.
enum ProgressiveWriter {
    /// The file, or nil if it has more than `limit` bytes.
    static func write(
        _ geometry: ScanGeometry, _ quantisation: QuantisationTables, _ coding: ProgressiveCoding,
        _ tokens: [BlockTokens], limit: Int
    ) -> [UInt8]? {
        var bytes = JPEGHeader.beforeTables(geometry, quantisation, isProgressive: true)
        for part in coding.parts {
            JPEGHeader.appendScan(part.scan, part.tables, to: &bytes)
            // Stuffing at most doubles a scan.
            let room = part.entropyBytes * 2 + 2 * EntropyWriter.burst
            bytes += unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
                guard let start = output.baseAddress else { return }
                var sink = unsafe ScanWriter(writer: EntropyWriter(start: start), tables: part.tables)
                ScanWalk(geometry: geometry, tokens: tokens, scan: part.scan).run(&sink)
                sink.writer.finish()
                unsafe count = sink.writer.end - start
            }
            if bytes.count > limit { return nil }
        }
        bytes += JPEGHeader.end
        return bytes.count > limit ? nil : bytes
    }
}

private struct ScanWriter: SymbolSink {
    var writer: EntropyWriter
    let luma: [UInt32]
    let chroma: [UInt32]

    init(writer: EntropyWriter, tables: [HuffmanTable]) {
        self.writer = writer
        luma = tables.first?.packedCodes ?? []
        chroma = tables.last?.packedCodes ?? []
    }

    @inline(__always)
    mutating func put(_ symbol: Int, _ appended: UInt32, isChroma: Bool) {
        let packed = isChroma ? chroma[symbol] : luma[symbol]
        writer.put(UInt64((packed & 0x07FF_FFFF) | appended), Int(packed &>> 27))
    }

    @inline(__always)
    mutating func putBits(_ bits: UInt64, _ count: Int) {
        // The writer takes 27 at a time.
        var rest = count
        while rest > 24 {
            rest &-= 24
            writer.put((bits &>> UInt64(rest)) & 0xFF_FFFF, 24)
        }
        writer.put(bits & ((1 &<< UInt64(rest)) &- 1), rest)
    }
}
