/// Turns rows into sRGB where no curve and matrix describe their colours: inks, Lab, tables of a profile, high
/// dynamic range.
package protocol RowConversion: AnyObject, Sendable {
    /// What comes out, sRGB-encoded.
    var output: PixelLayout { get }

    /// Converts `width` pixels; in place where `out` is `row` and both layouts take the same bytes.
    func convert(_ row: UnsafeRawPointer, width: Int, into out: UnsafeMutableRawPointer)
}

extension Bitmap {
    /// Converts every row in place: three channels of 8 bits to the same.
    package func convert(_ conversion: any RowConversion) {
        guard channels == 3, conversion.output == PixelLayout(.rgb) else { return }
        let rowBytes = size.width * 3
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            guard let base = pixels.baseAddress else { return }
            for y in 0..<size.height {
                unsafe conversion.convert(base + y * rowBytes, width: size.width, into: base + y * rowBytes)
            }
        }
    }
}
