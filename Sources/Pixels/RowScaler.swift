/// Scales a picture while its rows arrive: one linear-light row in, at any time a handful alive, a bitmap out.
///
/// Each row is filtered horizontally at once and then added, with its weight, to the output rows it takes part
/// in. No more than `FilterTable.overlap` (six or seven) output rows are open, whatever the reduction, so memory
/// depends on the output alone.
package final class RowScaler {
    package let size: PixelSize
    /// 1 or 3 channels in the bitmap; rows come in as red, green, blue and one idle lane.
    package let channels: Int
    private let columns: FilterTable
    private let rows: FilterTable
    private let openRows: Int
    /// One horizontally filtered row, three floats a pixel, one idle float behind the last for the wide store.
    private var filtered: [Float]
    /// `openRows` accumulators of one output row each, used in turn.
    private var sums: [Float]
    private var bitmap: [UInt8]
    private var firstOpen = 0
    private var nextOpen = 0

    /// - Parameters:
    ///   - source: the part of the incoming rows to be shown and how many samples of them carry picture.
    ///   - size: of the bitmap.
    ///   - channels: 1 or 3.
    package init(source: SourceRegion, size: PixelSize, channels: Int) {
        self.size = size
        self.channels = channels
        columns = FilterTable(
            origin: source.x, extent: source.width, sourceCount: source.usable.width, count: size.width)
        rows = FilterTable(
            origin: source.y, extent: source.height, sourceCount: source.usable.height, count: size.height)
        openRows = rows.overlap
        filtered = [Float](repeating: 0, count: size.width * 3 + 1)
        sums = [Float](repeating: 0, count: size.width * 3 * openRows)
        bitmap = [UInt8](repeating: 0, count: size.area * channels)
    }

    /// Bytes a scaler of this shape takes, its bitmap included.
    package static func memoryNeed(source: SourceRegion, size: PixelSize, channels: Int) -> Int {
        FilterTable.memoryNeed(extent: source.width, count: size.width)
            + FilterTable.memoryNeed(extent: source.height, count: size.height)
            + size.width * 12 * 9 + size.area * channels
    }

    /// Takes row `y`; rows come in order from the top.
    package func push(_ row: UnsafePointer<SIMD4<Float>>, y: Int) {
        while nextOpen < size.height, Int(rows.starts[nextOpen]) <= y { nextOpen += 1 }
        guard firstOpen < nextOpen else { return }
        unsafe filter(row)
        for open in firstOpen..<nextOpen {
            let tap = y - Int(rows.starts[open])
            let count = Int(rows.counts[open])
            guard tap < count else { continue }
            add(weight: rows.weights[open * rows.stride + tap], to: open % openRows, first: tap == 0)
            if tap == count - 1 { emit(open) }
        }
        while firstOpen < nextOpen, Int(rows.starts[firstOpen] + rows.counts[firstOpen]) <= y + 1 { firstOpen += 1 }
    }

    /// The finished picture; rows that never came are left black.
    package func finish() -> Bitmap {
        let samples = bitmap
        bitmap = []
        return Bitmap(size: size, channels: channels, samples: samples)
    }

    /// Horizontal pass. Every start + count of the table lies inside the row by construction of `FilterTable`.
    private func filter(_ row: UnsafePointer<SIMD4<Float>>) {
        let stride = columns.stride
        let width = size.width
        unsafe columns.starts.withUnsafeBufferPointer { starts in
            unsafe columns.counts.withUnsafeBufferPointer { counts in
                unsafe columns.weights.withUnsafeBufferPointer { weights in
                    unsafe filtered.withUnsafeMutableBytes { out in
                        for x in 0..<width {
                            let taps = unsafe row + Int(starts[x])
                            let count = unsafe Int(counts[x])
                            let base = x &* stride
                            var even = SIMD4<Float>.zero
                            var odd = SIMD4<Float>.zero
                            var k = 0
                            while k &+ 1 < count {
                                unsafe even += taps[k] * weights[base &+ k]
                                unsafe odd += taps[k &+ 1] * weights[base &+ k &+ 1]
                                k &+= 2
                            }
                            if k < count { unsafe even += taps[k] * weights[base &+ k] }
                            unsafe out.storeBytes(of: even + odd, toByteOffset: x &* 12, as: SIMD4<Float>.self)
                        }
                    }
                }
            }
        }
    }

    /// Vertical pass: adds the filtered row to one accumulator, or starts it.
    private func add(weight: Float, to slot: Int, first: Bool) {
        let count = size.width * 3
        unsafe filtered.withUnsafeBufferPointer { from in
            unsafe sums.withUnsafeMutableBufferPointer { all in
                // slot < openRows, so the row of `count` floats lies inside `sums`.
                let to = unsafe UnsafeMutableBufferPointer(rebasing: all[(slot * count)..<((slot + 1) * count)])
                if first {
                    for i in 0..<count { unsafe to[i] = from[i] * weight }
                } else {
                    for i in 0..<count { unsafe to[i] += from[i] * weight }
                }
            }
        }
    }

    /// Writes a finished accumulator into the bitmap, back through the sRGB curve.
    private func emit(_ y: Int) {
        let slot = y % openRows
        let steps = Float(SRGBCurve.encodedSteps)
        let width = size.width
        let channels = channels
        unsafe SRGBCurve.encoded8.withUnsafeBufferPointer { curve in
            unsafe sums.withUnsafeBufferPointer { all in
                unsafe bitmap.withUnsafeMutableBufferPointer { out in
                    let from = slot * width * 3
                    let to = y * width * channels
                    let step = 4 - channels == 3 ? 3 : 1
                    for i in 0..<(width * channels) {
                        // Clamped to 0...steps, the index is inside the table of steps + 1 entries.
                        let value = unsafe min(max(all[from &+ i &* step] * steps + 0.5, 0), steps)
                        unsafe out[to &+ i] = curve[Int(value)]
                    }
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
