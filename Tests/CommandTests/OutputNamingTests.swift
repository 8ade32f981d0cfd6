import Testing

@testable import attachprep

@Suite struct OutputNamingTests {
    /// The stems of a flat folder of names.
    private func stems(_ names: [String], profiles: [String] = ["apns"]) -> [String] {
        stems(names.map { ("", $0) }, profiles: profiles)
    }

    private func stems(
        _ sources: [(folder: String, name: String)], profiles: [String] = ["apns"], folders: [String] = []
    ) -> [String] {
        let naming = OutputNaming(profiles: profiles)
        let exceptions = naming.exceptions(
            count: sources.count, folder: { sources[$0].folder }, name: { Array(sources[$0].name.utf8) },
            folders: folders)
        return sources.indices.map { exceptions[$0] ?? naming.stem(of: sources[$0].name.utf8) }
    }

    @Test(arguments: [
        ("IMG_0001.HEIC", "IMG_0001"), ("a.b.jpeg", "a.b"), ("noext", "noext"), (".hidden", ".hidden"),
        (".hidden.png", ".hidden"), ("at 10.30", "at 10.30"), ("Mr. Smith", "Mr. Smith"), ("x.", "x."),
        ("song.mp3", "song"), ("..jpg", "_"), ("...jpg", "__"), (".", "_"), ("..", "__"), ("", "_"),
        ("/", "_"),
        ("a/b.jpg", "a_b"), ("new\nline.jpg", "new_line"), ("esc\u{1b}[2J.png", "esc_[2J"),
        ("gpj.\u{202E}exe", "gpj._exe"), (".attachprep", "_attachprep"), (".AttachPrep", "_AttachPrep"),
        ("日本.png", "日本"),
    ])
    func stem(_ name: String, _ stem: String) {
        #expect(OutputNaming(profiles: ["apns"]).stem(of: name.utf8) == stem)
    }

    @Test func whatIsNotUTF8IsReplaced() {
        let stem = OutputNaming(profiles: ["apns"]).stem(of: [0x49, 0xE4, 0x2E, 0x6A, 0x70, 0x67])
        #expect(stem == "I\u{FFFD}")
    }

    @Test(arguments: [
        ("../../etc", "etc"), ("/etc/x", "etc/x"), ("./a//b/", "a/b"), ("a/../b", "a/b"), ("..", ""),
        ("", ""),
        (".attachprep/x", "_attachprep/x"), ("a\u{7}/b", "a_/b"),
    ])
    func folders(_ path: String, _ safe: String) { #expect(OutputNaming.safeFolder(path.utf8) == safe) }

    @Test func sourcesOfOneNameKeepTheirSuffix() {
        #expect(stems(["IMG_1.heic", "IMG_1.png", "IMG_2.png"]) == ["IMG_1.heic", "IMG_1.png", "IMG_2"])
    }

    @Test func namesAreComparedWithoutCase() {
        #expect(stems(["IMG_1.heic", "img_1.PNG"]) == ["IMG_1.heic", "img_1.PNG"])
        #expect(stems(["straße.png", "STRASSE.jpg"]) == ["straße.png", "STRASSE.jpg"])
        // The same letter, composed and decomposed.
        #expect(stems(["\u{E9}.png", "e\u{301}.jpg"]) == ["\u{E9}.png", "e\u{301}.jpg"])
    }

    @Test func whatIsStillEqualIsNumbered() {
        #expect(stems(["a.jpg", "A.JPG", "a.JPG"]) == ["a.jpg", "A.JPG~2", "a.JPG~3"])
        // A number that is somebody's name already is passed over.
        #expect(stems(["a.jpg", "A.JPG", "a.jpg~2"]) == ["a.jpg", "A.JPG~3", "a.jpg~2"])
    }

    @Test func aNameWithSuffixMayBeThePlainNameOfAnother() {
        #expect(
            stems(["IMG_1.heic", "IMG_1.png", "IMG_1.heic.gif"]) == [
                "IMG_1.heic", "IMG_1.png", "IMG_1.heic.gif",
            ])
    }

    @Test func foldersAreApart() {
        #expect(stems([("a", "x.png"), ("b", "x.jpg")]) == ["x", "x"])
        #expect(stems([("a", "x.png"), ("A", "x.jpg")]) == ["x.png", "x.jpg"])
    }

    @Test func noFileTakesTheNameOfAFolder() {
        #expect(stems([("", "x.png"), ("x.jpg", "y.png")], folders: ["x.jpg"]) == ["x.png", "y"])
        let both = stems(
            [("", "x.png"), ("x-thumb.jpg", "y.png")], profiles: ["apns", "thumb"], folders: ["x-thumb.jpg"])
        #expect(both == ["x.png", "y"])
    }

    @Test func longNamesAreCutAndToldApartByTheirHash() throws {
        let long = String(repeating: "é", count: 126)
        for profiles in [["apns"], ["apns", "huawei"]] {
            let naming = OutputNaming(profiles: profiles)
            let stems = stems([long + "a.png", long + "b.png"], profiles: profiles)
            #expect(Set(stems).count == 2)
            for stem in stems {
                #expect(naming.fileName(stem: stem, profile: "huawei", extension: "aiff").utf8.count <= 255)
                let hex = try #require(stem.split(separator: "-").last)
                #expect(hex.count == 8 && hex.allSatisfy(\.isHexDigit))
            }
        }
        // Both sides of the limit.
        let naming = OutputNaming(profiles: ["apns"])
        let fits = String(repeating: "x", count: 250)
        #expect(naming.stem(of: (fits + ".jpg").utf8) == fits)
        #expect(naming.stem(of: (fits + "x.jpg").utf8).utf8.count == 250)
    }

    @Test func namesOfSeveralProfiles() {
        #expect(
            OutputNaming(profiles: ["thumb"]).fileName(stem: "a", profile: "thumb", extension: "jpg")
                == "a.jpg")
        let both = OutputNaming(profiles: ["apns", "thumb"])
        #expect(both.fileName(stem: "a", profile: "thumb", extension: "jpg") == "a-thumb.jpg")
    }

    @Test func everyNameOfALongListIsItsOwn() {
        // Many collisions of several kinds at once.
        let names = (0..<2000).map { i in
            let base = i % 3 == 0 ? "IMG_\(i / 40)" : "img_\(i / 40)"
            return base + [".jpg", ".JPG", ".png", "", ".jpg.png", "~2.jpg", ".jpg~2"][i % 7]
        }
        let stems = stems(names)
        #expect(Set(stems.map { OutputNaming.fold($0) }).count == names.count)
        #expect(stems == self.stems(names))
    }

    @Test func shardsPartTheNames() {
        let names = (0..<3000).map { "2024/IMG_\($0)" }
        var counts: [Int] = []
        for index in 1...3 {
            counts.append(names.filter { Shard(index: index, count: 3).contains($0) }.count)
        }
        #expect(counts.reduce(0, +) == 3000)
        #expect(counts.allSatisfy { (800...1200).contains($0) })
    }
}

@Suite struct FNV1aTests {
    /// Values of the authors' test suite.
    @Test func knownValues() {
        #expect(FNV1a.hash("".utf8) == 0xcbf2_9ce4_8422_2325)
        #expect(FNV1a.hash("foobar".utf8) == 0x8594_4171_f739_67e8)
        #expect(FNV1a.hex("foobar".utf8) == "85944171f73967e8")
        #expect(FNV1a.hex("foobar".utf8, digits: 8) == "f73967e8")
    }
}
