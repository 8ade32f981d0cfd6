package import AttachmentPrep

/// What a decoder process is asked to do.
package struct DecoderJob: Codable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// The input is pushed.
        case bytes
        /// The input is an open file.
        case file
        /// The decoder fetches the input.
        case link
        /// The same, for a link that was signed: its answer is a JPEG, or none.
        case signedLink
    }

    package var kind: Kind
    /// The input as the record shows it; a link.
    package var name: String
    /// The name whose suffix is compared with the type.
    package var claimedName: String?
    /// Names of built-in profiles.
    package var profiles: [String]

    package init(_ kind: Kind, name: String, claimedName: String? = nil, profiles: [Profile]) {
        self.kind = kind
        self.name = name
        self.claimedName = claimedName
        self.profiles = profiles.map(\.name)
    }
}

/// What came of a job.
package struct DecoderAnswer: Sendable {
    package var record: PreparationRecord
    /// Whether the cache had nothing of the kind before.
    package var isNew: Bool
}
