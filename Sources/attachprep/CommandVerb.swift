internal import AttachmentPrep

/// What a command with several faces can do, as its first operand says.
protocol CommandVerb: CaseIterable, RawRepresentable<String> {
    static var command: Command { get }
}

extension CommandVerb {
    static var words: [String] { allCases.map(\.rawValue) }

    /// Reads the first operand.
    init(_ operands: [FilePath]) throws(UsageError) {
        let command = Self.command
        guard let word = operands.first?.display else {
            throw UsageError(
                "\(command.rawValue) needs to know what to do: \(Self.words.joined(separator: ", "))",
                command: command)
        }
        guard let verb = Self(rawValue: word) else {
            throw UsageError(
                "\(command.rawValue) can \(Self.words.joined(separator: ", ")), not '\(Display.safe(word))'",
                hint: Suggestion.hint(for: word, among: Self.words), command: command)
        }
        self = verb
    }
}
