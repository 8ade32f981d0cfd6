import AttachmentPrep
import Foundation
import Testing

@testable import attachprep

@Suite struct StateTests {
    private static func entry(_ path: String, size: Int = 7) -> StateEntry {
        StateEntry(
            path: FilePath(path), size: size, modified: 1_700_000_000_123_456_789, recipe: "0123456789abcdef",
            outputs: [
                .init(profile: "apns", name: "a/b%\t.jpg", format: "jpeg", bytes: 12, width: 3, height: 4),
                .init(profile: "thumb", name: "a/b-thumb.jpg", format: "jpeg", bytes: 5, width: 0, height: 0),
            ])
    }

    @Test func aLineSaysAll() throws {
        var entry = Self.entry("/x/new\nline\ttab%25.jpg")
        entry.path = FilePath(bytes: entry.path.bytes + [0xFF, 0x80])
        let line = entry.line
        #expect(line.last == 10 && line.dropLast().allSatisfy { $0 != 10 })
        #expect(StateEntry(line: line.dropLast()) == entry)
        #expect(StateEntry.key(ofLine: line.dropLast()) == StateEntry.key(of: entry.path))
    }

    @Test func aTornLineIsNone() {
        let line = Self.entry("/x").line.dropLast()
        for length in 0..<line.count { #expect(StateEntry(line: line.prefix(length)) == nil) }
        var changed = Array(line)
        changed[20] ^= 1
        #expect(StateEntry(line: changed[...]) == nil)
    }

    private func log(_ folder: FilePath, _ shard: Shard? = nil) throws -> StateLog {
        try #require(
            try StateLog(
                folder: folder, shard: shard, waiting: { Issue.record("waited") }, isInterrupted: { true }))
    }

    @Test func theLastWordCountsAndTornEndsAreHealed() throws {
        let place = try Workplace()
        let folder = place.path("state")
        var log: StateLog? = try log(folder)
        log?.append(Self.entry("/a", size: 1))
        log?.append(Self.entry("/b", size: 2))
        log?.append(Self.entry("/a", size: 3))
        log = nil
        // As kill -9 leaves it.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.appending("state").display))
        try file.seekToEnd()
        try file.write(contentsOf: Data(Self.entry("/b", size: 9).line.dropLast(5)))
        try file.close()

        log = try self.log(folder)
        log?.append(Self.entry("/c", size: 4))
        let index = StateIndex(folder: folder, own: "state")
        #expect(index.entry(for: FilePath("/a"))?.size == 3)
        #expect(index.entry(for: FilePath("/b"))?.size == 2)
        #expect(index.entry(for: FilePath("/c"))?.size == 4)
        #expect(index.entry(for: FilePath("/d")) == nil)
        #expect(index.staleLines == 2)

        log?.compact()
        log = nil
        let compacted = StateIndex(folder: folder, own: "state")
        #expect(compacted.staleLines == 0)
        #expect(compacted.entry(for: FilePath("/a"))?.size == 3)
        #expect(compacted.entry(for: FilePath("/c"))?.size == 4)
        #expect(try FileSystem.names(in: folder).count == 2)
    }

    @Test func shardsHaveFilesOfTheirOwnAndReadEachOther() throws {
        let place = try Workplace()
        let folder = place.path("state")
        let one = try log(folder, Shard(index: 1, count: 2))
        let two = try log(folder, Shard(index: 2, count: 2))
        one.append(Self.entry("/one"))
        two.append(Self.entry("/two"))
        let index = StateIndex(folder: folder, own: "state")
        #expect(index.entry(for: FilePath("/one")) != nil)
        #expect(index.entry(for: FilePath("/two")) != nil)
    }

    @Test func aSecondRunWaits() throws {
        let place = try Workplace()
        let folder = place.path("state")
        let first = try log(folder)
        var hasWaited = false
        let second = try StateLog(
            folder: folder, shard: nil, waiting: { hasWaited = true }, isInterrupted: { true })
        #expect(second == nil)
        #expect(hasWaited)
        withExtendedLifetime(first) {}
    }

    @Test func manyEntriesAreFoundAcrossReadBoundaries() throws {
        let place = try Workplace()
        let folder = place.path("state")
        let log = try log(folder)
        for i in 0..<3000 { log.append(Self.entry("/photos/IMG_\(i).jpg", size: i)) }
        let index = StateIndex(folder: folder, own: "state")
        for i in 0..<3000 { #expect(index.entry(for: FilePath("/photos/IMG_\(i).jpg"))?.size == i) }
    }
}
