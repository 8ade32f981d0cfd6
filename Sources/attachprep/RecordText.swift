internal import AttachmentPrep
internal import MediaTypes

/// A record as people read it.
enum RecordText {
    /// A line for each output that is there: path, pixels, size.
    static func results(_ record: PreparationRecord) -> [String] {
        record.outputs.compactMap { output in
            guard let path = output.path else { return nil }
            var parts = [Display.safe(path)]
            if let width = output.width, let height = output.height { parts.append("\(width)x\(height)") }
            if let bytes = output.bytes { parts.append(Display.size(bytes)) }
            if output.outcome == .passedThrough { parts.append("passed through") }
            if output.outcome == .skipped { parts.append("skipped") }
            return parts.joined(separator: "  ")
        }
    }

    /// A line for each thing that went wrong; the message names the cure.
    static func errors(_ record: PreparationRecord) -> [String] {
        let name = Display.safe(record.input)
        var lines: [String] = []
        if let error = record.error { lines.append("\(name): \(text(error))") }
        for output in record.outputs {
            guard let error = output.error, error != record.error else { continue }
            lines.append("\(name): \(output.profile): \(text(error))")
        }
        return lines
    }

    private static func text(_ error: PrepError) -> String {
        var text = "\(error.code.rawValue): \(Display.safe(error.message))"
        if let detail = error.detail { text += " (\(Display.safe(detail)))" }
        return text
    }
}
