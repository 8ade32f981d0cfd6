package import AttachmentPrep

/// What a payload is checked against besides itself.
package struct CheckOptions: Sendable {
    /// Of the request to APNs; nil where they are not known.
    package var headers: APNsHeaders?
    /// What the app registers.
    package var categories: [String] = []
    package var extensionPlist: ExtensionPlist?
    /// The oldest iOS among the users'.
    package var minimumIOS: IOSVersion?
    package var keys = MediaKeys.known
    /// Looks at what is behind a link; nil to believe it.
    package var probe: (@Sendable (String) -> LinkLook)?

    package init() {}
}

/// What came of looking at a payload.
package struct PayloadReport: Sendable {
    package var kind = PayloadKind.unknown
    /// As they are sent, white space around the payload apart.
    package var bytes = 0
    /// Without any white space between tokens.
    package var minimisedBytes = 0
    /// What `bytes` may be; nil where the service counts otherwise.
    package var limit: Int?
    /// In the order of the payload.
    package var findings: [PayloadFinding] = []
    /// Why there are no findings: the payload is no JSON.
    package var error: PrepError?

    package init(error: PrepError? = nil) { self.error = error }

    package var isFatal: Bool { error != nil || findings.contains { $0.rule.severity == .fatal } }
}

/// Looks for what keeps a payload's picture away.
package struct PayloadCheck {
    let document: JSONDocument
    let options: CheckOptions
    let kind: PayloadKind
    /// Type hints and where they stand.
    let hints: [(node: Int, text: String)]
    private(set) var findings: [PayloadFinding] = []
    /// A payload full of faults needs no list of all, and looking for each place takes time.
    private static let mostFindings = 100

    /// Checks a payload; never throws.
    package static func report(on bytes: [UInt8], _ options: CheckOptions) -> PayloadReport {
        var report = PayloadReport()
        report.bytes = bytes.count
        do throws(JSONFault) {
            let document = try JSONDocument(bytes)
            var check = PayloadCheck(document, options)
            check.run()
            report.kind = check.kind
            report.bytes = document.nodes[0].range.count
            report.minimisedBytes = document.minimised().count
            report.limit = check.kind == .apns ? check.sizeLimit : nil
            // What has no place in the payload comes first; a sort of equal offsets must not depend on luck.
            report.findings = check.findings.enumerated().sorted {
                ($0.element.offset ?? -1, $0.offset) < ($1.element.offset ?? -1, $1.offset)
            }.map(\.element)
        } catch {
            report.error = error.error(in: bytes)
        }
        return report
    }

    private init(_ document: JSONDocument, _ options: CheckOptions) {
        self.document = document
        self.options = options
        kind = PayloadKind(document)
        hints = Self.hints(in: document)
    }

    /// Whether nothing more will be told.
    var isFull: Bool { findings.count >= Self.mostFindings }

    private mutating func run() {
        guard document.kind(0) == .object else { return add(.notAnObject, "the payload is no object", at: 0) }
        checkDuplicates()
        checkExtension()
        let links = Array(options.keys.links(in: document).prefix(Self.mostFindings))
        switch kind {
        case .apns:
            checkSize(of: 0, counted: document.nodes[0].range.count)
            checkAPNs(payload: 0, links: links, isAlertElsewhere: false)
            if let headers = options.headers { checkHeaders(headers.lines, alone: true) }
        case .fcm: checkFCM(message: document.member(0, "message") ?? 0, links)
        case .fcmMessage:
            add(.fcmEnvelope, "the message has no envelope", at: 0)
            checkFCM(message: 0, links)
        case .fcmLegacy: add(.fcmLegacy, "this is a message for the legacy API", at: 0)
        case .unknown:
            let keys = document.children(0).prefix(5).compactMap(document.key).joined(separator: ", ")
            add(.unknownShape, "there are \(keys.isEmpty ? "no keys" : keys) at the top", at: 0)
        }
        checkLinks(links)
        checkHints()
        checkPersonalData()
    }

    mutating func add(_ rule: PayloadRule, _ what: String, at node: Int) {
        if isFull { return }
        let start = document.nodes[node].keyRange?.lowerBound ?? document.nodes[node].range.lowerBound
        findings.append(
            PayloadFinding(rule: rule, what: what, path: document.path(node), offset: start))
    }

    mutating func add(_ rule: PayloadRule, _ what: String, outside path: String) {
        findings.append(PayloadFinding(rule: rule, what: what, path: path, offset: nil))
    }

    /// Whether a value is there and says something.
    func isFilled(_ node: Int?) -> Bool {
        guard let node else { return false }
        switch document.kind(node) {
        case .string: return document.raw(node).count > 2
        case .null, .false: return false
        default: return true
        }
    }
}

// What is true of every payload.
extension PayloadCheck {
    var sizeLimit: Int {
        options.headers?["apns-push-type"] == "voip" ? PayloadLimits.voipBytes : PayloadLimits.bytes
    }

    mutating func checkSize(of payload: Int, counted count: Int) {
        guard count > sizeLimit else { return }
        let small = document.minimised(payload).count
        let rest =
            small <= sizeLimit
            ? "; without white space it is \(small) and fits" : "; without white space it is still \(small)"
        add(.tooLarge, "\(count) bytes, \(count - sizeLimit) over \(sizeLimit)\(rest)", at: payload)
    }

    /// Keys that stand in one object twice, escapes undone.
    private mutating func checkDuplicates() {
        let platform = Set([0, document.member(0, "message"), document.member(0, "aps")].compactMap { $0 })
        var reported = 0
        for object in document.nodes.indices where document.kind(object) == .object {
            var seen = Set<String>()
            for child in document.children(object) {
                guard let key = document.key(child), !seen.insert(key).inserted else { continue }
                reported += 1
                if reported > 20 { return }
                let isPlatforms =
                    platform.contains(object) && (object != 0 || ["aps", "message"].contains(key))
                add(isPlatforms ? .duplicatePlatformKey : .duplicateKey, "the key is there twice", at: child)
            }
        }
    }
}
