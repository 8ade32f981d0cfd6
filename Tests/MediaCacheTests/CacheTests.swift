import AttachmentPrep
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCache

@Suite struct CacheTests {
    private let png = try? fixture("pngsuite/basn2c08.png")

    private func prepare(_ cache: AttachmentCache, _ profiles: [Profile] = [.apns]) throws
        -> PreparationRecord
    {
        let bytes = try #require(png)
        return AttachmentPreparer(profiles: profiles).record(of: .bytes(bytes, name: "a.png"), into: cache)
    }

    @Test func anAttachmentAndWhatIsKnownOfItLieBesideEachOther() throws {
        let place = try Place()
        let cache = try place.cache()
        var record = try prepare(cache)
        record.outputs[0].encoding?.quality = 90  // as JSON shows 90.04
        let path = try #require(record.outputs.first?.path)
        let name = try #require(AttachmentCache.name(of: FilePath(path)))
        #expect(place.files(below: "media") == ["\(name.prefix(2))/\(name).jpg"])
        #expect(place.files(below: "facts") == ["\(name.prefix(2))/\(name).json"])
        let found = try #require(cache.record(named: name))
        #expect(found.outputs == record.outputs)
        #expect(found.warnings == record.warnings)
        #expect(found.source == record.source)
        // What belongs to the one who asked is not kept.
        #expect(found.input.isEmpty)
        let tag = try bytes(of: place.path.appending("cache/CACHEDIR.TAG").display)
        #expect(tag.starts(with: "Signature: 8a477f597d28d172789f06886806bc55".utf8))
    }

    @Test func aRecordComesBackFromItsJSON() throws {
        let place = try Place()
        var record = try prepare(place.cache(), Profile.all)
        record.inputBytes = [0xFF, 0x00]
        record.error = PrepError(.overBudget, .encode, "no", detail: "1 < 2")
        record.elapsedSeconds = 0.5
        record.outputs[1].error = PrepError(.network, .input, "no")
        for index in record.outputs.indices {
            // The record shows one decimal of the quality.
            let quality = record.outputs[index].encoding?.quality
            record.outputs[index].encoding?.quality = quality.map { ($0 * 10).rounded() / 10 }
        }
        let back = try JSONDecoder().decode(PreparationRecord.self, from: JSONEncoder().encode(record))
        record.sourceDigest = nil
        #expect(back == record)
    }

    @Test(arguments: [[], [0xFF, 0xD8], Array(repeating: 0, count: 528)] as [[UInt8]])
    func aDamagedAttachmentIsNoneAndGoes(_ damage: [UInt8]) throws {
        let place = try Place()
        let cache = try place.cache()
        let path = try #require(try prepare(cache).outputs.first?.path)
        let name = try #require(AttachmentCache.name(of: FilePath(path)))
        let size = try bytes(of: path).count
        // The last of them has the right size: a power cut's empty pages.
        let content = damage.count == 528 ? [UInt8](repeating: 0, count: size) : damage
        try Data(content).write(to: URL(fileURLWithPath: path))
        #expect(cache.record(named: name) == nil)
        #expect(place.files(below: "media").isEmpty)
        #expect(place.files(below: "facts").isEmpty)
        #expect(try prepare(cache).outputs.first?.path == path)
        #expect(cache.record(named: name) != nil)
    }

    @Test func verifyFindsOneChangedBit() throws {
        let place = try Place()
        let cache = try place.cache()
        let paths = try prepare(cache, [.apns, .icon]).outputs.compactMap(\.path)
        #expect(paths.count == 2)
        #expect(try cache.verify() == .init(sound: 2))
        var content = try bytes(of: paths[0])
        content[content.count / 2] ^= 0x10
        try Data(content).write(to: URL(fileURLWithPath: paths[0]))
        let found = try cache.verify()
        #expect(found.sound == 1)
        #expect(found.damaged == [paths[0]])
        #expect(try cache.verify() == .init(sound: 1))
    }

    @Test func leftoversGoWhenTheyAreOldEnough() throws {
        let place = try Place()
        let cache = try place.cache()
        let path = try #require(try prepare(cache).outputs.first?.path)
        let folder = FilePath(path).parentFolder
        for (name, age) in [(".attachprep-1-x-1.tmp", 7200), (".attachprep-1-x-2.tmp", 10)] {
            let leftover = folder.appending(name)
            try Data([1]).write(to: URL(fileURLWithPath: leftover.display))
            try Place.age(leftover, bySeconds: age)
        }
        #expect(cache.statistics().unfinished == 2)
        #expect(cache.trim().leftovers == 1)
        #expect(cache.statistics().unfinished == 1)
        #expect(cache.statistics().attachments == 1)
    }

    @Test func theLongestUnusedGoFirst() throws {
        let place = try Place()
        let cache = try place.cache()
        // Sixteen attachments in one part: nothing but names and times matters to a sweep.
        let names = (0..<16).map { "ab" + String(repeating: "0", count: 60) + String(format: "%02d", $0) }
        for (index, name) in names.enumerated() {
            for (tree, suffix) in [("media", ".jpg"), ("facts", ".json")] {
                let path = place.path.appending("cache/\(tree)/ab/\(name)\(suffix)")
                try FileManager.default.createDirectory(
                    atPath: path.parentFolder.display, withIntermediateDirectories: true)
                try Data(count: 4096).write(to: URL(fileURLWithPath: path.display))
                try Place.age(path, bySeconds: (16 - index) * 1000)
            }
        }
        let shard = cache.shard(of: "ab")
        let sweep = shard.sweep(maxBytes: 4 * 8192)
        #expect(sweep.kept.files == 4)
        #expect(sweep.kept.bytes == 4 * 8192)
        #expect(sweep.dropped.files == 12)
        #expect(place.files(below: "media") == names.suffix(4).map { "ab/\($0).jpg" })
        #expect(place.files(below: "facts") == names.suffix(4).map { "ab/\($0).json" })
    }

    @Test func whatNobodyAskedForGoes() throws {
        let place = try Place()
        let cache = try place.cache(unusedSeconds: 3600)
        let paths = try prepare(cache, [.apns, .icon]).outputs.compactMap(\.path)
        try Place.age(FilePath(paths[0]), bySeconds: 5000)
        // Asking for it is a use.
        #expect(cache.record(named: try #require(AttachmentCache.name(of: FilePath(paths[0])))) != nil)
        try Place.age(FilePath(paths[1]), bySeconds: 5000)
        #expect(cache.trim().dropped == 1)
        #expect(place.files(below: "media").map { "\(place.path)/cache/media/\($0)" } == [paths[0]])
    }

    @Test func aFullCacheKeepsWithinItsLimitByItself() throws {
        let place = try Place()
        // One block of 4096 for each file, and room for about two attachments in each of the 256 parts.
        let cache = try place.cache(bytes: 256 * 5 * 4096)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<40 {
            let name =
                "cd"
                + (0..<62).map { _ in String("0123456789abcdef".randomElement(using: &generator) ?? "0") }
                .joined()
            let path = cache.folder.path(.media, name + ".jpg")
            try FileManager.default.createDirectory(
                atPath: path.parentFolder.display, withIntermediateDirectories: true)
            try Data([0xFF, 0xD8, 0xFF, 0xD9]).write(to: URL(fileURLWithPath: path.display))
            var record = PreparationRecord(input: "", outcome: .prepared)
            record.outputs = [.init(profile: "apns", outcome: .prepared)]
            record.outputs[0].path = path.display
            record.outputs[0].format = .jpeg
            record.outputs[0].bytes = 4
            try cache.keep(record)
            let used = cache.statistics().bytes
            #expect(used <= 5 * 4096, "over its share: \(used)")
            // What was just made is about to be handed out.
            #expect(cache.record(named: name) != nil)
        }
        #expect(cache.statistics().attachments >= 1)
    }

    @Test func handingOutLeavesTheCacheItsOwn() throws {
        let place = try Place()
        let cache = try place.cache()
        let attachment = try PreparedAttachment(prepare(cache))
        let given = try cache.handOut(attachment, into: place.path.appending("given"))
        let name = String(decoding: FilePath(attachment.path).lastComponent, as: UTF8.self)
        #expect(given.display.hasPrefix("\(place.path)/given/\(name.prefix(64))-"))
        #expect(given.display.hasSuffix(".jpg"))
        #expect(try bytes(of: given.display) == bytes(of: attachment.path))
        // Again, as the next push with the same picture asks.
        #expect(try cache.handOut(attachment, into: place.path.appending("given")) != given)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(place.path)/given").count == 2)
        try FileManager.default.removeItem(atPath: given.display)
        #expect(try !bytes(of: attachment.path).isEmpty)
    }
}

extension FilePath {
    var parentFolder: FilePath {
        FilePath(String(display.prefix(upTo: display.lastIndex(of: "/") ?? display.startIndex)))
    }
}
