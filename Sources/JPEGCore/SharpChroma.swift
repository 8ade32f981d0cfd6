internal import Pixels

/// Luma and halved chroma chosen together, so that what a decoder makes of them is as light as the picture.
///
/// A decoder interpolates chroma and clips what leaves the range, so next to a saturated edge red becomes dark and
/// black becomes red. The decoder's steps are done here (libjpeg's interpolation, 3 : 1 on each axis), and what its
/// result lacks in light goes to luma, what it lacks in colour to chroma, some rounds over.
///
/// Memory: three bytes a pixel, until the blocks are transformed.
struct SharpChroma {
    let size: PixelSize
    /// A row for each row of pixels, in 64ths.
    let luma: PageBuffer<Int16>
    /// Cb and Cr less 128, a row for two rows of pixels, in 64ths.
    let blue: PageBuffer<Int16>
    let red: PageBuffer<Int16>

    static let one: Float = 64
    /// Differences in light hardly shrink after so many.
    private static let rounds = 5

    /// - Parameter bitmap: three channels, at least one pixel.
    init(_ bitmap: Bitmap) {
        size = bitmap.size
        luma = PageBuffer(count: size.area)
        let halved = (size.width + 1) / 2 * ((size.height + 1) / 2)
        blue = PageBuffer(count: halved)
        red = PageBuffer(count: halved)
        unsafe bitmap.pixels.withUnsafeBufferPointer { pixels in
            unsafe luma.withUnsafeMutableBufferPointer { luma in
                unsafe blue.withUnsafeMutableBufferPointer { blue in
                    unsafe red.withUnsafeMutableBufferPointer { red in
                        guard let pixels = pixels.baseAddress, let luma = luma.baseAddress,
                            let blue = blue.baseAddress, let red = red.baseAddress
                        else { return }
                        // The planes were sized from the bitmap's size just above.
                        unsafe choose(pixels, luma, blue, red)
                    }
                }
            }
        }
    }

    private func choose(
        _ pixels: UnsafePointer<UInt8>, _ luma: UnsafeMutablePointer<Int16>,
        _ blue: UnsafeMutablePointer<Int16>, _ red: UnsafeMutablePointer<Int16>
    ) {
        unsafe SRGBCurve.linear8.withUnsafeBufferPointer { linear in
            unsafe SRGBCurve.encoded8.withUnsafeBufferPointer { encoded in
                guard let linear = linear.baseAddress, let encoded = encoded.baseAddress else { return }
                var rows = unsafe SharpRows(
                    size: size, pixels: pixels, luma: luma, blue: blue, red: red, linear: linear,
                    encoded: encoded)
                rows.start()
                for round in 0..<Self.rounds { rows.refine(round) }
            }
        }
    }
}

/// The rounds, row pair by row pair, each with what its upper neighbour has become.
///
/// Safety: all pointers are to whole pictures of `size`.
@safe private struct SharpRows: ~Copyable {
    let width: Int
    let height: Int
    let across: Int
    let down: Int
    let pixels: UnsafePointer<UInt8>
    let luma: UnsafeMutablePointer<Int16>
    let blue: UnsafeMutablePointer<Int16>
    let red: UnsafeMutablePointer<Int16>
    /// `SRGBCurve`'s tables.
    private let linear: UnsafePointer<UInt16>
    private let encoded: UnsafePointer<UInt8>
    /// Rows of chroma whose pixels had the right light in the first round.
    private var isQuiet: [Bool]
    /// Chroma between two rows, and what the pair's pixels lack; made in init, freed in deinit.
    private let blended: UnsafeMutablePointer<SIMD2<Float>>
    private let lacking: UnsafeMutablePointer<SIMD2<Float>>

    /// Shares of what is lacking that are made up for in a round.
    private static let lumaShare: Float = 0.7
    private static let chromaShare: Float = 0.6
    /// Differences that nobody sees, in 8-bit levels.
    private static let quiet: Float = 2

    init(
        size: PixelSize, pixels: UnsafePointer<UInt8>, luma: UnsafeMutablePointer<Int16>,
        blue: UnsafeMutablePointer<Int16>, red: UnsafeMutablePointer<Int16>, linear: UnsafePointer<UInt16>,
        encoded: UnsafePointer<UInt8>
    ) {
        (width, height) = (size.width, size.height)
        (across, down) = ((size.width + 1) / 2, (size.height + 1) / 2)
        unsafe self.pixels = pixels
        unsafe self.luma = luma
        unsafe self.blue = blue
        unsafe self.red = red
        isQuiet = [Bool](repeating: false, count: down)
        unsafe self.linear = linear
        unsafe self.encoded = encoded
        unsafe blended = .allocate(capacity: across)
        unsafe lacking = .allocate(capacity: across)
        unsafe blended.initialize(repeating: .zero, count: across)
        unsafe lacking.initialize(repeating: .zero, count: across)
    }

    deinit {
        unsafe blended.deallocate()
        unsafe lacking.deallocate()
    }

    /// Plain luma and the mean chroma of 2 × 2 pixels.
    func start() {
        for row in 0..<down {
            for column in 0..<across {
                var (sum, count) = (SIMD2<Float>.zero, Float(0))
                for y in (row * 2)..<min(row * 2 + 2, height) {
                    for x in (column * 2)..<min(column * 2 + 2, width) {
                        let colour = Colour(source(x, y))
                        unsafe luma[y * width + x] = Int16((colour.luma * SharpChroma.one).rounded())
                        sum += colour.chroma
                        count += 1
                    }
                }
                store(sum / count, row * across + column)
            }
        }
    }

    mutating func refine(_ round: Int) {
        for row in 0..<down where !isQuiet[row] {
            for column in 0..<across { unsafe lacking[column] = .zero }
            var most: Float = 0
            let lines = (row * 2)..<min(row * 2 + 2, height)
            for y in lines { most = max(most, refineLine(y, row)) }
            if round == 0, most <= Self.quiet { isQuiet[row] = true }
            for column in 0..<across {
                let count = Float(lines.count * min(2, width - column * 2))
                let at = row * across + column
                unsafe store(chroma(at) + lacking[column] * (Self.chromaShare / count), at)
            }
        }
    }

    /// Decodes one row, mends its luma, notes what chroma lacks; answers the largest difference in light.
    private mutating func refineLine(_ y: Int, _ row: Int) -> Float {
        let neighbour = y % 2 == 0 ? max(0, row - 1) : min(down - 1, row + 1)
        for column in 0..<across {
            unsafe blended[column] =
                chroma(row * across + column) * 0.75 + chroma(neighbour * across + column) * 0.25
        }
        var most: Float = 0
        for x in 0..<width {
            let column = x / 2
            let beside = x % 2 == 0 ? max(0, column - 1) : min(across - 1, column + 1)
            let interpolated = unsafe blended[column] * 0.75 + blended[beside] * 0.25
            let at = y * width + x
            let value = unsafe Float(luma[at]) / SharpChroma.one
            let shown = Colour.decoded(value, interpolated)
            let wanted = source(x, y)
            let missing = lightness(wanted) - lightness(shown)
            most = max(most, missing.magnitude)
            let mended = max(0, min(255, value + missing * Self.lumaShare))
            unsafe luma[at] = Int16((mended * SharpChroma.one).rounded())
            unsafe lacking[column] += Colour(wanted).chroma - Colour(shown).chroma
        }
        return most
    }

    @inline(__always)
    private func source(_ x: Int, _ y: Int) -> SIMD3<Float> {
        let at = unsafe pixels + (y * width + x) * 3
        return unsafe SIMD3(Float(at[0]), Float(at[1]), Float(at[2]))
    }

    /// Luminance (ITU-R BT.709) of 0...255 as an sRGB level.
    @inline(__always)
    private func lightness(_ colour: SIMD3<Float>) -> Float {
        let level = SIMD3<Int32>(colour + 0.5)
        // Levels are 0...255; weights of 16 bits, in all 1 << 16, for light of 14 bits stay within the curve.
        let (red, green, blue) = unsafe (
            Int(linear[Int(level.x)]), Int(linear[Int(level.y)]), Int(linear[Int(level.z)])
        )
        return unsafe Float(encoded[(red &* 13933 &+ green &* 46871 &+ blue &* 4732) &>> 16])
    }

    @inline(__always)
    private func chroma(_ at: Int) -> SIMD2<Float> {
        unsafe SIMD2(Float(blue[at]), Float(red[at])) / SharpChroma.one
    }

    @inline(__always)
    private func store(_ chroma: SIMD2<Float>, _ at: Int) {
        let bounded = pointwiseMin(pointwiseMax(chroma, SIMD2(repeating: -128)), SIMD2(repeating: 127))
        unsafe blue[at] = Int16((bounded.x * SharpChroma.one).rounded())
        unsafe red[at] = Int16((bounded.y * SharpChroma.one).rounded())
    }
}

/// JFIF's luma and chroma of a colour.
private struct Colour {
    let luma: Float
    let chroma: SIMD2<Float>

    @inline(__always)
    init(_ rgb: SIMD3<Float>) {
        luma = 0.299 * rgb.x + 0.587 * rgb.y + 0.114 * rgb.z
        chroma = SIMD2((rgb.z - luma) / 1.772, (rgb.x - luma) / 1.402)
    }

    /// Red, green and blue, clipped.
    @inline(__always)
    static func decoded(_ luma: Float, _ chroma: SIMD2<Float>) -> SIMD3<Float> {
        let rgb = SIMD3(
            luma + 1.402 * chroma.y, luma - 0.344136 * chroma.x - 0.714136 * chroma.y,
            luma + 1.772 * chroma.x)
        return pointwiseMin(pointwiseMax(rgb, .zero), SIMD3(repeating: 255))
    }
}

extension ColourStrip {
    /// Fills the strip with MCU row `row` of planes of its geometry.
    func load(mcuRow row: Int, from planes: SharpChroma) {
        let side = geometry.mcuSide
        let rows = min(side, geometry.height - row * side)
        let across = geometry.samples(of: 1).across
        unsafe fill(luma, stride, planes.luma, width: geometry.width, first: row * side, rows: rows, gain: 1)
        // The strip has sums of four differences that are not scaled to Cb and Cr yet.
        let gain = Self.chromaGain(.s420)
        let (first, half) = (row * side / 2, (rows + 1) / 2)
        unsafe fill(
            blue, chromaStride, planes.blue, width: across, first: first, rows: half,
            gain: Float(1 / gain.blue))
        unsafe fill(
            red, chromaStride, planes.red, width: across, first: first, rows: half, gain: Float(1 / gain.red))
        padRight(rows: rows)
        padBelow(rows: rows)
    }

    private func fill(
        _ plane: UnsafeMutablePointer<Float>, _ stride: Int, _ source: PageBuffer<Int16>, width: Int,
        first: Int, rows: Int, gain: Float
    ) {
        unsafe source.withUnsafeBufferPointer { source in
            guard let source = source.baseAddress else { return }
            for line in 0..<rows {
                let from = unsafe source + (first + line) * width
                let to = unsafe plane + line * stride
                for x in 0..<width { unsafe to[x] = Float(from[x]) * (gain / SharpChroma.one) }
            }
        }
    }
}
