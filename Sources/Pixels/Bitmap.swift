/// Width and height in pixels.
package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// Width × height; sizes that reach here are bounded by admission, so it cannot overflow.
    package var area: Int { width * height }
}

/// A picture of output size, never of source size: sRGB samples, rows from the top, channels interleaved.
package struct Bitmap: Sendable {
    package let size: PixelSize
    /// 1 (grey) or 3 (red, green, blue).
    package let channels: Int
    /// `size.height` rows of `size.width * channels` bytes; not written any more.
    package let pixels: PageBuffer<UInt8>

    package init(size: PixelSize, channels: Int, pixels: PageBuffer<UInt8>) {
        self.size = size
        self.channels = channels
        self.pixels = pixels
    }

    /// No picture, in the place of one that is no longer needed.
    package static var empty: Bitmap { Bitmap(size: PixelSize(0, 0), channels: 1, samples: []) }

    /// A bitmap with a copy of these samples; what is missing is black, what is too much left out.
    package init(size: PixelSize, channels: Int, samples: [UInt8]) {
        let pixels = PageBuffer<UInt8>(count: size.area * channels)
        unsafe pixels.withUnsafeMutableBufferPointer {
            _ = unsafe $0.update(fromContentsOf: samples.prefix($0.count))
        }
        self.init(size: size, channels: channels, pixels: pixels)
    }

    /// Whether red, green and blue are the same everywhere.
    package var isGray: Bool {
        guard channels == 3 else { return true }
        return unsafe pixels.withUnsafeBufferPointer { samples in
            for i in stride(from: 0, to: samples.count - 2, by: 3) {
                if unsafe samples[i] != samples[i + 1] || samples[i] != samples[i + 2] { return false }
            }
            return true
        }
    }

    /// A copy of the samples.
    package var samples: [UInt8] { pixels.elements }

    /// A copy of the part that begins at pixel `x`, `y` and has this size, which must lie inside.
    package func part(x: Int, y: Int, size part: PixelSize) -> Bitmap {
        let out = PageBuffer<UInt8>(count: part.area * channels)
        let (rowBytes, partBytes) = (size.width * channels, part.width * channels)
        // Safety: clamped, so that no row leaves either picture.
        let left = max(0, min(x, size.width - part.width)) * channels
        let top = max(0, min(y, size.height - part.height))
        unsafe pixels.withUnsafeBufferPointer { from in
            unsafe out.withUnsafeMutableBufferPointer { to in
                for row in 0..<min(part.height, size.height) {
                    let start = (top + row) * rowBytes + left
                    let count = min(partBytes, rowBytes)
                    unsafe _ = to.extracting((row * partBytes)..<(row * partBytes + count))
                        .update(fromContentsOf: from.extracting(start..<(start + count)))
                }
            }
        }
        return Bitmap(size: part, channels: channels, pixels: out)
    }
}
