/// Where a decoder's rows go: linear light over the matte, then every scaler.
///
/// A class, because C codecs carry it through their callbacks as an opaque context.
package final class RowPipeline {
    package let layout: PixelLayout
    /// Pixels in each row.
    package let width: Int
    package private(set) var rowsTaken = 0
    /// Whether `row` was told to stop by `shouldStop`.
    package private(set) var isStopped = false
    private let linearizer: RowLinearizer
    private var linear: [SIMD4<Float>]
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
        linear = [SIMD4<Float>](repeating: .zero, count: width)
    }

    /// Bytes besides the scalers.
    package static func memoryNeed(layout: PixelLayout, width: Int) -> Int {
        width * 16 + RowLinearizer.memoryNeed(layout: layout)
    }

    /// Takes the next row from the top: `width` pixels in `layout`. False asks the decoder to stop.
    package func row(_ samples: UnsafeRawPointer) -> Bool {
        if rowsTaken & 15 == 0, shouldStop() {
            isStopped = true
            return false
        }
        unsafe linear.withUnsafeMutableBufferPointer { linear in
            unsafe linearizer.convert(samples, into: linear)
            guard let row = linear.baseAddress else { return }
            for scaler in scalers { unsafe scaler.push(row, y: rowsTaken) }
        }
        rowsTaken += 1
        return true
    }

    /// Fills what is missing of `height` rows with the matte.
    package func fill(to height: Int) {
        guard rowsTaken < height else { return }
        unsafe linear.withUnsafeMutableBufferPointer { linear in
            unsafe linear.update(repeating: linearizer.matte)
            guard let row = linear.baseAddress else { return }
            for y in rowsTaken..<height {
                for scaler in scalers { unsafe scaler.push(row, y: y) }
            }
        }
        rowsTaken = height
    }

    /// The finished pictures, in the order of the scalers; the pipeline is empty afterwards.
    package func finish() -> [Bitmap] {
        let pictures = scalers.map { $0.finish() }
        scalers = []
        linear = []
        return pictures
    }
}
