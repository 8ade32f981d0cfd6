extension BitReader {
    /// The entry of the next code; skips nothing.
    ///
    /// A code that stands for nothing gives a symbol and a length of 0.
    @inline(__always)
    func entry(_ table: HuffmanLookup, _ sawBadCode: inout Bool) -> UInt32 {
        // Safety: the table has an entry for each value of its bits.
        let entry = table.short[Int(truncatingIfNeeded: bits &>> UInt64(64 - HuffmanLookup.shortBits))]
        if entry != 0 { return entry }
        if let long = table.long(bits) { return long }
        sawBadCode = true
        return 0
    }

    /// The signed value in the `size` bits behind a code of `length` bits (T.81, F.2.2.1), 0 for no bits.
    @inline(__always)
    func value(behind length: Int, size: Int) -> Int {
        let rest = bits &<< UInt64(truncatingIfNeeded: length)
        let range = (1 &<< size) &- 1
        // All ones where the value is positive: its first bit is set.
        let positive = Int(truncatingIfNeeded: Int64(bitPattern: rest) &>> 63)
        // In two shifts, because one by 64 does nothing.
        let raw = Int(truncatingIfNeeded: (rest &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        return raw &- (~positive & range)
    }

    /// Decodes a DC difference.
    @inline(__always)
    mutating func difference(_ table: HuffmanLookup, _ source: ScanBytes, _ sawBadCode: inout Bool) -> Int {
        fill(source)
        let entry = entry(table, &sawBadCode)
        let value = value(behind: Int((entry &>> 8) & 255), size: Int(entry & 15))
        skip(Int(entry &>> 16))
        return value
    }
}

extension ScanDecoder {
    // Safety of all loops: `starts[i]` is the first of `count` blocks that lie `places[i].step` values apart,
    // inside a coefficient row that lives as long as the call.

    /// DC differences of a progressive scan's first pass.
    func firstDC(_ places: [BlockPlace], _ starts: [UnsafeMutablePointer<Int16>], _ count: Int) {
        var reader = self.reader
        var sawBadCode = false
        let source = self.source
        let low = Int(scan.low)
        unsafe withPredictors { predictors in
            for mcu in 0..<count {
                for i in places.indices {
                    let place = places[i]
                    let difference = reader.difference(dcTables[place.predictor], source, &sawBadCode)
                    unsafe predictors[place.predictor] &+= difference
                    unsafe starts[i][mcu &* place.step] = Int16(
                        truncatingIfNeeded: predictors[place.predictor] &<< low)
                }
                if sawBadCode || reader.isPastEnd { break }
            }
        }
        self.sawBadCode = sawBadCode
        self.reader = reader
    }

    /// One more bit of each DC coefficient.
    func refineDC(_ places: [BlockPlace], _ starts: [UnsafeMutablePointer<Int16>], _ count: Int) {
        var reader = self.reader
        let source = self.source
        let bit = Int16(truncatingIfNeeded: 1 << scan.low)
        for mcu in 0..<count {
            for i in places.indices {
                if reader.count == 0 { reader.fill(source) }
                if reader.take(1) != 0 { unsafe starts[i][mcu &* places[i].step] |= bit }
            }
            if reader.isPastEnd { break }
        }
        self.reader = reader
    }

    /// Whole blocks of a sequential scan.
    func sequential(_ places: [BlockPlace], _ starts: [UnsafeMutablePointer<Int16>], _ count: Int) {
        var reader = self.reader
        var sawBadCode = false
        let source = self.source
        unsafe withPredictors { predictors in
            for mcu in 0..<count {
                for i in places.indices {
                    let place = places[i]
                    let block = unsafe starts[i] + mcu &* place.step
                    let difference = reader.difference(dcTables[place.predictor], source, &sawBadCode)
                    unsafe predictors[place.predictor] &+= difference
                    unsafe block[0] = Int16(truncatingIfNeeded: predictors[place.predictor])
                    unsafe Self.sequentialAC(
                        block, acTables[place.predictor], &reader, source, &sawBadCode)
                }
                if sawBadCode || reader.isPastEnd { break }
            }
        }
        self.sawBadCode = sawBadCode
        self.reader = reader
    }

    @inline(__always)
    private static func sequentialAC(
        _ block: UnsafeMutablePointer<Int16>, _ table: HuffmanLookup, _ reader: inout BitReader,
        _ source: ScanBytes, _ sawBadCode: inout Bool
    ) {
        var k = 1
        while k < 64 {
            reader.fill(source)
            let entry = reader.entry(table, &sawBadCode)
            let size = Int(entry & 15)
            let run = Int((entry &>> 4) & 15)
            if size != 0 {
                // A run beyond the block's end is damage that libjpeg maps to the last coefficient.
                let position = min(k &+ run, 63)
                let value = reader.value(behind: Int((entry &>> 8) & 255), size: size)
                unsafe block[ZigzagPlaces.natural(position)] = Int16(truncatingIfNeeded: value)
                k = position &+ 1
            } else if run == 15 {
                k &+= 16
            } else {
                k = 64
            }
            reader.skip(Int(entry &>> 16))
        }
    }

    private func withPredictors(_ body: (UnsafeMutablePointer<Int>) -> Void) {
        unsafe predictors.withUnsafeMutableBufferPointer { buffer in
            // Four of them, one for each component that a scan can have.
            if let base = buffer.baseAddress { unsafe body(base) }
        }
    }
}

/// Row-major places of zigzag positions, for inner loops.
enum ZigzagPlaces {
    /// Safety: 64 entries that live as long as the process.
    nonisolated(unsafe) private static let table: UnsafeMutablePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
        for (position, place) in CoefficientOrder.naturalOfZigzag.enumerated() {
            unsafe table[position] = UInt8(place)
        }
        return unsafe table
    }()

    /// Safety: `position` must be 0...63.
    @inline(__always)
    static func natural(_ position: Int) -> Int { unsafe Int(table[position]) }
}
