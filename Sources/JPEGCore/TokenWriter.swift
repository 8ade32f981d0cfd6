/// Writes the file of blocks that are quantised already, in one interleaved scan.
enum TokenWriter {
    /// The file, or nil if it has more than `limit` bytes.
    static func write(
        _ geometry: ScanGeometry, _ coding: PictureCoding, _ tokens: [BlockTokens], limit: Int
    ) -> [UInt8]? {
        let tables = JPEGHeader.Tables(quantisation: coding.quantisation, huffman: coding.huffman)
        let header = JPEGHeader.bytes(geometry, tables)
        let room = limit - header.count - JPEGHeader.end.count
        guard room > 0 else { return nil }
        var fits = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit + JPEGWriter.slack) { output, count in
            guard let base = output.baseAddress else { return }
            for (index, byte) in header.enumerated() { unsafe base[index] = byte }
            let start = unsafe base + header.count
            let scan = TokenScan(geometry: geometry, coding: coding, tokens: tokens)
            guard let length = unsafe scan.write(at: start, room: room) else { return }
            for (index, byte) in JPEGHeader.end.enumerated() { unsafe start[length + index] = byte }
            count = header.count + length + JPEGHeader.end.count
            fits = true
        }
        return fits ? bytes : nil
    }
}

/// The entropy-coded data of an interleaved scan.
private struct TokenScan {
    let geometry: ScanGeometry
    let coding: PictureCoding
    let tokens: [BlockTokens]

    /// Its length, or nil if it has more than `room` bytes.
    ///
    /// Safety: `room` + `JPEGWriter.slack` writable bytes at `start`.
    func write(at start: UnsafeMutablePointer<UInt8>, room: Int) -> Int? {
        var writer = unsafe EntropyWriter(start: start)
        let components = 0..<geometry.componentCount
        let codes = components.map { component in
            let tables = component > 0 ? coding.chroma ?? coding.luma : coding.luma
            return tables.dc.packedCodes + tables.ac.packedCodes
        }
        var next = [Int](repeating: 0, count: components.count)
        var lastDC = next
        for _ in 0..<(geometry.mcusAcross * geometry.mcusDown) {
            for component in components {
                for _ in 0..<geometry.blocksPerMCU(of: component) {
                    unsafe tokens[component].words.withUnsafeBufferPointer { words in
                        guard let words = words.baseAddress else { return }
                        // There are as many blocks in the tokens as in the scan.
                        let block = unsafe TokenReader(words + next[component])
                        unsafe codes[component].withUnsafeBufferPointer { codes in
                            guard let codes = codes.baseAddress else { return }
                            unsafe put(block, lastDC[component], codes, &writer, &next[component], words)
                        }
                        lastDC[component] = block.dc
                    }
                }
            }
            if unsafe writer.end - start > room { return nil }
        }
        writer.finish()
        let length = unsafe writer.end - start
        return length > room ? nil : length
    }

    /// Puts one block and moves `next` behind it.
    ///
    /// Safety: 512 codes, and room for a block in the writer.
    @inline(__always)
    private func put(
        _ block: TokenReader, _ lastDC: Int, _ codes: UnsafePointer<UInt32>, _ writer: inout EntropyWriter,
        _ next: inout Int, _ words: UnsafePointer<UInt16>
    ) {
        var block = block
        unsafe put(block.dc &- lastDC, codes, &writer)
        let ac = unsafe codes + SymbolCounts.size
        var position = 0
        while true {
            let (here, value) = block.next()
            if here == 0 { break }
            var run = here &- position &- 1
            position = here
            while run > 15 {
                unsafe putCode(ac[0xF0], &writer)
                run &-= 16
            }
            unsafe put(value, ac + run &* 16, &writer)
        }
        if position < 63 { unsafe putCode(ac[0], &writer) }
        unsafe next = block.end - words
    }

    /// The code of a value's category and the value's bits.
    @inline(__always)
    private func put(_ value: Int, _ codes: UnsafePointer<UInt32>, _ writer: inout EntropyWriter) {
        let category = 64 &- value.magnitude.leadingZeroBitCount
        let packed = unsafe codes[category]
        let bits = UInt32(truncatingIfNeeded: value &+ (value &>> 63)) & ((1 &<< UInt32(category)) &- 1)
        writer.put(UInt64((packed & 0x07FF_FFFF) | bits), Int(packed &>> 27))
    }

    @inline(__always)
    private func putCode(_ packed: UInt32, _ writer: inout EntropyWriter) {
        writer.put(UInt64(packed & 0x07FF_FFFF), Int(packed &>> 27))
    }
}
