internal import AttachmentPrep
internal import LinkFetch
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs `attachprep prepare INPUT... --output DIR|FILE.jpg|-`.
struct PrepareCommand {
    private let settings: Settings
    private let inputs: [FilePath]
    private let console: Console
    private let target: OutputTarget
    private let naming: OutputNaming

    init(_ settings: Settings, _ inputs: [FilePath], _ console: Console) throws(UsageError) {
        self.settings = settings
        self.inputs = inputs
        self.console = console
        naming = OutputNaming(profiles: settings.profiles.map(\.name))
        guard let output = settings.output else { throw UsageError("--output is missing", command: .prepare) }
        if inputs.filter(Self.isStandardInput).count > 1 {
            throw UsageError("standard input can be read only once", command: .prepare)
        }
        do throws(UsageError) {
            target = try OutputTarget.parse(output, outputs: inputs.count * settings.profiles.count) {
                FileStatus(of: $0)?.kind == .folder
            }
            if case .folder(let folder) = target, let status = FileStatus(of: folder), status.kind != .folder
            {
                throw UsageError("--output \(Display.safe(folder.display)) is a file, not a folder")
            }
            try refuseOwnFiles()
        } catch {
            var error = error
            error.command = .prepare
            throw error
        }
    }

    func run() -> Int32 {
        let interrupt = Interrupt.install()
        let preparer = AttachmentPreparer(profiles: settings.profiles, options: settings.options)
        let stems = self.stems
        var status: Int32 = 0
        for (index, input) in inputs.enumerated() {
            let destination = destination(input, stem: stems[index])
            let record =
                Self.refusalOfFolder(input)
                ?? record(of: input, into: destination, preparer, interrupt.cancellation)
            if record.outcome > .skipped { status = 1 }
            report(record)
            if interrupt.exitStatus != nil || !console.isOpen { break }
        }
        return interrupt.exitStatus ?? status
    }

    private func record(
        of input: FilePath, into destination: AttachmentDestination, _ preparer: AttachmentPreparer,
        _ cancellation: Cancellation
    ) -> PreparationRecord {
        if Self.isLink(input) {
            return preparer.record(
                ofLink: input.display, options: settings.links.fetch, into: destination,
                cancellation: cancellation)
        }
        return preparer.record(
            of: Self.isStandardInput(input) ? .descriptor(0, name: "-") : .file(input), into: destination,
            cancellation: cancellation)
    }

    private static func isLink(_ input: FilePath) -> Bool { LinkURL.isLink(input.display) }

    /// Whether an input has no name that its output could take.
    private static func isNameless(_ input: FilePath) -> Bool { isStandardInput(input) || isLink(input) }

    private static func isStandardInput(_ input: FilePath) -> Bool { input.bytes.elementsEqual("-".utf8) }

    private static func refusalOfFolder(_ input: FilePath) -> PreparationRecord? {
        guard !isNameless(input), FileStatus(of: input)?.kind == .folder else { return nil }
        var record = PreparationRecord(input: input.display, outcome: .failed)
        record.inputBytes = input.undisplayableBytes
        record.error = PrepError(.io, .input, "this is a folder; attachprep batch takes folders")
        return record
    }

    private func report(_ record: PreparationRecord) {
        if target == .standardOutput {
            // Standard output is the picture's.
            if let bytes = JSONLine.encode(record), settings.json || !settings.quiet {
                _ = FileSystem.write(bytes, to: 2)
            } else if settings.quiet {
                for line in RecordText.errors(record) { console.complain(line) }
            }
            return
        }
        RecordPrinter(settings, console).print(record)
    }

    private func destination(_ input: FilePath, stem: String) -> AttachmentDestination {
        switch target {
        case .standardOutput: .descriptor(1)
        case .file(let path): .file(path)
        case .folder(let folder):
            settings.namesByContent || Self.isNameless(input)
                ? .directory(folder) : .named(FilePath(stem), in: folder)
        }
    }

    /// The stem of each input; standard input and links have one too, but it is not used.
    private var stems: [String] {
        let names = inputs.map { Self.isNameless($0) ? [] : $0.lastComponent }
        // The same file given twice is the same output twice, not two outputs.
        var first: [FilePath: Int] = [:]
        let originals = inputs.indices.filter { index in
            if Self.isNameless(inputs[index]) || first[inputs[index]] != nil { return false }
            first[inputs[index]] = index
            return true
        }
        let exceptions = naming.exceptions(
            count: originals.count, folder: { _ in "" }, name: { names[originals[$0]] })
        var stems = names.map { naming.stem(of: $0) }
        for (position, stem) in exceptions { stems[originals[position]] = stem }
        for index in inputs.indices {
            if let original = first[inputs[index]] { stems[index] = stems[original] }
        }
        return stems
    }

    private func refuseOwnFiles() throws(UsageError) {
        let identities = inputs.compactMap { input -> FileIdentity? in
            let status = Self.isStandardInput(input) ? FileStatus(descriptor: 0) : FileStatus(of: input)
            return status?.kind == .file ? status?.identity : nil
        }
        let ownFiles = OwnFileGuard(inputs: identities, profiles: settings.profiles)
        switch target {
        case .standardOutput:
            if ownFiles.isInput(descriptor: 1) { throw OwnFileGuard.refusal(FilePath("on standard output")) }
        case .file(let path):
            if ownFiles.isInput(path) { throw OwnFileGuard.refusal(path) }
            let suffix = ClaimedExtension(path.display).text?.utf8.count ?? 0
            let base = FilePath(bytes: path.bytes.dropLast(suffix + 1))
            let source = inputs.first.flatMap { Self.isNameless($0) ? nil : $0 }
            if let conflict = ownFiles.conflict(of: source, bases: [base]), conflict != path {
                throw OwnFileGuard.refusal(conflict)
            }
        case .folder(let folder):
            if settings.namesByContent { return }
            for (input, stem) in zip(inputs, stems) where !Self.isNameless(input) {
                let bases = settings.profiles.map { profile in
                    let name = naming.fileName(stem: stem, profile: profile.name, extension: "")
                    return folder.appending(String(name.dropLast()))
                }
                if let conflict = ownFiles.conflict(of: input, bases: bases) {
                    throw OwnFileGuard.refusal(conflict)
                }
            }
        }
    }
}
