/// Scales a picture while its rows arrive: two linear-light rows in, at any time a handful alive, a bitmap out.
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
    /// Two horizontally filtered rows interleaved: three channels a pixel, each a 16-bit lane of either row.
    private var filtered: [SIMD4<Int32>]
    /// `openRows` accumulators of one output row each, used in turn.
    private var sums: [SIMD4<Int32>]
    /// Vectors of four samples in a row of `size.width` × 3.
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
        vectors = (size.width * 3 + 3) / 4
        // One vector more: a pixel is stored as four lanes, the idle one into what follows.
        filtered = [SIMD4<Int32>](repeating: .zero, count: vectors + 1)
        sums = [SIMD4<Int32>](repeating: .zero, count: vectors * openRows)
        // Nothing of a large one is resident before it is written to, here or at the end of the last pass.
        bitmap = PageBuffer(count: size.area * channels)
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
        let rowBytes = (size.width * 3 + 8) * 4
        guard isInterlaced else { return tables + rowBytes * 10 + size.area * channels }
        // A pass has tables of its own, and a pair of its rows lies up to 16 rows of the picture apart.
        let reduction = max(source.height / Double(size.height), 1)
        return tables * 2 + rowBytes * (10 + Int(16 / reduction)) + size.area * channels
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

    /// Takes the rows 2 × `pair` and the next; pairs come in order from the top.
    ///
    /// A last row without a partner comes with any second row: its weights are zero.
    package func push(_ upper: UnsafePointer<PixelPair>, _ lower: UnsafePointer<PixelPair>, pair: Int) {
        guard isOpen(for: pair) else { return }
        unsafe filter(upper, lower)
        add(pair: pair)
    }

    /// Opens the output rows that begin with a pair; whether it takes part in any.
    private func isOpen(for pair: Int) -> Bool {
        while nextOpen < size.height, Int(rows.starts[nextOpen]) <= pair { nextOpen += 1 }
        return firstOpen < nextOpen
    }

    /// Adds a filtered pair to the output rows it takes part in.
    func add(pair: Int) {
        guard isOpen(for: pair) else { return }
        for open in firstOpen..<nextOpen {
            let tap = pair - Int(rows.starts[open])
            let count = Int(rows.counts[open])
            guard tap < count else { continue }
            add(weights: rows.pairs[open * rows.stride + tap], to: open % openRows, first: tap == 0)
            if tap == count - 1 { emit(open) }
        }
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
    /// and the store of pixel x ends at byte 12x + 16, inside `filtered`.
    private func filter(_ upper: UnsafePointer<PixelPair>, _ lower: UnsafePointer<PixelPair>) {
        let stride = columns.stride
        let width = size.width
        let half = SIMD4<Int32>(repeating: FilterTable.one / 2)
        unsafe columns.starts.withUnsafeBufferPointer { starts in
            unsafe columns.counts.withUnsafeBufferPointer { counts in
                unsafe columns.pairs.withUnsafeBufferPointer { pairs in
                    unsafe filtered.withUnsafeMutableBytes { out in
                        for x in 0..<width {
                            let start = unsafe Int(starts[x])
                            let base = x &* stride
                            var a = half
                            var b = half
                            for k in 0..<(unsafe Int(counts[x])) {
                                let weights = unsafe broadcast(pairs[base &+ k])
                                unsafe a &+= multiplyAddPairs(upper[start &+ k], weights)
                                unsafe b &+= multiplyAddPairs(lower[start &+ k], weights)
                            }
                            let low = (a &>> FilterTable.shift) & 0xFFFF
                            let high = (b &>> FilterTable.shift) &<< 16
                            unsafe out.storeBytes(
                                of: low | high, toByteOffset: x &* 12, as: SIMD4<Int32>.self)
                        }
                    }
                }
            }
        }
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

    /// Vertical pass: adds the filtered rows to one accumulator, or starts it.
    private func add(weights: Int32, to slot: Int, first: Bool) {
        let weights = broadcast(weights)
        let vectors = vectors
        unsafe filtered.withUnsafeBytes { from in
            unsafe sums.withUnsafeMutableBufferPointer { all in
                // slot < openRows, so the row of `vectors` vectors lies inside `sums`.
                let base = slot &* vectors
                if first { for i in 0..<vectors { unsafe all[base &+ i] = .zero } }
                for i in 0..<vectors {
                    let pair = unsafe from.load(fromByteOffset: i &* 16, as: SIMD8<Int16>.self)
                    unsafe all[base &+ i] &+= multiplyAddPairs(pair, weights)
                }
            }
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
        let half = SIMD4<Int32>(repeating: FilterTable.one / 2)
        let white = SIMD4<Int32>(repeating: SRGBCurve.white)
        let (rowBytes, step) = (size.width * channels, channels == 3 ? 1 : 3)
        unsafe sums.withUnsafeMutableBufferPointer { all in
            for i in 0..<vectors {
                let light = unsafe (all[base &+ i] &+ half) &>> FilterTable.shift
                unsafe all[base &+ i] = pointwiseMin(pointwiseMax(light, .zero), white)
            }
            unsafe all.withMemoryRebound(to: Int32.self) { light in
                unsafe bitmap.withUnsafeMutableBufferPointer { out in
                    guard let light = light.baseAddress, let out = out.baseAddress else { return }
                    unsafe encoder.encode(
                        light + base &* 4, step: step, count: rowBytes, into: out + y &* rowBytes)
                }
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
