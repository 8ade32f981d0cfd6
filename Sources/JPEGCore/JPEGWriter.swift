internal import Pixels

/// Writes a whole file for tables that have been decided on.
enum JPEGWriter {
    /// Most bytes one block can take: 64 symbols of at most 27 bits, every byte stuffed.
    private static let blockBound = 64 * 27 / 8 * 2

    /// Room beyond the limit, so that it need only be looked at once an MCU (at most six blocks).
    static let slack = 6 * blockBound + 2 * EntropyWriter.burst

    /// The file, or nil as soon as it is sure to have more than `limit` bytes.
    static func write(_ image: CoefficientImage, _ coding: PictureCoding, limit: Int) -> [UInt8]? {
        let tables = JPEGHeader.Tables(quantisation: coding.quantisation, huffman: coding.huffman)
        let header = JPEGHeader.bytes(image.geometry, tables)
        let room = limit - header.count - JPEGHeader.end.count
        guard room > 0 else { return nil }
        var fits = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit + slack) { output, count in
            guard let base = output.baseAddress else { return }
            for (index, byte) in header.enumerated() { unsafe base[index] = byte }
            let start = unsafe base + header.count
            guard let length = unsafe writeScan(image, coding, at: start, room: room) else { return }
            for (index, byte) in JPEGHeader.end.enumerated() { unsafe start[length + index] = byte }
            count = header.count + length + JPEGHeader.end.count
            fits = true
        }
        return fits ? bytes : nil
    }

    /// Entropy-coded data; its length, or nil if it has more than `room` bytes.
    ///
    /// Safety: `room` + `slack` writable bytes at `start`.
    private static func writeScan(
        _ image: CoefficientImage, _ coding: PictureCoding, at start: UnsafeMutablePointer<UInt8>, room: Int
    ) -> Int? {
        let chroma = coding.chroma ?? coding.luma
        let codes =
            coding.luma.dc.packedCodes + coding.luma.ac.packedCodes + chroma.dc.packedCodes
            + chroma.ac.packedCodes
        var length: Int?
        unsafe codes.withUnsafeBufferPointer { codes in
            unsafe image.coefficients.withUnsafeBufferPointer { coefficients in
                unsafe coding.luma.quantiser.withFactors { lumaFactors in
                    unsafe chroma.quantiser.withFactors { chromaFactors in
                        guard let codes = codes.baseAddress,
                            let coefficients = coefficients.baseAddress
                        else { return }
                        unsafe length = ScanPass(
                            geometry: image.geometry, coefficients: coefficients, codes: codes,
                            lumaFactors: lumaFactors, chromaFactors: chromaFactors
                        ).write(at: start, room: room)
                    }
                }
            }
        }
        return length
    }
}

/// One pass over the scan's blocks; all its addresses come from `JPEGWriter` and outlive it.
@safe private struct ScanPass {
    let geometry: ScanGeometry
    let coefficients: UnsafePointer<Int16>
    /// 256 packed codes each: luma DC, luma AC, chroma DC, chroma AC.
    let codes: UnsafePointer<UInt32>
    let lumaFactors: UnsafePointer<SIMD8<UInt16>>
    let chromaFactors: UnsafePointer<SIMD8<UInt16>>

    /// Safety: as `JPEGWriter.writeScan`.
    func write(at start: UnsafeMutablePointer<UInt8>, room: Int) -> Int? {
        var writer = unsafe EntropyWriter(start: start)
        let lumaBlocks = geometry.blocksPerMCU(of: 0)
        let colour = geometry.componentCount == 3
        let mcus = geometry.mcusAcross * geometry.mcusDown
        var luma = unsafe coefficients
        var blue = unsafe coefficients + (colour ? geometry.firstBlock(of: 1) * 64 : 0)
        var red = unsafe coefficients + (colour ? geometry.firstBlock(of: 2) * 64 : 0)
        var lastLuma = 0
        var lastBlue = 0
        var lastRed = 0
        let limit = unsafe start + room
        // Safety: at the top of the loop at most `room` bytes are written; an MCU adds less than the slack.
        for _ in 0..<mcus {
            for _ in 0..<lumaBlocks {
                unsafe put(luma, lumaFactors, codes, last: &lastLuma, into: &writer)
                unsafe luma += 64
            }
            if colour {
                unsafe put(blue, chromaFactors, codes + 512, last: &lastBlue, into: &writer)
                unsafe put(red, chromaFactors, codes + 512, last: &lastRed, into: &writer)
                unsafe blue += 64
                unsafe red += 64
            }
            if unsafe writer.end > limit { return nil }
        }
        writer.finish()
        return unsafe writer.end > limit ? nil : writer.end - start
    }

    /// Puts one block.
    ///
    /// Safety: 64 coefficients, 24 vectors, 512 codes, and room for a block in the writer.
    @inline(__always)
    private func put(
        _ block: UnsafePointer<Int16>, _ factors: UnsafePointer<SIMD8<UInt16>>,
        _ codes: UnsafePointer<UInt32>, last: inout Int, into writer: inout EntropyWriter
    ) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { buffer in
            guard let base = buffer.baseAddress else { return }
            let magnitudes = unsafe base.bindMemory(to: UInt16.self, capacity: 64)
            var mask = unsafe BlockQuantiser.quantise(block, factors, magnitudes: magnitudes)
            let size = unsafe Int(magnitudes[0])
            let value = unsafe block[0] < 0 ? 0 &- size : size
            let difference = value &- last
            last = value
            let category = 64 &- difference.magnitude.leadingZeroBitCount
            unsafe putSymbol(
                codes[category], UInt32(truncatingIfNeeded: difference &+ (difference &>> 63)), category,
                &writer)

            let ac = unsafe codes + 256
            mask &= ~1
            var position = 0
            while mask != 0 {
                let next = mask.trailingZeroBitCount
                mask &= mask &- 1
                var run = next &- position &- 1
                position = next
                while run > 15 {
                    unsafe putSymbol(ac[0xF0], 0, 0, &writer)
                    run &-= 16
                }
                let slot = CoefficientOrder.slot(ofZigzag: next)
                let magnitude = unsafe UInt32(magnitudes[slot])
                let category = 32 &- (magnitude | 1).leadingZeroBitCount
                // A negative number is written as its magnitude's complement.
                let sign = unsafe UInt32(truncatingIfNeeded: Int32(block[slot]) &>> 31)
                unsafe putSymbol(ac[run &* 16 &+ category], magnitude ^ sign, category, &writer)
            }
            if position != 63 { unsafe putSymbol(ac[0], 0, 0, &writer) }
        }
    }

    /// A packed code (see `HuffmanTable.packedCodes`) and the low `category` bits of `bits`.
    @inline(__always)
    private func putSymbol(_ packed: UInt32, _ bits: UInt32, _ category: Int, _ writer: inout EntropyWriter) {
        let appended = bits & ((1 &<< UInt32(truncatingIfNeeded: category)) &- 1)
        writer.put(UInt64((packed & 0x07FF_FFFF) | appended), Int(packed &>> 27))
    }
}
