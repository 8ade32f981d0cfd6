internal import AttachmentPrep
internal import LinkFetch

/// What a command line asks for.
enum Invocation: Sendable {
    case help(Command?)
    case version
    case run(Command, Settings, operands: [FilePath])
}

/// Turns arguments and environment into an invocation, by the option table alone: it touches no file.
struct ArgumentParser {
    private struct Occurrence {
        var spec: OptionSpec
        /// As it was typed: `-o` or `--output`.
        var name: String
        /// Nil for a flag without a value.
        var value: FilePath?
    }

    private var occurrences: [Occurrence] = []
    private var operands: [FilePath] = []

    /// - Parameters:
    ///   - arguments: what follows the program's name.
    ///   - environment: the value of a variable, or nil.
    static func parse(
        _ arguments: [FilePath], environment: (String) -> FilePath? = { _ in nil }
    ) throws(UsageError) -> Invocation {
        var parser = ArgumentParser()
        try parser.read(arguments)
        if parser.occurrences.contains(where: { $0.spec.long == "version" }) { return .version }
        let asksForHelp = parser.occurrences.contains { $0.spec.long == "help" }
        guard let word = parser.operands.first else {
            if asksForHelp { return .help(nil) }
            if let first = parser.occurrences.first {
                throw UsageError(
                    "there is no command before or after \(first.name)", hint: Self.commandList)
            }
            throw UsageError("there is no command", hint: Self.commandList)
        }
        let command = try Self.command(word.display)
        if asksForHelp { return .help(command) }
        do {
            let settings = try parser.settings(for: command, environment: environment)
            let operands = Array(parser.operands.dropFirst())
            try Self.check(command, settings, operands)
            return .run(command, settings, operands: operands)
        } catch {
            var error = error
            error.command = command
            throw error
        }
    }

    private static let commandList =
        "commands: " + Command.allCases.map(\.rawValue).joined(separator: ", ")

    private static func command(_ word: String) throws(UsageError) -> Command {
        if let command = Command(rawValue: word) { return command }
        let words = Command.allCases.map(\.rawValue)
        let hint = word == "version" ? "did you mean '--version'?" : Suggestion.hint(for: word, among: words)
        throw UsageError("there is no command '\(Display.safe(word))'", hint: hint ?? commandList)
    }

    // MARK: - Words to occurrences

    private mutating func read(_ arguments: [FilePath]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let bytes = argument.bytes
            if bytes.elementsEqual("--".utf8) {
                operands += rest
                return
            }
            if bytes.starts(with: "--".utf8) {
                try readLong(bytes.dropFirst(2), &rest)
            } else if bytes.count > 1, bytes.first == UInt8(ascii: "-") {
                try readShort(bytes.dropFirst(), &rest)
            } else {
                operands.append(argument)
            }
        }
    }

    private mutating func readLong(
        _ body: ArraySlice<UInt8>, _ rest: inout ArraySlice<FilePath>
    ) throws(UsageError) {
        let equals = body.firstIndex(of: UInt8(ascii: "="))
        let word = FilePath(bytes: body[..<(equals ?? body.endIndex)]).display
        guard let spec = OptionSpec.named(word) else { throw unknown("--" + word) }
        let value = equals.map { FilePath(bytes: body[($0 + 1)...]) }
        try append(spec, as: "--" + word, value, &rest)
    }

    /// `-q`, `-qo DIR`, `-oDIR`.
    private mutating func readShort(
        _ body: ArraySlice<UInt8>, _ rest: inout ArraySlice<FilePath>
    ) throws(UsageError) {
        var body = body
        while let letter = body.popFirst() {
            let name = "-" + String(decoding: [letter], as: UTF8.self)
            guard let spec = OptionSpec.table.first(where: { $0.short?.asciiValue == letter }) else {
                throw unknown(name)
            }
            if spec.placeholder != nil, !body.isEmpty {
                if body.first == UInt8(ascii: "=") { body.removeFirst() }
                return try append(spec, as: name, FilePath(bytes: body), &rest)
            }
            try append(spec, as: name, nil, &rest)
        }
    }

    private mutating func append(
        _ spec: OptionSpec, as name: String, _ value: FilePath?, _ rest: inout ArraySlice<FilePath>
    ) throws(UsageError) {
        var value = value
        if value == nil, let placeholder = spec.placeholder {
            guard let next = rest.popFirst() else {
                throw UsageError("\(name) needs a value: \(name) \(placeholder)", command: commandSoFar)
            }
            value = next
        }
        occurrences.append(Occurrence(spec: spec, name: name, value: value))
    }

    private var commandSoFar: Command? { operands.first.flatMap { Command(rawValue: $0.display) } }

    private func unknown(_ name: String) -> UsageError {
        let specs = commandSoFar.map(OptionSpec.of) ?? OptionSpec.table
        let near = Suggestion.nearest(to: String(name.dropFirst(2)), among: specs.map(\.long))
        return UsageError(
            "there is no option '\(Display.safe(name))'", hint: near.map { "did you mean '--\($0)'?" },
            command: commandSoFar)
    }

    // MARK: - Occurrences to settings

    private func settings(
        for command: Command, environment: (String) -> FilePath?
    ) throws(UsageError) -> Settings {
        for occurrence in occurrences where !occurrence.spec.commands.contains(command) {
            let takers = occurrence.spec.commands.map(\.rawValue).joined(separator: " and ")
            throw UsageError("\(occurrence.name) is an option of \(takers), not of \(command.rawValue)")
        }
        var settings = Settings()
        for spec in OptionSpec.of(command) {
            let typed = occurrences.filter { $0.spec.long == spec.long }
            if !typed.isEmpty {
                for occurrence in typed { try Self.apply(occurrence, to: &settings) }
            } else if let name = spec.environment, let value = environment(name), !value.bytes.isEmpty {
                try Self.apply(Occurrence(spec: spec, name: name, value: value), to: &settings)
            }
        }
        if settings.profiles.isEmpty { settings.profiles = [.apns] }
        return settings
    }

    private static func apply(_ occurrence: Occurrence, to settings: inout Settings) throws(UsageError) {
        switch occurrence.spec.action {
        case .value(let set):
            let value = OptionValue(name: occurrence.name, raw: occurrence.value ?? FilePath(""))
            try set(&settings, value)
        case .flag(let set): set(&settings, try yesOrNo(occurrence))
        case .showHelp, .showVersion: break
        }
    }

    private static func yesOrNo(_ occurrence: Occurrence) throws(UsageError) -> Bool {
        guard let value = occurrence.value else { return true }
        switch value.display.lowercased() {
        case "1", "yes", "true", "on": return true
        case "0", "no", "false", "off": return false
        default:
            throw OptionValue(name: occurrence.name, raw: value).refused("no value, or yes or no")
        }
    }

    // MARK: - What must be true of the whole

    /// The commands that take links: none in a build without the trait Service.
    private static var takesLinks: [Command] {
        #if Service
            [.prepare, .link, .help, .completions]
        #else
            [.help, .completions]
        #endif
    }

    private static func check(
        _ command: Command, _ settings: Settings, _ operands: [FilePath]
    ) throws(UsageError) {
        if let link = operands.first(where: { LinkURL.isLink($0.display) }), !takesLinks.contains(command) {
            throw UsageError(
                "'\(Display.safe(link.display))' is a link, and \(command.rawValue) takes files only",
                hint: takesLinks.isEmpty
                    ? "fetch it first: curl -s LINK | attachprep prepare - --output DIR"
                    : "attachprep prepare LINK --output DIR")
        }
        switch command {
        case .prepare, .batch: try checkMaking(command, settings, operands)
        case .link, .cache, .hook, .payload, .serve, .simulate: break  // They know their own operands.
        case .sweep:
            if let extra = operands.first {
                throw UsageError("sweep takes no operand, not '\(Display.safe(extra.display))'")
            }
        case .sniff:
            if operands.isEmpty { throw UsageError("sniff needs an input: a path, or - for standard input") }
        case .profiles:
            if let extra = operands.first {
                throw UsageError("profiles takes no operand, not '\(Display.safe(extra.display))'")
            }
        case .completions:
            let words = command.operandWords
            guard operands.count == 1, let word = operands.first?.display else {
                throw UsageError("completions needs a shell: \(words.joined(separator: ", "))")
            }
            if !words.contains(word) {
                throw UsageError(
                    "there are completions for \(words.joined(separator: ", ")), not for '\(Display.safe(word))'",
                    hint: Suggestion.hint(for: word, among: words))
            }
        case .help:
            if let word = operands.first { _ = try Self.command(word.display) }
            if operands.count > 1 { throw UsageError("help explains one command at a time") }
        }
    }

    private static func checkMaking(
        _ command: Command, _ settings: Settings, _ operands: [FilePath]
    ) throws(UsageError) {
        if operands.isEmpty, command == .prepare {
            throw UsageError("prepare needs an input: a path, or - for standard input")
        }
        if operands.isEmpty, settings.batch.filesFrom == nil {
            throw UsageError("batch needs a folder or a file, or --files-from")
        }
        if settings.output == nil {
            throw UsageError("\(command.rawValue) needs to know where the outputs go: --output DIR")
        }
        if settings.options.minQuality > settings.options.maxQuality {
            throw UsageError(
                "the quality floor \(settings.options.minQuality) is above the ceiling \(settings.options.maxQuality)",
                hint: "set --min-quality and --max-quality")
        }
        if command == .batch, operands.contains(where: { $0.bytes.elementsEqual("-".utf8) }) {
            throw UsageError(
                "batch walks folders and cannot read '-'", hint: "use prepare, or --files-from -")
        }
        if settings.batch.filesEndWithNUL, settings.batch.filesFrom == nil {
            throw UsageError("-0 says how --files-from is read, and there is no --files-from")
        }
    }
}
