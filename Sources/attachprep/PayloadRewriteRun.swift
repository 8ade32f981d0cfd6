internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache
internal import PayloadTools

/// Runs `attachprep payload rewrite INPUT`.
struct PayloadRewriteRun {
    private let settings: Settings
    private let path: FilePath
    private let console: Console
    private let rewriter: PayloadRewriter

    init(_ settings: Settings, _ path: FilePath, _ console: Console) throws(PrepError) {
        self.settings = settings
        self.path = path
        self.console = console
        rewriter = PayloadRewriter(keys: settings.payload.keys, replacement: try Self.replacement(settings))
    }

    // MARK: - Links

    private static func replacement(_ settings: Settings) throws(PrepError) -> PayloadRewriter.Replacement {
        let base = settings.links.publicBase ?? ""
        let replace = try settings.links.keyFile != nil ? signing(settings, base) : preparing(settings, base)
        let allowsHTTP = settings.links.allowsHTTP
        return { link throws(PrepError) in
            // Rewritten before: a second run changes nothing.
            if LinkPreparer.isPrepared(link, at: base) { return nil }
            if !allowsHTTP, link.prefix(5).lowercased() == "http:" {
                throw PrepError(
                    .insecureURL, .input,
                    "an http link can be read and changed on the way; send https, or use --allow-http")
            }
            return try replace(link)
        }
    }

    private static func signing(
        _ settings: Settings, _ base: String
    ) throws(PrepError) -> PayloadRewriter.Replacement {
        guard let file = settings.links.keyFile else { return { _ in nil } }
        let key = try LinkKeys(file: file).signing
        let (profile, expiry) = (settings.profiles[0], settings.links.expiry)
        return { link throws(PrepError) in
            try SignedLink(link, profile: profile, expiry: expiry, keyID: key.id).text(base: base, key: key)
        }
    }

    private static func preparing(
        _ settings: Settings, _ base: String
    ) throws(PrepError) -> PayloadRewriter.Replacement {
        guard let folder = settings.links.cache else { return { _ in nil } }
        let preparer = LinkPreparer(
            AttachmentPreparer(profiles: settings.profiles, options: settings.options),
            cache: try AttachmentCache(
                folder, limits: settings.links.cacheLimits, synchronizes: settings.links.synchronizes),
            fetch: settings.links.fetch, publicBase: base)
        return { link throws(PrepError) in
            let record = preparer.record(of: link)
            if let error = record.error ?? record.outputs.first?.error { throw error }
            return record.outputs.first?.url
        }
    }

    // MARK: - Payloads

    func run() throws(PrepError) -> Int32 {
        let input = try PayloadInput(path)
        if settings.payload.readsLines { return try rewriteLines(of: input) }
        let bytes = try input.whole(atMost: JSONDocument.longest)
        let (result, error) = rewritten(bytes)
        if let result { console.write(result) }
        if let error { tell(error, line: nil) }
        return error == nil ? 0 : 1
    }

    /// The payload as it goes out, if it does, and why it is not rewritten.
    private func rewritten(_ bytes: [UInt8]) -> ([UInt8]?, PrepError?) {
        do throws(PrepError) {
            return (try rewriter.rewritten(bytes), nil)
        } catch {
            return (settings.payload.keepsBadLines ? bytes : nil, error)
        }
    }

    private func rewriteLines(of input: borrowing PayloadInput) throws(PrepError) -> Int32 {
        let output = BlockWriter(console)
        var status: Int32 = 0
        var number = 0
        var reader = LineReader(input.descriptor, longest: JSONDocument.longest) { output.flush() }
        do throws(SystemError) {
            while console.isOpen, let line = try reader.next() {
                if line.part != .further { number += 1 }
                var result: [UInt8]? = line.bytes
                switch line.part {
                case .whole where line.bytes.allSatisfy(JSONDocument.isSpace): break
                case .whole, .beginning:
                    let (bytes, error) = rewritten(line.bytes)
                    result = bytes
                    if let error {
                        status = 1
                        output.flush()
                        tell(error, line: number)
                    }
                case .further: result = settings.payload.keepsBadLines ? line.bytes : nil
                }
                if let result { output.write(result, isLine: line.isEnded) }
            }
        } catch {
            output.flush()
            throw PayloadInput.error(error, path)
        }
        output.flush()
        return status
    }

    /// What standard error gets with `--json`.
    private struct Failure: Encodable {
        let input: String
        let line: Int?
        let error: PrepError
    }

    private func tell(_ error: PrepError, line: Int?) {
        if settings.json, let bytes = JSONLine.encode(Failure(input: path.display, line: line, error: error))
        {
            _ = FileSystem.write(bytes, to: 2)
            return
        }
        let place = Display.safe(path.display) + (line.map { ":\($0)" } ?? "")
        let detail = error.detail.map { " (\(Display.safe($0)))" } ?? ""
        console.complain("\(place): \(error.code.rawValue): \(Display.safe(error.message))\(detail)")
    }
}

/// Standard output in blocks: a call to the system for each line would cost more than the line.
private final class BlockWriter {
    private let console: Console
    private var block: [UInt8] = []
    private static let size = 1 << 16

    init(_ console: Console) {
        self.console = console
        block.reserveCapacity(2 * Self.size)
    }

    func write(_ bytes: [UInt8], isLine: Bool) {
        block += bytes
        if isLine { block.append(UInt8(ascii: "\n")) }
        if block.count >= Self.size { flush() }
    }

    func flush() {
        guard !block.isEmpty else { return }
        console.write(block)
        block.removeAll(keepingCapacity: true)
    }
}
