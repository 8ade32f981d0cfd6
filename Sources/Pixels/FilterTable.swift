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
        var spans: [Span] = []
        spans.reserveCapacity(count)
        for i in 0..<count {
            let center = origin + (Double(i) + 0.5) * scale - 0.5
            spans.append(Span(around: center, widening: max(scale, 1), sourceCount: sourceCount))
        }
        let stride = spans.reduce(1) { max($0, $1.pairs.count) }
        var pairs = [Int32](repeating: 0, count: count * stride)
        for (i, span) in spans.enumerated() {
            for (k, pair) in span.pairs.enumerated() { pairs[i * stride + k] = pair }
        }
        self.stride = stride
        self.pairs = pairs
        starts = spans.map { Int32($0.start) }
        counts = spans.map { Int32($0.pairs.count) }
    }

    /// The taps of one output sample.
    private struct Span {
        var start: Int
        var pairs: [Int32]

        init(around center: Double, widening: Double, sourceCount: Int) {
            let (first, weights) = Self.weights(center, widening, sourceCount)
            start = first / 2
            let lead = first & 1
            pairs = [Int32](repeating: 0, count: (lead + weights.count + 1) / 2)
            for (i, weight) in weights.enumerated() {
                let at = lead + i
                pairs[at / 2] |= at & 1 == 0 ? weight & 0xFFFF : weight << 16
            }
        }

        /// Fixed-point weights of the samples within three (widened) steps of `center`, zeros trimmed.
        private static func weights(
            _ center: Double, _ widening: Double, _ sourceCount: Int
        ) -> (first: Int, weights: [Int32]) {
            let last = sourceCount - 1
            let low = min(max(Int((center - 3 * widening).rounded(.up)), 0), last)
            let high = max(min(Int((center + 3 * widening).rounded(.down)), last), low)
            let values = (low...high).map { lanczos3((Double($0) - center) / widening) }
            let sum = values.reduce(0, +)
            // A lone tap far from its centre can have any sign; it still stands for the whole sample.
            guard values.count > 1, abs(sum) > 1e-3 else { return (low, [one]) }
            var fixed = values.map { Int32(($0 / sum * Double(one)).rounded()) }
            let peak = fixed.indices.max { fixed[$0] < fixed[$1] } ?? 0
            fixed[peak] += one - fixed.reduce(0, +)
            let kept = fixed.firstIndex { $0 != 0 } ?? 0
            let end = (fixed.lastIndex { $0 != 0 } ?? 0) + 1
            return (low + kept, Array(fixed[kept..<end]))
        }
    }

    /// sinc(x) · sinc(x / 3) on −3...3.
    private static func lanczos3(_ x: Double) -> Double {
        guard abs(x) > 1e-9 else { return 1 }
        guard abs(x) < 3 else { return 0 }
        let a = Double.pi * x
        return 3 * sin(a) * sin(a / 3) / (a * a)
    }

    /// How many output samples any one pair of source samples takes part in, at most.
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
        let stride = Int(3 * max(extent / Double(count), 1)) + 3
        return count * (stride * 8 + 64)
    }
}
