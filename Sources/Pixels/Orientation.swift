/// EXIF orientation (Exif 2.32, 4.6.4 A): where the stored picture's first row and column lie when upright.
package enum Orientation: Int, Sendable, CaseIterable {
    case upright = 1
    case mirrored
    case rotated180
    case flipped
    case transposed
    case rotated90
    case transversed
    case rotated270

    /// Whether upright width and height are the stored ones exchanged.
    package var swapsAxes: Bool { rawValue >= 5 }

    /// A stored size seen upright, or an upright one as stored: the exchange is its own inverse.
    package func turned(_ size: PixelSize) -> PixelSize {
        swapsAxes ? PixelSize(size.height, size.width) : size
    }
}

extension Bitmap {
    /// The same picture upright.
    package func upright(from orientation: Orientation) -> Bitmap {
        guard orientation != .upright else { return self }
        let size = orientation.turned(self.size)
        let out = PageBuffer<UInt8>(count: pixels.count)
        let (fromWidth, fromHeight) = (self.size.width, self.size.height)
        let rowBytes = fromWidth * channels
        // Stored sample of the upright origin, and the steps in it for one upright column and one upright row.
        let (left, right) = (0, (fromWidth - 1) * channels)
        let (top, bottom) = (0, (fromHeight - 1) * rowBytes)
        let (origin, column, row): (Int, Int, Int) =
            switch orientation {
            case .upright: (left + top, channels, rowBytes)
            case .mirrored: (right + top, -channels, rowBytes)
            case .rotated180: (right + bottom, -channels, -rowBytes)
            case .flipped: (left + bottom, channels, -rowBytes)
            case .transposed: (left + top, rowBytes, channels)
            case .rotated90: (left + bottom, -rowBytes, channels)
            case .transversed: (right + bottom, -rowBytes, -channels)
            case .rotated270: (right + top, rowBytes, -channels)
            }
        // Origin and steps reach each stored sample once, so both indices stay inside the buffers of equal size.
        unsafe pixels.withUnsafeBufferPointer { samples in
            unsafe out.withUnsafeMutableBufferPointer { out in
                var to = 0
                for y in 0..<size.height {
                    var from = origin + y * row
                    for _ in 0..<size.width {
                        for c in 0..<channels { unsafe out[to + c] = samples[from + c] }
                        to += channels
                        from += column
                    }
                }
            }
        }
        return Bitmap(size: size, channels: channels, pixels: out)
    }
}

extension Orientation {
    /// Where a step to the right and one down in the stored picture lead in the upright one.
    private var steps: [Int] {
        switch self {
        case .upright: [1, 0, 0, 1]
        case .mirrored: [-1, 0, 0, 1]
        case .rotated180: [-1, 0, 0, -1]
        case .flipped: [1, 0, 0, -1]
        case .transposed: [0, 1, 1, 0]
        case .rotated90: [0, 1, -1, 0]
        case .transversed: [0, -1, -1, 0]
        case .rotated270: [0, -1, 1, 0]
        }
    }

    /// What turning by this and then by `next` comes to.
    package func followed(by next: Orientation) -> Orientation {
        let (a, b) = (steps, next.steps)
        // A step (x, y) goes to x · (b0, b1) + y · (b2, b3).
        func step(_ x: Int, _ y: Int) -> [Int] { [x * b[0] + y * b[2], x * b[1] + y * b[3]] }
        let both = step(a[0], a[1]) + step(a[2], a[3])
        return Self.allCases.first { $0.steps == both } ?? .upright
    }
}
