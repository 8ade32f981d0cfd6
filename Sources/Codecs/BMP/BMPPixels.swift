internal import Pixels

/// Turns a BMP's stored row into one of `layout`: red, green, blue, and alpha where the header says there is any.
struct BMPPixels {
    let layout: PixelLayout
    private let width: Int
    private let form: Form

    private enum Form {
        case palette(bits: Int, [UInt8])
        /// Whole bytes: where red, green, blue and alpha lie in a pixel of so many.
        case bytes(stride: Int, red: Int, green: Int, blue: Int, alpha: Int?)
        case masks(stride: Int, [Channel])
    }

    init(_ header: BMPHeader) {
        width = header.size.width
        let isPlain = header.coding == .plain
        layout = PixelLayout(isPlain && !header.hasAlpha ? .rgb : .rgba)
        let stride = header.bitsPerPixel / 8
        let places = header.masks.map { mask in [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000].firstIndex(of: mask) }
        if let palette = header.palette {
            form = .palette(bits: header.bitsPerPixel, palette)
        } else if stride == 3 {
            form = .bytes(stride: 3, red: 2, green: 1, blue: 0, alpha: nil)
        } else if stride == 4, let red = places[0], let green = places[1], let blue = places[2],
            places[3] != nil || !header.hasAlpha
        {
            form = .bytes(stride: 4, red: red, green: green, blue: blue, alpha: places[3])
        } else {
            form = .masks(stride: stride, header.masks.prefix(header.hasAlpha ? 4 : 3).map(Channel.init))
        }
    }

    /// Converts a row.
    ///
    /// - Parameters:
    ///   - row: at least `width` pixels as stored.
    ///   - out: room for `width` pixels of `layout`.
    func convert(_ row: UnsafePointer<UInt8>, into out: UnsafeMutablePointer<UInt8>) {
        switch form {
        case .palette(let bits, let palette): unsafe convert(row, bits, palette, out)
        case .bytes(let stride, let red, let green, let blue, let alpha?):
            for x in 0..<width {
                let (from, to) = (stride &* x, 4 &* x)
                unsafe out[to] = row[from &+ red]
                unsafe out[to &+ 1] = row[from &+ green]
                unsafe out[to &+ 2] = row[from &+ blue]
                unsafe out[to &+ 3] = row[from &+ alpha]
            }
        case .bytes(let stride, let red, let green, let blue, nil):
            for x in 0..<width {
                let (from, to) = (stride &* x, 3 &* x)
                unsafe out[to] = row[from &+ red]
                unsafe out[to &+ 1] = row[from &+ green]
                unsafe out[to &+ 2] = row[from &+ blue]
            }
        case .masks(let stride, let channels): unsafe convert(row, stride, channels, out)
        }
    }

    // An index of so many bits has an entry in the palette, so no lookup can leave it.
    private func convert(
        _ row: UnsafePointer<UInt8>, _ bits: Int, _ palette: [UInt8], _ out: UnsafeMutablePointer<UInt8>
    ) {
        let (perByte, top) = (8 / bits, (1 << bits) - 1)
        unsafe palette.withUnsafeBufferPointer { palette in
            @inline(__always) func put(_ x: Int, _ index: Int) {
                unsafe out[3 &* x] = palette[3 &* index]
                unsafe out[3 &* x &+ 1] = palette[3 &* index &+ 1]
                unsafe out[3 &* x &+ 2] = palette[3 &* index &+ 2]
            }
            if bits == 8 {
                for x in 0..<width { unsafe put(x, Int(row[x])) }
            } else {
                for x in 0..<width {
                    let shift = 8 &- bits &- (x % perByte) &* bits
                    unsafe put(x, Int(row[x / perByte]) &>> shift & top)
                }
            }
        }
    }

    private func convert(
        _ row: UnsafePointer<UInt8>, _ stride: Int, _ channels: [Channel], _ out: UnsafeMutablePointer<UInt8>
    ) {
        var to = 0
        for x in 0..<width {
            var pixel: UInt32 = 0
            for i in (0..<stride).reversed() { pixel = unsafe pixel << 8 | UInt32(row[x &* stride &+ i]) }
            for channel in channels {
                unsafe out[to] = channel.value(pixel)
                to &+= 1
            }
        }
    }
}

/// The bits of a pixel that are one colour's, as a value from 0 to 255.
private struct Channel {
    private let mask: UInt32
    private let shift: UInt32
    private let top: UInt64

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        top = UInt64(mask >> shift)
    }

    func value(_ pixel: UInt32) -> UInt8 {
        guard top > 0 else { return 0 }
        return UInt8((UInt64((pixel & mask) >> shift) * 255 + top / 2) / top)
    }
}
