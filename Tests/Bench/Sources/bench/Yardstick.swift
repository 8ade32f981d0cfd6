/// The least a JPEG job can cost: decoding at the smallest useful scale, nothing else.
enum Yardstick {
    /// The cheapest `djpeg -scale N/8`, N of the sizes with SIMD, that leaves 1.9 × the output's side or all there is.
    static func command(
        for picture: String, width: Int, height: Int, box: Int
    ) throws(BenchError) -> Command {
        let shrink = max(Double(max(width, height)) / Double(box), 1)
        var best: (cost: Int, command: Command)?
        for eighths in [1, 2, 3, 4, 8] where eighths == 8 || shrink * Double(eighths) >= 1.9 * 8 {
            let command = Command("djpeg", ["-scale", "\(eighths)/8", picture])
            var cost = Int.max
            for _ in 0..<3 { cost = min(cost, try run(command).cpu) }
            if cost < best?.cost ?? .max { best = (cost, command) }
        }
        guard let best else { throw BenchError("no djpeg scale for \(picture)") }
        return best.command
    }
}
