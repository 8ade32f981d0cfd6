internal import AttachmentPrep
internal import FlowSimulator
internal import LinkFetch
internal import MediaCache

/// Runs `attachprep simulate PAYLOAD...`, and the extension's process, which is started by another name.
struct SimulateCommand {
    /// The name by which the extension's process is started.
    static let extensionName = FilePath(Simulation.extensionName)

    static let details = """
        Each PAYLOAD, a path or - for standard input, is sent to a phone that this program plays: a process of its own
        runs the notification flow as a service extension does, with iOS' memory and time, and a server answers
        its requests with --media-answer over the network you name. Printed is when what happened, and what the user
        sees:

        picture   text and picture               original  the push as it came
        media     text and a sound or film       nothing   not even that
        text      text alone

        A payload is as APNs gets it, or an FCM message, of which what FCM sends to APNs is taken. With several
        payloads, or --repeat, pushes overlap in one process. Memory is counted as iOS does: what was written to, code
        and libraries apart; printed is also the most that was resident. With --clock 10 a second lasts a
        tenth, but work takes as long as it takes: what computes looks ten times as slow.
        --output DIR keeps the files that would be seen; --cache DIR keeps the extension's cache for the next run.
        Status 1 if a push that names media does not show it, or one is not shown as the extension left it.
        """

    private let settings: Settings
    private let inputs: [FilePath]
    private let console: Console

    init(_ settings: Settings, _ operands: [FilePath], _ console: Console) throws(UsageError) {
        if operands.isEmpty {
            throw UsageError(
                "simulate needs a payload: a path, or - for standard input", command: .simulate)
        }
        if operands.count(where: PayloadCommand.isStandardInput) > 1 {
            throw UsageError("standard input can be read once only", command: .simulate)
        }
        if settings.output == FilePath("-") {
            throw UsageError("simulate keeps files in a folder: --output DIR", command: .simulate)
        }
        let asked = settings.simulate
        if asked.network == nil, asked.media != nil || asked.status != nil || asked.rate != nil {
            throw UsageError(
                "on the real network links lead where they lead: leave out --media-answer, --status and --rate",
                command: .simulate)
        }
        #if !Service
            if asked.network == nil {
                throw UsageError("this build fetches no links", command: .simulate)
            }
        #endif
        self.settings = settings
        self.console = console
        inputs = operands
        try refuseOwnInputs()
    }

    /// Nothing that a run reads is replaced by what it keeps.
    private func refuseOwnInputs() throws(UsageError) {
        guard let folder = settings.output else { return }
        let asked = settings.simulate
        let files = [asked.media, asked.keyFile, asked.detailsAnswer, asked.strings]
        let read = inputs + files.compactMap(\.self)
        let own = OwnFileGuard(
            inputs: read.compactMap { FileStatus(of: $0)?.identity }, profiles: [.apns])
        let bases = (1...(inputs.count * asked.repetitions)).map { folder.appending("push-\($0)") }
        if let path = own.conflict(of: asked.media, bases: bases) { throw OwnFileGuard.refusal(path) }
    }

    func run() -> Int32 {
        if ProcessInput.name == Self.extensionName {
            return SimulatedExtension.run(fetch: settings.links.fetch)
        }
        do throws(PrepError) {
            var payloads: [(name: String, payload: [UInt8])] = []
            for input in inputs {
                payloads.append((input.display, try PayloadInput(input).whole(atMost: 1 << 20)))
            }
            let all = (0..<settings.simulate.repetitions).flatMap { _ in payloads }
            // Not before: until now there is nothing to tidy up, and a signal ends the reading at once.
            let interrupt = Interrupt.install()
            if let output = settings.output { try SimulatedOutcome.makeFolder(output) }
            let temporary = try TemporaryFolder()
            var phone = try phone(temporary.path)
            if let cache = settings.links.cache { phone.folder = cache.orHere }
            // The extension, which makes the same, has nobody to tell.
            _ = try AttachmentCache(phone.folder, synchronizes: false)
            phone.handOut = temporary.path.appending("handed-out")
            let outcomes = try Simulation(phone, all).run { interrupt.exitStatus != nil }
            let status = try tell(outcomes)
            return interrupt.exitStatus ?? status
        } catch {
            console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
            return 1
        }
    }

    private func phone(_ folder: FilePath) throws(PrepError) -> SimulationSettings {
        let asked = settings.simulate
        var phone = SimulationSettings(folder: folder)
        phone.isOnline = asked.network == nil
        if let network = asked.network { phone.network = network }
        if let status = asked.status { phone.network.status = status }
        if let rate = asked.rate { phone.network.rate = rate }
        phone.media = asked.media
        phone.memory = asked.memory
        phone.seconds = asked.seconds
        phone.clock = asked.clock
        phone.interval = asked.interval
        phone.condition = asked.condition
        phone.details = asked.details
        phone.bundle = asked.bundle
        phone.arguments = ProcessInput.arguments
        if let media = asked.media, FileStatus(of: media)?.kind != .file {
            throw PrepError(.io, .input, "cannot read \(media.display): there is no such file")
        }
        if let file = asked.keyFile {
            let text = String(decoding: try PayloadInput.bytes(of: file, atMost: 4096), as: UTF8.self)
            let key = text.filter { !$0.isWhitespace }
            guard key.count == 64, key.allSatisfy(\.isHexDigit) else {
                throw PrepError(.io, .input, "\(file.display) holds no key of 64 hexadecimal digits")
            }
            phone.key = key
        }
        if let file = asked.detailsAnswer { phone.detailsAnswer = try PayloadInput.bytes(of: file) }
        if let file = asked.strings {
            guard let strings = Simulation.strings(in: try PayloadInput.bytes(of: file)) else {
                throw PrepError(.io, .input, "\(file.display) is no JSON object of texts")
            }
            phone.strings = strings
        }
        return phone
    }

    private func tell(_ outcomes: [SimulatedOutcome]) throws(PrepError) -> Int32 {
        var status: Int32 = 0
        for (number, outcome) in outcomes.enumerated() where console.isOpen {
            if outcome.why != nil || outcome.deliveries > 1 { status = 1 }
            var outcome = outcome
            try outcome.keepAttachment(in: settings.output, number: number + 1)
            if settings.json {
                console.json(SimulatedOutcomeJSON(outcome: outcome, limit: settings.simulate.memory))
            } else {
                let text = SimulatedOutcomeText(outcome, limit: settings.simulate.memory)
                for line in text.lines(isQuiet: settings.quiet) { console.line(line) }
            }
        }
        return status
    }
}

/// What people read: the timeline, and what is seen in the end.
struct SimulatedOutcomeText {
    private let outcome: SimulatedOutcome
    private let limit: Int

    init(_ outcome: SimulatedOutcome, limit: Int) {
        self.outcome = outcome
        self.limit = limit
    }

    /// - Parameter isQuiet: whether the last line is enough.
    func lines(isQuiet: Bool) -> [String] {
        let name = Display.safe(outcome.input)
        var lines: [String] = []
        if !isQuiet {
            for entry in outcome.timeline {
                let detail = entry.detail.map { "  " + Display.safe($0) } ?? ""
                lines.append("\(Self.seconds(entry.seconds)) s  \(entry.step)\(detail)")
            }
            if let peak = outcome.peak {
                lines.append(
                    "  memory  \(Display.size(peak)) resident at most, ended at \(Display.size(limit)) of its own"
                )
            }
        }
        lines.append("\(name): \(outcome.verdict.rawValue)" + seen)
        if let why = outcome.why { lines.append("  because \(Display.safe(why))") }
        return lines
    }

    private var seen: String {
        guard outcome.verdict != .nothing, let delivery = outcome.delivery else { return "" }
        let text = [delivery.title, delivery.subtitle, delivery.body].filter { !$0.isEmpty }
            .joined(separator: " / ")
        let picture = delivery.attachment.flatMap { attachment -> String? in
            guard outcome.verdict == .picture || outcome.verdict == .media else { return nil }
            let size = attachment.width.flatMap { width in attachment.height.map { ", \(width) x \($0)" } }
            return " with \(Display.safe(attachment.path)), \(Display.size(attachment.bytes))\(size ?? "")"
        }
        return " '\(Display.safe(text))'\(picture ?? "")"
    }

    private static func seconds(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        let fraction = hundredths % 100
        let text = "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
        return String(repeating: " ", count: max(0, 6 - text.count)) + text
    }
}

/// What programs read.
struct SimulatedOutcomeJSON: Encodable {
    let outcome: SimulatedOutcome
    let limit: Int

    private enum Key: String, CodingKey {
        case schema, input, verdict, why, deliveries, delivery, timeline, peakBytes, memoryLimit
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .schema)
        try container.encode(outcome.input, forKey: .input)
        try container.encode(outcome.verdict, forKey: .verdict)
        try container.encode(outcome.why, forKey: .why)
        try container.encode(outcome.deliveries, forKey: .deliveries)
        try container.encode(outcome.delivery, forKey: .delivery)
        try container.encode(outcome.timeline, forKey: .timeline)
        try container.encode(outcome.peak, forKey: .peakBytes)
        try container.encode(limit, forKey: .memoryLimit)
    }
}
