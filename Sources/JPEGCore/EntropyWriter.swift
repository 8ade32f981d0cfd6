/// Packs bits into bytes, most significant first, with a zero byte after each 0xFF.
@safe struct EntropyWriter {
    private var pending: UInt64 = 0
    private var pendingBits = 0
    @safe private(set) var end: UnsafeMutablePointer<UInt8>

    /// Most bytes `put` touches beyond what is already written: four bytes, each stuffed.
    static let burst = 8

    /// Safety: the caller makes sure that `start` has room before it puts anything.
    init(start: UnsafeMutablePointer<UInt8>) { end = unsafe start }

    /// Appends the low `count` ≤ 27 bits of `bits`, whose other bits are zero.
    ///
    /// Safety: `burst` writable bytes at `end`.
    @inline(__always)
    mutating func put(_ bits: UInt64, _ count: Int) {
        pending = pending &<< UInt64(truncatingIfNeeded: count) | bits
        pendingBits &+= count
        if pendingBits >= 32 {
            pendingBits &-= 32
            let word = UInt32(truncatingIfNeeded: pending &>> UInt64(truncatingIfNeeded: pendingBits))
            // Some byte is 0xFF exactly if its complement is zero: the usual test for a zero byte.
            if (~word &- 0x0101_0101) & word & 0x8080_8080 == 0 {
                unsafe UnsafeMutableRawPointer(end).storeBytes(of: word.bigEndian, as: UInt32.self)
                unsafe end += 4
            } else {
                unsafe end = Self.stuff(word, at: end)
            }
        }
    }

    /// Writes a word that contains 0xFF.
    ///
    /// Static, so that the fields above can stay in registers.
    @inline(never)
    private static func stuff(_ word: UInt32, at start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<
        UInt8
    > {
        var end = unsafe start
        var rest = word
        for _ in 0..<4 {
            let byte = UInt8(truncatingIfNeeded: rest &>> 24)
            unsafe end[0] = byte
            unsafe end[1] = 0
            unsafe end += byte == 0xFF ? 2 : 1
            rest &<<= 8
        }
        return unsafe end
    }

    /// Fills the last byte with ones.
    ///
    /// Safety: needs `burst` writable bytes.
    mutating func finish() {
        let fill = (8 - pendingBits % 8) % 8
        pending = pending << UInt64(fill) | (1 << UInt64(fill) - 1)
        pendingBits += fill
        while pendingBits > 0 {
            pendingBits -= 8
            let byte = UInt8(truncatingIfNeeded: pending >> UInt64(pendingBits))
            end[0] = byte
            end[1] = 0
            unsafe end += byte == 0xFF ? 2 : 1
        }
    }
}
