package import Pixels

/// The forward DCT of every block of a picture, done once; quantising it at any table costs no transform.
///
/// Memory: two bytes a coefficient (3 bytes a pixel at 4:2:0, 6 at 4:4:4, 2 in grey).
package struct CoefficientImage: Sendable {
    package let size: PixelSize
    /// What was asked for, or `.gray` when the picture has no colour.
    package let subsampling: Subsampling
    let geometry: ScanGeometry
    /// In sixteenths; component after component, blocks in scan order, each block in `CoefficientOrder`.
    let coefficients: PageBuffer<Int16>

    /// Transforms every block of a bitmap.
    ///
    /// One component is kept where red, green and blue are equal everywhere.
    package init(_ bitmap: Bitmap, subsampling: Subsampling) {
        let channels = bitmap.channels == 3 ? 3 : 1
        let chosen = bitmap.isGray ? .gray : subsampling
        let geometry = ScanGeometry(size: bitmap.size, subsampling: chosen)
        size = PixelSize(geometry.width, geometry.height)
        self.subsampling = chosen
        self.geometry = geometry
        coefficients = PageBuffer(count: geometry.totalBlocks * 64)
        unsafe coefficients.withUnsafeMutableBufferPointer { output in
            unsafe bitmap.pixels.withUnsafeBufferPointer { pixels in
                guard let output = output.baseAddress, let pixels = pixels.baseAddress else { return }
                // A bitmap has the samples its size says, and the output was sized from this geometry just above.
                unsafe transform(geometry, into: output) { strip, row in
                    unsafe strip.load(mcuRow: row, from: pixels, channels: channels)
                }
            }
        }
    }

    /// Transforms luma and chroma that were chosen together, at 4:2:0.
    init(_ planes: SharpChroma) {
        let geometry = ScanGeometry(size: planes.size, subsampling: .s420)
        size = planes.size
        subsampling = .s420
        self.geometry = geometry
        coefficients = PageBuffer(count: geometry.totalBlocks * 64)
        unsafe coefficients.withUnsafeMutableBufferPointer { output in
            guard let output = output.baseAddress else { return }
            // Sized from this geometry just above.
            unsafe transform(geometry, into: output) { strip, row in strip.load(mcuRow: row, from: planes) }
        }
    }

    /// Bytes held besides the bitmap while a picture is transformed and kept.
    static func memoryNeed(_ geometry: ScanGeometry) -> Int {
        geometry.totalBlocks * 128 + ColourStrip.sampleCount(geometry) * 4
    }
}

/// Safety: `output` must have the size `geometry` says.
private func transform(
    _ geometry: ScanGeometry, into output: UnsafeMutablePointer<Int16>,
    load: (borrowing ColourStrip, _ mcuRow: Int) -> Void
) {
    let strip = ColourStrip(geometry)
    let gain = ColourStrip.chromaGain(geometry.subsampling)
    let descale =
        ForwardDCT.descale(gain: 1) + ForwardDCT.descale(gain: gain.blue) + ForwardDCT.descale(gain: gain.red)
    unsafe descale.withUnsafeBufferPointer { descale in
        guard let descale = descale.baseAddress else { return }
        for row in 0..<geometry.mcusDown {
            load(strip, row)
            for component in 0..<geometry.componentCount {
                let perRow = geometry.blocksPerMCURow(of: component)
                let first = geometry.firstBlock(of: component) + row * perRow
                let blocks = unsafe output + first * 64
                let scale = unsafe descale + component * 16
                if geometry.blocksPerMCU(of: component) == 4 {
                    unsafe transformQuads(strip, mcuRow: row, scale: scale, into: blocks)
                } else {
                    let plane = unsafe component == 0 ? strip.luma : component == 1 ? strip.blue : strip.red
                    let stride = component == 0 ? strip.stride : strip.chromaStride
                    unsafe transformRow(
                        plane, stride: stride, count: perRow, scale: scale,
                        levelShift: component == 0 ? lumaLevelShift : 0, into: blocks)
                }
            }
        }
    }
}

/// 128 · 8 in units of the DC coefficient.
private let lumaLevelShift = Int16(1024 << ForwardDCT.fractionBits)

/// A row of single-block MCUs.
///
/// Safety: `plane` has 8 rows of 8 · `count` samples, `blocks` room for `count` blocks.
private func transformRow(
    _ plane: UnsafePointer<Float>, stride: Int, count: Int, scale: UnsafePointer<SIMD4<Float>>,
    levelShift: Int16, into blocks: UnsafeMutablePointer<Int16>
) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { buffer in
        guard let base = buffer.baseAddress else { return }
        let scratch = unsafe base.bindMemory(to: Int16.self, capacity: 64)
        for block in 0..<count {
            unsafe ForwardDCT.transformBlock(
                plane + block * 8, stride: stride, descale: scale, levelShift: levelShift, scratch: scratch,
                into: blocks + block * 64)
        }
    }
}

/// The luma of a row of 4:2:0 MCUs: four blocks each, those outside the picture as cheap as can be.
///
/// Safety: the strip holds this row, `blocks` has room for four blocks an MCU.
private func transformQuads(
    _ strip: borrowing ColourStrip, mcuRow: Int, scale: UnsafePointer<SIMD4<Float>>,
    into blocks: UnsafeMutablePointer<Int16>
) {
    let geometry = strip.geometry
    let blocksAcross = (geometry.width + 7) / 8
    let blocksDown = (geometry.height + 7) / 8 - mcuRow * 2
    let plane = unsafe strip.luma
    let stride = strip.stride
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { buffer in
        guard let base = buffer.baseAddress else { return }
        let scratch = unsafe base.bindMemory(to: Int16.self, capacity: 64)
        for index in 0..<geometry.mcusAcross * 4 {
            let column = index / 4 * 2 + index % 2
            let line = index / 2 % 2
            let block = unsafe blocks + index * 64
            if column < blocksAcross, line < blocksDown {
                unsafe ForwardDCT.transformBlock(
                    plane + line * 8 * stride + column * 8, stride: stride, descale: scale,
                    levelShift: lumaLevelShift, scratch: scratch, into: block)
            } else {
                // Never the first of its MCU, so there is a previous block: the same DC costs no bits.
                unsafe block.update(repeating: 0, count: 64)
                unsafe block[0] = (block - 64)[0]
            }
        }
    }
}
