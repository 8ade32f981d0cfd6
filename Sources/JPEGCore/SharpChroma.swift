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
    /// Rounds after which photographs hardly gain.
    static let few = 2
    /// The same for letters in pure colours.
    static let many = 5

    /// - Parameters:
    ///   - bitmap: three channels, at least one pixel.
    ///   - share: of what a round would change, 0...1.
    init(_ bitmap: Bitmap, rounds: Int = many, share: Float = 1) {
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
                        var rows = unsafe SharpRows(
                            size: size, pixels: pixels, luma: luma, blue: blue, red: red, share: share)
                        rows.start()
                        for round in 0..<rounds { rows.refine(round) }
                    }
                }
            }
        }
    }
}

/// The rounds, row pair by row pair, each with what its upper neighbour has become.
///
/// Safety: `pixels` and the planes are whole pictures of `size`. Lines have room for a row in groups of 8 pixels: the
/// source a byte more, as pixels are read four bytes at a time, chroma a sample more before and behind.
@safe private struct SharpRows: ~Copyable {
    private let width: Int
    private let height: Int
    private let across: Int
    private let down: Int
    private let pixels: UnsafePointer<UInt8>
    private let luma: UnsafeMutablePointer<Int16>
    private let blue: UnsafeMutablePointer<Int16>
    private let red: UnsafeMutablePointer<Int16>
    /// Groups of 8 pixels across.
    private let groups: Int
    /// For each group of a pair of rows, whether its pixels had the right light in the first round: it stays as it is.
    private var isQuiet: [Bool]
    /// Whether a difference in light is seen, for each group of the pair of rows at work.
    private var isSeen: [Bool]

    /// Red, green and blue of a row of pixels, the last one repeated.
    private let source: UnsafeMutablePointer<UInt8>
    private let storage: UnsafeMutablePointer<Float>
    private let lumaLine: UnsafeMutablePointer<Float>
    /// Chroma between two rows.
    private let blueLine: UnsafeMutablePointer<Float>
    private let redLine: UnsafeMutablePointer<Float>
    /// Sums over a pair's pixels of what chroma lacks.
    private let blueSums: UnsafeMutablePointer<Float>
    private let redSums: UnsafeMutablePointer<Float>

    /// Shares of what is lacking that are made up for in a round.
    private let lumaShare: Float
    private let chromaShare: Float
    /// Differences that nobody sees, in 8-bit levels: what is below is rounding, and would cost bits.
    private static let quiet: Float = 1

    init(
        size: PixelSize, pixels: UnsafePointer<UInt8>, luma: UnsafeMutablePointer<Int16>,
        blue: UnsafeMutablePointer<Int16>, red: UnsafeMutablePointer<Int16>, share: Float
    ) {
        (lumaShare, chromaShare) = (0.7 * share, 0.6 * share)
        (width, height) = (size.width, size.height)
        (across, down) = ((size.width + 1) / 2, (size.height + 1) / 2)
        unsafe self.pixels = pixels
        unsafe self.luma = luma
        unsafe self.blue = blue
        unsafe self.red = red
        groups = (width + 7) / 8
        isQuiet = [Bool](repeating: false, count: groups * down)
        isSeen = [Bool](repeating: false, count: groups)
        let line = groups * 8
        let half = groups * 4 + 2
        unsafe source = .allocate(capacity: line * 3 + 1)
        unsafe source.initialize(repeating: 0, count: line * 3 + 1)
        unsafe storage = .allocate(capacity: line + 4 * half)
        unsafe storage.initialize(repeating: 0, count: line + 4 * half)
        unsafe lumaLine = storage
        unsafe blueLine = storage + line + 1
        unsafe redLine = blueLine + half
        unsafe blueSums = redLine + half
        unsafe redSums = blueSums + half
    }

    deinit {
        unsafe source.deallocate()
        unsafe storage.deallocate()
    }

    private func lines(_ row: Int) -> Range<Int> { (row * 2)..<min(row * 2 + 2, height) }

    /// Plain luma and the mean chroma of 2 × 2 pixels.
    func start() {
        for row in 0..<down {
            clearSums()
            for y in lines(row) {
                loadSource(y)
                for x in stride(from: 0, to: width, by: 8) {
                    let colour = unsafe Pixels8(source + x * 3)
                    unsafe store(colour.luma, lumaLine + x)
                    addToSums(colour.blueChroma, colour.redChroma, x)
                }
                storeLuma(y)
            }
            let share = 1 / Float(2 * lines(row).count)
            for column in 0..<across {
                unsafe setChroma(blueSums[column] * share, redSums[column] * share, row * across + column)
            }
        }
    }

    mutating func refine(_ round: Int) {
        for row in 0..<down where round == 0 || isAtWork(row) {
            clearSums()
            for group in 0..<groups { isSeen[group] = false }
            for y in lines(row) { refineLine(y, row) }
            let share = chromaShare / Float(2 * lines(row).count)
            for group in 0..<groups {
                guard isSeen[group] else {
                    isQuiet[row * groups + group] = isQuiet[row * groups + group] || round == 0
                    continue
                }
                for column in (group * 4)..<min(group * 4 + 4, across) {
                    let at = row * across + column
                    unsafe setChroma(
                        Float(blue[at]) / SharpChroma.one + blueSums[column] * share,
                        Float(red[at]) / SharpChroma.one + redSums[column] * share, at)
                }
            }
        }
    }

    private func isAtWork(_ row: Int) -> Bool {
        isQuiet[(row * groups)..<(row * groups + groups)].contains(false)
    }

    /// Decodes one row, mends its luma, and notes what chroma lacks.
    ///
    /// The last pixel, repeated to the end of its group, counts as often there.
    private mutating func refineLine(_ y: Int, _ row: Int) {
        loadSource(y)
        loadLuma(y)
        let neighbour = y % 2 == 0 ? max(0, row - 1) : min(down - 1, row + 1)
        unsafe blend(blue, row, neighbour, into: blueLine)
        unsafe blend(red, row, neighbour, into: redLine)
        for group in 0..<groups where !isQuiet[row * groups + group] {
            let x = group * 8
            let wanted = unsafe Pixels8(source + x * 3)
            let value = unsafe load(lumaLine + x)
            let shown = unsafe Pixels8(
                luma: value, blueChroma: spread(blueLine + x / 2), redChroma: spread(redLine + x / 2))
            let missing = wanted.lightness - shown.lightness
            let seen = (missing - Self.quiet).positivePart - (-missing - Self.quiet).positivePart
            if (seen * seen).sum() > 0 { isSeen[group] = true }
            unsafe store((value + seen * lumaShare).level, lumaLine + x)
            addToSums(
                wanted.blueChroma - shown.blueChroma, wanted.redChroma - shown.redChroma, x)
        }
        storeLuma(y)
    }

    // MARK: Lines

    private func loadSource(_ y: Int) {
        unsafe source.update(from: pixels + y * width * 3, count: width * 3)
        for at in (width * 3)..<(groups * 24) { unsafe source[at] = source[at - 3] }
    }

    private func loadLuma(_ y: Int) {
        let row = unsafe luma + y * width
        for x in 0..<width { unsafe lumaLine[x] = Float(row[x]) / SharpChroma.one }
        for x in width..<(groups * 8) { unsafe lumaLine[x] = lumaLine[width - 1] }
    }

    private func storeLuma(_ y: Int) {
        let row = unsafe luma + y * width
        // Values are 0...255.
        for x in 0..<width {
            unsafe row[x] = Int16(truncatingIfNeeded: Int32(lumaLine[x] * SharpChroma.one + 0.5))
        }
    }

    /// Three quarters of one row of chroma and a quarter of another, the ends repeated.
    private func blend(
        _ plane: UnsafeMutablePointer<Int16>, _ row: Int, _ neighbour: Int,
        into line: UnsafeMutablePointer<Float>
    ) {
        let (near, far) = unsafe (plane + row * across, plane + neighbour * across)
        for column in 0..<across {
            unsafe line[column] =
                Float(near[column]) * (0.75 / SharpChroma.one) + Float(far[column]) * (0.25 / SharpChroma.one)
        }
        unsafe line[-1] = line[0]
        for column in across..<(groups * 4 + 1) { unsafe line[column] = line[across - 1] }
    }

    /// Eight pixels' chroma from four samples and their neighbours.
    @inline(__always)
    private func spread(_ line: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
        let at = UnsafeRawPointer(line)
        let middle = unsafe at.loadUnaligned(as: SIMD4<Float>.self) * 0.75
        let left = unsafe at.loadUnaligned(fromByteOffset: -4, as: SIMD4<Float>.self) * 0.25
        let right = unsafe at.loadUnaligned(fromByteOffset: 4, as: SIMD4<Float>.self) * 0.25
        var pixels = SIMD8<Float>()
        pixels.evenHalf = middle + left
        pixels.oddHalf = middle + right
        return pixels
    }

    private func clearSums() {
        unsafe blueSums.update(repeating: 0, count: across)
        unsafe redSums.update(repeating: 0, count: across)
    }

    @inline(__always)
    private func addToSums(_ blue: SIMD8<Float>, _ red: SIMD8<Float>, _ x: Int) {
        unsafe add(blue, to: blueSums + x / 2)
        unsafe add(red, to: redSums + x / 2)
    }

    @inline(__always)
    private func add(_ values: SIMD8<Float>, to sums: UnsafeMutablePointer<Float>) {
        let at = UnsafeMutableRawPointer(sums)
        let sum = unsafe at.loadUnaligned(as: SIMD4<Float>.self) + values.evenHalf + values.oddHalf
        unsafe at.storeBytes(of: sum, as: SIMD4<Float>.self)
    }

    @inline(__always)
    private func load(_ at: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
        unsafe UnsafeRawPointer(at).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    private func store(_ values: SIMD8<Float>, _ at: UnsafeMutablePointer<Float>) {
        unsafe UnsafeMutableRawPointer(at).storeBytes(of: values, as: SIMD8<Float>.self)
    }

    @inline(__always)
    private func setChroma(_ blueChroma: Float, _ redChroma: Float, _ at: Int) {
        unsafe blue[at] = fixed(blueChroma)
        unsafe red[at] = fixed(redChroma)
    }

    @inline(__always)
    private func fixed(_ chroma: Float) -> Int16 {
        let scaled = (max(-128, min(127, chroma)) + 128) * SharpChroma.one
        return Int16(truncatingIfNeeded: Int32(scaled + 0.5) &- 128 &* Int32(SharpChroma.one))
    }
}

/// Eight pixels as vectors of `Float`, levels of 0...255.
private struct Pixels8 {
    let red: SIMD8<Float>
    let green: SIMD8<Float>
    let blue: SIMD8<Float>

    /// Safety: 25 readable bytes at `pixels`.
    @inline(__always)
    init(_ pixels: UnsafePointer<UInt8>) {
        let at = unsafe UnsafeRawPointer(pixels)
        // x86-64 and arm64 are little-endian: the first byte is the low one.
        let packed = unsafe SIMD8<Int32>(
            at.loadUnaligned(as: Int32.self), at.loadUnaligned(fromByteOffset: 3, as: Int32.self),
            at.loadUnaligned(fromByteOffset: 6, as: Int32.self),
            at.loadUnaligned(fromByteOffset: 9, as: Int32.self),
            at.loadUnaligned(fromByteOffset: 12, as: Int32.self),
            at.loadUnaligned(fromByteOffset: 15, as: Int32.self),
            at.loadUnaligned(fromByteOffset: 18, as: Int32.self),
            at.loadUnaligned(fromByteOffset: 21, as: Int32.self))
        red = SIMD8(packed & 255)
        green = SIMD8((packed &>> 8) & 255)
        blue = SIMD8((packed &>> 16) & 255)
    }

    /// What JFIF's luma and chroma show, clipped.
    @inline(__always)
    init(luma: SIMD8<Float>, blueChroma: SIMD8<Float>, redChroma: SIMD8<Float>) {
        red = (luma + redChroma * 1.402).level
        green = (luma - blueChroma * 0.344136 - redChroma * 0.714136).level
        blue = (luma + blueChroma * 1.772).level
    }

    @inline(__always)
    var luma: SIMD8<Float> { red * 0.299 + green * 0.587 + blue * 0.114 }
    @inline(__always)
    var blueChroma: SIMD8<Float> { (blue - luma) * (1 / 1.772) }
    @inline(__always)
    var redChroma: SIMD8<Float> { (red - luma) * (1 / 1.402) }

    /// Luminance (ITU-R BT.709) as a level, with squares in place of sRGB's curve: only differences count.
    @inline(__always)
    var lightness: SIMD8<Float> {
        (red * red * 0.2126 + green * green * 0.7152 + blue * blue * 0.0722).root
    }
}

// Arithmetic only: the compiler does comparisons and square roots lane by lane.
extension SIMD8<Float> {
    /// The square root of a number that is not negative, to 0.1 %: half its exponent, and Newton's step.
    @inline(__always)
    fileprivate var root: Self {
        let bits = unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self)
        let near = unsafe unsafeBitCast((bits &>> 1) &+ 0x1FBD_1DF5, to: Self.self)
        return (near + self / near) * 0.5
    }

    /// Negative numbers as 0.
    @inline(__always)
    fileprivate var positivePart: Self {
        let magnitude = unsafe unsafeBitCast(
            unsafeBitCast(self, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: Self.self)
        return (self + magnitude) * 0.5
    }

    /// Clipped to 0...255.
    @inline(__always)
    fileprivate var level: Self { 255 - (255 - positivePart).positivePart }
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
