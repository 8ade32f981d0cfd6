import AttachmentPrep
import Foundation
import Testing

@testable import attachprep

@Suite struct BatchCommandTests {
    /// A tree with one of everything.
    private func photos() throws -> Workplace {
        let place = try Workplace()
        try place.write([
            "photos/b.jpg": Samples.jpeg, "photos/a.png": Samples.png, "photos/suffixless": Samples.jpeg,
            "photos/picture.dat": Samples.jpeg, "photos/words.txt": Samples.text,
            "photos/words.jpg": Samples.text,
            "photos/sub/IMG_1.HEIC": Samples.text, "photos/sub/img_1.png": Samples.png,
            "photos/sub/IMG_1.xmp": Samples.text, "photos/sub/deep/x.webp": Samples.text,
            "photos/.hidden.jpg": Samples.jpeg, "photos/.git/x.jpg": Samples.jpeg,
            "photos/__MACOSX/x.jpg": Samples.jpeg, "photos/._b.jpg": Samples.appleDouble,
            "photos/double.bin": Samples.appleDouble, "photos/empty.jpg": Data(),
            "photos/pointer.jpg": Samples.pointer, "photos/song.mp3": Samples.mp3,
            "outside/o.jpg": Samples.jpeg,
        ])
        _ = try place.run(
            """
            ln -s ../outside photos/folder-link; ln -s ../outside/o.jpg photos/file-link.jpg
            ln -s b.jpg photos/inside.jpg; ln -s nowhere photos/broken.jpg; mkfifo photos/fifo.jpg
            """)
        return place
    }

    private static let taken = [
        "photos/a.png -> out/a.jpg", "photos/b.jpg -> out/b.jpg", "photos/inside.jpg -> out/inside.jpg",
        "photos/picture.dat -> out/picture.jpg", "photos/suffixless -> out/suffixless.jpg",
        "photos/words.jpg -> out/words.jpg", "photos/sub/IMG_1.HEIC -> out/sub/IMG_1.HEIC.jpg",
        "photos/sub/img_1.png -> out/sub/img_1.png.jpg", "photos/sub/deep/x.webp -> out/sub/deep/x.jpg",
    ]

    private func plan(_ run: Workplace.Run) -> [String] {
        run.output.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    @Test func theWalkTakesPicturesAndMirrorsTheTree() throws {
        let place = try photos()
        let before = try place.tree()
        let run = try place.run("attachprep batch photos -o out --dry-run")
        #expect(run.status == 0)
        #expect(plan(run) == Self.taken)
        #expect(
            run.errors.contains(
                "9 inputs; left alone: 2 hidden, 1 __MACOSX, 2 AppleDouble, 1 empty, 1 LFS pointer, 3 not an image, "
                    + "3 link out of the tree, 1 not a regular file"), "\(run.errors)")
        #expect(try place.tree() == before, "a dry run writes nothing")
    }

    @Test func allMediaMeansSoundToo() throws {
        let place = try photos()
        let run = try place.run("attachprep batch photos -o out --dry-run --media all")
        #expect(Set(plan(run)).subtracting(Self.taken) == ["photos/song.mp3 -> out/song.jpg"])
    }

    @Test func severalRootsKeepTheirNames() throws {
        let place = try photos()
        let run = try place.run(
            "cd photos/sub; attachprep batch . ../../outside ../b.jpg -o ../../out --dry-run")
        #expect(
            plan(run) == [
                "./IMG_1.HEIC -> ../../out/sub/IMG_1.HEIC.jpg", "./img_1.png -> ../../out/sub/img_1.png.jpg",
                "./deep/x.webp -> ../../out/sub/deep/x.jpg", "../../outside/o.jpg -> ../../out/outside/o.jpg",
                "../b.jpg -> ../../out/b.jpg",
            ])
    }

    @Test func theOutputFolderIsNotWalked() throws {
        let place = try photos()
        try place.write(["photos/out/old.jpg": Samples.jpeg])
        let run = try place.run("attachprep batch photos -o photos/out --dry-run")
        #expect(plan(run).count == Self.taken.count)
        #expect(run.errors.contains("1 output folder"))
        #expect(try place.run("attachprep batch photos -o photos").status == 64)
    }

    @Test(arguments: ["", " -0"]) func listedFilesAreMirroredAsWritten(_ zero: String) throws {
        let place = try photos()
        let end = zero.isEmpty ? "-print" : "-print0"
        let run = try place.run(
            "find photos -name '*.png' \(end) | LC_ALL=C sort \(zero.isEmpty ? "" : "-z") "
                + "| attachprep batch --files-from -\(zero) -o out --dry-run")
        #expect(
            plan(run) == [
                "photos/a.png -> out/photos/a.jpg", "photos/sub/img_1.png -> out/photos/sub/img_1.jpg",
            ])
        let outside = try place.run(
            "printf '../x.jpg\\n%s/outside/o.jpg\\n' \"$PWD\" > list; attachprep batch --files-from list -o out --dry-run"
        )
        #expect(plan(outside).first == "../x.jpg -> out/x.jpg")
        #expect(plan(outside).last?.hasSuffix(" -> out\(place.folder.path)/outside/o.jpg") == true)
    }

    /// Read as lines, a list with NULs would be its first path, and the others would be lost without a word.
    @Test func listsOfTheOtherKindAreRefused() throws {
        let place = try photos()
        let nul = try place.run(
            "find photos -name '*.png' -print0 | attachprep batch --files-from - -o out --dry-run")
        #expect(nul.status == 64 && nul.errors.contains("-0") && nul.output.isEmpty)
        let endless = try place.run(
            "head -c 100000000 /dev/zero | tr '\\0' a | attachprep batch --files-from - -o out --dry-run")
        #expect(endless.status == 64 && endless.output.isEmpty)
    }

    @Test func everySourceIsTakenOnce() throws {
        let place = try photos()
        let run = try place.run(
            "find photos outside -depth | attachprep batch --files-from - photos ./photos/sub -o out --dry-run"
        )
        let inputs = plan(run).map { String($0.prefix { $0 != ">" }) }
        #expect(Set(inputs).count == inputs.count)
        #expect(run.errors.contains("listed twice"))
    }

    @Test func shardsCoverAllExactlyOnce() throws {
        let place = try Workplace()
        for i in 0..<60 {
            try place.write(["photos/\(i % 7)/IMG_\(i / 2).\(i % 2 == 0 ? "jpg" : "PNG")": Samples.jpeg])
        }
        let all = plan(try place.run("attachprep batch photos -o out --dry-run"))
        var parts: [String] = []
        for index in 1...3 {
            let part = plan(try place.run("attachprep batch photos -o out --dry-run --shard \(index)/3"))
            #expect(!part.isEmpty && part.count < all.count)
            parts += part
        }
        #expect(all.count == 60)
        #expect(parts.sorted() == all.sorted())
    }

    @Test func recordsAreInOrderOnAnyNumberOfThreads() throws {
        let place = try photos()
        let expected = Self.taken.map { String($0.prefix { $0 != " " }) }
        for jobs in [1, 4] {
            let run = try place.run(
                "attachprep batch photos -o out\(jobs) --json --jobs \(jobs) --report r\(jobs).jsonl")
            #expect(run.status == 1, "there are files in it that are no pictures")
            #expect(try run.objects.map { $0["input"] as? String } == expected)
            let report = try String(
                contentsOf: place.folder.appendingPathComponent("r\(jobs).jsonl"), encoding: .utf8)
            #expect(report == run.output)
            #expect(run.errors.contains("left alone: 2 hidden"))
        }
    }

    @Test func quietIsQuiet() throws {
        let place = try Workplace()
        try place.write(["photos/words.txt": Samples.text])
        let run = try place.run("attachprep batch photos -o out --quiet")
        #expect(run.status == 0)
        #expect(run.output.isEmpty && run.errors.isEmpty)
    }

    @Test func aMissingPathIsARecord() throws {
        let place = try Workplace()
        let run = try place.run("attachprep batch nowhere -o out --json")
        #expect(run.status == 1)
        #expect((try run.objects.first?["error"] as? [String: Any])?["code"] as? String == "io")
        let list = try place.run("attachprep batch --files-from nowhere -o out")
        #expect(list.status == 64)
    }

    @Test func failFastStartsNothingMore() throws {
        let place = try Workplace()
        for i in 0..<200 { try place.write(["photos/\(i).jpg": Samples.text]) }
        let run = try place.run("attachprep batch photos -o out --json --jobs 1 --fail-fast")
        #expect(run.status == 1)
        #expect(try run.objects.count == 1)
    }

    @Test(arguments: [("HUP", 129), ("INT", 130), ("TERM", 143)])
    func signalsEndARun(_ signal: String, _ status: Int32) throws {
        let place = try Workplace()
        try place.write(["photos/a.jpg": Samples.jpeg])
        // Another run holds the folder, so this one waits until it is told to stop.
        let folder = place.path("out").appending(BatchState.folderName)
        let other = try StateLog(folder: folder, shard: nil, waiting: {}, isInterrupted: { true })
        let run = try place.run(
            "attachprep batch photos -o out & sleep 1; kill -\(signal) $!; wait $!")
        #expect(run.status == status)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("another batch writes into out"))
        withExtendedLifetime(other) {}
    }

    @Test func underNohupARunOutlivesItsTerminal() throws {
        let place = try Workplace()
        let run = try place.run(
            """
            mkfifo pipe; nohup attachprep prepare - -o out --json < pipe 2>/dev/null & job=$!
            exec 3> pipe; sleep 1; kill -HUP $job; sleep 0.5; printf text >&3; exec 3>&-; wait $job
            """)
        #expect(run.status == 1)
        #expect((try run.objects.first?["error"] as? [String: Any])?["code"] as? String != "cancelled")
    }

    @Test func aStreamThatNeverEndsCanBeInterrupted() throws {
        let place = try Workplace()
        let run = try place.run(
            """
            mkfifo pipe; sleep 20 > pipe & pipe=$!; attachprep prepare - -o out --json < pipe & job=$!
            sleep 1; kill -INT $job; wait $job; status=$?; kill $pipe; exit $status
            """)
        #expect(run.status == 130)
        #expect((try run.objects.first?["error"] as? [String: Any])?["code"] as? String == "cancelled")
    }

    @Test func aTerminalShowsABar() throws {
        let place = try Workplace()
        for i in 0..<3 { try place.write(["photos/\(i).jpg": Samples.text]) }
        // A system without script, or one that has no terminals to give.
        if try place.run("script -qec true /dev/null").status != 0 { return }
        let run = try place.run("script -qec 'attachprep batch photos -o out' /dev/null")
        #expect(run.output.contains("0 prepared"))
        #expect(run.output.contains("0/3"))
        #expect(try !place.run("attachprep batch photos -o out 2>&1").output.contains("0/3"))
    }

    @Test func aClosedPipeIsQuiet() throws {
        let place = try Workplace()
        for i in 0..<500 { try place.write(["photos/\(i).jpg": Samples.text]) }
        let run = try place.run(
            "attachprep batch photos -o out --json --quiet --jobs 1 | head -n 1; attachprep help --markdown | true"
        )
        #expect(try run.objects.count == 1)
        #expect(run.errors.isEmpty)
    }

    @Test func namesInAnyBytesAreFound() throws {
        let place = try Workplace()
        try place.write(["sample.jpg": Samples.jpeg])
        let run = try place.run(
            """
            mkdir "$(printf 'd\\344')"; cp sample.jpg "$(printf 'd\\344/x\\377.jpg')"; cp sample.jpg "$(printf 'd\\344/y\\n.jpg')"
            attachprep batch "$(printf 'd\\344')" -o "$(printf 'o\\344')" --dry-run --json
            """)
        #expect(try run.objects.map { $0["action"] as? String } == ["prepare", "prepare"])
        #expect(
            try run.objects.map { $0["outputs"] as? [String] } == [
                ["o\u{FFFD}/x\u{FFFD}.jpg"], ["o\u{FFFD}/y_.jpg"],
            ])
    }

    @Test func aSecondRunSkipsWhatIsDone() throws {
        let place = try Workplace()
        try place.write(["photos/a.jpg": Samples.jpeg, "photos/sub/b.jpg": Samples.jpeg])
        let outcomes = { (options: String) -> [String] in
            let run = try place.run("attachprep batch photos -o out --json \(options)")
            #expect(run.status == 0)
            return try run.objects.compactMap { $0["outcome"] as? String }
        }
        #expect(try !outcomes("").contains("skipped"))
        #expect(try outcomes("") == ["skipped", "skipped"])
        #expect(try !outcomes("--max-edge 16").contains("skipped"), "another recipe is another output")
        _ = try outcomes("")
        _ = try place.run("touch -d '2001-01-01' photos/a.jpg; rm out/sub/b.jpg")
        #expect(try !outcomes("").contains("skipped"), "changed, and gone")
        #expect(try outcomes("") == ["skipped", "skipped"])
        #expect(try place.tree("out").filter { $0.contains(".attachprep") }.count == 3)
    }

    @Test func twoRunsAtOnceAgree() throws {
        let place = try Workplace()
        for i in 0..<40 { try place.write(["photos/\(i).jpg": Samples.jpeg]) }
        let run = try place.run(
            "attachprep batch photos -o out -q & attachprep batch photos -o out -q; wait; attachprep batch photos -o out --json"
        )
        #expect(run.status == 0)
        #expect(try run.objects.allSatisfy { $0["outcome"] as? String == "skipped" })
    }
}
