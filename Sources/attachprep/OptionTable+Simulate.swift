internal import AttachmentPrep
internal import FlowSimulator

/// What only `simulate` asks.
struct SimulateSettings: Sendable {
    /// Nil for the real one.
    var network: SimulatedNetwork? = SimulatedNetwork()
    var status: Int?
    var rate: Int?
    var media: FilePath?
    var memory = 24_000_000
    var seconds = 30.0
    var clock = 1.0
    var interval = 1.0
    var repetitions = 1
    var condition = "unrestricted"
    var keyFile: FilePath?
    var details: String?
    var detailsAnswer: FilePath?
    var strings: FilePath?
    var bundle: String?

    static let conditions = ["unrestricted", "expensive", "constrained"]
}

// The options of the simulator.
extension OptionSpec {
    static let simulateRows: [OptionSpec] = phoneRows + networkRows + flowRows

    private static let networkRows: [OptionSpec] = [
        OptionSpec(
            long: "network", placeholder: "NAME", choices: SimulatedNetwork.names + ["real"],
            section: .simulator,
            commands: [.simulate], help: "What lies between phone and server (default good)",
            action: .value { (settings, value) throws(UsageError) in
                if value.text == "real" {
                    settings.simulate.network = nil
                } else if let network = SimulatedNetwork(named: value.text) {
                    settings.simulate.network = network
                } else {
                    let names = SimulatedNetwork.names + ["real"]
                    throw UsageError(
                        "there is no network '\(Display.safe(value.text))'; there are "
                            + names.joined(separator: ", "),
                        hint: Suggestion.hint(for: value.text, among: names), command: .simulate)
                }
            }),
        OptionSpec(
            long: "media-answer", placeholder: "FILE", completion: .file, section: .simulator,
            commands: [.simulate], help: "What every link leads to, whatever the payload says",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.media = try value.path()
            }),
        OptionSpec(
            long: "status", placeholder: "CODE", section: .simulator, commands: [.simulate],
            help: "HTTP status the server answers with (default 200; 404 without --media-answer)",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.status = try value.integer(in: 200...599)
            }),
        OptionSpec(
            long: "rate", placeholder: "SIZE", section: .simulator, commands: [.simulate],
            help: "Bytes a second, whatever the network's name says",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.rate = try value.size()
            }),
        OptionSpec(
            long: "data-mode", placeholder: "MODE", choices: SimulateSettings.conditions,
            section: .simulator, commands: [.simulate],
            help: "What the phone says of its network; constrained is Low Data Mode",
            action: .value { (settings, value) throws(UsageError) in
                guard SimulateSettings.conditions.contains(value.text) else {
                    throw value.refused(SimulateSettings.conditions.joined(separator: ", "))
                }
                settings.simulate.condition = value.text
            }),
    ]

    private static let phoneRows: [OptionSpec] = [
        OptionSpec(
            long: "extension-memory", placeholder: "SIZE", section: .simulator, commands: [.simulate],
            help: "Memory at which the extension is ended (default 24MB; 12MB on old phones)",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.memory = try value.size()
            }),
        OptionSpec(
            long: "extension-seconds", placeholder: "SECONDS", section: .simulator, commands: [.simulate],
            help: "Time the extension has for a push (default 30)",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.seconds = try value.positiveSeconds()
            }),
        OptionSpec(
            long: "clock", placeholder: "FACTOR", section: .simulator, commands: [.simulate],
            help: "How much faster than a real one the clock goes: a whole number to 100 (default 1)",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.clock = Double(try value.integer(in: 1...100))
            }),
        OptionSpec(
            long: "every", placeholder: "SECONDS", section: .simulator, commands: [.simulate],
            help: "Time between two pushes (default 1)",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.interval = try value.duration() / .seconds(1)
            }),
        OptionSpec(
            long: "repeat", placeholder: "COUNT", section: .simulator, commands: [.simulate],
            help: "Send all pushes so many times",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.repetitions = try value.integer(in: 1...1000)
            }),
    ]

    private static let flowRows: [OptionSpec] = [
        OptionSpec(
            long: "payload-key", placeholder: "FILE", completion: .file, section: .simulator,
            commands: [.simulate],
            help: "Key of what is sealed at encrypted_data, 64 hexadecimal digits",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.keyFile = try value.path()
            }),
        OptionSpec(
            long: "details", placeholder: "URL", section: .simulator, commands: [.simulate],
            help: "Where the text is asked for by event_id, with {id} in it",
            action: .value { (settings, value) throws(UsageError) in
                guard value.text.split(separator: "{id}", omittingEmptySubsequences: false).count == 2 else {
                    throw value.refused("an address with {id} in it, such as https://api.example/events/{id}")
                }
                settings.simulate.details = value.text
            }),
        OptionSpec(
            long: "details-answer", placeholder: "FILE", completion: .file, section: .simulator,
            commands: [.simulate],
            help: "What is answered there: a JSON object with title, body and the like",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.detailsAnswer = try value.path()
            }),
        OptionSpec(
            long: "strings", placeholder: "FILE", completion: .file, section: .simulator,
            commands: [.simulate], help: "Words for loc-key and the like: a JSON object of formats",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.strings = try value.path()
            }),
        OptionSpec(
            long: "bundle", placeholder: "DIR", completion: .folder, section: .simulator,
            commands: [.simulate], help: "Where files that payloads name without a link are looked for",
            action: .value { (settings, value) throws(UsageError) in
                settings.simulate.bundle = try value.folder()
            }),
    ]
}

extension OptionValue {
    fileprivate func positiveSeconds() throws(UsageError) -> Double {
        let duration = try duration()
        guard duration > .zero else { throw refused("more than no time") }
        return duration / .seconds(1)
    }
}
