internal import Pixels

/// One row of MCUs as planes of `Float`: luma in 0…255, chroma as colour differences B − Y and R − Y.
///
/// The differences are not yet scaled to Cb and Cr and, for 4:2:0, are sums over 2 × 2 pixels: both factors
/// go into the descaling after the DCT (`chromaGain`). Edges are padded by replication to whole blocks.
@safe struct ColourStrip: ~Copyable {
    let geometry: ScanGeometry
    let stride: Int
    let chromaStride: Int
    /// Luma rows, then B − Y rows, then R − Y rows.
    private let storage: UnsafeMutablePointer<Float>
    let luma: UnsafeMutablePointer<Float>
    let blue: UnsafeMutablePointer<Float>
    let red: UnsafeMutablePointer<Float>

    /// Factors from colour differences to (Cb, Cr) with Y = 0.299 R + 0.587 G + 0.114 B (JFIF).
    static func chromaGain(_ subsampling: Subsampling) -> (blue: Double, red: Double) {
        let pixels = subsampling == .s420 ? 4.0 : 1.0
        return (1 / (1.772 * pixels), 1 / (1.402 * pixels))
    }

    /// Samples held for `geometry`: groups of 8 pixels are written whole, hence the rounding up.
    static func sampleCount(_ geometry: ScanGeometry) -> Int {
        let across = geometry.mcusAcross * geometry.mcuSide
        guard geometry.componentCount == 3 else { return across * 8 }
        return geometry.subsampling == .s420 ? across * 16 + across / 2 * 16 : across * 24
    }

    init(_ geometry: ScanGeometry) {
        self.geometry = geometry
        stride = geometry.mcusAcross * geometry.mcuSide
        chromaStride = geometry.subsampling == .s420 ? stride / 2 : stride
        let count = Self.sampleCount(geometry)
        unsafe storage = .allocate(capacity: count)
        unsafe storage.initialize(repeating: 0, count: count)
        unsafe luma = unsafe storage
        // Without chroma the two planes are empty and never touched.
        let three = geometry.componentCount == 3
        unsafe blue = unsafe storage + (three ? stride * geometry.mcuSide : 0)
        unsafe red = unsafe blue + (three ? chromaStride * 8 : 0)
    }

    deinit { unsafe storage.deallocate() }

    /// Fills the strip with MCU row `row` of the picture.
    ///
    /// Safety: `pixels` holds width × height × channels bytes of the strip's geometry.
    func load(mcuRow row: Int, from pixels: UnsafePointer<UInt8>, channels: Int) {
        let first = row * geometry.mcuSide
        let rows = min(geometry.mcuSide, geometry.height - first)
        let rowBytes = geometry.width * channels
        if geometry.subsampling == .s420 {
            for pair in 0..<(rows + 1) / 2 {
                let upper = unsafe pixels + (first + pair * 2) * rowBytes
                // A last single row stands for both.
                let lower = unsafe pair * 2 + 1 < rows ? upper + rowBytes : upper
                unsafe convertPair(upper, lower, pair: pair)
            }
        } else {
            for line in 0..<rows {
                let source = unsafe pixels + (first + line) * rowBytes
                if channels == 1 {
                    unsafe widen(source, line: line)
                } else {
                    unsafe convert(source, line: line)
                }
            }
        }
        padRight(rows: rows)
        padBelow(rows: rows)
    }

    /// Calls `body` with the address and the column of every group of 8 pixels; the last group is completed
    /// with copies of the last pixel.
    ///
    /// Safety: a group's address has 25 readable bytes (8 pixels and the byte a 4-byte load takes beyond).
    @inline(__always)
    private func forGroups(
        _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>,
        _ body: (UnsafeRawPointer, UnsafeRawPointer, Int) -> Void
    ) {
        let width = geometry.width
        var column = 0
        while column + 8 < width {
            unsafe body(UnsafeRawPointer(upper + column * 3), UnsafeRawPointer(lower + column * 3), column)
            column += 8
        }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { tail in
            for pixel in 0..<8 {
                let from = min(column + pixel, width - 1) * 3
                for channel in 0..<3 {
                    unsafe tail[pixel * 3 + channel] = upper[from + channel]
                    unsafe tail[32 + pixel * 3 + channel] = lower[from + channel]
                }
            }
            unsafe tail[24] = 0
            unsafe tail[56] = 0
            guard let base = UnsafeRawPointer(tail.baseAddress) else { return }
            unsafe body(base, base + 32, column)
        }
    }

    /// Two rows of RGB into two luma rows and one row of 2 × 2 sums of the differences.
    private func convertPair(_ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, pair: Int) {
        let above = unsafe UnsafeMutableRawPointer(luma + pair * 2 * stride)
        let below = unsafe above + stride * 4
        let blueRow = unsafe UnsafeMutableRawPointer(blue + pair * chromaStride)
        let redRow = unsafe UnsafeMutableRawPointer(red + pair * chromaStride)
        unsafe forGroups(upper, lower) { top, bottom, column in
            let a = unsafe Pixels4(top)
            let b = unsafe Pixels4(top + 12)
            let c = unsafe Pixels4(bottom)
            let d = unsafe Pixels4(bottom + 12)
            unsafe above.storeBytes(of: a.luma, toByteOffset: column &* 4, as: SIMD4<Float>.self)
            unsafe above.storeBytes(of: b.luma, toByteOffset: column &* 4 &+ 16, as: SIMD4<Float>.self)
            unsafe below.storeBytes(of: c.luma, toByteOffset: column &* 4, as: SIMD4<Float>.self)
            unsafe below.storeBytes(of: d.luma, toByteOffset: column &* 4 &+ 16, as: SIMD4<Float>.self)
            let left = a.luma + c.luma
            let right = b.luma + d.luma
            let blues = SIMD8(lowHalf: a.blue + c.blue - left, highHalf: b.blue + d.blue - right)
            let reds = SIMD8(lowHalf: a.red + c.red - left, highHalf: b.red + d.red - right)
            unsafe blueRow.storeBytes(
                of: blues.evenHalf + blues.oddHalf, toByteOffset: column &* 2, as: SIMD4<Float>.self)
            unsafe redRow.storeBytes(
                of: reds.evenHalf + reds.oddHalf, toByteOffset: column &* 2, as: SIMD4<Float>.self)
        }
    }

    /// One row of RGB into one row of luma and, where chroma is kept, of each difference.
    private func convert(_ source: UnsafePointer<UInt8>, line: Int) {
        let lumaRow = unsafe UnsafeMutableRawPointer(luma + line * stride)
        let blueRow = unsafe UnsafeMutableRawPointer(blue + line * stride)
        let redRow = unsafe UnsafeMutableRawPointer(red + line * stride)
        let colour = geometry.componentCount == 3
        unsafe forGroups(source, source) { top, _, column in
            let a = unsafe Pixels4(top)
            let b = unsafe Pixels4(top + 12)
            let at = column &* 4
            unsafe lumaRow.storeBytes(of: a.luma, toByteOffset: at, as: SIMD4<Float>.self)
            unsafe lumaRow.storeBytes(of: b.luma, toByteOffset: at &+ 16, as: SIMD4<Float>.self)
            guard colour else { return }
            unsafe blueRow.storeBytes(of: a.blue - a.luma, toByteOffset: at, as: SIMD4<Float>.self)
            unsafe blueRow.storeBytes(of: b.blue - b.luma, toByteOffset: at &+ 16, as: SIMD4<Float>.self)
            unsafe redRow.storeBytes(of: a.red - a.luma, toByteOffset: at, as: SIMD4<Float>.self)
            unsafe redRow.storeBytes(of: b.red - b.luma, toByteOffset: at &+ 16, as: SIMD4<Float>.self)
        }
    }

    /// One row of grey samples.
    private func widen(_ source: UnsafePointer<UInt8>, line: Int) {
        let row = unsafe luma + line * stride
        for column in 0..<geometry.width { unsafe row[column] = Float(source[column]) }
    }

    /// Repeats the last sample of every row up to the end of its block.
    func padRight(rows: Int) {
        unsafe pad(luma, stride: stride, from: geometry.width, rows: rows)
        guard geometry.componentCount == 3 else { return }
        let across = geometry.samples(of: 1).across
        let chromaRows = geometry.subsampling == .s420 ? (rows + 1) / 2 : rows
        unsafe pad(blue, stride: chromaStride, from: across, rows: chromaRows)
        unsafe pad(red, stride: chromaStride, from: across, rows: chromaRows)
    }

    private func pad(_ plane: UnsafeMutablePointer<Float>, stride: Int, from width: Int, rows: Int) {
        let end = (width + 7) / 8 * 8
        guard end > width else { return }
        for line in 0..<rows {
            let row = unsafe plane + line * stride
            for column in width..<end { unsafe row[column] = row[width - 1] }
        }
    }

    /// Repeats the last row up to the end of its block.
    func padBelow(rows: Int) {
        unsafe repeatLastRow(luma, stride: stride, rows: rows)
        guard geometry.componentCount == 3 else { return }
        let chromaRows = geometry.subsampling == .s420 ? (rows + 1) / 2 : rows
        unsafe repeatLastRow(blue, stride: chromaStride, rows: chromaRows)
        unsafe repeatLastRow(red, stride: chromaStride, rows: chromaRows)
    }

    private func repeatLastRow(_ plane: UnsafeMutablePointer<Float>, stride: Int, rows: Int) {
        let end = (rows + 7) / 8 * 8
        guard end > rows else { return }
        let last = unsafe plane + (rows - 1) * stride
        for line in rows..<end { unsafe (plane + line * stride).update(from: last, count: stride) }
    }
}

/// Four pixels as vectors of `Float`.
private struct Pixels4 {
    let red: SIMD4<Float>
    let blue: SIMD4<Float>
    let luma: SIMD4<Float>

    /// Safety: 13 readable bytes at `pixels`.
    @inline(__always)
    init(_ pixels: UnsafeRawPointer) {
        let packed = unsafe SIMD4<Int32>(
            pixels.loadUnaligned(as: Int32.self),
            pixels.loadUnaligned(fromByteOffset: 3, as: Int32.self),
            pixels.loadUnaligned(fromByteOffset: 6, as: Int32.self),
            pixels.loadUnaligned(fromByteOffset: 9, as: Int32.self))
        // Both target families are little-endian: the first byte is the low one.
        red = SIMD4<Float>(packed & 255)
        let green = SIMD4<Float>((packed &>> 8) & 255)
        blue = SIMD4<Float>((packed &>> 16) & 255)
        luma = red * 0.299 + green * 0.587 + blue * 0.114
    }
}
