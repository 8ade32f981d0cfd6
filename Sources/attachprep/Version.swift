internal import AttachmentPrep

enum Version {
    static let number = "0.1.0"

    /// What `--version` prints: bug reports need the codecs' versions as much as ours.
    static var text: String {
        (["attachprep \(number)"] + CodecVersions.all.map { "\($0.name) \($0.version)" }).joined(
            separator: "\n")
    }
}
