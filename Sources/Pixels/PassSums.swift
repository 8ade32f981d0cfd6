/// What the passes of an interlaced picture add up to: a 16-bit sum for each sample of the output.
///
/// A linear filter does not care about order, and the part of it that falls on one pass is a filter with fewer
/// taps, along columns and rows as before. Each pass therefore runs through the same window of open rows, and only
/// its finished output rows are added here: at most seven times, so that seven roundings are all that is lost.
struct PassSums {
    /// Linear light 1.0 is half as many times that of `SRGBCurve`.
    ///
    /// Sums wrap, so only the range of finished ones must fit 16 bits. A Lanczos-3 filter that meets its source half
    /// way between two samples weighs by 1.27 and −0.27, along both axes by 1.69 and −0.69; at 3 there is room for
    /// −0.83 up to 1.83. Only pictures of a few samples get further, and at 2 from −1.5 to 2.5.
    private let scale: Int32
    /// What is added to a sum to make the least one zero.
    private let bias: UInt16

    /// The filter's tables for all the rows and columns of the source.
    let columns: FilterTable
    let rows: FilterTable
    private let picture: Interlace
    private let size: PixelSize
    private let channels: Int
    private let light: PageBuffer<UInt16>
    /// Rows that came of each pass that has begun.
    private var rowsTaken: [Int] = []

    init(_ picture: Interlace, columns: FilterTable, rows: FilterTable, size: PixelSize, channels: Int) {
        self.picture = picture
        self.columns = columns
        self.rows = rows
        self.size = size
        self.channels = channels
        light = PageBuffer(count: size.area * channels)
        let (n, m) = (columns.mostBelowZero, rows.mostBelowZero)
        scale = n * (1 + m) + m * (1 + n) < 0.82 ? 3 : 2
        bias = scale == 3 ? 20480 : 24576
    }

    /// Bytes the sums take.
    static func memoryNeed(size: PixelSize, channels: Int) -> Int { size.area * channels * 2 }

    /// Notes how many rows a pass had in the end.
    mutating func endPass(rowsTaken count: Int) { rowsTaken.append(count) }

    /// Adds a pass's share of an output row.
    ///
    /// - Parameter sums: red, green and blue of `size.width` pixels, each light × `FilterTable.one`.
    func add(_ sums: UnsafePointer<Int32>, row y: Int) {
        let count = size.width &* channels
        let base = y &* count
        let half = FilterTable.one
        let scale = scale
        // Below 1.83 × 2²⁸, or 2.5 × 2²⁸, that many times a sum stays within 32 bits.
        @inline(__always) func scaled(_ sum: Int32) -> UInt16 {
            UInt16(truncatingIfNeeded: (sum &* scale &+ half) &>> (FilterTable.shift &+ 1))
        }
        unsafe light.withUnsafeMutableBufferPointer { light in
            if channels == 3 {
                for i in 0..<count { unsafe light[base &+ i] &+= scaled(sums[i]) }
            } else {
                for i in 0..<count { unsafe light[base &+ i] &+= scaled(sums[3 &* i]) }
            }
        }
    }

    /// Writes the finished picture; sums that have become samples are given back on the way.
    func encode(_ encoder: LightEncoder, into bitmap: PageBuffer<UInt8>) {
        let rowCount = size.width * channels
        var row = [Int32](repeating: 0, count: rowCount)
        unsafe light.withUnsafeBufferPointer { light in
            unsafe bitmap.withUnsafeMutableBufferPointer { samples in
                guard rowsTaken == picture.passes.map(\.size.height) else {
                    return unsafe encodePart(light, encoder, into: samples)
                }
                guard let samples = samples.baseAddress else { return }
                for y in 0..<size.height {
                    unsafe row.withUnsafeMutableBufferPointer { row in
                        let base = y &* rowCount
                        for i in 0..<rowCount {
                            unsafe row[i] = min(max(value(light[base &+ i]), 0), SRGBCurve.white)
                        }
                        guard let row = row.baseAddress else { return }
                        unsafe encoder.encode(row, step: 1, count: rowCount, into: samples + base)
                    }
                    // Seldom enough for the calls to cost nothing.
                    if y % 64 == 63 { self.light.discard(before: (y + 1) * rowCount) }
                }
            }
        }
    }

    /// A sum as light on the scale of the curve.
    @inline(__always)
    private func value(_ sum: UInt16) -> Int32 {
        let signed = Int32(sum &+ bias) &- Int32(bias)
        return scale == 2 ? signed : (signed &* 43691 &+ 32768) &>> 16  // times 2 / 3
    }
}

// A picture that ended early. Each pixel of a pass stands for the block that later passes would have refined: where
// the weights that came are enough, the sum is divided by them; elsewhere the block's pixel lies to the left, or above.
extension PassSums {
    private func encodePart(
        _ light: UnsafeBufferPointer<UInt16>, _ encoder: LightEncoder,
        into samples: UnsafeMutableBufferPointer<UInt8>
    ) {
        guard let samples = samples.baseAddress else { return }
        let shares = zip(picture.passes, rowsTaken).map { pass, count in
            (
                columns: columns.sums(first: pass.left, step: pass.across, count: pass.size.width),
                rows: rows.sums(first: pass.top, step: pass.down, count: count)
            )
        }
        // Half of what whole passes bring on average: between the pixels of a coarse pass there may be less.
        let whole = zip(picture.passes, rowsTaken).filter { $0.size.height == $1 }.map(\.0.size.area)
        let share = max(Double(whole.reduce(0, +)) / Double(picture.size.area), 1 / 64)
        let least = Int(Double(FilterTable.one) * Double(FilterTable.one) * share / 2)
        let rowCount = size.width * channels
        var row = [Int32](repeating: 0, count: rowCount)
        var weights = [Int](repeating: 0, count: size.width)
        var firstKnown: Int?
        for y in 0..<size.height {
            for x in 0..<size.width {
                weights[x] = shares.reduce(0) { $0 + Int($1.columns[x]) * Int($1.rows[y]) }
            }
            // A row of which nothing is known looks like the one above.
            let range = (y * rowCount)..<((y + 1) * rowCount)
            let isKnown = unsafe add(
                UnsafeBufferPointer(rebasing: light[range]), weights, least, into: &row)
            var from = y
            if isKnown, firstKnown == nil {
                firstKnown = y
                from = 0
            }
            unsafe row.withUnsafeBufferPointer { row in
                guard let row = row.baseAddress else { return }
                for line in from...y {
                    unsafe encoder.encode(row, step: 1, count: rowCount, into: samples + line * rowCount)
                }
            }
        }
    }

    /// Makes a row, each unknown pixel as its left neighbour; false and unchanged when none is known.
    private func add(
        _ light: UnsafeBufferPointer<UInt16>, _ weights: [Int], _ least: Int, into row: inout [Int32]
    ) -> Bool {
        guard let start = weights.firstIndex(where: { $0 >= least }) else { return false }
        for x in start..<size.width {
            for at in (x * channels)..<((x + 1) * channels) {
                guard weights[x] >= least else {
                    row[at] = row[at - channels]
                    continue
                }
                let sum = unsafe Int(value(light[at])) << (2 * Int(FilterTable.shift))
                row[at] = Int32(min(max(sum / weights[x], 0), Int(SRGBCurve.white)))
            }
        }
        for at in 0..<(start * channels) { row[at] = row[start * channels + at % channels] }
        return true
    }
}
