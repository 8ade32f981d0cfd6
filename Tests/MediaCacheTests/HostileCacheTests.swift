import AttachmentPrep
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MediaCache

/// Files in a cache that nobody of ours put there.
@Suite struct HostileCacheTests {
    @Test(arguments: [(Int64.max, 0), (0, Int64.min), (-5, 0), (0, Int64.max)] as [(Int64, Int64)])
    func damagedLedgersAreNone(_ bytes: Int64, _ swept: Int64) throws {
        let place = try Place()
        let cache = try place.cache()
        let ledger = place.path.appending("cache/locks/ab.ledger")
        try FileManager.default.createDirectory(
            atPath: ledger.parentFolder.display, withIntermediateDirectories: true)
        let numbers = [bytes, swept].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
        }
        try Data(numbers).write(to: URL(fileURLWithPath: ledger.display))
        cache.shard(of: "ab").account(for: 4096, sparing: "")
        let after = try TestSupport.bytes(of: ledger.display)
        // Swept now, and nothing there.
        #expect(Array(after.prefix(8)) == [UInt8](repeating: 0, count: 8))
        #expect(Array(after.suffix(8)) != [UInt8](repeating: 0, count: 8))
    }

    @Test func nothingOutsideIsTouched() throws {
        let place = try Place()
        let cache = try place.cache()
        let outside = place.path.appending("outside")
        try FileManager.default.createDirectory(atPath: outside.display, withIntermediateDirectories: true)
        let precious = outside.appending(String(repeating: "a", count: 64) + ".jpg")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: precious.display))
        try Place.age(precious, bySeconds: 100 * 86_400)
        for link in ["media/aa", "facts/aa", "links/aa", "locks/aa", "locks/aa.ledger"] {
            let path = place.path.appending("cache/\(link)")
            try FileManager.default.createDirectory(
                atPath: path.parentFolder.display, withIntermediateDirectories: true)
            let target = link.hasSuffix("ledger") ? precious : outside
            try FileManager.default.createSymbolicLink(
                atPath: path.display, withDestinationPath: target.display)
        }
        cache.shard(of: "aa").account(for: 1 << 40, sparing: "")
        _ = cache.trim()
        _ = try cache.verify()
        #expect(try TestSupport.bytes(of: precious.display) == Array("precious".utf8))
    }

    @Test func aPipeInAFilesPlaceHoldsNobodyUp() throws {
        let place = try Place()
        let cache = try place.cache()
        let name = String(repeating: "b", count: 64)
        let path = cache.folder.path(.facts, name + ".json")
        try FileManager.default.createDirectory(
            atPath: path.parentFolder.display, withIntermediateDirectories: true)
        #expect(path.withCString { unsafe mkfifo($0, 0o600) } == 0)
        #expect(cache.record(named: name) == nil)
        #expect(cache.record(named: "../../etc/passwd") == nil)
    }
}
