import AttachmentPrep
import Foundation
import TestSupport
import Testing

/// A fresh directory in which the real binary is run; it goes away with its last holder.
final class Workplace: Sendable {
    struct Run {
        var status: Int32
        var output: String
        var errors: String
        /// Standard output's lines as JSON objects.
        var objects: [[String: Any]] {
            get throws {
                try output.split(separator: "\n").map {
                    try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
            }
        }
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "attachprep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> FilePath { FilePath(folder.path).appending(name) }

    /// Runs a shell script here; `attachprep` is the binary beside the tests, `$JPEG` a small JPEG's path.
    func run(_ script: String, environment: [String: String] = [:]) throws -> Run {
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ATTACHPREP_") }
        variables["PATH"] = Self.products.path + ":" + (variables["PATH"] ?? "/usr/bin:/bin")
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables.merge(environment) { $1 }
        let result = try finish(["/bin/sh", "-c", script], in: folder.path, environment: variables)
        return Run(
            status: result.status, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.errors, as: UTF8.self))
    }

    /// Writes files; the folders on their way are made.
    func write(_ files: [String: Data]) throws {
        for (name, data) in files {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
    }

    /// Every path below, sorted.
    func tree(_ name: String = ".") throws -> [String] {
        try run("find \(name) | LC_ALL=C sort").output.split(separator: "\n").map(String.init)
    }

    /// The folder the binary was built into, which is the one of the test bundle.
    private static let products = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent()
}

/// Made anew each time: the address sanitizer takes what a global `Data` holds for a leak.
enum Samples {
    /// 32 × 24, a gradient made by ImageMagick.
    static var jpeg: Data {
        Data(
            base64Encoded: """
                /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxO\
                UlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09P\
                T09PT09PT0//wAARCAAYACADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQG/8QAFRABAQAAAAAAAAAAAAAAAAAAABP/\
                xAAWAQEBAQAAAAAAAAAAAAAAAAAABgP/xAAaEQABBQEAAAAAAAAAAAAAAAAAAhMVUWEU/9oADAMBAAIRAxEAPwDN0KJaFG8ZhWyO\
                lVCiWhQjMEjpJQoC550URr67FCgHOig+uz//2Q==
                """) ?? Data()
    }
    static var png: Data {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8))
    }
    static var pointer: Data {
        Data("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".utf8)
    }
    static var appleDouble: Data {
        Data([0, 5, 0x16, 7, 0, 2, 0, 0] + [UInt8](repeating: 0, count: 3000))
    }
    static var mp3: Data {
        Data(
            Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0]
                + Array(repeating: [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413), count: 4)
                .joined())
    }
    static var text: Data { Data("only words\n".utf8) }
}
