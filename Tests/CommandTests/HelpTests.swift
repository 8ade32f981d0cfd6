import Testing

@testable import attachprep

@Suite struct HelpTests {
    @Test(arguments: Command.allCases) func everyOptionIsExplained(_ command: Command) throws {
        let help = HelpText.of(command)
        let reference = MarkdownReference.text
        for spec in OptionSpec.of(command) {
            #expect(help.contains("--\(spec.long)"))
            #expect(!spec.help.hasSuffix("."))
            guard let variable = spec.environment else { continue }
            #expect(help.contains(variable))
            #expect(reference.contains(variable))
        }
        for line in help.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
        #expect(!command.examples.isEmpty)
        #expect(HelpText.general.contains(command.summary))
    }

    @Test func namesAreUsedOnce() {
        #expect(Set(OptionSpec.table.map(\.long)).count == OptionSpec.table.count)
        let letters = OptionSpec.table.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
    }

    @Test(arguments: Shell.allCases) func scriptsKnowEveryWord(_ shell: Shell) {
        let script = Completions.script(for: shell)
        for spec in OptionSpec.table {
            #expect(script.contains(shell == .fish ? "-l \(spec.long)" : "--\(spec.long)"))
            for choice in spec.choices { #expect(script.contains(choice)) }
        }
        for command in Command.allCases { #expect(script.contains(command.rawValue)) }
    }

    @Test func scriptsAreValid() throws {
        let place = try Workplace()
        for shell in Shell.allCases {
            let check = shell == .fish ? "--no-execute" : "-n"
            let run = try place.run(
                "attachprep completions \(shell.rawValue) > script && test -s script || exit 9; "
                    + "command -v \(shell.rawValue) > /dev/null || exit 0; \(shell.rawValue) \(check) script")
            #expect(run.status == 0, "\(shell): \(run.errors)")
        }
    }

    @Test func bashCompletes() throws {
        let place = try Workplace()
        let run = try place.run(
            """
            attachprep completions bash > script; bash -c '. ./script
            try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attachprep; echo "${COMPREPLY[*]}"; }
            try attachprep pre; try attachprep batch --sh; try attachprep prepare --profile th; try attachprep sniff --js
            try attachprep completions f'
            """)
        #expect(run.output == "prepare\n--shard\nthumb\n--json\nfish\n", "\(run.errors)")
    }

    @Test func exitStatusOfHelpAndOfWrongUse() throws {
        let place = try Workplace()
        let general = try place.run("attachprep --help")
        #expect(general.status == 0 && general.output == HelpText.general)
        #expect(try place.run("attachprep help batch").output == HelpText.of(.batch))
        #expect(try place.run("attachprep batch --help --nonsense").status == 64)
        #expect(try place.run("attachprep help --markdown").output == MarkdownReference.text)
        #expect(try place.run("attachprep --version").output.hasPrefix("attachprep \(Version.number)\n"))
        let wrong = try place.run("attachprep bacth x")
        #expect(wrong.status == 64)
        #expect(wrong.output.isEmpty)
        #expect(wrong.errors.contains("did you mean 'batch'?"))
        // The environment reaches the parser.
        let run = try place.run("attachprep prepare x -o o", environment: ["ATTACHPREP_MAX_BYTES": "lots"])
        #expect(run.status == 64)
        #expect(run.errors.contains("ATTACHPREP_MAX_BYTES"))
    }

    @Test func aFullDiskIsNoSuccess() throws {
        let place = try Workplace()
        let run = try place.run("attachprep help --markdown > /dev/full")
        #expect(run.status == 1)
        #expect(run.errors.contains("standard output"))
    }
}
