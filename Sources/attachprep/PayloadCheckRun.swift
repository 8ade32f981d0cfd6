internal import AttachmentPrep
internal import LinkFetch
internal import PayloadTools

/// Runs `attachprep payload check INPUT...`.
struct PayloadCheckRun {
    private let settings: Settings
    private let inputs: [FilePath]
    private let console: Console
    private let options: CheckOptions

    init(_ settings: Settings, _ inputs: [FilePath], _ console: Console) throws(PrepError) {
        self.settings = settings
        self.inputs = inputs
        self.console = console
        options = try Self.options(settings)
    }

    private static func options(_ settings: Settings) throws(PrepError) -> CheckOptions {
        let asked = settings.payload
        var options = CheckOptions()
        options.keys = asked.keys
        options.categories = asked.categories
        options.minimumIOS = asked.minimumIOS
        if let file = asked.headersFile { options.headers = try APNsHeaders(PayloadInput.bytes(of: file)) }
        if let file = asked.extensionPlist {
            do throws(PrepError) {
                options.extensionPlist = try ExtensionPlist(PayloadInput.bytes(of: file))
            } catch  where error.code == .invalidPayload {
                throw PrepError(
                    error.code, error.stage, "\(file.display): \(error.message)", detail: error.detail)
            }
        }
        if asked.fetches {
            let (fetch, timeout) = (settings.links.fetch, settings.options.limits.timeout)
            options.probe = { LinkLook(at: $0, fetch, timeout: timeout) }
        }
        return options
    }

    func run() -> Int32 {
        var status: Int32 = 0
        for input in inputs where console.isOpen {
            do throws(PrepError) {
                if try !check(input) { status = 1 }
            } catch {
                status = 1
                tell(PayloadReport(error: error), of: input, line: nil, bytes: [])
            }
        }
        return status
    }

    /// Checks an input; false if something in it is fatal.
    private func check(_ path: FilePath) throws(PrepError) -> Bool {
        let input = try PayloadInput(path)
        guard settings.payload.readsLines else {
            return check(try input.whole(atMost: JSONDocument.longest), of: path, line: nil)
        }
        var isGood = true
        var number = 0
        var reader = LineReader(input.descriptor, longest: JSONDocument.longest) {}
        do throws(SystemError) {
            while console.isOpen, let line = try reader.next() {
                if line.part == .further { continue }
                number += 1
                if line.bytes.allSatisfy(JSONDocument.isSpace) { continue }
                if !check(line.bytes, of: path, line: number) { isGood = false }
            }
        } catch {
            throw PayloadInput.error(error, path)
        }
        return isGood
    }

    private func check(_ bytes: [UInt8], of path: FilePath, line: Int?) -> Bool {
        let report = PayloadCheck.report(on: bytes, options)
        tell(report, of: path, line: line, bytes: bytes)
        return !report.isFatal
    }

    private func tell(_ report: PayloadReport, of path: FilePath, line: Int?, bytes: [UInt8]) {
        if settings.json {
            console.json(PayloadReportJSON(report: report, input: path, line: line, bytes: bytes))
        } else {
            for text in PayloadReportText(report, path, line, bytes).lines(isQuiet: settings.quiet) {
                console.line(text)
            }
        }
    }
}

/// What people read: a block for each finding, and a line that sums up.
struct PayloadReportText {
    private let report: PayloadReport
    private let name: String
    private let bytes: [UInt8]

    init(_ report: PayloadReport, _ path: FilePath, _ line: Int?, _ bytes: [UInt8]) {
        self.report = report
        self.bytes = bytes
        name = Display.safe(path.display) + (line.map { ":\($0)" } ?? "")
    }

    /// - Parameter isQuiet: whether only what is fatal is told.
    func lines(isQuiet: Bool) -> [String] {
        if let error = report.error {
            let detail = error.detail.map { " (\(Display.safe($0)))" } ?? ""
            return ["\(name): \(error.code.rawValue): \(Display.safe(error.message))\(detail)"]
        }
        let told = report.findings.filter { !isQuiet || $0.rule.severity == .fatal }
        var lines = told.flatMap { block($0) + [""] }
        if !isQuiet { lines.append(summary) }
        return lines
    }

    private func block(_ finding: PayloadFinding) -> [String] {
        let rule = finding.rule
        let place = finding.offset.map { ", \(TextPlace(of: $0, in: bytes)) (byte \($0))" } ?? ""
        return [
            "\(name): \(rule.severity.rawValue): \(Display.safe(finding.what)) [\(rule.code)]",
            "  where  \(Display.safe(finding.path))\(place)",
            "  why    \(rule.why)",
            "  cure   \(rule.cure)",
        ]
    }

    private var summary: String {
        let fatal = report.findings.count { $0.rule.severity == .fatal }
        let warnings = report.findings.count - fatal
        var parts = fatal > 0 ? ["\(fatal) fatal"] : []
        if warnings > 0 { parts.append(warnings == 1 ? "1 warning" : "\(warnings) warnings") }
        let size = report.limit.map { "\(report.bytes) of \($0) bytes" } ?? "\(report.bytes) bytes"
        return "\(name): \(parts.isEmpty ? "nothing wrong" : parts.joined(separator: ", "))"
            + " (\(report.kind.name), \(size))"
    }
}

/// What programs read.
struct PayloadReportJSON: Encodable {
    let report: PayloadReport
    let input: FilePath
    let line: Int?
    let bytes: [UInt8]

    private enum Key: String, CodingKey {
        case schema, input, inputBytes, line, kind, bytes, minimisedBytes, limit, verdict, findings, error
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(1, forKey: .schema)
        try object.encode(input.display, forKey: .input)
        if let inputBytes = input.undisplayableBase64 { try object.encode(inputBytes, forKey: .inputBytes) }
        try object.encode(line, forKey: .line)
        try object.encode(report.error == nil ? report.kind.rawValue : nil, forKey: .kind)
        try object.encode(report.bytes, forKey: .bytes)
        try object.encode(report.error == nil ? report.minimisedBytes : nil, forKey: .minimisedBytes)
        try object.encode(report.limit, forKey: .limit)
        let verdict = report.isFatal ? "fatal" : report.findings.isEmpty ? "clean" : "warning"
        try object.encode(verdict, forKey: .verdict)
        try object.encode(report.findings.map { Finding($0, bytes) }, forKey: .findings)
        try object.encode(report.error, forKey: .error)
    }

    private struct Finding: Encodable {
        let finding: PayloadFinding
        let place: TextPlace?

        init(_ finding: PayloadFinding, _ bytes: [UInt8]) {
            self.finding = finding
            place = finding.offset.map { TextPlace(of: $0, in: bytes) }
        }

        private enum Key: String, CodingKey {
            case code, severity, path, offset, line, column, what, why, cure
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(finding.rule.code, forKey: .code)
            try object.encode(finding.rule.severity.rawValue, forKey: .severity)
            try object.encode(finding.path, forKey: .path)
            try object.encode(finding.offset, forKey: .offset)
            try object.encode(place?.line, forKey: .line)
            try object.encode(place?.column, forKey: .column)
            try object.encode(finding.what, forKey: .what)
            try object.encode(finding.rule.why, forKey: .why)
            try object.encode(finding.rule.cure, forKey: .cure)
        }
    }
}
