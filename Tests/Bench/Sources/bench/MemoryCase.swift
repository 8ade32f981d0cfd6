/// Peak memory over the structures of a file and its size, with what that costs in time and what comes out.
struct MemoryCase {
    let arguments: Arguments
    let pictures: Pictures
    let outputs: String

    private static let limit = 24.0
    private static let side = 1038
    /// CPU against `djpeg` at the cheapest scale that will do: of scans in lockstep, of their means alone.
    private static let lockstep = 1.1
    private static let meansAlone = 0.25
    /// Several outputs from one decode.
    private static let several = [["apns", "thumb"], ["apns", "thumb", "fcm", "huawei", "icon"]]
    /// Inputs are as large as they are made.
    private static let allowance = ["--max-input-bytes", "4GB", "--timeout", "600"]

    func table() throws(BenchError) -> Table {
        var table = Table(header: [
            "input", "output", "peak, MB", "from a pipe", "two outputs", "five", "`vipsthumbnail`", "CPU, ms",
            "÷ `djpeg -scale`", "÷ `vipsthumbnail`", "÷ own plain file", "dB to own plain file",
            "dB to a full decode",
        ])
        for tiles in Tiles.all where arguments.sizes.contains(tiles.megapixels) {
            for kind in Kind.allCases { try add(kind, tiles, profile: "apns", to: &table) }
            // Small enough for DC coefficients alone.
            if tiles.megapixels == 45 || tiles.megapixels == 100 {
                for kind in [Kind.progressive420, .progressive444] {
                    try add(kind, tiles, profile: "icon", to: &table)
                }
            }
        }
        return table
    }

    private func prepare(_ picture: String, _ profiles: [String]) -> Command {
        Command(
            arguments.attachprep,
            ["prepare", picture, "--quiet", "--output", outputs] + Self.allowance
                + profiles.flatMap { ["--profile", $0] })
    }

    private func add(
        _ kind: Kind, _ tiles: Tiles, profile: String, to table: inout Table
    ) throws(BenchError) {
        let name = "\(tiles.megapixels) MP \(kind.rawValue)"
        progress("  \(name), \(profile)")
        let file = try pictures.file(kind, tiles)
        let plain = try pictures.plain(kind, tiles)
        let ours = prepare(file, [profile])
        let isIcon = profile == "icon"
        var peaks = [try peak(ours), try peakMegabytes(prepare("-", [profile]), from: file)]
        for profiles in Self.several where !isIcon { peaks.append(try peak(prepare(file, profiles))) }
        let thumbnail =
            ["-o", "\(outputs)/vips.jpg", "-s"] + (isIcon ? ["192", "-m", "centre"] : ["\(Self.side)"])
        let vips = Command("vipsthumbnail", [file] + thumbnail)
        let against = try Pairs.cpu(arguments.pairs, title: "vipsthumbnail", ours, vips)
        var cells = [
            name, profile, fixed(peaks[0], 1), fixed(peaks[1], 1), isIcon ? "" : fixed(peaks[2], 1),
            isIcon ? "" : fixed(peaks[3], 1), fixed(try peakMegabytes(vips), 0),
            fixed(against.first.median, 0),
        ]
        if kind.isJPEG {
            let yardstick = try Yardstick.command(
                for: file, width: Pictures.width * tiles.across, height: Pictures.height * tiles.down,
                box: isIcon ? 192 : Self.side)
            let pairs = try Pairs.cpu(arguments.pairs, title: "djpeg", ours, yardstick)
            cells.append("\(fixed(pairs.ratio.median, 2)) (\(yardstick.arguments[1]))")
            if kind != .baseline {
                table.holds =
                    table.holds && pairs.ratio.median <= (isIcon ? Self.meansAlone : Self.lockstep)
            }
        } else {
            cells.append("")
        }
        cells.append(fixed(against.ratio.median, 2))
        if file == plain {
            cells += ["", ""]
        } else {
            let pairs = try Pairs.cpu(arguments.pairs, title: "plain", ours, prepare(plain, [profile]))
            let decibels = try shown(file, profile).psnr(try shown(plain, profile))
            cells += [fixed(pairs.ratio.median, 2), Self.text(decibels)]
        }
        let reference = isIcon ? nil : try pictures.reference(kind, tiles, side: Self.side)
        cells.append(
            try reference.map { path throws(BenchError) in
                Self.text(try shown(file, profile).psnr(try Pixmap(path)))
            } ?? "")
        table.rows.append(cells)
        table.holds = table.holds && peaks.allSatisfy { $0 <= Self.limit }
    }

    private static func text(_ decibels: Double?) -> String {
        guard let decibels else { return "another size" }
        return decibels.isFinite ? fixed(decibels, 1) : "same"
    }

    private func peak(_ command: Command) throws(BenchError) -> Double {
        var highest = 0.0
        for _ in 0..<3 { highest = max(highest, try peakMegabytes(command)) }
        return highest
    }

    /// The picture made, with as little lost to its encoding as can be.
    private func shown(_ picture: String, _ profile: String) throws(BenchError) -> Pixmap {
        let (jpeg, pixels) = ("\(outputs)/shown.jpg", "\(outputs)/shown.ppm")
        let options = ["--profile", profile, "--quiet", "--output", jpeg, "--max-bytes", "9MB"]
        _ = try run(
            Command(
                arguments.attachprep,
                ["prepare", picture, "--min-quality", "99", "--max-quality", "99"] + options + Self.allowance)
        )
        _ = try run(Command("djpeg", ["-pnm", "-outfile", pixels, jpeg]))
        return try Pixmap(pixels)
    }
}
