extension ScanDecoder {
    // Safety of both loops: `blocks` are `count` blocks of 64 values and `masks` their `count` masks, inside a
    // coefficient row that lives as long as the call; positions in a block are 0...63 where they index it.

    /// A band of coefficients for the first time.
    func firstAC(_ blocks: UnsafeMutablePointer<Int16>, _ masks: UnsafeMutablePointer<UInt64>, _ count: Int) {
        var reader = self.reader
        var sawBadCode = false
        let source = self.source
        let table = acTables[0]
        let (first, last, low) = (scan.firstCoefficient, scan.lastCoefficient, scan.low)
        var at = 0
        var toSkip = blocksToSkip
        while at < count {
            if toSkip > 0 {
                let skipped = min(toSkip, count &- at)
                toSkip &-= skipped
                at &+= skipped
                continue
            }
            let block = unsafe blocks + at &* 64
            var mask = unsafe masks[at]
            var k = first
            while k <= last {
                reader.fill(source)
                let entry = reader.entry(table, &sawBadCode)
                let size = Int(entry & 15)
                let run = Int((entry &>> 4) & 15)
                if size != 0 {
                    // A run beyond the block's end is damage that libjpeg maps to the last coefficient.
                    let position = min(k &+ run, 63)
                    let value = Int16(
                        truncatingIfNeeded: reader.value(behind: Int((entry &>> 8) & 255), size: size) &<< low
                    )
                    unsafe block[ZigzagPlaces.natural(position)] = value
                    mask = Self.note(value, at: position, in: mask)
                    k = position &+ 1
                    reader.skip(Int(entry &>> 16))
                } else {
                    reader.skip(Int(entry &>> 16))
                    if run == 15 {
                        k &+= 16
                    } else {
                        toSkip = (1 &<< run) &- 1
                        if run > 0 { toSkip &+= reader.take(run) }
                        break
                    }
                }
            }
            unsafe masks[at] = mask
            at &+= 1
            if sawBadCode || reader.isPastEnd { break }
        }
        blocksToSkip = toSkip
        self.sawBadCode = sawBadCode
        self.reader = reader
    }

    /// One more bit of the coefficients in a band that are not zero, and new ones of the lowest value.
    ///
    /// Which are not zero is known from the masks, so the bits of many come in one piece, and blocks of an
    /// end-of-band run that have none are not touched.
    func refineAC(_ blocks: UnsafeMutablePointer<Int16>, _ masks: UnsafeMutablePointer<UInt64>, _ count: Int)
    {
        var reader = self.reader
        var sawBadCode = false
        let source = self.source
        let table = acTables[0]
        let (first, last) = (scan.firstCoefficient, scan.lastCoefficient)
        let bit = Int16(truncatingIfNeeded: 1 << scan.low)
        let upToLast = UInt64.max &>> UInt64(63 - last)
        var toSkip = blocksToSkip
        for at in 0..<count {
            let block = unsafe blocks + at &* 64
            var mask = unsafe masks[at]
            var k = first
            if toSkip == 0 {
                while k <= last {
                    reader.fill(source)
                    let entry = reader.entry(table, &sawBadCode)
                    let run = Int((entry &>> 4) & 15)
                    let size = Int(entry & 15)
                    reader.skip(Int((entry &>> 8) & 255))
                    var value: Int16 = 0
                    if size != 0 {
                        // The size must be 1.
                        sawBadCode = sawBadCode || size != 1
                        value = reader.take(1) != 0 ? bit : 0 &- bit
                    } else if run != 15 {
                        toSkip = 1 &<< run
                        if run > 0 { toSkip &+= reader.take(run) }
                        break
                    }
                    // The place behind `run` coefficients that are zero, or the one behind the band.
                    let rest = upToLast & (UInt64.max &<< UInt64(truncatingIfNeeded: k))
                    var zeros = ~mask & rest
                    for _ in 0..<run { zeros &= zeros &- 1 }
                    let target = zeros == 0 ? last &+ 1 : zeros.trailingZeroBitCount
                    let before = zeros == 0 ? rest : rest & ((zeros & (0 &- zeros)) &- 1)
                    unsafe Self.refine(block, mask & before, bit, &reader, source)
                    if value != 0 {
                        // Behind the band's end is damage that libjpeg lets pass likewise.
                        let position = min(target, 63)
                        unsafe block[ZigzagPlaces.natural(position)] = value
                        mask |= 1 &<< UInt64(truncatingIfNeeded: position)
                    }
                    k = target &+ 1
                }
            }
            if toSkip > 0 {
                // `k` is at most 63 here: the code that began the run was read inside the band.
                let rest = upToLast & (UInt64.max &<< UInt64(truncatingIfNeeded: k))
                unsafe Self.refine(block, mask & rest, bit, &reader, source)
                toSkip &-= 1
            }
            unsafe masks[at] = mask
            if sawBadCode || reader.isPastEnd { break }
        }
        blocksToSkip = toSkip
        self.sawBadCode = sawBadCode
        self.reader = reader
    }

    /// Reads a correction bit for each coefficient of `which` and lays it on.
    @inline(__always)
    private static func refine(
        _ block: UnsafeMutablePointer<Int16>, _ which: UInt64, _ bit: Int16, _ reader: inout BitReader,
        _ source: ScanBytes
    ) {
        var which = which
        while which != 0 {
            reader.fill(source)
            let n = min(which.nonzeroBitCount, 56)
            var corrections = reader.bits
            reader.skip(n)
            for _ in 0..<n {
                let place = ZigzagPlaces.natural(which.trailingZeroBitCount)
                which &= which &- 1
                let old = unsafe block[place]
                let isWanted = Int16(truncatingIfNeeded: Int64(bitPattern: corrections) &>> 63)
                corrections &<<= 1
                // Away from zero, unless the bit is there already (only damaged files have it).
                let sign = old &>> 15
                let isNew: Int16 = old & bit == 0 ? -1 : 0
                unsafe block[place] = old &+ (((bit ^ sign) &- sign) & isWanted & isNew)
            }
        }
    }

    /// The mask with a coefficient that was just stored; only damaged files store a zero.
    @inline(__always)
    private static func note(_ value: Int16, at position: Int, in mask: UInt64) -> UInt64 {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: position)
        return value != 0 ? mask | bit : mask & ~bit
    }
}
