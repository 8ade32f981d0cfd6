/// Where a decoder's rows go: linear light over the matte, then every scaler, two rows at a time.
///
/// A class, because C codecs carry it through their callbacks as an opaque context.
package final class RowPipeline {
    package let layout: PixelLayout
    /// Pixels in each row; of an interlaced picture in each row of the current pass.
    package private(set) var width: Int
    /// Rows that came, of all passes.
    package private(set) var rowsTaken = 0
    /// Rows that came of the current pass.
    private var rowsOfPass = 0
    /// Rows of the current pass; without passes there is no end that must be known.
    private var height = Int.max
    private let passes: [Interlace.Pass]
    private var pass = 0
    private let linearizer: RowLinearizer
    private let conversion: (any RowConversion)?
    /// A converted row.
    private let converted: PageBuffer<UInt8>?
    /// Two rows of `stride` pairs: the upper one and its partner.
    private var linear: [PixelPair]
    private let stride: Int
    private var scalers: [RowScaler]
    private let shouldStop: () -> Bool

    /// - Parameters:
    ///   - width: of the picture, in pixels.
    ///   - colour: what the rows' samples stand for; of a conversion's output it is sRGB.
    ///   - interlace: says that rows come pass by pass; the scalers must be told as well.
    ///   - shouldStop: asked every 16 rows; true ends the decode.
    package init(
        layout: PixelLayout, width: Int, background: UInt32, scalers: [RowScaler],
        colour: ColourSpace = .sRGB, conversion: (any RowConversion)? = nil, interlace: Interlace? = nil,
        shouldStop: @escaping () -> Bool = { false }
    ) {
        self.layout = layout
        self.width = width
        self.scalers = scalers
        self.shouldStop = shouldStop
        self.conversion = conversion
        converted = conversion.map { PageBuffer(count: width * $0.output.bytesPerPixel) }
        linearizer = RowLinearizer(
            layout: conversion?.output ?? layout, background: background, colour: colour)
        stride = (width + 1) / 2
        linear = [PixelPair](repeating: .zero, count: 2 * stride)
        passes = interlace?.passes ?? []
        if !passes.isEmpty { beginPass() }
    }

    /// Bytes besides the scalers.
    ///
    /// - Parameter layout: of the rows that are scaled, whether as they come or converted.
    package static func memoryNeed(layout: PixelLayout, width: Int, isConverted: Bool = false) -> Int {
        (width + 1) * 16 + RowLinearizer.memoryNeed(layout: layout)
            + (isConverted ? width * layout.bytesPerPixel : 0)
    }

    /// Whether the decode must end: for decoders that work long between two rows.
    package var mustStop: Bool { shouldStop() }

    /// Takes the next row from the top, of the picture or of the current pass: `width` pixels in `layout`.
    ///
    /// False asks the decoder to stop.
    package func row(_ samples: UnsafeRawPointer) -> Bool {
        if rowsTaken & 15 == 0, shouldStop() { return false }
        guard rowsOfPass < height else { return false }
        guard let conversion, let converted else {
            unsafe take { linearizer, out in unsafe linearizer.convert(samples, width: width, into: out) }
            return true
        }
        unsafe converted.withUnsafeMutableBufferPointer { buffer in
            guard let buffer = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            unsafe conversion.convert(samples, width: width, into: buffer)
            unsafe take { linearizer, out in unsafe linearizer.convert(buffer, width: width, into: out) }
        }
        return true
    }

    /// Fills what is missing of `height` rows with the matte.
    ///
    /// Of an interlaced picture that is the first pass, the coarsest: its pixels stand for all that did not come of others.
    package func fill(to height: Int) {
        while passes.isEmpty ? rowsTaken < height : pass == 0 {
            unsafe take { linearizer, out in unsafe linearizer.fill(width: width, out) }
        }
    }

    /// The finished pictures, in the order of the scalers; the pipeline is empty afterwards.
    package func finish() -> [Bitmap] {
        if passes.isEmpty {
            if rowsTaken & 1 == 1 { push(pair: rowsTaken / 2) }
        } else if pass < passes.count {
            endPass()
        }
        linear = []
        var pictures: [Bitmap] = []
        // Each scaler goes when its picture is there: only one is held twice.
        scalers.reverse()
        while let scaler = scalers.popLast() { pictures.append(scaler.finish()) }
        return pictures
    }

    private func take(_ write: (RowLinearizer, UnsafeMutablePointer<PixelPair>) -> Void) {
        unsafe linear.withUnsafeMutableBufferPointer { linear in
            guard let base = linear.baseAddress else { return }
            unsafe write(linearizer, base + (rowsOfPass & 1) * stride)
        }
        rowsTaken += 1
        rowsOfPass += 1
        if rowsOfPass & 1 == 0 { push(pair: rowsOfPass / 2 - 1) }
        guard rowsOfPass == height else { return }
        endPass()
        pass += 1
        beginPass()
    }

    private func push(pair: Int) {
        unsafe linear.withUnsafeBufferPointer { linear in
            guard let base = linear.baseAddress else { return }
            for scaler in scalers { unsafe scaler.push(base, base + stride, pair: pair) }
        }
    }

    /// Turns to the next pass; after the last one no row is taken.
    private func beginPass() {
        (rowsOfPass, height) = (0, 0)
        guard pass < passes.count else { return }
        (width, height) = (passes[pass].size.width, passes[pass].size.height)
        for scaler in scalers { scaler.begin(passes[pass]) }
    }

    private func endPass() {
        if rowsOfPass & 1 == 1 {
            // The partner has weights when the pass ended early, so it must be black.
            for i in stride..<(2 * stride) { linear[i] = .zero }
            push(pair: rowsOfPass / 2)
        }
        for scaler in scalers { scaler.endPass(rowsTaken: rowsOfPass) }
    }
}
