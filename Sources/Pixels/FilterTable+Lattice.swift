// The part of a filter that falls on every n-th sample of its source.
extension FilterTable {
    /// The taps of `whole` on the samples `first`, `first + step` and so on, numbered from 0.
    ///
    /// Their sums are no longer `one`, and an output sample may have no tap at all: its count is then 0.
    init(_ whole: FilterTable, first: Int, step: Int, sourceCount: Int) {
        let outputs = whole.starts.count
        let stride = whole.stride / step + 2
        var starts = [Int32](repeating: 0, count: outputs)
        var counts = starts
        var pairs = [Int32](repeating: 0, count: outputs * stride)
        for i in 0..<outputs {
            let taps = whole.taps(of: i, first: first, step: step, count: sourceCount)
            // Also where there are none, so that starts never go back.
            let start = taps.lowerBound / 2
            starts[i] = Int32(start)
            guard !taps.isEmpty else { continue }
            for tap in taps {
                let weight = whole.weight(i, at: first + tap * step)
                pairs[i * stride + tap / 2 - start] |= tap & 1 == 0 ? weight & 0xFFFF : weight << 16
            }
            counts[i] = Int32((taps.upperBound + 1) / 2 - start)
        }
        self.init(starts: starts, counts: counts, pairs: pairs, stride: stride)
    }

    /// For each output sample the sum of its weights on the first `count` samples of such a lattice.
    func sums(first: Int, step: Int, count: Int) -> [Int32] {
        starts.indices.map { i in
            taps(of: i, first: first, step: step, count: count)
                .reduce(0) { $0 + weight(i, at: first + $1 * step) }
        }
    }

    /// The largest sum of negative weights of an output sample, as a positive fraction of `one`.
    var mostBelowZero: Double {
        let sums = starts.indices.map { i in
            pairs[(i * stride)..<(i * stride + Int(counts[i]))].reduce(0) { sum, pair in
                sum + min(Int32(Int16(truncatingIfNeeded: pair)), 0) + min(pair >> 16, 0)
            }
        }
        return -Double(sums.min() ?? 0) / Double(Self.one)
    }

    /// The numbers of the lattice's samples, below `count`, that lie within the taps of output sample `i`.
    private func taps(of i: Int, first: Int, step: Int, count: Int) -> Range<Int> {
        let low = 2 * Int(starts[i])
        let end = low + 2 * Int(counts[i])
        let from = max(low - first + step - 1, 0) / step
        return from..<max(min((end - first + step - 1) / step, count), from)
    }

    /// The weight of source sample `sample`, which lies within the taps of output sample `i`.
    private func weight(_ i: Int, at sample: Int) -> Int32 {
        let pair = pairs[i * stride + sample / 2 - Int(starts[i])]
        return sample & 1 == 0 ? Int32(Int16(truncatingIfNeeded: pair)) : pair >> 16
    }
}
