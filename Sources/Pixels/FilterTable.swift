#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The weights of a polyphase Lanczos-3 filter along one axis.
///
/// Output sample `i` is Σ `weights[i * stride + k] * source[starts[i] + k]` for k < `counts[i]`. Taps outside
/// the source are dropped and the rest normalised, so that edges stay neutral and no padding leaks in.
package struct FilterTable: Sendable {
    package let starts: [Int32]
    package let counts: [Int32]
    package let weights: [Float]
    /// Weights kept per output sample: the largest count.
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
        let widening = max(scale, 1)
        let support = 3 * widening
        var spans: [(start: Int, weights: [Double])] = []
        spans.reserveCapacity(count)
        for i in 0..<count {
            let center = origin + (Double(i) + 0.5) * scale - 0.5
            spans.append(Self.taps(around: center, support: support, widening: widening, sourceCount: sourceCount))
        }
        let stride = spans.reduce(1) { max($0, $1.weights.count) }
        var weights = [Float](repeating: 0, count: count * stride)
        for (i, span) in spans.enumerated() {
            for (k, weight) in span.weights.enumerated() { weights[i * stride + k] = Float(weight) }
        }
        self.stride = stride
        self.weights = weights
        starts = spans.map { Int32($0.start) }
        counts = spans.map { Int32($0.weights.count) }
    }

    /// Normalised weights of the samples within `support` of `center`, zeros at both ends trimmed.
    private static func taps(
        around center: Double, support: Double, widening: Double, sourceCount: Int
    ) -> (start: Int, weights: [Double]) {
        let last = sourceCount - 1
        var low = min(max(Int((center - support).rounded(.up)), 0), last)
        var high = max(min(Int((center + support).rounded(.down)), last), low)
        let values = (low...high).map { lanczos3((Double($0) - center) / widening) }
        let first = low
        while low < high, abs(values[low - first]) < 1e-6 { low += 1 }
        while high > low, abs(values[high - first]) < 1e-6 { high -= 1 }
        let kept = values[(low - first)...(high - first)]
        let sum = kept.reduce(0, +)
        // A lone tap far from its centre can have any sign; it still stands for the whole sample.
        guard kept.count > 1, abs(sum) > 1e-3 else { return (low, [1]) }
        return (low, kept.map { $0 / sum })
    }

    /// sinc(x) · sinc(x / 3) on −3...3.
    private static func lanczos3(_ x: Double) -> Double {
        guard abs(x) > 1e-9 else { return 1 }
        guard abs(x) < 3 else { return 0 }
        let a = Double.pi * x
        return 3 * sin(a) * sin(a / 3) / (a * a)
    }

    /// How many output samples any one source sample takes part in, at most.
    package var overlap: Int {
        var most = 1
        var oldest = 0
        for i in starts.indices {
            while starts[oldest] + counts[oldest] <= starts[i] { oldest += 1 }
            most = max(most, i - oldest + 1)
        }
        return most
    }

    /// Bytes the tables of such an axis take.
    package static func memoryNeed(extent: Double, count: Int) -> Int {
        let stride = Int(6 * max(extent / Double(count), 1)) + 2
        return count * (stride * 12 + 16)
    }
}
