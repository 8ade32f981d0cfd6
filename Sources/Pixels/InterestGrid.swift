/// A picture reduced to a grid of few cells, and how much there is to see in each.
///
/// Edges are counted up to a limit, so that one horizon does not outweigh a face; colour counts by its distance from the
/// picture's mean colour, so that neither a wide blue sky nor a meadow counts, but what is before it; skin is a range of
/// hues that wood and sand share, so it counts little by itself and more where there are edges. The grid is coarse
/// because subjects are large: in a finer one grass and fur would count for more than their outlines.
struct InterestGrid {
    private let size: PixelSize
    /// Interest of each cell, rows from the top.
    private let cells: [Int]

    /// Cells along the picture's short side.
    private static let shortSide = 32
    /// Cells along its long side at most.
    private static let longSide = 128

    /// Reduces and looks at a picture.
    init(_ picture: Bitmap) {
        size = Self.size(picture.size)
        let colours = CellColours(Self.means(picture, size), channels: picture.channels)
        cells = Self.interest(colours, size)
    }

    /// Bytes of the means and of what is made of them.
    static func memoryNeed(_ picture: PixelSize) -> Int {
        let size = size(picture)
        // Means, luma, two differences and, while the floor is taken off, twice the interest of each cell.
        return (size.area * 8 + size.width * 3 + size.height) * MemoryLayout<Int>.stride
    }

    /// What there is to see in each column, or in each row.
    func lines(movesAcross: Bool) -> [Int] {
        var lines = [Int](repeating: 0, count: movesAcross ? size.width : size.height)
        for y in 0..<size.height {
            for x in 0..<size.width { lines[movesAcross ? x : y] += cells[y * size.width + x] }
        }
        return lines
    }

    /// A grid of cells about as wide as high; of a picture with fewer pixels each is a cell.
    private static func size(_ picture: PixelSize) -> PixelSize {
        let (short, long) = (min(picture.width, picture.height), max(picture.width, picture.height))
        let isLong = long * shortSide > short * longSide
        let (pixels, cells) = isLong ? (long, longSide) : (short, shortSide)
        guard pixels > cells else { return picture }
        func side(_ length: Int) -> Int { max(1, (2 * length * cells + pixels) / (2 * pixels)) }
        return PixelSize(side(picture.width), side(picture.height))
    }

    // MARK: Means

    /// Mean samples of each cell, channels interleaved.
    ///
    /// A cell is rarely a whole number of pixels, so pixels on its edge count by their share: in units in which a pixel is
    /// as many long as there are cells, and a cell as many as there are pixels, all of it is whole numbers.
    private static func means(_ picture: Bitmap, _ size: PixelSize) -> [Int] {
        let (whole, channels) = (picture.size, picture.channels)
        let rowBytes = whole.width * channels
        let rowCount = size.width * channels
        var means: [Int] = []
        means.reserveCapacity(size.height * rowCount)
        for y in 0..<size.height {
            let (top, bottom) = (y * whole.height, (y + 1) * whole.height)
            var row = [Int](repeating: 0, count: rowCount)
            for line in (top / size.height)...((bottom - 1) / size.height) {
                let start = line * size.height
                let weight = min(bottom, start + size.height) - max(top, start)
                unsafe picture.pixels.withUnsafeBufferPointer { pixels in
                    let line = pixels.extracting((line * rowBytes)..<((line + 1) * rowBytes))
                    unsafe add(line, channels: channels, to: &row, weight: weight)
                }
            }
            means += row.map { $0 / whole.area }
        }
        return means
    }

    /// Adds a row of pixels to the cells they lie in, in no more than two each, as there are no more cells than pixels.
    private static func add(
        _ line: UnsafeBufferPointer<UInt8>, channels: Int, to row: inout [Int], weight: Int
    ) {
        let cells = row.count / channels
        let count = line.count / channels
        var cell = 0
        var edge = count
        for x in 0..<count {
            let end = (x + 1) * cells
            let outside = max(0, end - edge)
            let inside = (cells - outside) * weight
            for c in 0..<channels {
                let sample = unsafe Int(line[x * channels + c])
                row[cell * channels + c] &+= sample &* inside
                if outside > 0 { row[(cell + 1) * channels + c] &+= sample &* (outside * weight) }
            }
            if end >= edge {
                cell += 1
                edge += count
            }
        }
    }

    // MARK: Interest

    private static func interest(_ colours: CellColours, _ size: PixelSize) -> [Int] {
        var interest: [Int] = []
        interest.reserveCapacity(size.area)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let edge = colours.edge(x, y, size)
                let colour = colours.distinctness(y * size.width + x) * (edge + colourAlone)
                let skin = colours.skin(y * size.width + x) * (edge + skinAlone)
                interest.append(edgeWeight * edge + (colourWeight * colour + skinWeight * skin) / 256)
            }
        }
        // What is as everywhere draws the eye less, such as grass.
        let floor = interest.reduce(0, +) / max(1, 2 * size.area)
        return interest.map { max(0, $0 - floor) }
    }

    // Looked at on photographs (Tests/Peers/run crops): a change of a third of any moves few crops by more than a tenth.
    private static let edgeWeight = 2
    private static let colourWeight = 6
    private static let skinWeight = 6
    /// How much colour and skin count where there is no edge, as the height of an edge.
    private static let colourAlone = 32
    private static let skinAlone = 16
}

/// Mean colours of cells, as luma and two colour differences.
private struct CellColours {
    private let samples: [Int]
    private let channels: Int
    /// 0...255.
    private let luma: [Int]
    /// Blue less luma and red less luma, about -226...226; none of a grey picture.
    private let blue: [Int]
    private let red: [Int]
    /// The same of the whole picture.
    private let mean: (blue: Int, red: Int)

    init(_ means: [Int], channels: Int) {
        samples = means
        self.channels = channels
        guard channels == 3 else {
            (luma, blue, red, mean) = (means, [], [], (0, 0))
            return
        }
        let count = means.count / 3
        var (luma, blue, red) = ([Int](), [Int](), [Int]())
        for i in 0..<count {
            let (r, g, b) = (means[3 * i], means[3 * i + 1], means[3 * i + 2])
            // Rec. 601's weights, in 256ths.
            luma.append((77 * r + 150 * g + 29 * b) >> 8)
            blue.append(b - luma[i])
            red.append(r - luma[i])
        }
        mean = (blue.reduce(0, +) / max(1, count), red.reduce(0, +) / max(1, count))
        (self.luma, self.blue, self.red) = (luma, blue, red)
    }

    /// How much luma changes across a cell, 0...64; noise is none.
    func edge(_ x: Int, _ y: Int, _ size: PixelSize) -> Int {
        let row = y * size.width
        let (left, right) = (max(0, x - 1), min(size.width - 1, x + 1))
        let (above, below) = (max(0, y - 1) * size.width, min(size.height - 1, y + 1) * size.width)
        let across = abs(luma[row + right] - luma[row + left])
        let down = abs(luma[below + x] - luma[above + x])
        return min(max(0, across + down - 12), 128) / 2
    }

    /// How far a cell's colour is from the mean colour, 0...64; small differences are none.
    func distinctness(_ cell: Int) -> Int {
        guard channels == 3 else { return 0 }
        let distance = abs(blue[cell] - mean.blue) + abs(red[cell] - mean.red)
        return min(max(0, distance - 16), 128) / 2
    }

    /// How near the ratios of red, green and blue are to those of skin, light or dark, 0...64.
    func skin(_ cell: Int) -> Int {
        guard channels == 3 else { return 0 }
        let (r, g, b) = (samples[3 * cell], samples[3 * cell + 1], samples[3 * cell + 2])
        guard r >= 60, g > 0, luma[cell] < 235 else { return 0 }
        // Green is 0.72 of red, and blue 0.78 of green; both within wide limits.
        let green = 40 - abs(g * 256 / r - 184)
        let blue = 56 - abs(b * 256 / g - 200)
        guard green > 0, blue > 0 else { return 0 }
        return 64 * green * blue / (40 * 56)
    }
}
