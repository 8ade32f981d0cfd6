internal import AttachmentPrep
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a worker does with one source of a batch.
struct BatchJob: Sendable {
    enum Result: Sendable {
        /// A record, and what the next run may know of it.
        case record(PreparationRecord, StateEntry?)
        case leftAlone(SkipReason)
    }

    let listing: BatchListing
    let output: FilePath
    let preparer: AttachmentPreparer
    let namesByContent: Bool
    /// Hash of the settings' recipe.
    let recipe: String
    let state: StateIndex?
    let cancellation: Cancellation
    let admission: MemoryBudget

    func run(_ index: Int) -> Result {
        let path = listing.source(index)
        let status = FileStatus(of: path)
        if let status, let record = unchanged(index, status) { return .record(record, nil) }
        if isAppleDouble(path) { return .leftAlone(.appleDouble) }
        let destination: AttachmentDestination =
            namesByContent ? .directory(output) : .named(FilePath(listing.stem(index)), in: output)
        let record = preparer.record(
            of: .file(path), into: destination, cancellation: cancellation, admission: admission)
        return .record(record, status.flatMap { entry(index, $0, record) })
    }

    /// The record of a source that an earlier run has finished and nobody has touched since, or nil.
    func unchanged(_ index: Int, _ status: FileStatus) -> PreparationRecord? {
        guard let entry = state?.entry(for: listing.absolute(index)), entry.size == status.size,
            entry.modified == status.modified, entry.recipe == recipe,
            entry.outputs.map(\.profile) == preparer.profiles.map(\.name)
        else { return nil }
        let path = listing.source(index)
        var record = PreparationRecord(input: path.display, outcome: .skipped)
        record.inputBytes = path.undisplayableBytes
        for known in entry.outputs {
            guard namesByContent || isExpected(known, index) else { return nil }
            let place = output.appending(known.name)
            guard let file = FileStatus(of: place), file.kind == .file, file.size == known.bytes else {
                return nil
            }
            var entry = PreparationRecord.Output(profile: known.profile, outcome: .skipped)
            entry.path = place.display
            entry.format = MediaFormat(rawValue: known.format)
            entry.bytes = known.bytes
            entry.width = known.width > 0 ? known.width : nil
            entry.height = known.height > 0 ? known.height : nil
            record.outputs.append(entry)
        }
        return record
    }

    /// Whether an earlier output has the name it would get today: a new neighbour may have changed it.
    private func isExpected(_ known: StateEntry.Output, _ index: Int) -> Bool {
        let start = listing.naming.fileName(stem: listing.stem(index), profile: known.profile, extension: "")
        return known.name.hasPrefix(start)
            && !known.name.dropFirst(start.count).contains { $0 == "." || $0 == "/" }
    }

    private func entry(_ index: Int, _ status: FileStatus, _ record: PreparationRecord) -> StateEntry? {
        guard record.outcome < .skipped, record.outputs.count == preparer.profiles.count else { return nil }
        let prefix = output.appending("x").display.dropLast()
        var outputs: [StateEntry.Output] = []
        for made in record.outputs {
            guard let path = made.path, path.hasPrefix(prefix), let bytes = made.bytes else { return nil }
            outputs.append(
                .init(
                    profile: made.profile, name: String(path.dropFirst(prefix.count)),
                    format: made.format?.rawValue ?? "-", bytes: bytes, width: made.width ?? 0,
                    height: made.height ?? 0))
        }
        return StateEntry(
            path: listing.absolute(index), size: status.size, modified: status.modified, recipe: recipe,
            outputs: outputs)
    }

    private func isAppleDouble(_ path: FilePath) -> Bool {
        guard let file = try? OpenFile(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY),
            let head = try? file.read(64, at: 0)
        else { return false }
        return Sniffing.format(ofHead: head) == .appleDouble
    }
}
