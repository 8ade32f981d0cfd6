internal import AttachmentPrep

/// A profile as `profiles --json` shows it.
struct ProfileLine: Encodable {
    var profile: Profile

    private enum Key: String, CodingKey { case name, width, height, fit, maxBytes, purpose }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(profile.name, forKey: .name)
        try object.encode(profile.width, forKey: .width)
        try object.encode(profile.height, forKey: .height)
        try object.encode(profile.fit.rawValue, forKey: .fit)
        try object.encode(profile.maxBytes, forKey: .maxBytes)
        try object.encode(profile.purpose, forKey: .purpose)
    }
}

/// Runs `attachprep profiles`.
enum ProfilesCommand {
    static func run(_ settings: Settings, _ console: Console) -> Int32 {
        for profile in Profile.all {
            if settings.json {
                console.json(ProfileLine(profile: profile))
                continue
            }
            let fit = profile.fit == .fill ? "the part that shows most, cropped to" : "inside"
            let box = "\(fit) \(profile.width) x \(profile.height)"
            let isDefault = profile == Profile.all.first ? " (default)" : ""
            console.line(
                "\(profile.name): \(box), at most \(profile.maxBytes) bytes, \(profile.purpose)\(isDefault)")
        }
        return 0
    }
}
