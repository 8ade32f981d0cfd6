internal import AttachmentPrep
internal import UploadHook

// The options of the upload hook and its queue.
extension OptionSpec {
    private static let hooks: [Command] = [.hook, .serve, .sweep]

    static let hookRows: [OptionSpec] = [
        OptionSpec(
            long: "root", placeholder: "DIR", completion: .folder, section: .hook, commands: hooks,
            help: "Where uploads lie: no path of a message leads elsewhere (in the variable, with : between)",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                settings.hook.roots += try value.paths()
            }),
        OptionSpec(
            long: "queue", placeholder: "DIR", completion: .folder, section: .hook, commands: hooks,
            help: "The queue of uploads on the disk; it is made if missing",
            action: .value { (settings, value) throws(UsageError) in settings.hook.queue = try value.path()
            }),
        OptionSpec(
            long: "object-url", placeholder: "URL", section: .hook, commands: hooks,
            help: "Where uploads in an object store are fetched: https://objects.example/{bucket}/{key}",
            action: .value { (settings, value) throws(UsageError) in
                guard let template = ObjectTemplate(value.text) else {
                    throw value.refused(
                        "an address with {key} in its path, such as https://a.example/{bucket}/{key}")
                }
                settings.hook.objects = template
            }),
        OptionSpec(
            long: "callback", placeholder: "URL", section: .hook, commands: hooks,
            help: "POST what came of each upload to this address, as JSON; it may be a private one",
            action: .value { (settings, value) throws(UsageError) in
                settings.hook.callback = try value.address()
            }),
        OptionSpec(
            long: "callback-key-file", placeholder: "FILE", completion: .file, section: .hook,
            commands: hooks,
            help: "Sign callbacks with the first key of this file, 'ID BASE64' on a line",
            action: .value { (settings, value) throws(UsageError) in
                settings.hook.callbackKeyFile = try value.path()
            }),
        OptionSpec(
            long: "tusd-dir", placeholder: "DIR", completion: .folder, section: .hook, commands: [.sweep],
            help: "Queue the whole uploads of tusd's folder that no hook told of; it is a --root too",
            isRepeatable: true,
            action: .value { (settings, value) throws(UsageError) in
                settings.hook.tusdFolders += try value.paths()
            }),
        OptionSpec(
            long: "retry-bad", section: .hook, commands: [.sweep],
            help: "Queue again what was rejected or failed three times",
            action: .flag { $0.hook.retriesBad = $1 }
        ),
        OptionSpec(
            long: "done-days", placeholder: "DAYS", section: .hook, commands: [.serve, .sweep],
            help: "Forget what was done so many days ago (default 7)",
            action: .value { (settings, value) throws(UsageError) in
                settings.hook.doneSeconds = try value.integer(in: 1...36_500) * 86_400
            }),
    ]
}

extension OptionValue {
    /// One path as typed, or the several of a variable.
    func paths() throws(UsageError) -> [FilePath] {
        if name.hasPrefix("-") { return [try path()] }
        let paths = raw.bytes.split(separator: UInt8(ascii: ":")).map { FilePath(bytes: $0) }
        if paths.isEmpty { throw refused("paths with : between them") }
        return paths
    }

    /// An address that is posted to.
    func address() throws(UsageError) -> String {
        let lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"), !text.hasSuffix("://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw refused("an address such as https://push.example/uploads") }
        return text
    }
}
