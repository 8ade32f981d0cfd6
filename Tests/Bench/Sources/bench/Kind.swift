/// The structures of a file that decide how much memory decoding it takes elsewhere.
enum Kind: String, CaseIterable {
    case baseline = "baseline 4:2:0"
    case progressive420 = "progressive 4:2:0"
    case progressive444 = "progressive 4:4:4"
    case scans = "non-interleaved 4:2:0"
    case png = "PNG"
    case interlaced = "Adam7 PNG"
    case interlacedDeep = "Adam7 PNG, 16-bit RGBA"

    var isJPEG: Bool {
        switch self {
        case .baseline, .progressive420, .progressive444, .scans: true
        case .png, .interlaced, .interlacedDeep: false
        }
    }
}

/// A size by tiles of 11 megapixels.
struct Tiles {
    let megapixels: Int
    let across: Int
    let down: Int

    static let all = [
        Tiles(megapixels: 11, across: 1, down: 1), Tiles(megapixels: 45, across: 2, down: 2),
        Tiles(megapixels: 100, across: 3, down: 3), Tiles(megapixels: 200, across: 3, down: 6),
    ]

    var name: String { "\(across)x\(down)" }
}

extension Pictures {
    /// A file of that kind and size.
    func file(_ kind: Kind, _ tiles: Tiles) throws(BenchError) -> String {
        switch kind {
        case .baseline: return try jpeg(across: tiles.across, down: tiles.down)
        case .progressive420, .scans: return try transcoded(kind, tiles, from: try file(.baseline, tiles))
        case .progressive444: return try transcoded(kind, tiles, from: try full(tiles))
        case .png: return try png(across: tiles.across, down: tiles.down)
        case .interlaced:
            return try made("\(tiles.name)-adam7.png") { path throws(BenchError) in
                let pixels = try tiled(across: tiles.across, down: tiles.down)
                _ = try run(Command("vips", ["pngsave", pixels, path, "--compression", "3", "--interlace"]))
            }
        case .interlacedDeep: return try deep(tiles, interlaced: true)
        }
    }

    /// The same picture in a file that any decoder reads from top to bottom: same coefficients, or same samples.
    func plain(_ kind: Kind, _ tiles: Tiles) throws(BenchError) -> String {
        switch kind {
        case .baseline, .progressive420, .scans: try file(.baseline, tiles)
        case .progressive444: try full(tiles)
        case .png, .interlaced: try file(.png, tiles)
        case .interlacedDeep: try deep(tiles, interlaced: false)
        }
    }

    /// Baseline 4:4:4.
    private func full(_ tiles: Tiles) throws(BenchError) -> String {
        try made("\(tiles.name)-444.jpg") { path throws(BenchError) in
            let pixels = try tiled(across: tiles.across, down: tiles.down)
            _ = try run(Command("cjpeg", ["-quality", "92", "-sample", "1x1", "-outfile", path, pixels]))
        }
    }

    private func transcoded(_ kind: Kind, _ tiles: Tiles, from source: String) throws(BenchError) -> String {
        let name = kind == .scans ? "scans" : kind == .progressive444 ? "444-progressive" : "progressive"
        return try made("\(tiles.name)-\(name).jpg") { path throws(BenchError) in
            var options = ["-progressive"]
            if kind == .scans {
                let script = "\(cache)/one-scan-a-component"
                try writeFile(script, "0;\n1;\n2;\n")
                options = ["-scans", script]
            }
            _ = try run(Command("jpegtran", options + ["-outfile", path, source]))
        }
    }

    /// 16 bits with alpha; the alpha is the green of the picture, so there is as much to filter in it.
    private func deep(_ tiles: Tiles, interlaced: Bool) throws(BenchError) -> String {
        try made("\(tiles.name)-deep\(interlaced ? "-adam7" : "").png") { path throws(BenchError) in
            let pixels = try tiled(across: tiles.across, down: tiles.down)
            let steps = ["colour", "alpha", "both", "deep"].map { "\(path).\($0).v" }
            _ = try run(Command("vips", ["cast", pixels, steps[0], "ushort", "--shift"]))
            _ = try run(Command("vips", ["extract_band", steps[0], steps[1], "1"]))
            _ = try run(Command("vips", ["bandjoin", "\(steps[0]) \(steps[1])", steps[2]]))
            _ = try run(Command("vips", ["copy", steps[2], steps[3], "--interpretation", "rgb16"]))
            _ = try run(
                Command(
                    "vips",
                    ["pngsave", steps[3], path, "--compression", "1", "--bitdepth", "16"]
                        + (interlaced ? ["--interlace"] : [])))
            _ = try run(Command("rm", ["-f"] + steps))
        }
    }

    /// What a peer without a memory limit shows of a file at that side: all of it decoded, then scaled in linear light.
    func reference(_ kind: Kind, _ tiles: Tiles, side: Int) throws(BenchError) -> String? {
        guard kind != .interlacedDeep else { return nil }  // it would keep the alpha
        let source = try plain(kind, tiles)
        let name = kind.isJPEG ? kind == .progressive444 ? "444" : "420" : "png"
        return try made("\(tiles.name)-\(name)-\(side).ppm") { path throws(BenchError) in
            var pixels = source
            if kind.isJPEG {
                pixels = "\(path).all.ppm"
                _ = try run(Command("djpeg", ["-pnm", "-outfile", pixels, source]))
            }
            _ = try run(Command("vipsthumbnail", [pixels, "-s", "\(side)", "--linear", "-o", path]))
            if kind.isJPEG { _ = try run(Command("rm", ["-f", pixels])) }
        }
    }
}
