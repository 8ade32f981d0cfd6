/// The pictures that are measured, made once into the cache folder; the same bytes every time.
///
/// All come from `kitten-on-lawn.jpg` at 4056 × 2746: from the folder of photographs where it is given, else the sample
/// of the repository, tiled and cropped to that size. Larger ones are tilings, so detail per pixel stays real.
struct Pictures {
    let cache: String
    let photographs: String?
    let samples: String

    /// Size of the 11 megapixel picture.
    static let width = 4056
    static let height = 2746

    /// A baseline 4:2:0 JPEG of `across` × `down` tiles of 11 megapixels.
    func jpeg(across: Int, down: Int) throws(BenchError) -> String {
        try made("\(across)x\(down).jpg") { path throws(BenchError) in
            let pixels = try tiled(across: across, down: down)
            _ = try run(Command("cjpeg", ["-quality", "92", "-sample", "2x2", "-outfile", path, pixels]))
        }
    }

    /// A plain RGB PNG of the same pixels.
    func png(across: Int, down: Int) throws(BenchError) -> String {
        try made("\(across)x\(down).png") { path throws(BenchError) in
            let pixels = try tiled(across: across, down: down)
            _ = try run(Command("vips", ["pngsave", pixels, path, "--compression", "3"]))
        }
    }

    /// A folder of `count` JPEG uploads: copies, because a batch does not follow links out of its tree.
    func uploads(_ count: Int) throws(BenchError) -> String {
        try made("uploads-\(count)") { path throws(BenchError) in
            try makeFolder(path)
            var sources = try files(in: photographs ?? samples, suffixes: [".jpg"])
            if photographs == nil {
                sources.removeAll { $0.hasSuffix("coffee-cup.jpg") }  // a PNG in truth
                sources.append(try jpeg(across: 1, down: 1))
            }
            guard !sources.isEmpty else { throw BenchError("no .jpg in \(photographs ?? samples)") }
            for index in 0..<count {
                let copy = "\(path)/upload-\(index < 10 ? "0" : "")\(index).jpg"
                _ = try run(Command("cp", [sources[index % sources.count], copy]))
            }
        }
    }

    func tiled(across: Int, down: Int) throws(BenchError) -> String {
        if across == 1, down == 1 { return try base() }
        return try made("\(across)x\(down).ppm") { path throws(BenchError) in
            _ = try run(Command("vips", ["replicate", try base(), path, "\(across)", "\(down)"]))
        }
    }

    private func base() throws(BenchError) -> String {
        try made("1x1.ppm") { path throws(BenchError) in
            if let photographs {
                try decode("\(photographs)/kitten-on-lawn.jpg", to: path)
            } else {
                let small = path + ".small.ppm"
                let large = path + ".large.ppm"
                try decode("\(samples)/kitten-on-lawn.jpg", to: small)
                _ = try run(Command("vips", ["replicate", small, large, "3", "3"]))
                let area = ["0", "0", "\(Self.width)", "\(Self.height)"]
                _ = try run(Command("vips", ["crop", large, path] + area))
                _ = try run(Command("rm", ["-f", small, large]))
            }
        }
    }

    private func decode(_ picture: String, to path: String) throws(BenchError) {
        _ = try run(Command("djpeg", ["-pnm", "-outfile", path, picture]))
    }

    /// The path of a cached file, made under another name first: a broken run leaves nothing that looks whole.
    func made(
        _ name: String, _ make: (String) throws(BenchError) -> Void
    ) throws(BenchError) -> String {
        let path = "\(cache)/\(photographs == nil ? "sample" : "photo")-\(name)"
        if exists(path) { return path }
        progress("making \(path)")
        let unfinished = "\(cache)/unfinished-\(name)"
        _ = try run(Command("rm", ["-rf", unfinished]))
        try make(unfinished)
        try rename(unfinished, to: path)
        return path
    }
}
