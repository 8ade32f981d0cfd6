import Foundation
import TestSupport
import Testing

@testable import attachprep

/// The folder of the servers' stand-ins.
let servers = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Support/Servers").path

/// A media server's uploads, and the hook beside them.
struct Uploads {
    let place: Workplace

    init() throws {
        place = try Workplace()
        _ = try place.run("mkdir uploads hooks; ln -s \"$(command -v attachprep)\" hooks/post-finish")
        try add("a1", Samples.jpeg)
    }

    /// Puts an upload there as tusd's file store does: the ID is the name, the description beside it.
    func add(_ id: String, _ bytes: Data, isWhole: Bool = true, isPartial: Bool = false) throws {
        let size = bytes.count + (isWhole ? 0 : 1)
        try place.write([
            "uploads/\(id)": bytes,
            "uploads/\(id).info": Data(upload(id, size: size, isPartial: isPartial).utf8),
        ])
    }

    func path(_ id: String) -> String { place.folder.path + "/uploads/" + id }

    func upload(_ id: String, size: Int, path: String? = nil, isPartial: Bool = false) -> String {
        """
        {"ID":"\(id)","Size":\(size),"SizeIsDeferred":false,"Offset":\(size),"MetaData":{"filename":\
        "../../IMG_1.HEIC"},"IsPartial":\(isPartial),"IsFinal":false,"PartialUploads":null,\
        "Storage":{"Type":"filestore","Path":"\(path ?? self.path(id))"}}
        """
    }

    func message(_ type: String, _ upload: String) -> String {
        #"{"Type":"\#(type)","Event":{"Upload":\#(upload),"HTTPRequest":{"Method":"PATCH","URI":"/files/"}}}"#
    }

    /// What tusd makes of a hook.
    func tusd(
        _ message: String, hook: String = "post-finish", environment: [String: String]
    ) throws -> (said: [String: Any], errors: String) {
        try place.write(["request.json": Data(message.utf8)])
        let run = try place.run(
            "python3 \(servers)/tusd.py hooks \(hook) < request.json", environment: environment)
        return (try #require(try run.objects.first), run.errors)
    }

    var environment: [String: String] {
        [
            "ATTACHPREP_ROOT": "/nowhere:\(place.folder.path)/uploads",
            "ATTACHPREP_OUTPUT": place.folder.path + "/out",
        ]
    }

    var queueing: [String: String] {
        var environment = environment
        environment["ATTACHPREP_QUEUE"] = place.folder.path + "/queue"
        return environment
    }

    func files(_ folder: String) throws -> [String] {
        try place.run("cd \(folder) 2>/dev/null && find . -type f | LC_ALL=C sort").output
            .split(separator: "\n").map { String($0.dropFirst(2)) }
    }
}

@Suite struct HookCommandTests {
    @Test func tusdsFileHookMakesTheAttachment() throws {
        let uploads = try Uploads()
        let size = Samples.jpeg.count
        let call = try uploads.tusd(
            uploads.message("post-finish", uploads.upload("a1", size: size)),
            environment: uploads.environment)
        #expect(call.said["ran"] as? Bool == true)
        #expect(call.said["status"] as? Int == 0)
        #expect(call.said["error"] is NSNull && call.said["response"] is NSNull)
        // Named by the upload's ID: what the client says is no name.
        #expect(try uploads.files("out") == ["a1.jpg"])
        #expect(call.errors.contains("a1.jpg"))
        // The same in version 1, where the program's name says which hook it is.
        let old = try uploads.tusd(
            #"{"Upload":\#(uploads.upload("a1", size: size)),"HTTPRequest":{}}"#,
            environment: uploads.environment)
        #expect(old.said["status"] as? Int == 0 && old.errors.contains("a1.jpg"))
    }

    @Test func aScriptThatRunsTheHookWillDoToo() throws {
        let uploads = try Uploads()
        _ = try uploads.place.run(
            "rm hooks/post-finish; printf '#!/bin/sh\\nexec attachprep hook\\n' > hooks/post-finish; "
                + "chmod +x hooks/post-finish")
        let call = try uploads.tusd(
            uploads.message("post-finish", uploads.upload("a1", size: Samples.jpeg.count)),
            environment: uploads.environment)
        #expect(call.said["status"] as? Int == 0 && call.said["error"] is NSNull)
        #expect(try uploads.files("out") == ["a1.jpg"])
    }

    /// Whatever comes, tusd sees a status of 0 and nothing on standard output.
    @Test(arguments: [
        ("post-finish", "not json"), ("post-finish", ""), ("post-finish", #"{"Type":"post-finish"}"#),
        ("post-finish", #"{"Type":"post-finish","Event":{"Upload":{"ID":"x","Size":3,"Storage":null}}}"#),
        ("pre-create", #"{"Type":"pre-create","Event":{"Upload":{"ID":"","Size":3,"Storage":null}}}"#),
        ("pre-finish", "not json"), ("post-terminate", "{}"),
    ])
    func whatIsNotForUsDoesNoHarm(_ hook: String, _ message: String) throws {
        let uploads = try Uploads()
        _ = try uploads.place.run("ln -sf \"$(command -v attachprep)\" hooks/\(hook)")
        let call = try uploads.tusd(message, hook: hook, environment: uploads.environment)
        #expect(call.said["status"] as? Int == 0 && call.said["error"] is NSNull)
        #expect(try uploads.files("out").isEmpty)
        // Not even with settings that are wrong.
        var wrong = uploads.environment
        wrong["ATTACHPREP_MAX_BYTES"] = "lots"
        let second = try uploads.tusd(message, hook: hook, environment: wrong)
        #expect(second.said["status"] as? Int == 0 && second.said["error"] is NSNull)
        #expect(second.errors.contains("ATTACHPREP_MAX_BYTES"))
    }

    @Test func badPicturesAndForeignPathsAreReportedOnly() throws {
        let uploads = try Uploads()
        try uploads.add("text", Samples.text)
        try uploads.place.write(["secret.jpg": Samples.jpeg])
        _ = try uploads.place.run("ln -s ../secret.jpg uploads/link")
        let top = uploads.place.folder.path
        for (id, path, words) in [
            ("text", nil, "unknown-format"), ("gone", nil, "io"),
            ("link", nil, "invalid-payload: a link is on the way"),
            ("up", top + "/uploads/../secret.jpg", "invalid-payload"),
            ("etc", "/etc/passwd", "invalid-payload"),
        ] as [(String, String?, String)] {
            let call = try uploads.tusd(
                uploads.message("post-finish", uploads.upload(id, size: 11, path: path)),
                environment: uploads.environment)
            #expect(call.said["status"] as? Int == 0 && call.said["error"] is NSNull)
            #expect(call.errors.contains(words), "\(id): \(call.errors)")
        }
        let call = try uploads.tusd(
            uploads.message("post-finish", uploads.upload("a1", size: 11)),
            environment: ["ATTACHPREP_OUTPUT": top + "/out"])
        #expect(call.errors.contains("--root"))
        #expect(try uploads.files("out").isEmpty)
    }

    @Test(arguments: ["../../up", "/etc/cron.d/x", "a/../../b", "..", "\\u202e", ".attachprep"])
    func noIDLeadsOutOfTheOutputFolder(_ id: String) throws {
        let uploads = try Uploads()
        let upload = uploads.upload(id, size: 1, path: uploads.path("a1"))
        let call = try uploads.tusd(
            uploads.message("post-finish", upload), environment: uploads.environment)
        #expect(call.said["status"] as? Int == 0)
        let made = try uploads.place.run("find . -name '*.jpg' | sort").output.split(separator: "\n")
        #expect(made.count == 1 && made[0].hasPrefix("./out/"), "\(made)")
        #expect(!FileManager.default.fileExists(atPath: "/etc/cron.d/x.jpg"))
    }

    @Test func copypartysProgramTakesAPathOrJSON() throws {
        let uploads = try Uploads()
        try uploads.place.write([
            "uploads/holiday/IMG_1.png": Samples.jpeg, "uploads/holiday/IMG_1.jpg": Samples.jpeg,
        ])
        let top = uploads.place.folder.path + "/uploads"
        let json = #"{"ap": "\#(top)/holiday/IMG_1.jpg", "vp": "x", "mt": 1.5, "sz": 5}"#
        let run = try uploads.place.run(
            "attachprep hook \(top)/holiday/IMG_1.png && attachprep hook '\(json)'",
            environment: uploads.environment)
        #expect(run.status == 0, "\(run.errors)")
        // Neighbours that differ in their suffix do not take each other's place.
        #expect(try uploads.files("out") == ["holiday/IMG_1.jpg.jpg", "holiday/IMG_1.png.jpg"])
        // Standard output is copyparty's, which would take JSON there for orders.
        #expect(run.output.split(separator: "\n").count == 1)
        let bad = try uploads.place.run(
            "attachprep hook '\(json.replacingOccurrences(of: "holiday", with: "../.."))'; echo $?; "
                + "attachprep hook '{\"ap\": 5}'; echo $?", environment: uploads.environment)
        #expect(bad.output == "1\n1\n")
        #expect(bad.errors.split(separator: "\n").allSatisfy { $0.contains("invalid-payload") })
    }

    @Test func aPathOnTheCommandLineIsTheOperatorsOwn() throws {
        let place = try Workplace()
        try place.write(["a.png": Samples.jpeg, "b": Samples.text])
        let run = try place.run("attachprep hook a.png b --output out --json")
        #expect(run.status == 1)
        #expect(try run.objects.map { $0["outcome"] as? String } == ["passedThrough", "rejected"])
        #expect(try place.tree("out") == ["out", "out/a.png.jpg"])
        // Unless roots are given.
        let outside = try place.run("mkdir up; attachprep hook a.png --output out2 --root up")
        #expect(outside.status == 1 && outside.errors.contains("does not lie below a --root"))
        let cached = try place.run("attachprep hook a.png --cache c --public-base https://p.example --json")
        let output = try #require((try cached.objects.first?["outputs"] as? [[String: Any]])?.first)
        #expect(
            (output["url"] as? String)?.wholeMatch(of: #/https://p\.example/[0-9a-f]{2}/[0-9a-f]{64}\.jpg/#)
                != nil)
    }

    @Test(arguments: [
        ("hook", "needs an upload"), ("hook a.jpg", "--output DIR or --cache DIR"),
        ("hook a.jpg -o out --cache c", "not to both"),
        ("hook a.jpg -o out --callback https://a.example", "--callback-key-file"),
        ("hook a.jpg -o out --callback a.example", "an address such as"),
        ("hook a.jpg -o out --object-url https://a.example/", "{key}"),
        ("hook https://a.example/x.jpg -o out", "is a link"),
        ("hook a.jpg -o file", "is no folder"),
        ("sweep", "--queue DIR"), ("sweep --queue q", "--output DIR or --cache DIR"),
        ("sweep --queue q -o out there", "takes no operand"),
        ("sweep --queue q -o out --done-days 0", "from 1 to"),
    ])
    func wrongUseIsRefusedWithItsReason(_ words: String, _ message: String) throws {
        let place = try Workplace()
        try place.write(["file": Samples.text])
        let run = try place.run("attachprep \(words)")
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(try place.tree() == [".", "./file"])
    }
}
