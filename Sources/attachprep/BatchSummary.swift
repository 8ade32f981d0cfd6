internal import AttachmentPrep

/// What came of a batch, in numbers.
struct BatchSummary {
    private(set) var prepared = 0
    private(set) var passedThrough = 0
    /// Unchanged since an earlier run.
    private(set) var skipped = 0
    private(set) var rejected: [PrepError.Code: Int] = [:]
    private(set) var failed: [PrepError.Code: Int] = [:]
    var leftAlone: [SkipReason: Int] = [:]

    mutating func count(_ record: PreparationRecord) {
        let error = record.error ?? record.outputs.first { $0.outcome == record.outcome }?.error
        switch record.outcome {
        case .prepared: prepared += 1
        case .passedThrough: passedThrough += 1
        case .skipped: skipped += 1
        case .rejected: rejected[error?.code ?? .unsupportedFormat, default: 0] += 1
        case .failed: failed[error?.code ?? .io, default: 0] += 1
        }
    }

    var hasErrors: Bool { !rejected.isEmpty || !failed.isEmpty }

    /// One line: `12 prepared, 3 skipped as unchanged, 2 rejected (corrupt 2), 0 failed; left alone: 4 hidden`.
    var text: String {
        var parts = ["\(prepared) prepared"]
        if passedThrough > 0 { parts.append("\(passedThrough) passed through") }
        if skipped > 0 { parts.append("\(skipped) skipped as unchanged") }
        parts.append(Self.codes(rejected, "rejected"))
        parts.append(Self.codes(failed, "failed"))
        var text = parts.joined(separator: ", ")
        let reasons = SkipReason.allCases.compactMap { reason in
            leftAlone[reason].map { "\($0) \(reason.rawValue)" }
        }
        if !reasons.isEmpty { text += "; left alone: " + reasons.joined(separator: ", ") }
        return text
    }

    private static func codes(_ counts: [PrepError.Code: Int], _ word: String) -> String {
        let total = counts.values.reduce(0, +)
        let codes = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            "\($0.key.rawValue) \($0.value)"
        }
        return "\(total) \(word)" + (codes.isEmpty ? "" : " (\(codes.joined(separator: ", ")))")
    }
}
