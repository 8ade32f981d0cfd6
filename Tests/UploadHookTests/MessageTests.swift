import AttachmentPrep
import TestSupport
import Testing

@testable import UploadHook

@Suite struct MessageTests {
    private func fixtureBytes(_ name: String) throws -> [UInt8] { try fixture("hooks/" + name) }

    /// The one job of a message.
    private func job(_ message: HookMessage) throws -> SpoolJob {
        guard case .jobs(let jobs) = message else { throw PrepError(.io, .input, "\(message)") }
        #expect(jobs.count == 1)
        return try #require(jobs.first)
    }

    private func code(_ body: () throws(PrepError) -> HookMessage) -> String {
        do {
            switch try body() {
            case .jobs(let jobs): return "\(jobs.count) jobs"
            case .nothing: return "nothing"
            }
        } catch { return error.code.rawValue }
    }

    @Test func bothVersionsOfTusdMakeTheSameJob() throws {
        let two = try job(TusdMessage.read(fixtureBytes("tusd-v2-post-finish.json")))
        var one = try job(
            TusdMessage.read(fixtureBytes("tusd-v1-post-finish.json"), hookName: "post-finish"))
        one.received = two.received
        #expect(one == two)
        #expect(two.kind == .tusd && two.id == "14b1c4c77771671a8479bc0444bbc5ce" && two.size == 46205)
        #expect(two.place == .file(FilePath("/srv/uploads/14b1c4c77771671a8479bc0444bbc5ce")))
        #expect(two.claimedName == "IMG_0001.HEIC")
        // printf 'tusd|14b1c4c77771671a8479bc0444bbc5ce|46205' | sha256sum
        #expect(try two.key() == "b33ca00998c11ea2554f1961cf80e3dbd0f3db98f7e956d1e9e074c8a1126442")
        #expect(try job(TusdMessage.read(fixtureBytes("tusd-v1-post-finish.json"))).size == 46205)
    }

    @Test func otherEventsOfTusdAskForNothing() throws {
        #expect(
            code { () throws(PrepError) in try TusdMessage.read(bytes("tusd-pre-create.json")) } == "nothing")
        for type in ["post-create", "post-receive", "pre-finish", "post-terminate", "of-tomorrow"] {
            let text = #"{"Type":"\#(type)","Event":{"Upload":7}}"#
            #expect(code { () throws(PrepError) in try TusdMessage.read(Array(text.utf8)) } == "nothing")
        }
        let one = try fixtureBytes("tusd-v1-post-finish.json")
        #expect(
            code { () throws(PrepError) in try TusdMessage.read(one, hookName: "post-receive") } == "nothing")
    }

    private func bytes(_ name: String) -> [UInt8] { (try? fixtureBytes(name)) ?? [] }

    private static func upload(_ changes: String) -> [UInt8] {
        let path = #""Storage":{"Type":"filestore","Path":"/u/a"}"#
        let fields = changes.contains("Storage") ? changes : [changes, path].joined(separator: ",")
        return Array(#"{"Type":"post-finish","Event":{"Upload":{\#(fields)}}}"#.utf8)
    }

    @Test(arguments: [
        (#""ID":"a","Size":5"#, "1 jobs"),
        (#""ID":"a","Size":5,"MetaData":null,"PartialUploads":null"#, "1 jobs"),
        (#""ID":"a","Size":5,"IsPartial":true"#, "nothing"),
        (#""ID":"a","Size":0,"SizeIsDeferred":true"#, "nothing"),
        (#""ID":"a","Size":5,"Storage":{"Type":"s3store","Bucket":"b","Key":"k"}"#, "nothing"),
        (#""ID":"a","Size":5,"Storage":{"Type":"azurestore"}"#, "nothing"),
        (#""ID":"a","Size":5,"Storage":null"#, "invalid-payload"),
        (#""ID":"a","Size":5,"Storage":{"Type":"filestore","Path":"/u/a\u0000.jpg"}"#, "invalid-payload"),
        (#""ID":"a","Size":5,"Storage":{"Type":"filestore","Path":["/u/a"]}"#, "invalid-payload"),
        (#""ID":"a","Size":-1"#, "invalid-payload"),
        (#""ID":"a","Size":1e400"#, "invalid-payload"),
        (#""ID":"a","Size":99999999999999999999"#, "invalid-payload"),
        (#""ID":"a","Size":"5""#, "invalid-payload"),
        (#""ID":"","Size":5"#, "invalid-payload"),
        (#""Size":5"#, "invalid-payload"),
        (#""ID":7,"Size":5"#, "invalid-payload"),
    ])
    func fieldsOfTusdAreChecked(_ fields: String, _ expected: String) {
        #expect(code { () throws(PrepError) in try TusdMessage.read(Self.upload(fields)) } == expected)
    }

    @Test func whatIsNoMessageIsInvalid() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 200_000)
        let deepEvent = Array(#"{"Type":"post-finish","Event":"#.utf8) + deep
        let long = [UInt8](repeating: 0x20, count: HookMessage.longest) + Array("{}".utf8)
        for bytes in [[], Array("{".utf8), Array("null".utf8), [0xFF, 0xFE], [0], deep, deepEvent, long] {
            #expect(code { () throws(PrepError) in try TusdMessage.read(bytes) } == "invalid-payload")
            #expect(code { () throws(PrepError) in try CopypartyMessage.read(bytes) } == "invalid-payload")
            if let objects = ObjectTemplate("https://o.example/{bucket}/{key}") {
                #expect(
                    code { () throws(PrepError) in try ObjectMessage.read(bytes, objects: objects) }
                        == "invalid-payload")
            }
        }
    }

    @Test func aRefusalDoesNotRepeatWhatWasSent() throws {
        let text = #"{"Type":"post-finish","Event":{"Upload":{"ID":"a","Size":"hunter2"}}}"#
        do {
            _ = try TusdMessage.read(Array(text.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.detail == "Event.Upload.Size is of another type")
            #expect(!error.message.contains("hunter2"))
        }
    }

    @Test func copypartyNamesAPath() throws {
        let job = try job(CopypartyMessage.read(fixtureBytes("copyparty-xau.json")))
        #expect(job.kind == .copyparty && job.size == 236_952)
        #expect(job.place == .file(FilePath("/srv/files/forget-me-nots.jpg")))
        #expect(job.outputName == nil)
    }

    /// A name that is not UTF-8 reaches JSON as half a surrogate; the form without JSON takes it.
    @Test func halfASurrogateIsNoPath() {
        let text = #"{"ap": "/u/\udce4.jpg", "sz": 1}"#
        #expect(
            code { () throws(PrepError) in try CopypartyMessage.read(Array(text.utf8)) } == "invalid-payload")
    }

    @Test func objectsBecomeLinks() throws {
        let objects = try #require(ObjectTemplate("https://objects.example/{bucket}/{key}"))
        let job = try job(ObjectMessage.read(fixtureBytes("minio-put.json"), objects: objects))
        #expect(job.place == .link("https://objects.example/photos/summer%202024/a%2Bb.jpg"))
        #expect(job.outputName == "photos/summer 2024/a+b.jpg" && job.size == 2048)
        // The later of two versions, whatever their order, and not what was removed.
        let later = try self.job(ObjectMessage.read(fixtureBytes("s3-two-versions.json"), objects: objects))
        #expect(later.place == .link("https://objects.example/photos/a.jpg"))
        #expect(later.size == 20 && later.id == "photos/a.jpg@bb")
        let test = #"{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"b","RequestId":"1"}"#
        #expect(
            code { () throws(PrepError) in try ObjectMessage.read(Array(test.utf8), objects: objects) }
                == "nothing")
    }

    @Test(arguments: [
        ("b", "a b/ü.jpg", "https://o.example/b/a%20b/%C3%BC.jpg?x=1"),
        ("b", "//evil.example/x", "https://o.example/b///evil.example/x?x=1"),
        ("b", "x?y#z@w:80\\", "https://o.example/b/x%3Fy%23z%40w%3A80%5C?x=1"),
        ("b", "%2e%2e/a", "https://o.example/b/%252e%252e/a?x=1"),
        ("b", "../a", nil), ("b", "a/../../b", nil), ("b", "a/.", nil), ("b", "", nil),
        ("b", "a\u{0}b", nil), ("b", "a\r\nHost: x", nil), ("b", String(repeating: "a", count: 1025), nil),
        ("..", "a", nil), (".", "a", nil), ("", "a", nil), ("a/b", "c", nil), ("a@evil.example", "c", nil),
        ("a%2f", "c", nil),
    ])
    func noObjectLeadsElsewhere(_ bucket: String, _ key: String, _ link: String?) throws {
        let objects = try #require(ObjectTemplate("https://o.example/{bucket}/{key}?x=1"))
        #expect((try? objects.link(bucket: bucket, key: key)) == link)
    }

    @Test(arguments: [
        "https://{bucket}.example/{key}", "https://{key}/", "{bucket}/{key}", "https://o.example/{bucket}",
        "https://o.example/{key}/{key}", "https://o.example/{other}/{key}", "ftp://o.example/{key}",
        "https://o.example{key}", "https://user@o.example/{key}", "https:///{key}", "https://o.example?{key}",
        "https://o.example/ {key}", "https://o.example/{key",
    ])
    func templatesNameTheirHost(_ text: String) { #expect(ObjectTemplate(text) == nil) }

    @Test func sequencersAreFilledUpAtTheirEnd() throws {
        // 0055AED6DCD90281 is 0055AED6DCD9028100, which is before ...E5: by length alone it would be too.
        let records = [("5", "new"), ("4FF", "old")].map { sequencer, tag in
            """
            {"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"k","eTag":"\(tag)",\
            "sequencer":"\(sequencer)"}}}
            """
        }
        let objects = try #require(ObjectTemplate("https://o.example/{key}"))
        let text = #"{"Records":[\#(records.joined(separator: ","))]}"#
        #expect(try job(ObjectMessage.read(Array(text.utf8), objects: objects)).id == "b/k@new")
    }
}
