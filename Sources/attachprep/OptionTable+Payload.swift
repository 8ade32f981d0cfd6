internal import AttachmentPrep
internal import PayloadTools

/// What only `payload` asks.
struct PayloadSettings: Sendable {
    /// Each line is a payload of its own.
    var readsLines = false
    var keys = MediaKeys.known
    var keepsBadLines = true
    var headersFile: FilePath?
    var categories: [String] = []
    var extensionPlist: FilePath?
    var minimumIOS: IOSVersion?
    var fetches = false

    enum BadLine: String, CaseIterable, Sendable { case keep, drop }
}

// The options of payloads.
extension OptionSpec {
    static let payloadRows: [OptionSpec] = [
        OptionSpec(
            long: "lines", section: .payload, commands: [.payload],
            help: "Each line of the input is a payload of its own (JSON lines)",
            action: .flag { $0.payload.readsLines = $1 }),
        OptionSpec(
            long: "key", placeholder: "PATH", section: .payload, commands: [.payload],
            help: "Look for links there too: names with dots between them, or a JSON pointer",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                guard settings.payload.keys.add(value.text) else {
                    throw value.refused("a path such as media.links.big or /com.example.media/url")
                }
            }),
        OptionSpec(
            long: "on-error", placeholder: "keep|drop",
            choices: PayloadSettings.BadLine.allCases.map(\.rawValue),
            section: .payload, commands: [.payload],
            help: "A payload that cannot be rewritten: pass it through unchanged (default), or leave it out",
            action: .value { (settings, value) throws(UsageError) in
                settings.payload.keepsBadLines = try value.word(PayloadSettings.BadLine.self) == .keep
            }),
        OptionSpec(
            long: "headers", placeholder: "FILE", completion: .file, section: .payload, commands: [.payload],
            help: "Check the request's headers too, 'name: value' on a line each",
            action: .value { (settings, value) throws(UsageError) in
                settings.payload.headersFile = try value.path()
            }),
        OptionSpec(
            long: "category", placeholder: "NAME", section: .payload, commands: [.payload],
            help: "A category the app registers; others are told, above all those in another case",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                settings.payload.categories.append(value.text)
            }),
        OptionSpec(
            long: "extension-plist", placeholder: "FILE", completion: .file, section: .payload,
            commands: [.payload], help: "Check against the extension's Info.plist (in XML)",
            action: .value { (settings, value) throws(UsageError) in
                settings.payload.extensionPlist = try value.path()
            }),
        OptionSpec(
            long: "minimum-ios", placeholder: "VERSION", section: .payload, commands: [.payload],
            help: "The oldest iOS among the users', such as 15.4: what it does not know is told",
            action: .value { (settings, value) throws(UsageError) in
                guard let version = IOSVersion(value.text) else {
                    throw value.refused("a version such as 15.4")
                }
                settings.payload.minimumIOS = version
            }),
        OptionSpec(
            long: "fetch", section: .payload, commands: [.payload],
            help: "Fetch each link as a device would, and look at what it leads to",
            action: .flag { $0.payload.fetches = $1 }),
    ]
}
