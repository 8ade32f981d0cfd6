package import AttachmentPrep

/// One upload that is to become an attachment: where it lies, and by what it is told from others.
///
/// How it is made is not part of it: that is the configuration of whoever does it.
package struct SpoolJob: Hashable, Sendable {
    /// Whose word it is.
    package enum Kind: String, Hashable, Sendable {
        case tusd, copyparty, s3, path
    }

    /// Where the upload's bytes are.
    package enum Place: Hashable, Sendable {
        /// A path that somebody else named: only to be opened below a root (`HookRoots`).
        case file(FilePath)
        case link(String)
    }

    package var kind: Kind
    /// What its server calls the upload.
    package var id: String
    /// Bytes of the upload, where its server said.
    package var size: Int?
    package var place: Place
    /// The name the uploader gave, whose suffix is compared with the type; never part of a path.
    package var claimedName: String?
    /// The output's name below the output folder, its extension apart; nil for the file's place below its
    /// root.
    ///
    /// Not safe yet: it comes from the message.
    package var outputName: String?
    /// Seconds since 1970.
    package var received: Double
    /// How often the job was begun.
    package var attempts = 0
    /// Not to be begun before, in seconds since 1970.
    package var notBefore = 0.0

    package init(
        _ kind: Kind, id: String, size: Int?, place: Place, claimedName: String? = nil,
        outputName: String? = nil, received: Double
    ) {
        self.kind = kind
        self.id = id
        self.size = size
        self.place = place
        self.claimedName = claimedName
        self.outputName = outputName
        self.received = received
    }

    /// 64 hexadecimal digits: SHA-256 of kind, id and size.
    ///
    /// A message that comes twice is one job.
    package func key() throws(PrepError) -> String {
        // The first bar and the last are ours: neither kind nor size can hold one.
        let text = "\(kind.rawValue)|\(id)|\(size.map(String.init) ?? "")"
        return ContentDigest.hex(try ContentDigest.sha256(text.utf8))
    }

    /// The input as records show it.
    package var name: String {
        switch place {
        case .file(let path): path.display
        case .link(let link): link
        }
    }
}

extension SpoolJob: Codable {
    private enum Key: String, CodingKey {
        case kind, id, size, path, pathBytes, link, claimedName, outputName, received, attempts, notBefore
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(kind.rawValue, forKey: .kind)
        try object.encode(id, forKey: .id)
        try object.encodeIfPresent(size, forKey: .size)
        switch place {
        case .file(let path):
            try object.encode(path.display, forKey: .path)
            try object.encodeIfPresent(path.undisplayableBase64, forKey: .pathBytes)
        case .link(let link): try object.encode(link, forKey: .link)
        }
        try object.encodeIfPresent(claimedName, forKey: .claimedName)
        try object.encodeIfPresent(outputName, forKey: .outputName)
        try object.encode(received, forKey: .received)
        try object.encode(attempts, forKey: .attempts)
        try object.encode(notBefore, forKey: .notBefore)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        let word = try object.decode(String.self, forKey: .kind)
        guard let kind = Kind(rawValue: word) else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: object, debugDescription: "there is no kind '\(word)'")
        }
        let place: Place
        if let link = try object.decodeIfPresent(String.self, forKey: .link) {
            place = .link(link)
        } else {
            let text = try object.decode(String.self, forKey: .path)
            let bytes = try object.decodeIfPresent(String.self, forKey: .pathBytes)
            place = .file(
                bytes.flatMap { Base64.decode($0.utf8) }.map { FilePath(bytes: $0) } ?? FilePath(text))
        }
        self.init(
            kind, id: try object.decode(String.self, forKey: .id),
            size: try object.decodeIfPresent(Int.self, forKey: .size), place: place,
            claimedName: try object.decodeIfPresent(String.self, forKey: .claimedName),
            outputName: try object.decodeIfPresent(String.self, forKey: .outputName),
            received: try object.decode(Double.self, forKey: .received))
        attempts = try object.decode(Int.self, forKey: .attempts)
        guard attempts >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .attempts, in: object, debugDescription: "a job cannot be begun less than never")
        }
        notBefore = try object.decode(Double.self, forKey: .notBefore)
    }
}

/// What came of a job: a file of `done/` or `bad/`, and the body of a callback.
package struct SpoolVerdict: Codable, Hashable, Sendable {
    package var job: SpoolJob
    package var record: PreparationRecord
    /// Seconds since 1970.
    package var finished: Double

    package init(job: SpoolJob, record: PreparationRecord, finished: Double) {
        self.job = job
        self.record = record
        self.finished = finished
    }
}
