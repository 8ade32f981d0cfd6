import AttachmentPrep
import Foundation
import TestSupport

@testable import MediaCache

/// A fresh folder with a cache in it; it goes away with its last holder.
final class Place {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: FilePath { FilePath(folder.path) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> FilePath { FilePath(try folder.file(name, bytes)) }

    func cache(bytes: Int = 10 << 30, unusedSeconds: Int = 30 * 86_400) throws -> AttachmentCache {
        try AttachmentCache(
            path.appending("cache"), limits: .init(bytes: bytes, unusedSeconds: unusedSeconds),
            synchronizes: false)
    }

    /// Paths of all files below a folder of the cache, relative to it.
    func files(below name: String) -> [String] {
        let top = path.appending("cache").appending(name).display
        let all = FileManager.default.enumerator(atPath: top)?.allObjects as? [String] ?? []
        return all.filter { name in
            var isFolder: ObjCBool = false
            return unsafe FileManager.default.fileExists(atPath: top + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Sets the time of a file's last change.
    static func age(_ path: FilePath, bySeconds seconds: Int) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -Double(seconds))], ofItemAtPath: path.display)
    }
}
