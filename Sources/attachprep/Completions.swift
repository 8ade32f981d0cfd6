/// Completion scripts, written from the tables of commands and options.
enum Completions {
    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static var commandWords: String { Command.allCases.map(\.rawValue).joined(separator: " ") }

    private static func words(of spec: OptionSpec) -> [String] {
        (spec.short.map { ["-\($0)"] } ?? []) + ["--\(spec.long)"]
    }

    // MARK: - bash

    private static var bash: String {
        var text = """
            # bash completion for attachprep
            _attachprep() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="" command="" word
                if [[ $COMP_CWORD -gt 0 ]]; then previous="${COMP_WORDS[COMP_CWORD-1]}"; fi
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case "$word" in
                        \(Command.allCases.map(\.rawValue).joined(separator: "|"))) command="$word"; break ;;
                    esac
                done
                COMPREPLY=()
                case "$previous" in

            """
        for spec in OptionSpec.table where spec.placeholder != nil {
            text += "        \(words(of: spec).joined(separator: "|"))) \(bashValue(spec)); return ;;\n"
        }
        text += "    esac\n    if [[ -z $command ]]; then\n"
        text += "        COMPREPLY=($(compgen -W \"\(commandWords) --help --version\" -- \"$current\"))\n"
        text += "        return\n    fi\n    case \"$command\" in\n"
        for command in Command.allCases {
            let options = OptionSpec.of(command).flatMap(words).joined(separator: " ")
            text += "        \(command.rawValue))\n"
            text += "            if [[ $current == -* ]]; then\n"
            text += "                COMPREPLY=($(compgen -W \"\(options)\" -- \"$current\"))\n"
            text += "            else\n"
            text += "                \(bashOperand(command))\n"
            text += "            fi ;;\n"
        }
        text += "    esac\n}\ncomplete -o filenames -F _attachprep attachprep\n"
        return text
    }

    private static func bashValue(_ spec: OptionSpec) -> String {
        if !spec.choices.isEmpty {
            return "COMPREPLY=($(compgen -W \"\(spec.choices.joined(separator: " "))\" -- \"$current\"))"
        }
        switch spec.completion {
        case .none: return ":"
        case .file: return "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .folder: return "mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        }
    }

    private static func bashOperand(_ command: Command) -> String {
        if !command.operandWords.isEmpty {
            return
                "COMPREPLY=($(compgen -W \"\(command.operandWords.joined(separator: " "))\" -- \"$current\"))"
        }
        return command.operands.isEmpty ? ":" : "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
    }

    // MARK: - zsh

    private static var zsh: String {
        var text = """
            #compdef attachprep
            # zsh completion for attachprep
            _attachprep() {
                local -a commands=(

            """
        for command in Command.allCases {
            text += "        '\(command.rawValue):\(zshQuoted(command.summary))'\n"
        }
        text += """
                )
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                    _arguments '--help[Explain the command]' '--version[Print the version]'
                    return
                fi
                local command="${words[2]}"
                shift words
                (( CURRENT-- ))
                case "$command" in

            """
        for command in Command.allCases {
            text += "        \(command.rawValue))\n            _arguments \\\n"
            for spec in OptionSpec.of(command) {
                for word in words(of: spec) { text += "                \(zshArgument(spec, word)) \\\n" }
            }
            text += "                \(zshOperand(command)) ;;\n"
        }
        text += """
                esac
            }
            if [ "$funcstack[1]" = "_attachprep" ]; then _attachprep "$@"; else compdef _attachprep attachprep; fi

            """
        return text
    }

    private static func zshArgument(_ spec: OptionSpec, _ word: String) -> String {
        let repeated = spec.isRepeatable ? "*" : ""
        let help = zshQuoted(spec.help)
        guard let placeholder = spec.placeholder else { return "'\(repeated)\(word)[\(help)]'" }
        let value: String
        if !spec.choices.isEmpty {
            value = "(\(spec.choices.joined(separator: " ")))"
        } else {
            switch spec.completion {
            case .none: value = ""
            case .file: value = "_files"
            case .folder: value = "_files -/"
            }
        }
        return "'\(repeated)\(word)[\(help)]:\(zshQuoted(placeholder)):\(value)'"
    }

    private static func zshOperand(_ command: Command) -> String {
        if !command.operandWords.isEmpty {
            return "'1:word:(\(command.operandWords.joined(separator: " ")))'"
        }
        return command.operands.isEmpty ? "':: :'" : "'*:file:_files'"
    }

    /// Inside single quotes, in a place where brackets and colons have a meaning.
    private static func zshQuoted(_ text: String) -> String {
        text.map { character -> String in
            switch character {
            case "'": "'\\''"
            case "[", "]", ":", "\\": "\\\(character)"
            default: String(character)
            }
        }.joined()
    }

    // MARK: - fish

    private static var fish: String {
        var text = "# fish completion for attachprep\ncomplete -c attachprep -f\n"
        let none = "not __fish_seen_subcommand_from \(commandWords)"
        for command in Command.allCases {
            text +=
                "complete -c attachprep -n '\(none)' -a \(command.rawValue) -d '\(fishQuoted(command.summary))'\n"
        }
        for command in Command.allCases {
            let seen = "-n '__fish_seen_subcommand_from \(command.rawValue)'"
            if !command.operandWords.isEmpty {
                text += "complete -c attachprep \(seen) -a '\(command.operandWords.joined(separator: " "))'\n"
            } else if !command.operands.isEmpty {
                text += "complete -c attachprep \(seen) -F\n"
            }
        }
        for spec in OptionSpec.table {
            let takers = spec.commands.map(\.rawValue).joined(separator: " ")
            var line = "complete -c attachprep -n '__fish_seen_subcommand_from \(takers)' -l \(spec.long)"
            if let short = spec.short { line += " -s \(short)" }
            if spec.placeholder != nil { line += " -r" }
            if !spec.choices.isEmpty { line += " -f -a '\(spec.choices.joined(separator: " "))'" }
            if spec.completion != .none { line += " -F" }
            text += line + " -d '\(fishQuoted(spec.help))'\n"
        }
        return text
    }

    private static func fishQuoted(_ text: String) -> String {
        text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}
