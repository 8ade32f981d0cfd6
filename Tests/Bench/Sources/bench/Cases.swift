/// The measurements, each a table.
struct Cases {
    let arguments: Arguments
    let pictures: Pictures
    /// A folder of this run for what the programs write.
    let outputs: String

    /// The side of the default profile's box.
    private static let box = 1038

    func report(_ which: Arguments.Case) throws(BenchError) -> Report {
        progress("\(which.rawValue):")
        switch which {
        case .job: return try job()
        case .batch: return try batch()
        case .memory: return try memory()
        case .profiles: return try profiles()
        }
    }

    private func prepare(_ picture: String, _ options: [String] = []) -> Command {
        Command(arguments.attachprep, ["prepare", picture, "--output", outputs, "--quiet"] + options)
    }

    private func job() throws(BenchError) -> Report {
        var report = Report(title: "CPU of one job (user + system, whole process)")
        for across in [1, 2] {
            let picture = try pictures.jpeg(across: across, down: 1)
            let size = "\(across * 11) MP JPEG"
            let yardstick = try Yardstick.command(
                for: picture, width: Pictures.width * across, height: Pictures.height, box: Self.box)
            let scale = "djpeg \(yardstick.arguments[1])"
            let vips = Command("vipsthumbnail", [picture, "-s", "\(Self.box)", "-o", "\(outputs)/vips.jpg"])
            report.add(
                "`attachprep prepare`, \(size)",
                try .cpu(arguments.pairs, title: "\(size), djpeg", prepare(picture), yardstick),
                unit: "ms", against: scale, limit: 1.6)
            report.add(
                "`attachprep prepare`, \(size)",
                try .cpu(arguments.pairs, title: "\(size), vipsthumbnail", prepare(picture), vips),
                unit: "ms", against: "vipsthumbnail")
            // Without a tight budget the highest quality fits at once and every effort does the same.
            for (effort, limit) in [("fast", 1.6), ("default", nil), ("best", nil)] {
                let tight = prepare(picture, ["--max-bytes", "80000", "--effort", effort])
                report.add(
                    "80 KB, `--effort \(effort)`, \(size)",
                    try .cpu(arguments.pairs, title: "\(size), \(effort)", tight, yardstick),
                    unit: "ms", against: scale, limit: limit)
            }
        }
        return report
    }

    private func batch() throws(BenchError) -> Report {
        let count = 40
        let uploads = try pictures.uploads(count)
        let ours = "\(outputs)/batch"
        let theirs = "\(outputs)/vips"
        let batch = Command(
            arguments.attachprep, ["batch", uploads, "--output", ours, "--jobs", "2", "--quiet"])
        // Two processes that share the files evenly and start once: the fastest way found for this peer.
        let vips = Command(
            "sh",
            [
                "-c",
                """
                find "$0" -name '*.jpg' -print0 |
                    VIPS_CONCURRENCY=1 xargs -0 -P 2 -n 20 vipsthumbnail -s \(Self.box) -o "$1/%s.jpg"
                """, uploads, theirs,
            ])
        func rate(_ command: Command, _ folder: String) throws(BenchError) -> Double {
            _ = try run(Command("rm", ["-rf", folder]))  // a batch resumes: every run starts from nothing
            try makeFolder(folder)
            return Double(count) * 1e6 / Double(try run(command).wall)
        }
        let pairs = try Pairs(
            arguments.pairs, title: "batch",
            first: { () throws(BenchError) in try rate(batch, ours) },
            second: { () throws(BenchError) in try rate(vips, theirs) })
        var report = Report(title: "Throughput of a batch (\(count) JPEGs, 2 jobs, wall clock)")
        report.add(
            "`attachprep batch --jobs 2`", pairs, unit: "pictures/s", against: "2 × vipsthumbnail",
            limit: 1.5,
            atLeast: true)
        return report
    }

    private func memory() throws(BenchError) -> Report {
        var report = Report(title: "Memory and start-up (decimal MB, GNU time; highest of 3 runs)")
        report.table = try MemoryCase(arguments: arguments, pictures: pictures, outputs: outputs).table()
        // Nothing is loaded for this one; `--version` asks every library for its own.
        let idle = Command(arguments.attachprep, ["profiles"])
        report.add("peak, `profiles`", try peak(idle, "profiles"), unit: "MB", limit: 10)
        func wall(_ command: Command) throws(BenchError) -> Double { Double(try run(command).wall) / 1000 }
        let start = try Pairs(
            max(arguments.pairs, 9) * 4, title: "start-up",
            first: { () throws(BenchError) in try wall(idle) },
            second: { () throws(BenchError) in try wall(Command("/bin/true", [])) })
        report.add(
            "start-up, `profiles`, wall clock", start.first.median, unit: "ms", limit: 6,
            note: "/bin/true: \(fixed(start.second.median, 1)) ms")
        return report
    }

    private func peak(_ command: Command, _ name: String) throws(BenchError) -> Double {
        var highest = 0.0
        for _ in 0..<3 { highest = max(highest, try peakMegabytes(command)) }
        progress("  \(name): \(fixed(highest, 1)) MB")
        return highest
    }

    private func profiles() throws(BenchError) -> Report {
        let picture = try pictures.jpeg(across: 1, down: 1)
        let one = prepare(picture, ["--profile", "apns"])
        let two = prepare(picture, ["--profile", "apns", "--profile", "thumb"])
        var report = Report(title: "CPU of two profiles from one decode (11 MP JPEG)")
        report.add(
            "`--profile apns --profile thumb`", try .cpu(arguments.pairs, title: "profiles", two, one),
            unit: "ms", against: "`--profile apns`", limit: 1.25)
        return report
    }
}
