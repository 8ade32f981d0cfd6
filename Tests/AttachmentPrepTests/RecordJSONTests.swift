import AttachmentPrep
import FoundationEssentials
import Testing

/// Any JSON value.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    subscript(_ key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    subscript(_ index: Int) -> JSONValue? {
        if case .array(let array) = self, index < array.count { array[index] } else { nil }
    }

    var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
}

/// The shape of SPEC's JSON: null for what does not apply, never a missing key.
@Suite struct RecordJSONTests {
    private static let recordKeys: Set = [
        "schema", "input", "outcome", "outputs", "source", "memory", "warnings", "error", "elapsedSeconds",
    ]
    private static let outputKeys: Set = [
        "profile", "outcome", "path", "url", "format", "typeHint", "mimeType", "fileExtension", "bytes",
        "width",
        "height", "sizeRatio", "encoding", "error",
    ]
    private static let sourceKeys: Set = [
        "format", "claimedExtension", "typeMismatch", "bytes", "width", "height", "orientation", "animated",
    ]
    private static let errorKeys: Set = ["code", "stage", "message", "detail"]

    private func json(_ record: PreparationRecord) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(record))
    }

    @Test func prepared() throws {
        let run = prepare(Photos.kitten.jpeg(), name: "kitten.png", profile: .small)
        let json = try json(run.record)
        #expect(json.keys == Self.recordKeys)
        #expect(json["schema"] == .number(1) && json["input"] == .string("kitten.png"))
        #expect(json["outcome"] == .string("prepared") && json["error"] == .null)
        #expect(json["warnings"] == .array([.string("mismatched-extension")]))
        let source = try #require(json["source"])
        #expect(source.keys == Self.sourceKeys)
        #expect(source["format"] == .string("jpeg") && source["claimedExtension"] == .string("png"))
        #expect(source["typeMismatch"] == .bool(true) && source["animated"] == .bool(false))
        #expect(source["width"] == .number(225) && source["orientation"] == .number(1))
        let memory = try #require(json["memory"])
        #expect(memory.keys == ["need", "limit"] && memory["limit"] == .number(536_870_912))
        let output = try #require(json["outputs"]?[0])
        #expect(output.keys == Self.outputKeys)
        #expect(output["typeHint"] == .string("public.jpeg") && output["mimeType"] == .string("image/jpeg"))
        #expect(output["fileExtension"] == .string("jpg") && output["format"] == .string("jpeg"))
        #expect(output["path"] == .string("out.jpg") && output["url"] == .null && output["error"] == .null)
        #expect(output["width"] == .number(200) && output["height"] == .number(136))
        #expect(output["sizeRatio"] == .number(0.68))
        let encoding = try #require(output["encoding"])
        #expect(encoding.keys == ["maxBytes", "quality", "subsampling", "limitedBy"])
        #expect(encoding["limitedBy"] == .string("quality") && encoding["subsampling"] == .string("4:2:0"))
    }

    @Test func passedThrough() throws {
        let json = try json(prepare(Photos.kitten.jpeg()).record)
        #expect(json.keys == Self.recordKeys && json["outcome"] == .string("passedThrough"))
        let output = try #require(json["outputs"]?[0])
        #expect(output.keys == Self.outputKeys && output["outcome"] == .string("passedThrough"))
        #expect(output["encoding"]?["quality"] == .null)
        #expect(output["encoding"]?["limitedBy"] == .string("lossless"))
        #expect(
            json["source"]?["claimedExtension"] == .null && json["source"]?["typeMismatch"] == .bool(false))
    }

    @Test func rejected() throws {
        let json = try json(prepare([]).record)
        #expect(json.keys == Self.recordKeys && json["outcome"] == .string("rejected"))
        #expect(json["outputs"] == .array([]) && json["source"] == .null && json["memory"] == .null)
        let error = try #require(json["error"])
        #expect(error.keys == Self.errorKeys && error["code"] == .string("empty"))
        #expect(error["stage"] == .string("sniff") && error["detail"] == .null)
    }

    @Test func rejectedOutput() throws {
        let run = prepare(Photos.kitten.jpeg("-quality 95"), profile: .small) { $0.maxBytes = 100 }
        let json = try json(run.record)
        let output = try #require(json["outputs"]?[0])
        #expect(output.keys == Self.outputKeys && output["outcome"] == .string("rejected"))
        for key in Self.outputKeys.subtracting(["profile", "outcome", "error"]) {
            #expect(output[key] == .null, "\(key)")
        }
        #expect(output["error"]?["code"] == .string("over-budget") && output["error"]?.keys == Self.errorKeys)
    }

    @Test func failed() throws {
        let record = AttachmentPreparer().record(of: .file("/nowhere/at/all.jpg"), into: .directory("/tmp"))
        let json = try json(record)
        #expect(json.keys == Self.recordKeys && json["outcome"] == .string("failed"))
        #expect(json["error"]?["code"] == .string("io") && json["error"]?["stage"] == .string("input"))
        #expect(json["error"]?["detail"] != .null)
        guard case .number(let seconds) = json["elapsedSeconds"] else { return #expect(Bool(false)) }
        #expect(seconds >= 0 && seconds < 10)
    }

    @Test func bytesOfAnUndisplayableName() throws {
        var record = PreparationRecord(input: "caf\u{FFFD}", outcome: .failed)
        record.inputBytes = [0x63, 0x61, 0x66, 0xE9]
        let json = try json(record)
        #expect(json.keys == Self.recordKeys.union(["inputBytes"]))
        // RFC 4648: 636166 is Y2Fm, e9 alone is 6Q==.
        #expect(json["inputBytes"] == .string("Y2Fm6Q=="))
    }
}
