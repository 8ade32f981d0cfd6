internal import AttachmentPrep

extension OptionSpec {
    static let making: [Command] = [.prepare, .batch, .link, .hook, .serve, .sweep]
    /// Those that fetch links.
    static let fetching: [Command] = [.prepare, .link, .hook, .payload, .serve, .simulate, .sweep]

    /// Every option.
    ///
    /// A new one is a row here and a field in `Settings`.
    static let table: [OptionSpec] =
        outputRows + pictureRows + limitRows + batchRows + linkRows + cacheRows + serveRows + hookRows
        + payloadRows + simulateRows
        + generalRows

    private static let outputRows: [OptionSpec] = [
        OptionSpec(
            long: "output", short: "o", placeholder: "DIR|FILE.jpg|-", completion: .file, section: .output,
            commands: [.prepare, .batch, .hook, .sweep, .simulate],
            help: "Where the outputs go; DIR is made if missing",
            action: .value { (settings, value) throws(UsageError) in settings.output = try value.path() }),
        OptionSpec(
            long: "profile", placeholder: "NAME", choices: Profile.all.map(\.name), section: .output,
            commands: making + [.payload],
            help: "Profile to prepare for (default apns); repeat it for several outputs, not of a payload",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in try value.addProfiles(to: &settings) }),
        OptionSpec(
            long: "cache-names", section: .output, commands: [.prepare, .batch, .hook, .sweep],
            help: "Name outputs by content, <2 hex>/<64 hex>.<ext>, not by the input's name",
            action: .flag { $0.namesByContent = $1 }),
        OptionSpec(
            long: "json", section: .output,
            commands: [
                .prepare, .batch, .sniff, .profiles, .link, .cache, .hook, .sweep, .payload, .simulate,
            ],
            help: "Print JSON, one record a line, in input order", action: .flag { $0.json = $1 }),
        OptionSpec(
            long: "quiet", short: "q", section: .output, commands: making + [.payload, .simulate],
            help: "Print errors only (and the records of --json)", action: .flag { $0.quiet = $1 }),
    ]

    private static let pictureRows: [OptionSpec] = [
        OptionSpec(
            long: "max-bytes", placeholder: "SIZE", section: .picture, commands: making,
            help: "Byte budget of each output (default: the profile's)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.maxBytes = try value.size()
            }),
        OptionSpec(
            long: "max-edge", placeholder: "PIXELS", section: .picture, commands: making,
            help: "Shrink the profile's box to at most this on each side",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.maxEdge = try value.count()
            }),
        OptionSpec(
            long: "min-quality", placeholder: "1-100", section: .picture, commands: making,
            help: "Quality floor; below it pixels shrink instead (default 40)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.minQuality = try value.integer(in: 1...100)
            }),
        OptionSpec(
            long: "max-quality", placeholder: "1-100", section: .picture, commands: making,
            help: "Quality ceiling (default 90)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.maxQuality = try value.integer(in: 1...100)
            }),
        OptionSpec(
            long: "effort", placeholder: "fast|default|best",
            choices: PreparationOptions.Effort.allCases.map(\.rawValue), section: .picture, commands: making,
            help: "Work put into the most picture for the bytes",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.effort = try value.word(PreparationOptions.Effort.self)
            }),
        OptionSpec(
            long: "progressive", placeholder: "auto|never|always",
            choices: PreparationOptions.Progressive.allCases.map(\.rawValue), section: .picture,
            commands: making,
            help: "Write several scans: where they save bytes that matter (default), never or always",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.progressive = try value.word(PreparationOptions.Progressive.self)
            }),
        OptionSpec(
            long: "animation", placeholder: "first-frame|keep",
            choices: PreparationOptions.Animation.allCases.map(\.rawValue), section: .picture,
            commands: making,
            help: "Animated GIF or PNG under apns: its first frame (default), or passed through if it fits",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.animation = try value.word(PreparationOptions.Animation.self)
            }),
        OptionSpec(
            long: "background", placeholder: "RRGGBB", section: .picture, commands: making,
            help: "What lies behind transparent pixels, in sRGB (default FFFFFF)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.background = try value.color()
            }),
        OptionSpec(
            long: "allow-truncated", section: .picture, commands: making,
            help: "Make a picture of what there is of an input that ends early",
            action: .flag { $0.options.allowsTruncated = $1 }),
    ]

    private static let limitRows: [OptionSpec] = [
        OptionSpec(
            long: "memory-limit", placeholder: "SIZE", section: .limits, commands: making,
            help:
                "Refuse an input computed to need more memory; in a batch, all jobs share it (default 512MiB)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.limits.memory = try value.size()
            }),
        OptionSpec(
            long: "max-input-bytes", placeholder: "SIZE", section: .limits, commands: making,
            help: "Refuse a longer input (default 256MiB)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.limits.inputBytes = try value.size()
            }),
        OptionSpec(
            long: "max-pixels", placeholder: "COUNT", section: .limits, commands: making,
            help: "Refuse a larger picture (default 268435456)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.limits.pixels = try value.count()
            }),
        OptionSpec(
            long: "max-scans", placeholder: "COUNT", section: .limits, commands: making,
            help: "Refuse a JPEG of more scans (default 100; 4096 at most)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.limits.scans = try value.count()
            }),
        OptionSpec(
            long: "timeout", placeholder: "SECONDS", section: .limits, commands: making + [.payload],
            help: "Wall-clock time for one input, 0 for no limit (default 20)",
            action: .value { (settings, value) throws(UsageError) in
                let duration = try value.duration()
                settings.options.limits.timeout = duration == .zero ? nil : duration
            }),
        OptionSpec(
            long: "spool-dir", placeholder: "DIR", completion: .folder, section: .limits, commands: making,
            help: "Folder for temporary files (default TMPDIR or /tmp)",
            action: .value { (settings, value) throws(UsageError) in
                settings.options.spoolDirectory = try value.folder()
            }),
    ]

    private static let batchRows: [OptionSpec] = [
        OptionSpec(
            long: "jobs", placeholder: "COUNT", section: .batch, commands: [.batch, .link, .serve, .sweep],
            help: "Inputs at work at once (default: one for each core; serve: two)",
            action: .value { (settings, value) throws(UsageError) in
                settings.batch.jobs = try value.integer(in: 1...1024)
            }),
        OptionSpec(
            long: "report", placeholder: "FILE.jsonl", completion: .file, section: .batch, commands: [.batch],
            help: "Write each record to FILE.jsonl too, one a line",
            action: .value { (settings, value) throws(UsageError) in settings.batch.report = try value.path()
            }),
        OptionSpec(
            long: "media", placeholder: "images|all", choices: BatchSettings.Media.allCases.map(\.rawValue),
            section: .batch, commands: [.batch], help: "Take images only (default), or audio and video too",
            action: .value { (settings, value) throws(UsageError) in
                settings.batch.media = try value.word(BatchSettings.Media.self)
            }),
        OptionSpec(
            long: "files-from", placeholder: "FILE", completion: .file, section: .batch, commands: [.batch],
            help: "Take the paths in FILE too, one a line; - is standard input",
            action: .value { (settings, value) throws(UsageError) in
                settings.batch.filesFrom = try value.path()
            }),
        OptionSpec(
            long: "null", short: "0", section: .batch, commands: [.batch],
            help: "Paths of --files-from end with NUL, as find -print0 writes them",
            action: .flag { $0.batch.filesEndWithNUL = $1 }),
        OptionSpec(
            long: "shard", placeholder: "I/N", section: .batch, commands: [.batch],
            help: "Do the I-th of N equal parts of the listing",
            action: .value { (settings, value) throws(UsageError) in settings.batch.shard = try value.shard()
            }),
        OptionSpec(
            long: "fail-fast", section: .batch, commands: [.batch],
            help: "Start nothing more after the first input that is rejected or fails",
            action: .flag { $0.batch.stopsAtFirstError = $1 }),
        OptionSpec(
            long: "dry-run", section: .batch, commands: [.batch],
            help: "Say what would be done and write nothing",
            action: .flag { $0.batch.isDryRun = $1 }),
    ]

    private static let generalRows: [OptionSpec] = [
        OptionSpec(
            long: "markdown", section: .general, commands: [.help],
            help: "Print the reference of all commands as Markdown", action: .flag { $0.markdown = $1 }),
        OptionSpec(
            long: "help", short: "h", section: .general, commands: Command.allCases,
            help: "Explain the command", action: .showHelp),
        OptionSpec(
            long: "version", section: .general, commands: Command.allCases,
            help: "Print the version and those of the codecs", action: .showVersion),
    ]
}
