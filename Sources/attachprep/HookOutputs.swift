internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache
internal import UploadHook

/// Makes the attachments of uploads: where they go, and what they are called.
///
/// Uploads come one at a time, so none can know whether another has the same stem. An output is therefore
/// named by where the upload lies in its store, the whole name kept: `DIR/<ID>.jpg` of tusd's,
/// `DIR/holiday/IMG_1.HEIC.jpg` of a file below a root, `DIR/<bucket>/<key>.jpg` of an object.
struct HookOutputs: Sendable {
    private let preparer: AttachmentPreparer
    private let place: Place
    private let settings: Settings
    private let admission: MemoryBudget
    private let cancellation: Cancellation

    private enum Place: Sendable {
        case folder(FilePath)
        case cache(LinkPreparer)
    }

    /// - Throws: where the cache cannot be made.
    init(_ settings: Settings, _ cancellation: Cancellation) throws(PrepError) {
        self.settings = settings
        self.cancellation = cancellation
        preparer = AttachmentPreparer(profiles: settings.profiles, options: settings.options)
        admission = MemoryBudget(total: settings.options.limits.memory)
        if let folder = settings.output {
            place = .folder(folder)
        } else {
            let cache = try AttachmentCache(
                settings.links.cache ?? FilePath(""), limits: settings.links.cacheLimits,
                synchronizes: settings.links.synchronizes)
            place = .cache(
                LinkPreparer(
                    preparer, cache: cache, fetch: settings.links.fetch, publicBase: settings.links.publicBase
                ))
        }
    }

    /// What must be said before anything can be made.
    static func check(_ settings: Settings, _ command: Command) throws(UsageError) {
        switch (settings.output, settings.links.cache) {
        case (nil, nil):
            throw UsageError(
                "\(command.rawValue) needs to know where the outputs go: --output DIR or --cache DIR",
                command: command)
        case (.some, .some):
            throw UsageError("the outputs go to --output or into --cache, not to both", command: command)
        case (.some(let folder), nil):
            if let status = FileStatus(of: folder), status.kind != .folder {
                throw UsageError(
                    "--output \(Display.safe(folder.display)) is no folder", command: command)
            }
        default: break
        }
        if settings.options.minQuality > settings.options.maxQuality {
            throw UsageError(
                "the quality floor \(settings.options.minQuality) is above the ceiling \(settings.options.maxQuality)",
                hint: "set --min-quality and --max-quality", command: command)
        }
    }

    /// Makes one upload's attachments; never throws.
    func record(of source: HookSource, _ job: SpoolJob) -> PreparationRecord {
        switch source {
        case .file(let file):
            let claim = job.claimedName ?? (job.kind == .tusd ? nil : file.path.display)
            let input = AttachmentSource.openFile(file.descriptor, path: file.path, claimedName: claim)
            return record(
                of: input, named: job.outputName.map { Array($0.utf8) } ?? file.placeBelowRoot.bytes)
        case .link(let link):
            switch place {
            case .cache(let links):
                return links.record(of: link, cancellation: cancellation, admission: admission)
            case .folder(let folder):
                return preparer.record(
                    ofLink: link, options: settings.links.fetch,
                    into: destination(Array((job.outputName ?? job.id).utf8), in: folder),
                    cancellation: cancellation, admission: admission)
            }
        }
    }

    /// The same of a path that the operator named.
    func record(ofTrusted path: FilePath) -> PreparationRecord {
        record(of: .file(path), named: path.lastComponent)
    }

    private func record(of input: AttachmentSource, named name: [UInt8]) -> PreparationRecord {
        switch place {
        case .folder(let folder):
            return preparer.record(
                of: input, into: destination(name, in: folder), cancellation: cancellation,
                admission: admission)
        case .cache(let links):
            var record = preparer.record(
                of: input, into: links.cache, cancellation: cancellation, admission: admission)
            if let base = links.publicBase { record.publish(at: base) }
            return record
        }
    }

    private func destination(_ name: [UInt8], in folder: FilePath) -> AttachmentDestination {
        if settings.namesByContent { return .directory(folder) }
        let naming = OutputNaming(profiles: settings.profiles.map(\.name))
        let path = FilePath(bytes: name)
        let stem = OutputNaming.join(
            OutputNaming.safeFolder(path.parent.bytes), naming.wholeStem(of: path.lastComponent))
        return .named(FilePath(stem), in: folder)
    }
}
