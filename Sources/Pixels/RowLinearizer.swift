/// Turns a decoder's row into linear light over the matte: one SIMD lane each for red, green and blue.
///
/// The matte is applied per pixel before any filtering: it commutes with the filter and saves an alpha plane.
package struct RowLinearizer: Sendable {
    package let layout: PixelLayout
    /// The matte in linear light.
    let matte: SIMD4<Float>
    private let table: [Float]

    /// - Parameter background: what lies behind transparent pixels, 0xRRGGBB in sRGB.
    package init(layout: PixelLayout, background: UInt32) {
        self.layout = layout
        func linear(_ shift: UInt32) -> Float { SRGBCurve.linear8[Int(background >> shift & 255)] }
        matte = SIMD4(linear(16), linear(8), linear(0), 0)
        table = layout.bitsPerSample == 16 ? SRGBCurve.linearTable(bits: 16) : SRGBCurve.linear8
    }

    /// Bytes the table takes.
    package static func memoryNeed(layout: PixelLayout) -> Int { layout.bitsPerSample == 16 ? 65536 * 4 : 1024 }

    /// Converts `out.count` pixels.
    ///
    /// - Parameter row: at least `out.count * layout.bytesPerPixel` bytes, aligned for 16-bit samples.
    package func convert(_ row: UnsafeRawPointer, into out: UnsafeMutableBufferPointer<SIMD4<Float>>) {
        if layout.bitsPerSample == 16 {
            unsafe convert(row.assumingMemoryBound(to: UInt16.self), top: 65535, into: out)
        } else {
            unsafe convert(row.assumingMemoryBound(to: UInt8.self), top: 255, into: out)
        }
    }

    // A sample indexes a table with an entry for each of its values, so no lookup can leave it.
    private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
        _ row: UnsafePointer<Sample>, top: Float, into out: UnsafeMutableBufferPointer<SIMD4<Float>>
    ) {
        unsafe table.withUnsafeBufferPointer { table in
            switch layout.channels {
            case .gray:
                for x in 0..<out.count { unsafe out[x] = SIMD4(repeating: table[Int(row[x])]) }
            case .rgb:
                for x in 0..<out.count {
                    let p = unsafe row + x &* 3
                    unsafe out[x] = SIMD4(table[Int(p[0])], table[Int(p[1])], table[Int(p[2])], 0)
                }
            case .grayAlpha:
                for x in 0..<out.count {
                    let p = unsafe row + x &* 2
                    let color = unsafe SIMD4<Float>(repeating: table[Int(p[0])])
                    unsafe out[x] = matte + (color - matte) * (Float(p[1]) / top)
                }
            case .rgba:
                for x in 0..<out.count {
                    let p = unsafe row + x &* 4
                    let color = unsafe SIMD4(table[Int(p[0])], table[Int(p[1])], table[Int(p[2])], 0)
                    unsafe out[x] = matte + (color - matte) * (Float(p[3]) / top)
                }
            case .cmyk(let inverted):
                let flip: Sample = inverted ? 0 : .max
                for x in 0..<out.count {
                    let p = unsafe row + x &* 4
                    let white = unsafe Int(p[3] ^ flip)
                    func ink(_ i: Int) -> Float { unsafe table[(Int(p[i] ^ flip) &* white &+ 127) / 255] }
                    unsafe out[x] = SIMD4(ink(0), ink(1), ink(2), 0)
                }
            }
        }
    }
}
