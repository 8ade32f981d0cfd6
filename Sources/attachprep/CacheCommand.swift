internal import AttachmentPrep
internal import MediaCache

/// Runs `attachprep cache stats|trim|verify --cache DIR`.
struct CacheCommand {
    enum Verb: String, CommandVerb {
        case stats, trim, verify
        static let command = Command.cache
    }

    private let verb: Verb
    private let settings: Settings
    private let folder: FilePath
    private let console: Console

    init(_ settings: Settings, _ operands: [FilePath], _ console: Console) throws(UsageError) {
        verb = try Verb(operands)
        if operands.count > 1 {
            throw UsageError(
                "cache \(verb.rawValue) takes no operand; --cache names the folder", command: .cache)
        }
        guard let folder = settings.links.cache else {
            throw UsageError("cache needs to know where it is: --cache DIR", command: .cache)
        }
        self.settings = settings
        self.folder = folder
        self.console = console
    }

    func run() -> Int32 {
        do throws(PrepError) {
            // A cache that is not there is a slip of the pen, not an empty one.
            guard FileStatus(of: folder.appending("CACHEDIR.TAG")) != nil else {
                throw PrepError(.io, .input, "there is no cache in \(folder.display)")
            }
            let cache = try AttachmentCache(folder, limits: settings.links.cacheLimits)
            switch verb {
            case .stats: show(cache.statistics())
            case .trim: show(cache.trim())
            case .verify: return show(try cache.verify())
            }
            return 0
        } catch {
            console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
            return 1
        }
    }

    private func show(_ found: AttachmentCache.Statistics) {
        if settings.json { return console.json(found) }
        console.line("attachments  \(found.attachments)")
        console.line("links        \(found.links)")
        console.line("on the disk  \(Display.size(found.bytes)) of \(Display.size(found.limitBytes))")
        console.line("unfinished   \(found.unfinished)")
        if let oldest = found.oldestSeconds { console.line("unused for   \(oldest / 86_400) days at most") }
    }

    private func show(_ done: AttachmentCache.Trim) {
        if settings.json { return console.json(done) }
        console.line(
            "dropped \(done.dropped), \(Display.size(done.droppedBytes)); leftovers \(done.leftovers)")
        console.line("kept    \(done.kept), \(Display.size(done.keptBytes))")
    }

    /// Status 1 where something was damaged: whoever runs it by the clock wants to know.
    private func show(_ found: AttachmentCache.Verification) -> Int32 {
        if settings.json {
            console.json(found)
        } else {
            console.line("sound \(found.sound), damaged \(found.damaged.count), leftovers \(found.leftovers)")
            for path in found.damaged { console.complain("damaged, dropped: \(Display.safe(path))") }
        }
        return found.damaged.isEmpty ? 0 : 1
    }
}
