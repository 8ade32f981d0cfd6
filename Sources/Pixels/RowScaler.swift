/// Scales a picture while its rows arrive: four linear-light rows in, at any time a handful alive, a bitmap out.
///
/// Each pair of rows is filtered horizontally at once and then added, with its weights, to the output rows it
/// takes part in. No more than `FilterTable.overlap` (seven or so) output rows are open, whatever the reduction,
/// so memory depends on the output alone. All arithmetic is integer: every machine gives the same bytes.
package final class RowScaler {
    package let size: PixelSize
    /// 1 or 3 channels in the bitmap; rows come in as red, green and blue.
    package let channels: Int
    /// Of the rows that come: all there are, or those of the current pass.
    private var columns: FilterTable
    private var rows: FilterTable
    private var openRows: Int
    /// Two pairs of horizontally filtered rows, each interleaved: three channels a pixel, a 16-bit lane of either row.
    private var filtered: [SIMD4<Int32>]
    /// `openRows` accumulators of one output row each, used in turn.
    private var sums: [SIMD4<Int32>]
    /// Vectors of four samples in a row of `size.width` × 3, an even number.
    private let vectors: Int
    private let bitmap: PageBuffer<UInt8>
    private let encoder: LightEncoder
    /// Of an interlaced picture: where the passes are added up.
    private var passes: PassSums?
    private var firstOpen = 0
    private var nextOpen = 0

    /// - Parameters:
    ///   - source: the part of the incoming rows to be shown and how many samples of them carry picture.
    ///   - size: of the bitmap.
    ///   - channels: 1 or 3.
    ///   - toSRGB: from the primaries of the rows to sRGB's.
    ///   - interlace: says that rows come pass by pass, each of which must be begun.
    package init(
        source: SourceRegion, size: PixelSize, channels: Int, toSRGB: ColourMatrix? = nil,
        interlace: Interlace? = nil
    ) {
        encoder = LightEncoder(toSRGB)
        self.size = size
        self.channels = channels
        columns = FilterTable(
            origin: source.x, extent: source.width, sourceCount: source.usable.width, count: size.width)
        rows = FilterTable(
            origin: source.y, extent: source.height, sourceCount: source.usable.height, count: size.height)
        openRows = rows.overlap
        vectors = (size.width * 3 + 7) / 8 * 2
        // One vector more for each pair: a pixel is stored as four lanes, the idle one into what follows.
        filtered = [SIMD4<Int32>](repeating: .zero, count: 2 * (vectors + 1))
        sums = [SIMD4<Int32>](repeating: .zero, count: vectors * openRows)
        // Nothing of a large one is resident before it is written to, here or at the end of the last pass.
        // Of passes it takes the sums' place, a few rows at a time.
        bitmap = PageBuffer(count: size.area * channels, fillsGradually: interlace != nil)
        if let interlace {
            passes = PassSums(interlace, columns: columns, rows: rows, size: size, channels: channels)
        }
    }

    /// Bytes a scaler of this shape takes, its bitmap included.
    package static func memoryNeed(
        source: SourceRegion, size: PixelSize, channels: Int, isInterlaced: Bool = false
    ) -> Int {
        let tables =
            FilterTable.memoryNeed(extent: source.width, count: size.width)
            + FilterTable.memoryNeed(extent: source.height, count: size.height)
        let rowBytes = (size.width * 3 + 12) * 4
        guard isInterlaced else { return tables + rowBytes * 11 + size.area * channels }
        // A pass has tables of its own, and a pair of its rows lies up to 16 rows of the picture apart.
        let reduction = max(source.height / Double(size.height), 1)
        return tables * 2 + rowBytes * (11 + Int(16 / reduction)) + size.area * channels
            + PassSums.memoryNeed(size: size, channels: channels)
    }

    /// Begins a pass of an interlaced picture: the rows that follow are its own, counted from 0.
    func begin(_ pass: Interlace.Pass) {
        guard let whole = passes else { return }
        columns = whole.columns
        if pass.across > 1 {
            columns = FilterTable(
                whole.columns, first: pass.left, step: pass.across, sourceCount: pass.size.width)
        }
        rows = FilterTable(whole.rows, first: pass.top, step: pass.down, sourceCount: pass.size.height)
        openRows = rows.overlap
        sums = []
        sums = [SIMD4<Int32>](repeating: .zero, count: vectors * openRows)
        (firstOpen, nextOpen) = (0, 0)
    }

    /// Ends a pass after `count` of its rows; the pair of an odd last one must have been black.
    func endPass(rowsTaken count: Int) {
        // Output rows that still wait for rows which will not come keep what they have.
        for open in firstOpen..<nextOpen where Int(rows.starts[open] + rows.counts[open]) > (count + 1) / 2 {
            emit(open)
        }
        passes?.endPass(rowsTaken: count)
    }

    /// Takes the four rows from 2 × `pair` on, or only the first two of them; they come in order from the top.
    ///
    /// A last row without a partner comes with any second row: its weights are zero.
    func push(_ four: UnsafePointer<PixelPair>, pair: Int, isWhole: Bool) {
        let last = isWhole ? pair + 1 : pair
        guard isOpen(for: pair) || nextOpen < size.height && rows.starts[nextOpen] <= last else { return }
        unsafe filter(four)
        if isWhole { addBoth(from: pair) } else { add(pair: pair) }
    }

    /// Opens the output rows that begin with a pair; whether it takes part in any.
    private func isOpen(for pair: Int) -> Bool {
        while nextOpen < size.height, Int(rows.starts[nextOpen]) <= pair { nextOpen += 1 }
        return firstOpen < nextOpen
    }

    /// Adds the first filtered pair to the output rows it takes part in.
    func add(pair: Int) { add(pair: pair, place: 0) }

    private func add(pair: Int, place: Int) {
        guard isOpen(for: pair) else { return }
        for open in firstOpen..<nextOpen {
            let tap = pair - Int(rows.starts[open])
            if tap < Int(rows.counts[open]) { add(tap, of: open, place: place) }
        }
        closeRows(upTo: pair)
    }

    /// Adds both filtered pairs, at once where an output row is made of both.
    private func addBoth(from pair: Int) {
        if isOpen(for: pair) {
            for open in firstOpen..<nextOpen {
                let tap = pair - Int(rows.starts[open])
                let left = Int(rows.counts[open]) - tap
                if left > 1 { addTwo(tap, of: open) } else if left == 1 { add(tap, of: open, place: 0) }
            }
            closeRows(upTo: pair)
        }
        let joined = nextOpen
        guard isOpen(for: pair + 1) else { return }
        // A row of a pass may be made of none of its pairs.
        for open in joined..<nextOpen where rows.counts[open] > 0 { add(0, of: open, place: 1) }
        closeRows(upTo: pair + 1)
    }

    private func closeRows(upTo pair: Int) {
        while firstOpen < nextOpen, Int(rows.starts[firstOpen] + rows.counts[firstOpen]) <= pair + 1 {
            firstOpen += 1
        }
    }

    /// The finished picture; rows that never came are left black.
    package func finish() -> Bitmap {
        passes?.encode(encoder, into: bitmap)
        passes = nil
        return Bitmap(size: size, channels: channels, pixels: bitmap)
    }

    /// Horizontal pass.
    ///
    /// Every start + count of the table lies inside the rows by construction of `FilterTable`,
    /// and the store of pixel x ends at byte 12x + 16, inside its half of `filtered`.
    private func filter(_ four: UnsafePointer<PixelPair>) {
        let stride = columns.stride
        let width = size.width
        let second = 16 &* (vectors &+ 1)
        let half = SIMD4<Int32>(repeating: FilterTable.one / 2)
        unsafe columns.starts.withUnsafeBufferPointer { starts in
            unsafe columns.counts.withUnsafeBufferPointer { counts in
                unsafe columns.pairs.withUnsafeBufferPointer { pairs in
                    unsafe filtered.withUnsafeMutableBytes { out in
                        for x in 0..<width {
                            var light = unsafe four + FourRows.vectors &* Int(starts[x])
                            let base = x &* stride
                            var (red, green, blue) = (half, half, half)
                            for k in 0..<(unsafe Int(counts[x])) {
                                let weights = unsafe broadcast(pairs[base &+ k])
                                unsafe red &+= multiplyAddPairs(light[0], weights)
                                unsafe green &+= multiplyAddPairs(light[1], weights)
                                unsafe blue &+= multiplyAddPairs(light[2], weights)
                                unsafe light += FourRows.vectors
                            }
                            let (upper, lower) = Self.byRows(red, green, blue)
                            unsafe out.storeBytes(of: upper, toByteOffset: x &* 12, as: SIMD4<Int32>.self)
                            unsafe out.storeBytes(
                                of: lower, toByteOffset: second &+ x &* 12, as: SIMD4<Int32>.self)
                        }
                    }
                }
            }
        }
    }

    /// From sums of four rows for each channel to lanes of the channels for each two rows; the last lane idles.
    @inline(__always)
    private static func byRows(
        _ red: SIMD4<Int32>, _ green: SIMD4<Int32>, _ blue: SIMD4<Int32>
    ) -> (SIMD4<Int32>, SIMD4<Int32>) {
        // The 16 bits from `shift` on, which a shift down from the top leaves in a form that packs at once.
        @inline(__always) func light(_ sum: SIMD4<Int32>) -> SIMD4<Int32> {
            (sum &<< (16 - FilterTable.shift)) &>> 16
        }
        let redGreen = narrowed(light(red), light(green))
        let twice = narrowed(light(blue), light(blue))
        // All are 16 bytes of plain integers: now a lane for each two rows.
        let lanes = unsafe SIMD8(
            lowHalf: unsafeBitCast(redGreen, to: SIMD4<Int32>.self),
            highHalf: unsafeBitCast(twice, to: SIMD4<Int32>.self))
        return (lanes.evenHalf, lanes.oddHalf)
    }

    /// Horizontal pass of one row of a pair, whose light is made block by block: no more of a long row exists at once.
    ///
    /// - Parameters:
    ///   - block: has room for `mostPairs` and more.
    ///   - light: writes the light of these pairs of the row to a place.
    func filter(
        isLower: Bool, pair: Int, by block: UnsafeMutableBufferPointer<PixelPair>,
        _ light: (Range<Int>, UnsafeMutablePointer<PixelPair>) -> Void
    ) {
        guard isOpen(for: pair), let base = block.baseAddress else { return }
        var x = 0
        while x < size.width {
            // As many output samples as there is room for what they are made of; starts never go back.
            let first = Int(columns.starts[x])
            var end = first + Int(columns.counts[x])
            guard end - first <= block.count else { return }
            var next = x + 1
            while next < size.width {
                let far = max(end, Int(columns.starts[next] + columns.counts[next]))
                if far - first > block.count { break }
                end = far
                next += 1
            }
            if first < end { unsafe light(first..<end, base) }
            unsafe filter(x..<next, of: base, from: first, isLower: isLower)
            x = next
        }
    }

    /// Writes the low lanes, and nothing to the high ones, or adds the high ones: an upper row alone has a black partner.
    ///
    /// The samples lie in `light` from pair `first` on, and the store of pixel x ends as in the pass above.
    private func filter(
        _ range: Range<Int>, of light: UnsafePointer<PixelPair>, from first: Int, isLower: Bool
    ) {
        let stride = columns.stride
        unsafe columns.pairs.withUnsafeBufferPointer { pairs in
            unsafe filtered.withUnsafeMutableBytes { out in
                for x in range {
                    let start = Int(columns.starts[x]) &- first
                    let base = x &* stride
                    var sum = SIMD4<Int32>(repeating: FilterTable.one / 2)
                    for k in 0..<Int(columns.counts[x]) {
                        unsafe sum &+= multiplyAddPairs(light[start &+ k], broadcast(pairs[base &+ k]))
                    }
                    var lanes = (sum &>> FilterTable.shift) & 0xFFFF
                    if isLower {
                        // The idle lane is 0, so what follows this pixel stays as it is.
                        let upper = unsafe out.loadUnaligned(fromByteOffset: x &* 12, as: SIMD4<Int32>.self)
                        lanes = upper | lanes &<< 16
                    }
                    unsafe out.storeBytes(of: lanes, toByteOffset: x &* 12, as: SIMD4<Int32>.self)
                }
            }
        }
    }

    /// Pairs of source samples that one output sample is made of, at most.
    var mostPairs: Int { columns.stride }

    /// Vertical pass: one pair of rows, of those that output row `open` is made of the `tap`-th.
    private func add(_ tap: Int, of open: Int, place: Int) {
        let weights = broadcast(rows.pairs[open * rows.stride + tap])
        unsafe withRows(of: open) { pairs, row in
            let pairs = unsafe pairs + place &* (vectors &+ 1)
            unsafe Self.accumulate(row, pairs, weights, count: vectors, isFirst: tap == 0)
        }
        if tap + 1 == Int(rows.counts[open]) { emit(open) }
    }

    /// Vertical pass: the `tap`-th pair and the next.
    private func addTwo(_ tap: Int, of open: Int) {
        let at = open * rows.stride + tap
        let (upper, lower) = (broadcast(rows.pairs[at]), broadcast(rows.pairs[at + 1]))
        unsafe withRows(of: open) { pairs, row in
            unsafe Self.accumulate(
                row, pairs, upper, pairs + (vectors &+ 1), lower, count: vectors, isFirst: tap == 0)
        }
        if tap + 2 == Int(rows.counts[open]) { emit(open) }
    }

    /// Gives `body` the filtered pairs and the accumulator of an output row.
    @inline(__always)
    private func withRows(
        of open: Int, _ body: (UnsafePointer<PixelPair>, UnsafeMutablePointer<SIMD4<Int32>>) -> Void
    ) {
        // The slot is below `openRows`, so its row of vectors lies inside `sums`.
        let base = open % openRows &* vectors
        unsafe filtered.withUnsafeBytes { from in
            unsafe sums.withUnsafeMutableBufferPointer { all in
                guard let from = from.baseAddress, let sums = all.baseAddress else { return }
                unsafe body(from.assumingMemoryBound(to: PixelPair.self), sums + base)
            }
        }
    }

    // Loops without closures, which are not always inlined. `count` is even: two vectors in a turn halve what the loop
    // itself costs.

    /// Adds the products of a pair of rows, or starts with them.
    private static func accumulate(
        _ row: UnsafeMutablePointer<SIMD4<Int32>>, _ pairs: UnsafePointer<PixelPair>, _ weights: PixelPair,
        count: Int, isFirst: Bool
    ) {
        var i = 0
        while i < count {
            let left = unsafe multiplyAddPairs(pairs[i], weights)
            let right = unsafe multiplyAddPairs(pairs[i &+ 1], weights)
            unsafe row[i] = isFirst ? left : row[i] &+ left
            unsafe row[i &+ 1] = isFirst ? right : row[i &+ 1] &+ right
            i &+= 2
        }
    }

    /// Adds the products of two pairs of rows, or starts with them.
    private static func accumulate(
        _ row: UnsafeMutablePointer<SIMD4<Int32>>, _ upper: UnsafePointer<PixelPair>, _ weights: PixelPair,
        _ lower: UnsafePointer<PixelPair>, _ lowerWeights: PixelPair, count: Int, isFirst: Bool
    ) {
        var i = 0
        while i < count {
            let left = unsafe multiplyAddPairs(upper[i], weights) &+ multiplyAddPairs(lower[i], lowerWeights)
            let right =
                unsafe multiplyAddPairs(upper[i &+ 1], weights)
                &+ multiplyAddPairs(lower[i &+ 1], lowerWeights)
            unsafe row[i] = isFirst ? left : row[i] &+ left
            unsafe row[i &+ 1] = isFirst ? right : row[i &+ 1] &+ right
            i &+= 2
        }
    }

    /// Writes a finished accumulator into the bitmap, back through the sRGB curve, or adds it to those of other passes.
    private func emit(_ y: Int) {
        let vectors = vectors
        let base = (y % openRows) &* vectors
        guard passes == nil else {
            return unsafe sums.withUnsafeBytes { all in
                // `base` + `vectors` vectors lie inside `sums`.
                guard let first = all.baseAddress else { return }
                unsafe passes?.add((first + base &* 16).assumingMemoryBound(to: Int32.self), row: y)
            }
        }
        let (rowBytes, step) = (size.width * channels, channels == 3 ? 1 : 3)
        unsafe sums.withUnsafeMutableBufferPointer { all in
            unsafe bitmap.withUnsafeMutableBufferPointer { out in
                guard let all = all.baseAddress, let out = out.baseAddress else { return }
                unsafe encoder.encode(
                    sums: all + base, vectors: vectors, step: step, count: rowBytes,
                    into: out + y &* rowBytes)
            }
        }
    }
}

/// The part of a decoder's rows that is to be shown.
package struct SourceRegion: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double
    /// Samples of the decoded picture that carry picture whole, from the top left; never less than 1 × 1.
    package var usable: PixelSize

    package init(x: Double, y: Double, width: Double, height: Double, usable: PixelSize) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.usable = usable
    }
}
