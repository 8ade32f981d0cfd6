internal import Foundation

/// Why a program gave no answer.
package struct ProgramFailure: Error {
    package let command: String
    package let status: Int32

    package init(command: String, status: Int32) {
        self.command = command
        self.status = status
    }
}

/// How a program ended, and what it wrote to its two outputs.
package struct ProgramResult {
    /// −1 if it could not start or was killed.
    package let status: Int32
    package let output: [UInt8]
    package let errors: [UInt8]
}

/// Runs a program found through PATH and gives its standard output.
///
/// Standard error is dropped: djpeg warns there, and its status says so too.
package func run(
    _ program: String, _ arguments: [String], accepting statuses: Set<Int32> = [0]
) throws -> [UInt8] {
    let result = try finish([program] + arguments)
    guard statuses.contains(result.status) else {
        throw ProgramFailure(
            command: ([program] + arguments).joined(separator: " "), status: result.status)
    }
    return result.output
}

/// Runs a program found through PATH to its end, without standard input.
///
/// Foundation's `Process` would do, and its `Data` to read with, but the one leaks, the other does for empty files,
/// and the address sanitizer reports it. Files, not pipes: a full pipe would stop the program, as nobody reads.
package func finish(
    _ words: [String], in folder: String? = nil, environment: [String: String] = [:]
) throws -> ProgramResult {
    let scratch = try TemporaryFolder()
    defer { withExtendedLifetime(scratch) {} }
    let output = try scratch.file("output", [])
    let errors = try scratch.file("errors", [])
    let words = folder.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0] + words } ?? words
    let status = spawn(
        words, environment: environment.map { "\($0)=\($1)" }, output: output, errors: errors)
    return ProgramResult(status: status, output: try bytes(of: output), errors: try bytes(of: errors))
}

private func spawn(_ words: [String], environment: [String], output: String, errors: String) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_TRUNC, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_TRUNC, 0)
    // A thread of the tests' pool blocks the signals that some tests send.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    unsafe sigemptyset(&noSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var strings = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (strings + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    guard unsafe posix_spawnp(&process, words[0], &actions, &attributes, &strings, &variables) == 0 else {
        return -1
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
}

/// The bytes of a file.
package func bytes(of path: String) throws -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ProgramFailure(command: "open \(path)", status: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw ProgramFailure(command: "read \(path)", status: errno) }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

/// A folder that goes when its owner goes.
package final class TemporaryFolder: Sendable {
    private let url: URL
    package var path: String { url.path }

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
    try bytes(of: fixtures.appendingPathComponent(name).path)
}

/// Names of the files in a folder of Tests/Fixtures, sorted.
package func fixtureNames(in folder: String) -> [String] {
    let path = fixtures.appendingPathComponent(folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
}

private let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures")
