/// Where a decoder's rows go: linear light over the matte, then every scaler, two rows at a time.
///
/// A class, because C codecs carry it through their callbacks as an opaque context.
package final class RowPipeline {
    package let layout: PixelLayout
    /// Pixels in each row.
    package let width: Int
    package private(set) var rowsTaken = 0
    private let linearizer: RowLinearizer
    /// Two rows of `stride` pairs: the upper one and its partner.
    private var linear: [PixelPair]
    private let stride: Int
    private var scalers: [RowScaler]
    private let shouldStop: () -> Bool

    /// - Parameter shouldStop: asked every 16 rows; true ends the decode.
    package init(
        layout: PixelLayout, width: Int, background: UInt32, scalers: [RowScaler],
        shouldStop: @escaping () -> Bool = { false }
    ) {
        self.layout = layout
        self.width = width
        self.scalers = scalers
        self.shouldStop = shouldStop
        linearizer = RowLinearizer(layout: layout, background: background)
        stride = (width + 1) / 2
        linear = [PixelPair](repeating: .zero, count: 2 * stride)
    }

    /// Bytes besides the scalers.
    package static func memoryNeed(layout: PixelLayout, width: Int) -> Int {
        (width + 1) * 16 + RowLinearizer.memoryNeed(layout: layout)
    }

    /// Whether the decode must end: for decoders that work long between two rows.
    package var mustStop: Bool { shouldStop() }

    /// Takes the next row from the top: `width` pixels in `layout`.
    ///
    /// False asks the decoder to stop.
    package func row(_ samples: UnsafeRawPointer) -> Bool {
        if rowsTaken & 15 == 0, shouldStop() { return false }
        unsafe take { linearizer, out in unsafe linearizer.convert(samples, width: width, into: out) }
        return true
    }

    /// Fills what is missing of `height` rows with the matte.
    package func fill(to height: Int) {
        while rowsTaken < height {
            unsafe take { linearizer, out in unsafe linearizer.fill(width: width, out) }
        }
    }

    /// The finished pictures, in the order of the scalers; the pipeline is empty afterwards.
    package func finish() -> [Bitmap] {
        if rowsTaken & 1 == 1 { push(pair: rowsTaken / 2) }
        let pictures = scalers.map { $0.finish() }
        scalers = []
        linear = []
        return pictures
    }

    private func take(_ write: (RowLinearizer, UnsafeMutablePointer<PixelPair>) -> Void) {
        unsafe linear.withUnsafeMutableBufferPointer { linear in
            guard let base = linear.baseAddress else { return }
            unsafe write(linearizer, base + (rowsTaken & 1) * stride)
        }
        rowsTaken += 1
        if rowsTaken & 1 == 0 { push(pair: rowsTaken / 2 - 1) }
    }

    private func push(pair: Int) {
        unsafe linear.withUnsafeBufferPointer { linear in
            guard let base = linear.baseAddress else { return }
            for scaler in scalers { unsafe scaler.push(base, base + stride, pair: pair) }
        }
    }
}
