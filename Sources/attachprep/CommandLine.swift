internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs what the arguments of this process ask for and gives its exit status.
func runCommandLine(_ console: Console) -> Int32 {
    let hook = TusdCall.current
    // tusd runs a program by its own name and without words.
    let arguments = (hook?.isByName == true ? [FilePath(Command.hook.rawValue)] : []) + ProcessInput.arguments
    do throws(UsageError) {
        switch try ArgumentParser.parse(arguments, environment: ProcessInput.variable) {
        case .help(let command): console.write(Array(helpText(command).utf8))
        case .version: console.line(Version.text)
        case .run(let command, let settings, let operands):
            if command == .hook { return try HookCommand(settings, operands, hook, console).run() }
            return try run(command, settings, operands, console)
        }
        return 0
    } catch {
        _ = FileSystem.write(Array(error.text.utf8), to: 2)
        // The upload is none the worse for it, and before other events tusd would refuse it to the client.
        if hook != nil, arguments.first == FilePath(Command.hook.rawValue) { return 0 }
        return UsageError.exitStatus
    }
}

private func helpText(_ command: Command?) -> String { command.map { HelpText.of($0) } ?? HelpText.general }

private func run(
    _ command: Command, _ settings: Settings, _ operands: [FilePath], _ console: Console
) throws(UsageError) -> Int32 {
    switch command {
    case .prepare: return try PrepareCommand(settings, operands, console).run()
    case .batch: return try BatchCommand(settings, operands, console).run()
    case .sniff: return SniffCommand.run(settings, operands, console)
    case .link: return try LinkCommand(settings, operands, console).run()
    case .payload: return try PayloadCommand(settings, operands, console).run()
    case .cache: return try CacheCommand(settings, operands, console).run()
    case .serve: return try ServeCommand(settings, operands, console).run()
    case .hook: break  // Who called it matters, so it is run above.
    case .simulate: return try SimulateCommand(settings, operands, console).run()
    case .sweep: return try SweepCommand(settings, console).run()
    case .profiles: return ProfilesCommand.run(settings, console)
    case .completions:
        if let shell = operands.first.flatMap({ Shell(rawValue: $0.display) }) {
            console.write(Array(Completions.script(for: shell).utf8))
        }
    case .help:
        let text =
            settings.markdown
            ? MarkdownReference.text : helpText(operands.first.flatMap { Command(rawValue: $0.display) })
        console.write(Array(text.utf8))
    }
    return 0
}

/// The clock on the wall.
enum SystemClock {
    /// Seconds since 1970.
    static var seconds: Int { time(nil) }
}

/// What the system handed to this process, as bytes: Swift's own `CommandLine` repairs what is not UTF-8.
enum ProcessInput {
    /// The name this process was started by, without its folders.
    static var name: FilePath {
        unsafe CommandLine.unsafeArgv[0].map { unsafe FilePath(bytes: path($0).lastComponent) }
            ?? FilePath("")
    }

    static var arguments: [FilePath] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe path($0) }
        }
    }

    static func variable(_ name: String) -> FilePath? { unsafe getenv(name).map { unsafe path($0) } }

    private static func path(_ text: UnsafeMutablePointer<CChar>) -> FilePath {
        unsafe FilePath(
            bytes: UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:)))
    }
}
