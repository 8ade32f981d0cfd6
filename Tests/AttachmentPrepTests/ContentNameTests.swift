import AttachmentPrep
import Testing

/// Names by content: equal for equal input and options, different for anything that changes the bytes.
@Suite struct ContentNameTests {
    private static let input = Photos.kitten.jpeg("-quality 85")

    private func name(
        _ bytes: [UInt8] = input, _ profile: Profile = .small, _ arrival: Arrival = .whole,
        _ change: (inout PreparationOptions) -> Void = { _ in }
    ) -> String {
        let scratch = Scratch()
        let preparer = AttachmentPreparer([profile], change)
        let destination = AttachmentDestination.directory(scratch.path)
        let record =
            switch arrival {
            case .file: preparer.record(of: .file(scratch.write("in put.jpg", bytes)), into: destination)
            case .pipe: preparer.pipe(bytes, name: "-", into: destination)
            case .pieces(let size): preparer.push(bytes, name: "-", inPiecesOf: size, into: destination)
            case .whole: preparer.record(of: .bytes(bytes, name: "other name"), into: destination)
            }
        guard let path = record.outputs.first?.path, path.hasPrefix(scratch.path + "/") else {
            return "\(record)"
        }
        #expect(contents(path)?.count == record.outputs.first?.bytes)
        return String(path.dropFirst(scratch.path.count + 1))
    }

    private func sha256(_ bytes: [UInt8]) -> String {
        String(decoding: (filter(bytes, through: "sha256sum") ?? []).prefix(64), as: UTF8.self)
    }

    /// The canonical text, written out; `sha256sum` is the judge.
    @Test func golden() throws {
        let source = sha256(Self.input)
        #expect(source.count == 64)
        let text = """
            attachprep 1
            source \(source)
            box 200x200 inside
            max-bytes 100000
            quality 40-90
            background ffffff
            animation first-frame
            effort default
            progressive auto
            allow-truncated 0
            encoder 4

            """
        let digest = sha256(Array(text.utf8))
        #expect(name() == "\(digest.prefix(2))/\(digest).jpg")
        let changed =
            text.replacing("200x200 inside", with: "150x150 salient").replacing("100000", with: "7000")
            .replacing("40-90", with: "30-80").replacing("ffffff", with: "0a0b0c")
            .replacing("truncated 0", with: "truncated 1")
        let other = sha256(Array(changed.utf8))
        let crop = Profile(name: "any", width: 192, height: 192, fit: .fill, maxBytes: 50_000)
        let found = name(Self.input, crop) {
            $0.maxEdge = 150
            $0.maxBytes = 7000
            ($0.minQuality, $0.maxQuality) = (30, 80)
            $0.background = 0x0A_0B0C
            $0.allowsTruncated = true
        }
        #expect(found == "\(other.prefix(2))/\(other).jpg")
    }

    @Test func sameForEveryArrival() {
        for bytes in [Self.input, Generated.progressive, Generated.png, Self.input + [0, 0, 1]] {
            let expected = name(bytes)
            #expect(expected.count == 2 + 1 + 64 + 4)
            for arrival: Arrival in [.whole, .file, .pipe, .pieces(1000)] {
                #expect(name(bytes, .small, arrival) == expected, "\(arrival)")
            }
        }
        // A file of several pieces that is decoded from its place.
        let large = JPEGParts.inserting(
            JPEGParts.segment(0xEF, [UInt8](repeating: 1, count: 65_000)),
            JPEGParts.segment(0xEF, [UInt8](repeating: 2, count: 65_000)), into: Generated.progressive)
        #expect(name(large) == name(large, .small, .file))
    }

    /// Neither the profile's name nor the input's is part of it.
    @Test func namesDoNotCount() {
        var renamed = Profile.small
        renamed.name = "renamed"
        renamed.purpose = "another"
        #expect(name(Self.input, renamed) == name())
    }

    @Test func whatCounts() {
        var other = Profile.small
        other.fit = .fill
        var lower = Profile.small
        lower.height = 199
        let names = [
            name(), name(Self.input + [0]), name(Self.input, other), name(Self.input, lower),
            name { $0.maxBytes = 99_999 }, name { $0.maxEdge = 199 }, name { $0.minQuality = 41 },
            name { $0.maxQuality = 89 }, name { $0.background = 0xFF_FFFE },
            name { $0.allowsTruncated = true },
        ]
        #expect(Set(names).count == names.count)
        // A limit decides whether there is an output, not what it is; an edge beyond the box is none.
        #expect(name { $0.limits.pixels = 1_000_000 } == names[0])
        #expect(name { $0.maxEdge = 200 } == names[0] && name { $0.maxBytes = 100_000 } == names[0])
    }
}
