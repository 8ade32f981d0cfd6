/// Where a decoder's rows go: linear light over the matte, then every scaler, four rows at a time.
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
    /// Four rows of `stride` pairs beside each other; of a wide picture a block of one row.
    private var linear: [PixelPair]
    private let stride: Int
    /// Whether rows are too long to be kept as light: each is filtered as it comes, block by block.
    private let isWide: Bool
    private var scalers: [RowScaler]
    private let shouldStop: () -> Bool

    /// Pixels in a row from which on a picture is wide: 1.5 MB as light, and longer than a JPEG's can be.
    package static let wide = 65_536
    /// Pairs of pixels in a block of a wide picture, where one output sample does not take more.
    private static let blockPairs = 16_384

    private typealias RowWriter = (RowLinearizer, Range<Int>, LightLanes) -> Void

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
        linear = [PixelPair](repeating: .zero, count: isWide ? block : FourRows.vectors * stride)
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
            ? (width + 1) / 2 * FourRows.vectors
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
            pushRest()
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
                        unsafe write(linearizer, $0, LightLanes(alone: $1))
                    }
                }
            } else if let base = linear.baseAddress {
                unsafe write(
                    linearizer, 0..<((width + 1) / 2), LightLanes(base, rowOfFour: rowsOfPass & 3))
            }
        }
        rowsTaken += 1
        rowsOfPass += 1
        if rowsOfPass & (isWide ? 1 : 3) == 0 { push(rowsOfPass) }
        guard rowsOfPass == height else { return }
        endPass()
        pass += 1
        beginPass()
    }

    /// Gives the scalers the last rows of `end`: two of a wide picture, up to four of others.
    private func push(_ end: Int) {
        if isWide {
            for scaler in scalers { scaler.add(pair: (end - 1) / 2) }
            return
        }
        let first = (end - 1) & ~3
        unsafe linear.withUnsafeBufferPointer { linear in
            guard let base = linear.baseAddress else { return }
            for scaler in scalers { unsafe scaler.push(base, pair: first / 2, isWhole: end - first > 2) }
        }
    }

    /// Gives the scalers the rows that still wait for others to come.
    private func pushRest() {
        if rowsOfPass & (isWide ? 1 : 3) != 0 { push(rowsOfPass) }
    }

    /// Turns to the next pass; after the last one no row is taken.
    private func beginPass() {
        (rowsOfPass, height) = (0, 0)
        guard pass < passes.count else { return }
        (width, height) = (passes[pass].size.width, passes[pass].size.height)
        for scaler in scalers { scaler.begin(passes[pass]) }
    }

    private func endPass() {
        // The partner of an odd row has weights when the pass ended early, so it must be black; of a wide one it is.
        if rowsOfPass & 1 == 1, !isWide {
            unsafe linear.withUnsafeMutableBufferPointer { linear in
                guard let base = linear.baseAddress else { return }
                let partner = unsafe LightLanes(base, rowOfFour: rowsOfPass & 3)
                for i in 0..<stride { unsafe partner.store(0, 0, 0, pair: i) }
            }
        }
        pushRest()
        for scaler in scalers { scaler.endPass(rowsTaken: rowsOfPass) }
    }
}
