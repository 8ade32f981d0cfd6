internal import AttachmentPrep
internal import MediaTypes

/// Keeps a run from replacing one of its own inputs, under whatever name it is reached.
struct OwnFileGuard {
    private let inputs: Set<FileIdentity>
    /// The extensions a file may have that is passed through, beside `jpg`.
    private let passedExtensions: [String]

    init(inputs: some Sequence<FileIdentity>, profiles: [Profile]) {
        self.inputs = Set(inputs)
        let formats = MediaFormat.allCases.filter { $0.action == .pass }
        // Only apns passes audio and video through; under other profiles there is only JPEG.
        passedExtensions =
            profiles.contains { $0.name == Profile.apns.name } ? formats.compactMap(\.fileExtension) : []
    }

    func isInput(_ path: FilePath) -> Bool {
        FileStatus(of: path).map { inputs.contains($0.identity) } ?? false
    }

    func isInput(descriptor: Int32) -> Bool {
        FileStatus(descriptor: descriptor).map { $0.kind == .file && inputs.contains($0.identity) } ?? false
    }

    /// The first path under which the outputs of `source` would replace an input, or nil.
    ///
    /// - Parameter bases: paths of the outputs, without an extension and its dot.
    func conflict(of source: FilePath?, bases: [FilePath]) -> FilePath? {
        for base in bases {
            let picture = FilePath(bytes: base.bytes + Array(".jpg".utf8))
            if isInput(picture) { return picture }
            for suffix in passedExtensions {
                let path = FilePath(bytes: base.bytes + Array(".\(suffix)".utf8))
                guard isInput(path) else { continue }
                // It is only in danger if this input is passed through rather than made a JPEG.
                let action = source.flatMap { Sniffing.format(of: $0) }?.action
                if action != .transcode { return path }
            }
        }
        return nil
    }

    static func refusal(_ path: FilePath) -> UsageError {
        UsageError(
            "the output \(Display.safe(path.display)) would replace an input of this run; nothing was written",
            hint: "choose another folder: --output DIR")
    }
}
