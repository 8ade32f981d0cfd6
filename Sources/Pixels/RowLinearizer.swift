/// Turns a decoder's row into linear light over the matte.
///
/// The matte is applied per pixel before any filtering: it commutes with the filter and saves an alpha plane.
package struct RowLinearizer: Sendable {
    package let layout: PixelLayout
    /// The matte in linear light.
    let matte: SIMD4<UInt32>
    /// Light for each value of a sample: one part for all channels, or one each for red, green and blue.
    private let table: [UInt16]
    /// Where green's and blue's parts begin.
    private let (green, blue): (Int, Int)
    /// The same of 8-bit samples in 32-bit lanes: the parts for left pixels, then shifted up for right ones.
    private let lanes: [UInt32]

    /// - Parameter background: what lies behind transparent pixels, 0xRRGGBB in sRGB.
    package init(layout: PixelLayout, background: UInt32, colour: ColourSpace = .sRGB) {
        self.layout = layout
        matte = Self.matte(background, in: colour)
        let bits = layout.bitsPerSample
        if let curves = colour.curves {
            let parts = layout.isGray ? curves.prefix(1) : curves.prefix(3)
            table = parts.flatMap { SRGBCurve.linearTable(bits: bits, $0) }
            (green, blue) = parts.count == 3 ? (1 << bits, 2 << bits) : (0, 0)
        } else {
            table = bits == 16 ? SRGBCurve.linearTable(bits: 16) : SRGBCurve.linear8
            (green, blue) = (0, 0)
        }
        lanes = bits == 8 ? table.map { UInt32($0) } + table.map { UInt32($0) << 16 } : []
    }

    /// The background in the linear light of the source, of which the encoder makes sRGB's again.
    private static func matte(_ background: UInt32, in colour: ColourSpace) -> SIMD4<UInt32> {
        func linear(_ shift: UInt32) -> Double { Double(SRGBCurve.linear8[Int(background >> shift & 255)]) }
        let light = SIMD3(linear(16), linear(8), linear(0))
        let own = colour.toSRGB?.inverse.map { $0 * light } ?? light
        let clamped = own.clamped(lowerBound: .zero, upperBound: .init(repeating: Double(SRGBCurve.white)))
        return SIMD4(UInt32(clamped.x.rounded()), UInt32(clamped.y.rounded()), UInt32(clamped.z.rounded()), 0)
    }

    /// Bytes the tables take.
    package static func memoryNeed(layout: PixelLayout) -> Int {
        (layout.bitsPerSample == 16 ? 65536 * 2 : 256 * 10) * (layout.isGray ? 1 : 3)
    }

    /// Converts `width` pixels.
    ///
    /// - Parameters:
    ///   - row: at least `width * layout.bytesPerPixel` bytes, aligned for 16-bit samples.
    ///   - out: has room for (width + 1) / 2 pairs.
    func convert(_ row: UnsafeRawPointer, width: Int, into out: LightLanes) {
        if layout.bitsPerSample == 16 {
            unsafe convert(row.assumingMemoryBound(to: UInt16.self), width, out)
        } else {
            let row = unsafe row.assumingMemoryBound(to: UInt8.self)
            guard case .rgb = layout.channels else { return unsafe convert(row, width, out) }
            // By far the most frequent. What is left of an odd width is its last pixel.
            unsafe convertRGB(row, width / 2, out)
            guard width & 1 == 1 else { return }
            unsafe convert(row + 3 * (width - 1), 1, out.dropFirst(width / 2))
        }
    }

    /// Converts `count` times two pixels of 8-bit red, green and blue.
    private func convertRGB(_ row: UnsafePointer<UInt8>, _ count: Int, _ out: LightLanes) {
        let (green, blue, right) = (green, blue, lanes.count / 2)
        unsafe lanes.withUnsafeBufferPointer { lanes in
            @inline(__always) func both(_ at: Int, _ part: Int = 0) -> UInt32 {
                unsafe lanes[part &+ Int(row[at])] | lanes[right &+ part &+ Int(row[at &+ 3])]
            }
            for i in 0..<count {
                let at = 6 &* i
                unsafe out.store(both(at), both(at &+ 1, green), both(at &+ 2, blue), pair: i)
            }
        }
    }

    /// Converts a part of a row of `width` pixels: those of `pairs`, which lie inside it.
    func convert(
        _ row: UnsafeRawPointer, width: Int, pairs: Range<Int>, into out: LightLanes
    ) {
        let (first, end) = (2 * pairs.lowerBound, min(2 * pairs.upperBound, width))
        unsafe convert(row + first * layout.bytesPerPixel, width: end - first, into: out)
    }

    /// Fills the pixels of `pairs`, in a row of `width`, with the matte.
    func fill(width: Int, pairs: Range<Int>, _ out: LightLanes) {
        unsafe each(min(2 * pairs.upperBound, width) - 2 * pairs.lowerBound, out) { _ in matte }
    }

    // A sample indexes a table with an entry for each of its values, so no lookup can leave it.
    private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
        _ row: UnsafePointer<Sample>, _ width: Int, _ out: LightLanes
    ) {
        let matte = matte
        unsafe table.withUnsafeBufferPointer { table in
            @inline(__always) func light(_ at: Int, _ part: Int = 0) -> UInt32 {
                unsafe UInt32(table[part &+ Int(row[at])])
            }
            @inline(__always) func over(_ color: SIMD4<UInt32>, _ alpha: Sample) -> SIMD4<UInt32> {
                let (a, top) = (UInt32(alpha), UInt32(Sample.max))
                let sum = color &* a &+ matte &* (top &- a) &+ top / 2
                return SIMD4(sum.x / top, sum.y / top, sum.z / top, 0)
            }
            switch layout.channels {
            case .gray:
                unsafe each(width, out) { x in SIMD4(repeating: light(x)) }
            case .rgb:
                unsafe each(width, out) { x in
                    SIMD4(light(3 &* x), light(3 &* x &+ 1, green), light(3 &* x &+ 2, blue), 0)
                }
            case .grayAlpha:
                unsafe each(width, out) { x in
                    unsafe over(SIMD4(repeating: light(2 &* x)), row[2 &* x &+ 1])
                }
            case .rgba:
                unsafe each(width, out) { x in
                    let at = 4 &* x
                    let color = SIMD4(light(at), light(at &+ 1, green), light(at &+ 2, blue), 0)
                    return unsafe over(color, row[at &+ 3])
                }
            case .cmyk(let inverted):
                let flip: Sample = inverted ? 0 : .max
                unsafe each(width, out) { x in
                    let at = 4 &* x
                    let white = unsafe Int(row[at &+ 3] ^ flip)
                    @inline(__always) func ink(_ i: Int) -> UInt32 {
                        unsafe UInt32(table[(Int(row[at &+ i] ^ flip) &* white &+ 127) / 255])
                    }
                    return SIMD4(ink(0), ink(1), ink(2), 0)
                }
            }
        }
    }

    /// Writes `width` pixels; the partner of an odd last one is black, and no tap ever weighs it.
    @inline(__always)
    private func each(_ width: Int, _ out: LightLanes, _ pixel: (_ x: Int) -> SIMD4<UInt32>) {
        @inline(__always) func store(_ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>, _ i: Int) {
            // Light fits the low half of its lane.
            let both = a | b &<< 16
            unsafe out.store(both.x, both.y, both.z, pair: i)
        }
        let pairs = width / 2
        for i in 0..<pairs { store(pixel(2 &* i), pixel(2 &* i &+ 1), i) }
        if width & 1 == 1 { store(pixel(width &- 1), .zero, pairs) }
    }
}
