#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The weights of a polyphase Lanczos-3 filter along one axis, in fixed point and in pairs of taps.
///
/// Output sample `i` is Σ over k < `counts[i]` of the two-tap products `pairs[i * stride + k]` with the source
/// samples 2(`starts[i]` + k) and the next. Pairs, because one SIMD instruction multiplies and adds two 16-bit
/// taps. Taps outside the source are dropped and the rest normalised, so that edges stay neutral and no padding
/// leaks in; every sum of weights is exactly `one`, so flat areas stay flat.
package struct FilterTable: Sendable {
    /// Weight 1.0.
    package static let one: Int32 = 16384
    package static let shift: Int32 = 14

    package let starts: [Int32]
    package let counts: [Int32]
    /// Two weights each, the first in the low half.
    package let pairs: [Int32]
    /// Pairs kept per output sample: the largest count.
    package let stride: Int

    /// Makes the table for an axis.
    ///
    /// - Parameters:
    ///   - origin, extent: the part of the source to be shown, in source samples; both may be fractional,
    ///     because a picture decoded at N/8 is rarely a whole number of samples wide.
    ///   - sourceCount: source samples that carry picture, all of them usable as taps.
    ///   - count: output samples.
    package init(origin: Double, extent: Double, sourceCount: Int, count: Int) {
        let scale = extent / Double(count)
        var taps = Taps(widening: max(scale, 1), last: sourceCount - 1)
        stride = taps.mostPairs
        var starts = [Int32](repeating: 0, count: count)
        var counts = starts
        var pairs = [Int32](repeating: 0, count: count * stride)
        for i in 0..<count {
            taps.compute(around: origin + (Double(i) + 0.5) * scale - 0.5)
            let start = taps.first / 2
            for (k, weight) in taps.weights.enumerated() {
                let at = taps.first + k - 2 * start
                pairs[i * stride + at / 2] |= at & 1 == 0 ? weight & 0xFFFF : weight << 16
            }
            starts[i] = Int32(start)
            counts[i] = Int32((taps.first + taps.weights.count + 1) / 2 - start)
        }
        self.starts = starts
        self.counts = counts
        self.pairs = pairs
    }

    /// The taps of one output sample at a time, in buffers used again for the next.
    private struct Taps {
        /// How far the kernel is stretched: 1, or the reduction.
        let widening: Double
        /// Index of the last source sample.
        let last: Int
        private(set) var first = 0
        private(set) var weights: [Int32] = []
        private var values: [Double] = []

        init(widening: Double, last: Int) {
            self.widening = widening
            self.last = last
        }

        /// No output sample has more pairs: 6 widened steps of samples, and one for an odd start.
        var mostPairs: Int { min(Int(3 * widening) + 2, last / 2 + 1) }

        /// Fixed-point weights of the samples within three (widened) steps of `center`, zeros trimmed.
        mutating func compute(around center: Double) {
            let low = min(max(Int((center - 3 * widening).rounded(.up)), 0), last)
            let high = max(min(Int((center + 3 * widening).rounded(.down)), last), low)
            first = low
            values.removeAll(keepingCapacity: true)
            weights.removeAll(keepingCapacity: true)
            var sum = 0.0
            for i in low...high {
                let value = FilterTable.lanczos3((Double(i) - center) / widening)
                values.append(value)
                sum += value
            }
            // A lone tap far from its centre can have any sign; it still stands for the whole sample.
            guard values.count > 1, abs(sum) > 1e-3 else {
                weights.append(FilterTable.one)
                return
            }
            fix(sum)
            while let end = weights.last, end == 0 { weights.removeLast() }
            let zeros = weights.prefix { $0 == 0 }.count
            weights.removeFirst(zeros)
            first += zeros
        }

        /// Rounds the weights and gives what is missing to `one` to the largest.
        private mutating func fix(_ sum: Double) {
            var peak = 0
            var missing = FilterTable.one
            for (i, value) in values.enumerated() {
                let weight = Int32((value / sum * Double(FilterTable.one)).rounded())
                weights.append(weight)
                missing -= weight
                if weight > weights[peak] { peak = i }
            }
            weights[peak] += missing
        }
    }

    /// sinc(x) · sinc(x / 3) on −3...3, between two entries of a table.
    ///
    /// At 1/256 steps a straight line is off by less than 1.5e-5, a quarter of the last bit of a weight; two sines
    /// for each tap would cost more than the arithmetic of the filter's set-up together.
    private static func lanczos3(_ x: Double) -> Double {
        let at = abs(x) * Double(stepsPerUnit)
        let low = Int(at)
        guard low < 3 * stepsPerUnit else { return 0 }
        return kernel[low] + (kernel[low + 1] - kernel[low]) * (at - Double(low))
    }

    private static let stepsPerUnit = 256

    private static let kernel: [Double] = (0...3 * stepsPerUnit).map { step in
        guard step > 0 else { return 1 }
        let a = Double.pi * Double(step) / Double(stepsPerUnit)
        return 3 * sin(a) * sin(a / 3) / (a * a)
    }

    /// A table put together elsewhere in this module.
    init(starts: [Int32], counts: [Int32], pairs: [Int32], stride: Int) {
        self.starts = starts
        self.counts = counts
        self.pairs = pairs
        self.stride = stride
    }

    /// How many output samples any one pair of source samples takes part in, at most.
    package var overlap: Int {
        var most = 1
        var oldest = 0
        for i in starts.indices {
            while oldest < i, starts[oldest] + counts[oldest] <= starts[i] { oldest += 1 }
            most = max(most, i - oldest + 1)
        }
        return most
    }

    /// Pairs that an output sample has at most.
    static func mostPairs(reduction: Double) -> Int { Int(3 * max(reduction, 1)) + 3 }

    /// Bytes the tables of such an axis take.
    package static func memoryNeed(extent: Double, count: Int) -> Int {
        count * (mostPairs(reduction: extent / Double(count)) * 8 + 64)
    }
}
