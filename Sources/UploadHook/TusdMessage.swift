package import AttachmentPrep
internal import MediaCache

/// tusd's hook request, of version 2 (`{"Type","Event"}`) and version 1 (the event alone), the same for the
/// file hook's standard input and the body of the HTTP hook; and its `.info` files, which hold the upload
/// alone.
///
/// Source: tusd's pkg/hooks/hooks.go and pkg/handler/datastore.go; the keys are Go's field names.
package struct TusdMessage: Decodable {
    struct Upload: Decodable {
        var id: String
        var size: Int
        var sizeIsDeferred: Bool
        var offset: Int
        var metaData: [String: String]
        var isPartial: Bool
        var storage: [String: String]

        private enum Key: String, CodingKey {
            case id = "ID"
            case size = "Size"
            case sizeIsDeferred = "SizeIsDeferred"
            case offset = "Offset"
            case metaData = "MetaData"
            case isPartial = "IsPartial"
            case storage = "Storage"
        }

        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: Key.self)
            id = try object.decode(String.self, forKey: .id)
            size = try object.decode(Int.self, forKey: .size)
            sizeIsDeferred = try object.decodeIfPresent(Bool.self, forKey: .sizeIsDeferred) ?? false
            offset = try object.decodeIfPresent(Int.self, forKey: .offset) ?? 0
            metaData = try object.decodeIfPresent([String: String].self, forKey: .metaData) ?? [:]
            isPartial = try object.decodeIfPresent(Bool.self, forKey: .isPartial) ?? false
            storage = try object.decodeIfPresent([String: String].self, forKey: .storage) ?? [:]
        }
    }

    private let type: String?
    private let upload: Upload

    private enum Key: String, CodingKey {
        case type = "Type"
        case event = "Event"
        case upload = "Upload"
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        type = try object.decodeIfPresent(String.self, forKey: .type)
        let event = type == nil ? object : try object.nestedContainer(keyedBy: Key.self, forKey: .event)
        upload = try event.decode(Upload.self, forKey: .upload)
    }

    /// The names of all hooks, which are also those of the programs that tusd runs.
    package static let hookNames: Set<String> = [
        "pre-create", "post-create", "post-receive", "pre-finish", "post-finish", "pre-terminate",
        "post-terminate",
    ]

    /// The one that says that an upload is whole.
    private static let finished = "post-finish"

    /// What the HTTP hook is answered, and what the file hook may print.
    package static let answer = Array("{}".utf8)

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - hookName: of version 1, whose messages do not say it: the header `Hook-Name` or the program's
    ///     name.
    ///   - objects: where the uploads of tusd's S3 and GCS stores are read; without it they are left alone.
    /// - Throws: `invalid-payload`.
    package static func read(
        _ bytes: [UInt8], hookName: String? = nil, objects: ObjectTemplate? = nil
    ) throws(PrepError) -> HookMessage {
        try HookMessage.check(bytes)
        struct Kind: Decodable {
            var type: String?
            private enum CodingKeys: String, CodingKey { case type = "Type" }
        }
        // Of events that are not for us nothing else is read: later versions may say other things in them.
        let said = try HookJSON.decode(Kind.self, bytes, "tusd's message").type ?? hookName
        if let said, said != finished { return .nothing("\(said.prefix(64)) makes no attachment") }
        let message = try HookJSON.decode(TusdMessage.self, bytes, "tusd's message")
        if said == nil, message.upload.offset != message.upload.size {
            return .nothing("the upload is not finished")
        }
        return try self.message(of: message.upload, objects)
    }

    static func message(of upload: Upload, _ objects: ObjectTemplate?) throws(PrepError) -> HookMessage {
        if upload.isPartial { return .nothing("a part of an upload is no picture") }
        if upload.sizeIsDeferred { return .nothing("the upload's size is not known yet") }
        var job = SpoolJob(
            .tusd, id: try HookMessage.id(upload.id), size: try HookMessage.size(upload.size),
            place: .file(FilePath("")), claimedName: upload.metaData["filename"] ?? upload.metaData["name"],
            outputName: upload.id, received: WallClock.now)
        switch upload.storage["Type"] {
        case "s3store", "gcsstore":
            guard let objects else {
                return .nothing("the upload lies in an object store, and --object-url does not say where")
            }
            job.place = .link(
                try objects.link(bucket: upload.storage["Bucket"] ?? "", key: upload.storage["Key"] ?? ""))
        case "filestore", nil:
            job.place = .file(try HookMessage.path(upload.storage["Path"] ?? ""))
        case .some(let other): return .nothing("uploads in \(other.prefix(64)) cannot be read")
        }
        return .jobs([job])
    }
}
