import Foundation
import Testing

@testable import attachprep

@Suite struct PrepareCommandTests {
    @Test func aMissingInputIsARecordAndExitOne() throws {
        let place = try Workplace()
        let run = try place.run("attachprep prepare nothing.jpg -o out --json")
        #expect(run.status == 1)
        let record = try #require(try run.objects.first)
        #expect(record["outcome"] as? String == "failed")
        #expect(record["input"] as? String == "nothing.jpg")
        #expect((record["error"] as? [String: Any])?["code"] as? String == "io")
        // What does not apply is null, not absent.
        #expect(record["memory"] is NSNull)
    }

    @Test func recordsComeInInputOrder() throws {
        let place = try Workplace()
        let run = try place.run("attachprep prepare c a b --output out --json")
        #expect(try run.objects.map { $0["input"] as? String } == ["c", "a", "b"])
    }

    @Test func aFolderIsForBatch() throws {
        let place = try Workplace()
        let run = try place.run("mkdir d; attachprep prepare d -o out")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("attachprep batch takes folders"))
    }

    @Test func nameBytesAreGivenExactly() throws {
        let place = try Workplace()
        let run = try place.run("attachprep prepare \"$(printf 'l\\344tin.jpg')\" -o out --json")
        let record = try #require(try run.objects.first)
        #expect(record["input"] as? String == "l\u{FFFD}tin.jpg")
        #expect(
            record["inputBytes"] as? String
                == Data(Array("l".utf8) + [0xE4] + Array("tin.jpg".utf8)).base64EncodedString())
    }

    @Test(arguments: [
        "attachprep prepare a.jpg -o .",
        "attachprep prepare x/../a.jpg -o \"$PWD\"",
        "attachprep prepare a.jpg -o a.jpg",
        "attachprep prepare a.jpg -o linked",
        "attachprep prepare a.png -o a.png/../a.jpg a.jpg --profile apns --json; exit $?",
        "attachprep prepare hard.jpg -o .",
        "attachprep prepare soft.jpg -o .",
        "attachprep prepare song.mp3 -o .",
        "attachprep prepare - -o a.jpg < a.jpg",
        "attachprep prepare a.jpg -o - >> a.jpg",
        "attachprep batch a.jpg b.png -o .",
        "attachprep batch sub -o linked/sub",
        "attachprep batch sub -o out",
        "attachprep batch song.mp3 -o sounds --media all",
        "attachprep batch sub -o new --report sub/c.jpg",
    ])
    func noInputIsReplaced(_ script: String) throws {
        let place = try Workplace()
        try place.write([
            "a.jpg": Samples.jpeg, "a.png": Samples.png, "b.png": Samples.png, "song.mp3": Samples.mp3,
            "sub/c.jpg": Samples.jpeg, "x/y": Samples.text,
        ])
        _ = try place.run(
            "ln -s . linked; ln a.jpg hard.jpg; ln -s a.jpg soft.jpg; mkdir out; ln sub/c.jpg out/c.jpg; mkdir sounds; ln song.mp3 sounds/song.mp3"
        )
        let before = try place.run("find . -type f | sort | xargs cksum").output
        let run = try place.run(script)
        #expect(run.status == 64, "\(run.errors)")
        #expect(try place.run("find . -type f | sort | xargs cksum").output == before)
    }

    @Test func anotherPictureOfThatNameIsNoOwnFile() throws {
        let place = try Workplace()
        try place.write(["a.png": Samples.png, "song.jpg": Samples.jpeg])
        // Both become `.jpg`, and neither replaces an input: `a.png` stays beside `a.jpg`.
        #expect(try place.run("attachprep prepare a.png -o .").status != 64)
    }

    @Test(arguments: [
        ("a.jpg b.jpg -o one.jpg", "is one file"),
        ("a.jpg -o one.jpg --profile apns --profile thumb", "is one file"),
        ("a.jpg b.jpg -o -", "a single output"),
        ("a.jpg -o out.png", ""),
        ("a.jpg -o out.heic", "did you mean 'out.jpg'"),
        ("- - -o out", "only once"),
        ("a.jpg -o file", "is a file, not a folder"),
    ])
    func outputsMustFit(_ words: String, _ message: String) throws {
        let place = try Workplace()
        try place.write(["file": Samples.text])
        let run = try place.run("attachprep prepare \(words)")
        if message.isEmpty { return #expect(run.status != 64) }
        #expect(run.status == 64)
        #expect(run.errors.contains(message))
        #expect(try place.tree() == [".", "./file"])
    }

    @Test func theRecordGoesToStandardErrorWhenThePictureGoesOut() throws {
        let place = try Workplace()
        let run = try place.run("attachprep prepare nothing.jpg -o -")
        #expect(run.output.isEmpty)
        let record = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
        #expect(record?["input"] as? String == "nothing.jpg")
    }

    @Test func picturesAreMade() throws {
        let place = try Workplace()
        try place.write(["IMG_1.jpg": Samples.jpeg, "d/IMG_1.jpeg": Samples.jpeg])
        let run = try place.run(
            "attachprep prepare IMG_1.jpg d/IMG_1.jpeg -o out && attachprep prepare IMG_1.jpg -o - > p")
        #expect(run.status == 0)
        #expect(try place.tree("out") == ["out", "out/IMG_1.jpeg.jpg", "out/IMG_1.jpg.jpg"])
        #expect(try place.run("attachprep sniff p").output.hasPrefix("p: jpeg"))
        #expect(try place.run("attachprep prepare - -o hashed --json < IMG_1.jpg").status == 0)
        #expect(
            try place.run("find hashed -type f").output.contains(#/^hashed/[0-9a-f]{2}/[0-9a-f]{64}\.jpg/#))
    }
}

@Suite struct SniffCommandTests {
    @Test func bytesDecide() throws {
        let place = try Workplace()
        try place.write(["wrong.png": Samples.jpeg, "none": Samples.jpeg, "x.txt": Samples.text])
        let run = try place.run("attachprep sniff wrong.png none x.txt - --json < none")
        #expect(run.status == 0)
        let objects = try run.objects
        #expect(objects.map { $0["format"] as? String } == ["jpeg", "jpeg", "unknown", "jpeg"])
        #expect(objects.map { $0["typeMismatch"] as? Bool } == [true, false, false, false])
        #expect(objects.map { $0["action"] as? String } == ["transcode", "transcode", "reject", "transcode"])
        #expect(objects[0]["claimedExtension"] as? String == "png")
        #expect(objects[0]["mimeType"] as? String == "image/jpeg")
        #expect(objects[0]["typeHint"] as? String == "public.jpeg")
        #expect(objects[0]["fileExtension"] as? String == "jpg")
        #expect(objects[3]["claimedExtension"] is NSNull)
        #expect(objects[3]["input"] as? String == "-")
    }

    @Test func whatCannotBeReadIsSaid() throws {
        let place = try Workplace()
        let run = try place.run("attachprep sniff missing .")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.split(separator: "\n").count == 2)
    }

    /// What is recognised but not accepted is refused by name.
    @Test func whatIsNotAcceptedIsRefused() throws {
        let place = try Workplace()
        try place.write(["a": Data(Array("8BPS".utf8) + [0, 1] + [UInt8](repeating: 0, count: 40))])
        let said = try place.run("attachprep sniff a").output
        #expect(said == "a: psd, image/vnd.adobe.photoshop, com.adobe.photoshop-image, reject\n")
        let run = try place.run("attachprep prepare a -o out")
        #expect(run.status == 1 && run.errors.contains("unsupported-format"))
    }

    @Test func readsNoMoreThanItNeeds() throws {
        let place = try Workplace()
        try place.write(["a.jpg": Samples.jpeg])
        // What is not read is there for the next reader of the pipe.
        let run = try place.run(
            "(cat a.jpg; sleep 5) | attachprep sniff - & sleep 2; kill -0 $! 2>/dev/null && echo waits")
        #expect(!run.output.contains("waits"))
        #expect(run.output.contains("-: jpeg"))
    }

    @Test func profilesAreListed() throws {
        let place = try Workplace()
        let run = try place.run("attachprep profiles --json")
        #expect(try run.objects.map { $0["name"] as? String } == ["apns", "thumb", "fcm", "huawei", "icon"])
        #expect(try run.objects.first?["maxBytes"] as? Int == 300_000)
    }
}
