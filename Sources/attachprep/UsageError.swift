/// What was wrong with a command line, and the nearest right word.
struct UsageError: Error, Equatable {
    /// `sysexits.h`'s EX_USAGE.
    static let exitStatus: Int32 = 64

    var message: String
    var hint: String?
    /// Whose help to point to; nil for the general one.
    var command: Command?

    init(_ message: String, hint: String? = nil, command: Command? = nil) {
        self.message = message
        self.hint = hint
        self.command = command
    }

    /// What standard error gets.
    var text: String {
        let help = (["attachprep"] + (command.map { [$0.rawValue] } ?? []) + ["--help"]).joined(
            separator: " ")
        return "attachprep: \(message)\n" + (hint.map { "  \($0)\n" } ?? "") + "Try '\(help)'.\n"
    }
}

/// The right word for a wrong one.
enum Suggestion {
    /// The nearest of `words`, unless none is near enough to have been meant.
    static func nearest(to word: String, among words: [String]) -> String? {
        let word = Array(word.lowercased().prefix(64))
        var best: (word: String, distance: Int)?
        for candidate in words {
            let letters = Array(candidate.lowercased())
            let distance = distance(word, letters)
            // A third of the letters may be wrong; a beginning of three letters or more counts as a small slip.
            let isPrefix = word.count >= 3 && letters.starts(with: word)
            guard isPrefix || distance <= max(1, (max(letters.count, word.count) + 1) / 3) else { continue }
            // Of two words as near, the one that begins alike was meant.
            let weight = 2 * (isPrefix ? min(distance, 1) : distance) + (word.first == letters.first ? 0 : 1)
            if weight < best?.distance ?? .max { best = (candidate, weight) }
        }
        return best?.word
    }

    static func hint(for word: String, among words: [String]) -> String? {
        nearest(to: word, among: words).map { "did you mean '\($0)'?" }
    }

    /// Edits between two words: insertions, deletions, replacements and swaps of neighbours.
    static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
