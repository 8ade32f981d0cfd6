internal import Foundation

/// Why a helper program gave no answer.
package struct ProgramFailure: Error {
    package let command: String
    package let status: Int32
}

/// Runs a program found through PATH and gives its standard output.
///
/// Standard error is dropped: djpeg warns there, and its status says so too. Foundation's `Process` would do, but
/// it leaks, which the address sanitizer reports.
package func run(
    _ program: String, _ arguments: [String], accepting statuses: Set<Int32> = [0]
) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let output = try folder.file("output", [])
    let status = spawn([program] + arguments, output: output)
    guard statuses.contains(status) else {
        throw ProgramFailure(command: ([program] + arguments).joined(separator: " "), status: status)
    }
    return Array(try Data(contentsOf: URL(fileURLWithPath: output)))
}

/// The exit status of a program whose standard output goes to a file; −1 if it could not start or was killed.
private func spawn(_ words: [String], output: String) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_TRUNC, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var strings = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe strings.forEach { unsafe free($0) } }
    var process: pid_t = 0
    guard unsafe posix_spawnp(&process, words[0], &actions, nil, &strings, nil) == 0 else { return -1 }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
}

/// A folder that goes when its owner goes.
package final class TemporaryFolder {
    private let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("attachprep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file and gives its path.
    package func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file.path
    }
}

/// Bytes of a file in Tests/Fixtures.
package func fixture(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: fixtures.appendingPathComponent(name)))
}

/// Names of the files in a folder of Tests/Fixtures, sorted.
package func fixtureNames(in folder: String) -> [String] {
    let path = fixtures.appendingPathComponent(folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
}

private let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures")
