import Foundation
import TestSupport

/// A real `attachprep serve` of one's own, with a cache in a folder that goes with it.
///
/// A shell holds it that ends it when the test process ends, however that happens.
final class ServiceProcess: @unchecked Sendable {
    let folder: TemporaryFolder
    /// Of the service itself.
    private(set) var process: pid_t = 0
    private(set) var address: Address
    private let words: [String]
    private let shell = Process()
    private let leash = Pipe()

    enum Address: Sendable, Equatable {
        case tcp(Int)
        case unix(String)
    }

    var cache: String { folder.path + "/cache" }
    var log: String { (try? String(decoding: bytes(of: folder.path + "/log"), as: UTF8.self)) ?? "" }

    /// Whether a sanitizer's own memory would count against the decoders' limits.
    static let hasSanitizer = ProcessInfo.processInfo.environment["GATE_SANITIZER"] != nil

    /// Starts it and waits until it listens; `{folder}` in the words is its own.
    init(
        _ words: [String] = [], folder: TemporaryFolder? = nil, listen: String = "127.0.0.1:0",
        launcher: [String] = []
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        address = .tcp(0)
        self.words =
            launcher
            + [Self.program, "serve", "--cache", folder.path + "/cache", "--listen", listen]
            .map { $0.replacingOccurrences(of: "{folder}", with: folder.path) }
            + words.map { $0.replacingOccurrences(of: "{folder}", with: folder.path) }
            + (Self.hasSanitizer ? ["--memory-limit", "\(Int.max / 2)", "--timeout", "300"] : [])
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments =
            [
                "-c",
                """
                folder=$0
                "$@" 2>> "$folder/log" < /dev/null &
                echo $! > "$folder/pid"
                cat > /dev/null
                kill -TERM $!
                wait
                """, folder.path,
            ] + self.words
        shell.environment = Self.environment
        shell.standardInput = leash
        shell.standardError = FileHandle.nullDevice
        _ = fcntl(leash.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try? FileManager.default.removeItem(atPath: folder.path + "/log")
        try shell.run()
        try? leash.fileHandleForReading.close()
        try waitUntilItListens(listen)
    }

    deinit { end() }

    private func waitUntilItListens(_ listen: String) throws {
        for _ in 0..<1000 {
            let said = log
            if let range = said.firstRange(of: "listening on ") {
                let rest = said[range.upperBound...].prefix { $0 != "\n" }
                if rest.hasPrefix("unix:") {
                    address = .unix(String(rest.dropFirst(5)))
                } else if let port = rest.split(separator: ":").last.flatMap({ Int($0) }) {
                    address = .tcp(port)
                }
                let id = try String(decoding: bytes(of: folder.path + "/pid"), as: UTF8.self)
                process = pid_t(id.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        end()
        throw ProgramFailure(command: words.joined(separator: " ") + "\n" + log, status: 0)
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { if process > 0 { kill(process, number) } }

    /// Whether it is still there.
    var isAlive: Bool { process > 0 && kill(process, 0) == 0 }

    /// Its decoder processes.
    var decoders: [pid_t] {
        // proc(5): the parent is the second word behind the name, which stands in brackets.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) }.filter {
            id in
            guard let words = try? String(decoding: bytes(of: "/proc/\(id)/cmdline"), as: UTF8.self),
                let status = try? String(decoding: bytes(of: "/proc/\(id)/stat"), as: UTF8.self),
                let behindName = status.split(separator: ")").last
            else { return false }
            return words.hasPrefix("attachprep-decoder")
                && behindName.split(separator: " ")[1] == "\(process)"
        } ?? []
    }

    /// Lets it end by itself and waits for that.
    func end() {
        try? leash.fileHandleForWriting.close()
        if shell.isRunning { shell.waitUntilExit() }
    }

    /// The program beside the test bundle.
    static let program = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("attachprep").path

    /// Ours, without what would change the program's ways.
    static let environment =
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ATTACHPREP_") }
        .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
}
