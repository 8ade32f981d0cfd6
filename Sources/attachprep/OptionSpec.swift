internal import AttachmentPrep

/// One option: a row of the table that parser, help, completions and the README's reference are made of.
struct OptionSpec: Sendable {
    /// The name after `--`; the environment variable follows from it.
    var long: String
    /// The letter after `-`.
    var short: Character?
    /// What stands for the value in help; nil for a flag.
    var placeholder: String?
    /// The words the value is chosen from, where it is a closed list.
    var choices: [String] = []
    /// What a shell offers for the value.
    var completion = Completion.none
    var section: Section
    var commands: [Command]
    var help: String
    var isRepeatable = false
    var action: Action

    enum Completion: Sendable { case none, file, folder }

    enum Section: String, CaseIterable, Sendable {
        case output = "Output"
        case picture = "Picture"
        case limits = "Limits"
        case batch = "Batch"
        case links = "Links"
        case cache = "Cache"
        case service = "Service"
        case hook = "Upload hook"
        case payload = "Payloads"
        case simulator = "Simulator"
        case general = "General"
    }

    enum Action: Sendable {
        /// Understands a value; throws a usage error that says what would have been right.
        case value(@Sendable (inout Settings, OptionValue) throws(UsageError) -> Void)
        /// Takes a yes or a no.
        case flag(@Sendable (inout Settings, Bool) -> Void)
        case showHelp
        case showVersion
    }

    /// `ATTACHPREP_MAX_BYTES` for `--max-bytes`; nil for what is no setting.
    var environment: String? {
        switch action {
        case .value, .flag: "ATTACHPREP_" + long.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
        case .showHelp, .showVersion: nil
        }
    }

    /// How help shows it: `-o, --output DIR|FILE.jpg|-`.
    var usage: String {
        (short.map { "-\($0), " } ?? "") + "--" + long + (placeholder.map { " " + $0 } ?? "")
    }

    static func named(_ long: String) -> OptionSpec? { table.first { $0.long == long } }

    static func of(_ command: Command) -> [OptionSpec] { table.filter { $0.commands.contains(command) } }
}

/// A value as it was typed, with the name it was typed for.
struct OptionValue: Sendable {
    /// `--max-bytes` or `ATTACHPREP_MAX_BYTES`, whichever was used.
    var name: String
    var raw: FilePath
    var text: String { raw.display }

    func refused(_ expected: String, hint: String? = nil) -> UsageError {
        UsageError("\(name) takes \(expected), not '\(Display.safe(text))'", hint: hint)
    }

    func size() throws(UsageError) -> Int {
        switch ByteSize.parse(text) {
        case .success(let bytes): return bytes
        case .failure(let reason):
            throw refused("a size such as 300000, 300KB, 300KiB or 1MB", hint: reason.hint(for: text))
        }
    }

    func integer(in range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let number = Decimal.integer(text), range.contains(number) else {
            throw refused("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func count() throws(UsageError) -> Int {
        guard let number = Decimal.integer(text), number > 0 else { throw refused("a whole number above 0") }
        return number
    }

    func word<W: RawRepresentable & CaseIterable>(_: W.Type) throws(UsageError) -> W
    where W.RawValue == String {
        if let word = W(rawValue: text) { return word }
        let words = W.allCases.map(\.rawValue)
        throw refused(words.joined(separator: " or "), hint: Suggestion.hint(for: text, among: words))
    }

    func path() throws(UsageError) -> FilePath {
        if raw.bytes.isEmpty { throw UsageError("\(name) takes a path, not an empty word") }
        return raw
    }
}
