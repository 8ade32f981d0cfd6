internal import Foundation

/// Why a helper program gave no answer.
package struct ProgramFailure: Error {
    package let command: String
    package let status: Int32
}

/// Runs a program found through PATH and gives its standard output.
///
/// Standard error is dropped: djpeg warns there, and its status says so too.
package func run(
    _ program: String, _ arguments: [String], accepting statuses: Set<Int32> = [0]
) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard statuses.contains(process.terminationStatus) else {
        throw ProgramFailure(
            command: ([program] + arguments).joined(separator: " "), status: process.terminationStatus)
    }
    return Array(bytes)
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
