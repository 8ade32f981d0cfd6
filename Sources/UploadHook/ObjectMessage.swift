package import AttachmentPrep
internal import MediaCache

/// S3's event notification, as MinIO's webhook and S3 itself send it.
///
/// Source: S3's "Event message structure", and MinIO's internal/event. Events come at least once and in any
/// order.
package struct ObjectMessage: Decodable {
    private struct Record: Decodable {
        struct Bucket: Decodable { var name: String }
        struct Object: Decodable {
            /// Encoded as in a form: `+` is a space.
            var key: String
            var size: Int?
            var eTag: String?
            var versionId: String?
            var sequencer: String?
        }
        struct Entity: Decodable {
            var bucket: Bucket
            var object: Object
        }
        var eventName: String
        var s3: Entity
    }

    private let records: [Record]

    /// S3's messages have 64 KiB, MinIO's one event; each job is synchronized to the disk while the store waits.
    private static let mostRecords = 1000

    private enum CodingKeys: String, CodingKey { case records = "Records" }

    /// Reads a message; of several events of one object the last one counts.
    ///
    /// - Throws: `invalid-payload`.
    package static func read(
        _ bytes: [UInt8], objects: ObjectTemplate
    ) throws(PrepError) -> HookMessage {
        try HookMessage.check(bytes)
        struct Test: Decodable {
            var event: String?
            private enum CodingKeys: String, CodingKey { case event = "Event" }
        }
        if try HookJSON.decode(Test.self, bytes, "the store's message").event == "s3:TestEvent" {
            return .nothing("a test of the notification")
        }
        let message = try HookJSON.decode(Self.self, bytes, "the store's message")
        guard message.records.count <= mostRecords else {
            throw PrepError(
                .inputTooLarge, .input,
                "a store's message tells of \(mostRecords) events at most; let it send them one by one")
        }
        var jobs: [String: (order: Int, job: SpoolJob)] = [:]
        for (order, record) in inOrder(message.records).enumerated() {
            let event =
                record.eventName.hasPrefix("s3:") ? record.eventName.dropFirst(3) : record.eventName[...]
            let (bucket, object) = (record.s3.bucket.name, record.s3.object)
            let key = try plain(object.key)
            if event.hasPrefix("ObjectRemoved:") { jobs[bucket + "/" + key] = nil }
            guard event.hasPrefix("ObjectCreated:") else { continue }
            let version = object.versionId ?? object.eTag ?? object.sequencer ?? ""
            let job = SpoolJob(
                .s3, id: try HookMessage.id("\(bucket)/\(key)@\(version)"),
                size: try object.size.map(HookMessage.size),
                place: .link(try objects.link(bucket: bucket, key: key)), outputName: "\(bucket)/\(key)",
                received: WallClock.now)
            jobs[bucket + "/" + key] = (order, job)
        }
        if jobs.isEmpty { return .nothing("no object was created") }
        return .jobs(jobs.values.sorted { $0.order < $1.order }.map(\.job))
    }

    /// Sequencers are hexadecimal numbers of which the shorter is filled up with zeros at its end.
    ///
    /// They say an order for one key only; the others stay as they came.
    private static func inOrder(_ records: [Record]) -> [Record] {
        func isBefore(_ a: Record, _ b: Record) -> Bool {
            guard let first = a.s3.object.sequencer, let second = b.s3.object.sequencer else { return false }
            let (x, y) = (Array(first.uppercased().utf8), Array(second.uppercased().utf8))
            let length = max(x.count, y.count)
            let zeros = { (count: Int) in [UInt8](repeating: 0x30, count: count) }
            return (x + zeros(length - x.count)).lexicographicallyPrecedes(y + zeros(length - y.count))
        }
        // Each key's own events change places among themselves.
        var places: [String: [Int]] = [:]
        for (index, record) in records.enumerated() {
            places["\(record.s3.bucket.name)/\(record.s3.object.key)", default: []].append(index)
        }
        var sorted = records
        for indices in places.values where indices.count > 1 {
            let own = indices.map { records[$0] }
            // Insertion keeps equal ones in their order, and one key has few events in a message.
            var ordered: [Record] = []
            for record in own {
                let place = ordered.firstIndex { isBefore(record, $0) } ?? ordered.count
                ordered.insert(record, at: place)
            }
            for (index, record) in zip(indices, ordered) { sorted[index] = record }
        }
        return sorted
    }

    /// A key as it is, out of a form's encoding.
    private static func plain(_ text: String) throws(PrepError) -> String {
        let bytes = Array(text.utf8)
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "+"): plain.append(0x20)
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                    let low = digit(bytes[index + 2])
                else { throw HookMessage.invalid("an object's key is not encoded as it should be") }
                plain.append(high << 4 | low)
                index += 2
            case let byte: plain.append(byte)
            }
            index += 1
        }
        guard let key = String(validating: plain, as: UTF8.self) else {
            throw HookMessage.invalid("an object's key is not UTF-8")
        }
        return key
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }
}

/// Where objects can be fetched: a link with `{bucket}` and `{key}` in its path, which the operator gives.
package struct ObjectTemplate: Hashable, Sendable {
    /// What stands before, between and behind the two.
    private enum Part: Hashable, Sendable { case text(String), bucket, key }
    private let parts: [Part]

    /// Reads a template such as `https://objects.example/{bucket}/{key}`.
    ///
    /// Nil where there is no `{key}`, or where scheme or host are not given as they are: no message may
    /// choose the host.
    package init?(_ text: String) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            parts.append(.text(String(rest[..<open])))
            if rest[open...].hasPrefix("{bucket}") {
                parts.append(.bucket)
                rest = rest[open...].dropFirst("{bucket}".count)
            } else if rest[open...].hasPrefix("{key}") {
                parts.append(.key)
                rest = rest[open...].dropFirst("{key}".count)
            } else {
                return nil
            }
        }
        parts.append(.text(String(rest)))
        guard case .text(let start) = parts[0], Self.hasWholeHost(start),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            parts.filter({ $0 == .key }).count == 1, parts.filter({ $0 == .bucket }).count <= 1
        else { return nil }
        self.parts = parts
    }

    /// Whether a text has a scheme and a host, the slash behind it included.
    private static func hasWholeHost(_ text: String) -> Bool {
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else { return false }
        let rest = text.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/"), slash > rest.startIndex else { return false }
        return !rest[..<slash].contains { "?#@\\".contains($0) }
    }

    /// The link of an object.
    ///
    /// - Throws: `invalid-payload` for a bucket or a key that would lead elsewhere.
    package func link(bucket: String, key: String) throws(PrepError) -> String {
        let isBucket =
            (1...255).contains(bucket.utf8.count)
            && bucket.utf8.allSatisfy { Self.isPlain($0) && $0 != UInt8(ascii: "~") }
        guard isBucket, bucket != ".", bucket != ".." else {
            throw HookMessage.invalid("the bucket's name is no bucket's name")
        }
        let segments = key.split(separator: "/", omittingEmptySubsequences: false)
        guard !key.isEmpty, key.utf8.count <= 1024, key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            !segments.contains("."), !segments.contains("..")
        else { throw HookMessage.invalid("the object's key cannot be part of a link") }
        return parts.map { part in
            switch part {
            case .text(let text): text
            case .bucket: bucket
            case .key: segments.map(Self.encoded).joined(separator: "/")
            }
        }.joined()
    }

    /// RFC 3986's unreserved characters, which mean nothing wherever they stand.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: Array("-._~".utf8).contains(byte)
        }
    }

    private static func encoded(_ segment: some StringProtocol) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in segment.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
