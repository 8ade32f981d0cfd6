import Pixels

/// Synthetic pictures, the same on every run.
enum Pictures {
    /// Slow colour gradients with a little noise, like sky.
    static func gradient(_ width: Int, _ height: Int) -> Bitmap {
        var random = Random(seed: 1)
        return colour(width, height) { x, y in
            let noise = Int(random.next() % 5)
            return (
                x * 200 / width + noise, y * 180 / height + 20 + noise, (x + y) * 120 / (width + height) + 60
            )
        }
    }

    static func noise(_ width: Int, _ height: Int) -> Bitmap {
        var random = Random(seed: 2)
        return colour(width, height) { _, _ in
            let bits = random.next()
            return (Int(bits & 255), Int(bits >> 8 & 255), Int(bits >> 16 & 255))
        }
    }

    /// Dark strokes on white, some of them red, like a screenshot.
    static func text(_ width: Int, _ height: Int) -> Bitmap {
        var random = Random(seed: 3)
        let glyphs = (0..<64).map { _ in random.next() }
        return colour(width, height) { x, y in
            let glyph = glyphs[(x / 10 * 7 + y / 14 * 13) % 64]
            guard x % 10 < 7, y % 14 < 9, glyph >> UInt64(x % 10 + y % 14 * 7) & 1 == 1 else {
                return (255, 255, 255)
            }
            return y / 14 % 3 == 0 ? (200, 20, 30) : (20, 20, 30)
        }
    }

    /// Blobs of colour at several scales with grain: the closest to a photograph.
    static func texture(_ width: Int, _ height: Int) -> Bitmap {
        var random = Random(seed: 4)
        var lattices: [[Int]] = []
        for _ in 0..<9 { lattices.append((0..<4096).map { _ in Int(random.next() % 256) }) }
        func sample(_ lattice: [Int], _ x: Int, _ y: Int, _ cell: Int) -> Int {
            let (column, row, dx, dy) = (x / cell, y / cell, x % cell, y % cell)
            func at(_ c: Int, _ r: Int) -> Int { lattice[(c + r * 61) % 4096] }
            let top = at(column, row) * (cell - dx) + at(column + 1, row) * dx
            let bottom = at(column, row + 1) * (cell - dx) + at(column + 1, row + 1) * dx
            return (top * (cell - dy) + bottom * dy) / (cell * cell)
        }
        return colour(width, height) { x, y in
            func channel(_ index: Int) -> Int {
                sample(lattices[index], x, y, 37) / 2 + sample(lattices[3 + index], x, y, 11) / 3
                    + sample(lattices[6 + index % 2], x, y, 3) / 6
            }
            return (channel(0), channel(1), channel(2))
        }
    }

    static func flat(_ width: Int, _ height: Int) -> Bitmap {
        colour(width, height) { _, _ in (90, 140, 200) }
    }

    /// Saturated vertical bars, so that exchanged components cannot go unnoticed.
    static func bars(_ width: Int, _ height: Int) -> Bitmap {
        let bars = [(220, 30, 30), (30, 200, 40), (20, 40, 220), (230, 220, 40)]
        return colour(width, height) { x, _ in bars[x * 4 / width] }
    }

    static func grey(_ picture: Bitmap) -> Bitmap {
        let samples = stride(from: 0, to: picture.samples.count, by: 3).map { picture.samples[$0 + 1] }
        return Bitmap(size: picture.size, channels: 1, samples: samples)
    }

    private static func colour(
        _ width: Int, _ height: Int, _ pixel: (Int, Int) -> (Int, Int, Int)
    ) -> Bitmap {
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let (red, green, blue) = pixel(x, y)
                for value in [red, green, blue] { samples.append(UInt8(max(0, min(255, value)))) }
            }
        }
        return Bitmap(size: PixelSize(width, height), channels: 3, samples: samples)
    }
}

/// SplitMix64.
struct Random {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
