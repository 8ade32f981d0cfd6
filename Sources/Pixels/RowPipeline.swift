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
    /// Two rows of `stride` pairs, the upper one and its partner; of a wide picture a block of one row.
    private var linear: [PixelPair]
    private let stride: Int
    /// Whether rows are too long to be kept as light: each is filtered as it comes, block by block.
    private let isWide: Bool
    private var scalers: [RowScaler]
    private let shouldStop: () -> Bool

    /// Pixels in a row from which on a picture is wide: 1 MB as light, and longer than a JPEG's can be.
    package static let wide = 65_536
    /// Pairs of pixels in a block of a wide picture, where one output sample does not take more.
    private static let blockPairs = 16_384

    private typealias RowWriter = (RowLinearizer, Range<Int>, UnsafeMutablePointer<PixelPair>) -> Void

    /// - Parameters:
    ///   - width: of the picture, in pixels.
    ///   - wide: the width from which on rows are filtered block by block, to the same result.
    ///   - colour: what the rows' samples stand for; of a conversion's output it is sRGB.
    ///   - interlace: says that rows come pass by pass; the scalers must be told as well.
    ///   - shouldStop: asked every 16 rows; true ends the decode.
    package init(
        layout: PixelLayout, width: Int, background: UInt32, scalers: [RowScaler],
        colour: ColourSpace = .sRGB, conversion: (any RowConversion)? = nil, interlace: Interlace? = nil,
        wide: Int = RowPipeline.wide, shouldStop: @escaping () -> Bool = { false }
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
        isWide = width >= wide
        let block = max(Self.blockPairs, scalers.map(\.mostPairs).max() ?? 0)
        linear = [PixelPair](repeating: .zero, count: isWide ? block : 2 * stride)
        passes = interlace?.passes ?? []
        if !passes.isEmpty { beginPass() }
    }

    /// Bytes besides the scalers.
    ///
    /// - Parameters:
    ///   - layout: of the rows that are scaled, whether as they come or converted.
    ///   - reduction: the largest of the scalers'.
    package static func memoryNeed(
        layout: PixelLayout, width: Int, isConverted: Bool = false, reduction: Double
    ) -> Int {
        let light =
            width < wide
            ? width + 1
            : max(blockPairs, FilterTable.mostPairs(reduction: reduction))
        return light * 16 + RowLinearizer.memoryNeed(layout: layout)
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
            unsafe take { linearizer, pairs, out in
                unsafe linearizer.convert(samples, width: width, pairs: pairs, into: out)
            }
            return true
        }
        unsafe converted.withUnsafeMutableBufferPointer { buffer in
            guard let buffer = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            unsafe conversion.convert(samples, width: width, into: buffer)
            unsafe take { linearizer, pairs, out in
                unsafe linearizer.convert(buffer, width: width, pairs: pairs, into: out)
            }
        }
        return true
    }

    /// Fills what is missing of `height` rows with the matte.
    ///
    /// Of an interlaced picture that is the first pass, the coarsest: its pixels stand for all that did not come of others.
    package func fill(to height: Int) {
        while passes.isEmpty ? rowsTaken < height : pass == 0 {
            unsafe take { linearizer, pairs, out in
                unsafe linearizer.fill(width: width, pairs: pairs, out)
            }
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
        var pictures = [Bitmap](repeating: .empty, count: scalers.count)
        // What a scaler holds goes when its picture is there: only one is held twice, and the largest last.
        let order = scalers.indices.sorted { scalers[$0].size.area < scalers[$1].size.area }
        for i in order { pictures[i] = scalers[i].finish() }
        scalers = []
        return pictures
    }

    private func take(_ write: RowWriter) {
        unsafe linear.withUnsafeMutableBufferPointer { linear in
            if isWide {
                for scaler in scalers {
                    unsafe scaler.filter(isLower: rowsOfPass & 1 == 1, pair: rowsOfPass / 2, by: linear) {
                        unsafe write(linearizer, $0, $1)
                    }
                }
            } else if let base = linear.baseAddress {
                unsafe write(linearizer, 0..<((width + 1) / 2), base + (rowsOfPass & 1) * stride)
            }
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
        if isWide {
            for scaler in scalers { scaler.add(pair: pair) }
            return
        }
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
            // The partner has weights when the pass ended early, so it must be black; of a wide picture it is.
            if !isWide { for i in stride..<(2 * stride) { linear[i] = .zero } }
            push(pair: rowsOfPass / 2)
        }
        for scaler in scalers { scaler.endPass(rowsTaken: rowsOfPass) }
    }
}
