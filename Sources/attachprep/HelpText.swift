/// Help for people, written from the tables of commands and options.
enum HelpText {
    private static let width = 100

    /// What `attachprep --help` prints.
    static var general: String {
        var text = """
            attachprep turns any picture into a push-notification attachment: one small JPEG within a byte budget.

            Usage: attachprep COMMAND [OPTIONS] ...

            Commands:

            """
        for command in Command.allCases { text += "  \(pad(command.rawValue, 13))\(command.summary)\n" }
        text += """

            Examples:
              attachprep prepare IMG_0001.JPG --output out
              attachprep batch ~/Photos --output out
              attachprep sniff upload.bin

            'attachprep COMMAND --help' explains a command and its options.
            Every option can also be set by a variable: --max-bytes by ATTACHPREP_MAX_BYTES. The command line wins.
            Exit status: 0 all prepared, passed through or skipped; 1 something was rejected or failed;
            64 wrong usage; 129, 130 or 143 interrupted.

            """
        return text
    }

    /// What `attachprep COMMAND --help` prints.
    static func of(_ command: Command) -> String {
        var text = "\(command.summary).\n\nUsage: \(usage(command))\n\n\(command.details)\n"
        let specs = OptionSpec.of(command)
        for section in OptionSpec.Section.allCases {
            let rows = specs.filter { $0.section == section }
            if rows.isEmpty { continue }
            text += "\n\(section.rawValue):\n"
            for spec in rows { text += row(spec) }
        }
        text += "\nExamples:\n"
        for example in command.examples { text += "  \(example.line)\n      \(example.purpose)\n" }
        return text
    }

    static func usage(_ command: Command) -> String {
        ["attachprep", command.rawValue, "[OPTIONS]", command.operands].filter { !$0.isEmpty }.joined(
            separator: " ")
    }

    private static func row(_ spec: OptionSpec) -> String {
        let indent = 30
        let usage = "  " + (spec.short == nil ? "    " : "") + spec.usage
        var help = spec.help
        if !spec.choices.isEmpty, spec.placeholder?.contains("|") == false {
            help += ": " + spec.choices.joined(separator: ", ")
        }
        if let variable = spec.environment { help += " [\(variable)]" }
        let lines = wrap(help, to: width - indent)
        let blank = String(repeating: " ", count: indent)
        let first = usage.count < indent - 1 ? pad(usage, indent) : usage + "\n" + blank
        return first + lines.joined(separator: "\n" + blank) + "\n"
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }
}

/// The README's command reference.
enum MarkdownReference {
    static var text: String {
        var text = ""
        for command in Command.allCases {
            text += "### `attachprep \(command.rawValue)`\n\n\(command.summary).\n\n"
            text += "```\n\(HelpText.usage(command))\n```\n\n"
            if command == .completions {
                text += "```sh\n\(command.details)\n```\n\n"
            } else {
                text += command.details + "\n\n"
            }
            let specs = OptionSpec.of(command).filter { $0.environment != nil }
            if !specs.isEmpty {
                text += "| option | environment | meaning |\n|---|---|---|\n"
                for spec in specs {
                    text += "| `\(cell(spec.usage))` | `\(spec.environment ?? "")` | \(cell(spec.help)) |\n"
                }
                text += "\n"
            }
            text += "```sh\n"
            for example in command.examples { text += "\(example.line)   # \(example.purpose)\n" }
            text += "```\n\n"
        }
        while text.hasSuffix("\n\n") { text.removeLast() }
        return text
    }

    private static func cell(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
