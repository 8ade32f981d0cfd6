internal import AttachmentPrep
internal import MediaCache
internal import MediaTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file of the cache as an answer: it never changes, so clients keep it for ever.
struct MediaFile {
    private let descriptor: Int32
    private let size: Int
    private let name: String
    private let type: String

    /// Finds a file by its name, `<64 hex>.<ext>`.
    ///
    /// - Throws: 404.
    init(_ name: String, in cache: AttachmentCache) throws(HTTPRefusal) {
        let nowhere = HTTPRefusal(404, .notFound, "this attachment is not here, or not any more")
        guard let path = cache.mediaPath(of: name), let dot = name.firstIndex(of: "."),
            let type = Self.mimeType(of: String(name[name.index(after: dot)...]))
        else { throw nowhere }
        let descriptor = path.withCString { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard descriptor >= 0 else { throw nowhere }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
        else {
            close(descriptor)
            throw nowhere
        }
        // Somebody asked for it, so it stays; exact times would cost a write for each read.
        if time(nil) - status.st_mtim.tv_sec > 3600 { _ = futimens(descriptor, nil) }
        self.descriptor = descriptor
        size = Int(status.st_size)
        self.name = name
        self.type = type
    }

    /// The answer to a GET or HEAD.
    ///
    /// - Parameter lifetime: for how many seconds a client may keep it; nil for ever.
    func answer(_ head: HTTPRequestHead, lifetime: Int? = nil) -> HTTPAnswer {
        let tag = "\"\(name)\""
        var headers: [(name: String, value: String)] = [
            ("ETag", tag),
            (
                "Cache-Control",
                lifetime.map { "public, max-age=\($0)" } ?? "public, max-age=31536000, immutable"
            ),
            ("Accept-Ranges", "bytes"), ("X-Content-Type-Options", "nosniff"),
        ]
        if let known = head["if-none-match"], Self.matches(known, tag) {
            close(descriptor)
            return HTTPAnswer(304, headers: headers)
        }
        headers.append(("Content-Type", type))
        let isSame = head["if-range"].map { $0 == tag } ?? true
        switch isSame ? ByteRange(head["range"], size: size) : .whole {
        case .whole:
            return HTTPAnswer(200, headers: headers, body: .file(descriptor, offset: 0, count: size))
        case .part(let range):
            headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            return HTTPAnswer(
                206, headers: headers,
                body: .file(descriptor, offset: range.lowerBound, count: range.count))
        case .unsatisfiable:
            close(descriptor)
            return HTTPAnswer(416, headers: [("Content-Range", "bytes */\(size)")])
        }
    }

    /// Whether a list of entity tags names one (weak comparison: RFC 9110, 13.1.2).
    static func matches(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { entry in
            var word = entry.drop { $0 == " " || $0 == "\t" }
            while word.last == " " || word.last == "\t" { word.removeLast() }
            if word.hasPrefix("W/") { word = word.dropFirst(2) }
            return word == tag || word == "*"
        }
    }

    private static func mimeType(of extension: String) -> String? {
        MediaFormat.allCases.first { $0.fileExtension == `extension` }?.mimeType
    }
}
