/// Something in a payload that keeps its picture away, or might.
package struct PayloadFinding: Hashable, Sendable {
    package let rule: PayloadRule
    /// What was found, with the words of this payload.
    package let what: String
    /// Where: a JSONPath, or the name of a header or of a key of Info.plist.
    package let path: String
    /// The first byte of the place; nil for what is not in the payload.
    package let offset: Int?
}

/// One thing that can be wrong with a payload.
package struct PayloadRule: Hashable, Sendable {
    package enum Severity: String, Sendable {
        /// The picture will not be seen, or the push is refused.
        case fatal
        /// It may be seen by some and not by others, or something else is not as it should be.
        case warning
    }

    package let code: String
    package let severity: Severity
    /// What the platform does, and who says so.
    package let why: String
    package let cure: String

    init(_ code: String, _ severity: Severity, why: String, cure: String) {
        self.code = code
        self.severity = severity
        self.why = why
        self.cure = cure
    }

    /// Every rule.
    package static let all: [PayloadRule] = shapeRules + apnsRules + linkRules + fcmRules + senderRules
}
