/// One line of the table: what was measured, what it is measured against, and whether that holds.
struct Row {
    var subject: String
    var figure: String
    var against: String
    var ratio: Spread?
    var limit: String
    var holds: Bool?
}

/// A table of any columns.
struct Table {
    var header: [String]
    var rows: [[String]] = []
    /// Whether no row missed a limit.
    var holds = true

    /// The table as Markdown.
    var markdown: String {
        let lines = [header, header.map { _ in "---" }] + rows
        return "\n" + lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}

/// The rows of one case and its table.
struct Report {
    var title: String
    var rows: [Row] = []
    var notes: [String] = []
    /// A table of its own, before the rows.
    var table: Table?

    /// Adds a pairwise comparison; `limit` bounds the median ratio from above, or from below when `atLeast`.
    mutating func add(
        _ subject: String, _ pairs: Pairs, unit: String, against: String, limit: Double? = nil,
        atLeast: Bool = false
    ) {
        let holds = limit.map { atLeast ? pairs.ratio.median >= $0 : pairs.ratio.median <= $0 }
        rows.append(
            Row(
                subject: subject, figure: "\(fixed(pairs.first.median, 1)) \(unit)",
                against: "\(against): \(fixed(pairs.second.median, 1)) \(unit)", ratio: pairs.ratio,
                limit: limit.map { "\(atLeast ? "≥" : "≤") \(fixed($0, 2)) ×" } ?? "", holds: holds))
    }

    /// Adds a figure with a ceiling of its own.
    mutating func add(_ subject: String, _ value: Double, unit: String, limit: Double?, note: String = "") {
        rows.append(
            Row(
                subject: subject, figure: "\(fixed(value, 1)) \(unit)", against: note, ratio: nil,
                limit: limit.map { "≤ \(fixed($0, 0)) \(unit)" } ?? "", holds: limit.map { value <= $0 }))
    }

    /// Whether no row missed its limit.
    var holds: Bool { rows.allSatisfy { $0.holds != false } && table?.holds != false }

    /// The report as Markdown.
    var markdown: String {
        var text = "\n### \(title)\n" + (table?.markdown ?? "") + "\n"
        text += "| what | figure | against | ratio: median (min–max) | limit | holds |\n"
        text += "|---|---|---|---|---|---|\n"
        for row in rows {
            let ratio = row.ratio.map {
                "\(fixed($0.median, 2)) (\(fixed($0.least, 2))–\(fixed($0.most, 2)))"
            }
            let verdict = row.holds.map { $0 ? "yes" : "**no**" } ?? ""
            let cells = [row.subject, row.figure, row.against, ratio ?? "", row.limit, verdict]
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        for note in notes { text += "\n\(note)\n" }
        return text
    }
}
