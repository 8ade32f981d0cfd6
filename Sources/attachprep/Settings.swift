internal import AttachmentPrep
internal import LinkFetch
internal import MediaCache
internal import UploadHook

/// What the command line and the environment mean, defaults filled in.
struct Settings: Sendable {
    /// Empty until the parser has seen everything; then at least the default.
    var profiles: [Profile] = []
    var options = PreparationOptions()
    var output: FilePath?
    var namesByContent = false
    var json = false
    var quiet = false
    var markdown = false
    var batch = BatchSettings()
    var links = LinkSettings()
    var serve = ServeSettings()
    var hook = HookSettings()
    var payload = PayloadSettings()
    var simulate = SimulateSettings()

    /// Everything that changes an output's bytes or name, as one line: what a resumed batch compares.
    ///
    /// Limits are not in it: they decide whether there is an output, never what is in it.
    var recipe: String {
        let boxes = profiles.map { "\($0.name):\($0.width)x\($0.height):\($0.fit.recipeWord):\($0.maxBytes)" }
        return [
            "1", Version.number, boxes.joined(separator: ","),
            "bytes=\(options.maxBytes.map(String.init) ?? "-")",
            "edge=\(options.maxEdge.map(String.init) ?? "-")",
            "quality=\(options.minQuality)-\(options.maxQuality)", "background=\(options.background)",
            "effort=\(options.effort.rawValue)", "progressive=\(options.progressive.rawValue)",
            "animation=\(options.animation.rawValue)", "truncated=\(options.allowsTruncated)",
            "names=\(namesByContent ? "content" : "tree")",
        ].joined(separator: " ")
    }
}

/// What links and the cache ask.
struct LinkSettings: Sendable {
    var allowsHTTP = false
    var allowedAddresses: [AddressRule] = []
    var caFile: FilePath?
    var headers: [HostHeader] = []
    var keyFile: FilePath?
    /// Seconds since 1970; 0 for never.
    var expiry = 0
    var publicBase: String?
    var cache: FilePath?
    var cacheLimits = AttachmentCache.Limits()
    var synchronizes = true

    /// How links are fetched; every connection that only `--allow-address` permits is told on standard error.
    var fetch: FetchOptions {
        var fetch = FetchOptions()
        fetch.allowsHTTP = allowsHTTP
        fetch.allowedAddresses = allowedAddresses
        fetch.caFile = caFile?.display
        fetch.headers = headers
        fetch.log = { line in _ = FileSystem.write(Array("attachprep: \(line)\n".utf8), to: 2) }
        return fetch
    }
}

/// What the upload hook and its queue ask.
struct HookSettings: Sendable {
    var roots: [FilePath] = []
    var queue: FilePath?
    var objects: ObjectTemplate?
    var callback: String?
    var callbackKeyFile: FilePath?
    var tusdFolders: [FilePath] = []
    var retriesBad = false
    /// How long what was done is remembered.
    var doneSeconds = 7 * 86_400
}

/// What only `batch` asks.
struct BatchSettings: Sendable {
    /// Nil means one for each core that is online.
    var jobs: Int?
    var report: FilePath?
    var media = Media.images
    var filesFrom: FilePath?
    var filesEndWithNUL = false
    var stopsAtFirstError = false
    var shard: Shard?
    var isDryRun = false

    enum Media: String, CaseIterable, Sendable { case images, all }
}

/// One of several equal parts of a listing.
struct Shard: Hashable, Sendable {
    /// 1...count.
    var index: Int
    var count: Int

    /// Whether the output of that name belongs to this part.
    ///
    /// The name decides alone, so every machine agrees, and a new file moves no other one.
    func contains(_ outputName: String) -> Bool {
        var hash = FNV1a.hash(outputName.utf8)
        // FNV's low bits are weak, and a small modulus sees little else.
        hash ^= hash >> 33
        hash &*= 0xff51_afd7_ed55_8ccd
        hash ^= hash >> 33
        return hash % UInt64(count) == UInt64(index - 1)
    }
}

/// FNV-1a, 64 bits: a hash that is the same in every process and on every machine.
enum FNV1a {
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }

    /// The hash in `digits` (at most 16) lower-case hexadecimal digits, its last ones.
    static func hex(_ bytes: some Sequence<UInt8>, digits: Int = 16) -> String {
        let hash = hash(bytes)
        let alphabet = Array("0123456789abcdef".utf8)
        let text = (0..<digits).map { alphabet[Int(hash >> UInt64(4 * (digits - 1 - $0)) & 15)] }
        return String(decoding: text, as: UTF8.self)
    }
}
