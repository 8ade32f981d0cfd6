internal import AttachmentPrep
internal import LinkFetch

enum Version {
    static let number = "0.1.0"

    /// What `--version` prints: bug reports need the libraries' versions as much as ours.
    static var text: String {
        let codecs = CodecVersions.all.map { "\($0.name) \($0.version)" }
        let network = LinkFetcher.libraryVersion.map { ["libcurl \($0)"] } ?? []
        return (["attachprep \(number)"] + codecs + network).joined(separator: "\n")
    }
}
