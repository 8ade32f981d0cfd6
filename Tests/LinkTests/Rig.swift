import Foundation
import TestSupport

/// The servers that all tests share, and the program that fetches from them.
final class Rig: Sendable {
    let site: Site
    let nginx: NginxServer
    let raw: RawServer

    /// Made by the first who asks; nginx goes with the process.
    static let shared = Result { try Rig() }

    private init() throws {
        let site = try Site()
        let raw = try RawServer(site.answers)
        self.site = site
        self.raw = raw
        nginx = try NginxServer(files: try site.files) { site.locations($0, raw: raw.port) }
    }

    /// A link with `{tls}`, `{plain}`, `{raw}` and the like replaced by where those servers are.
    func link(_ template: String) -> String {
        let places = [
            "{tls}": "https://127.0.0.1:\(nginx.ports.tls)", "{tls2}": "https://127.0.0.2:\(nginx.ports.tls)",
            "{tls3}": "https://127.0.0.3:\(nginx.ports.tls)", "{tls-port}": "\(nginx.ports.tls)",
            "{expired}": "https://127.0.0.1:\(nginx.ports.expired)",
            "{foreign}": "https://127.0.0.1:\(nginx.ports.foreign)",
            "{second}": "https://127.0.0.1:\(nginx.ports.second)",
            "{plain}": "http://127.0.0.1:\(nginx.ports.plain)", "{plain-port}": "\(nginx.ports.plain)",
            "{raw}": "http://127.0.0.1:\(raw.port)", "{raw-port}": "\(raw.port)",
        ]
        return places.reduce(template) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
    }

    /// Options without which no test's server can be reached.
    var reachable: [String] { ["--allow-address", "127.0.0.0/8", "--ca-file", nginx.authority] }

    /// Runs `attachprep prepare` on links, in templates' form, with these options only.
    func fetch(
        _ links: [String], _ options: [String], environment: [String: String] = [:]
    ) async throws -> Fetched {
        let words =
            [Self.program, "prepare"] + links.map(link) + options.map(link) + ["--json", "--output"]
        return try await Lanes.run {
            let folder = try TemporaryFolder()
            let started = Date()
            let result = try finish(
                words + [folder.path + "/out"], environment: Self.environment.merging(environment) { $1 })
            return try Fetched(result, in: folder.path + "/out", seconds: Date().timeIntervalSince(started))
        }
    }

    /// The program beside the test bundle.
    static let program = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("attachprep").path

    /// Ours, without what would change the program's ways.
    static let environment =
        ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("ATTACHPREP_") && !name.lowercased().hasSuffix("_proxy")
        }.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
}

/// What came of one run.
struct Fetched: Sendable {
    struct Record: Decodable, Sendable {
        struct Output: Decodable, Sendable {
            let profile: String
            let path: String?
            let url: String?
            let outcome: String
            let fileExtension: String?
            let bytes: Int?
        }
        struct Failure: Decodable, Sendable {
            let code: String
            let message: String
            let detail: String?
        }
        struct Need: Decodable, Sendable {
            let need: Int
        }
        let input: String
        let outcome: String
        let memory: Need?
        let outputs: [Output]
        let error: Failure?
    }

    let status: Int32
    let records: [Record]
    let errors: String
    let seconds: Double
    /// The files below the output folder, without it, and their bytes.
    let files: [String: [UInt8]]

    init(_ result: ProgramResult, in folder: String, seconds: Double) throws {
        status = result.status
        errors = String(decoding: result.errors, as: UTF8.self)
        self.seconds = seconds
        records = try result.output.split(separator: 10).map {
            try JSONDecoder().decode(Record.self, from: Data($0))
        }
        var files: [String: [UInt8]] = [:]
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            files[name] = try? bytes(of: folder + "/" + name)
        }
        self.files = files
    }

    /// What the program said, for a test that fails.
    var words: String {
        records.compactMap(\.error).map { "\($0.message) (\($0.detail ?? ""))" }.joined(separator: "; ")
            + "\n" + errors
    }

    /// What a record of one link says, in one line.
    var verdict: String {
        guard records.count == 1, let record = records.first else {
            return "status \(status), \(records.count) records; \(errors)"
        }
        return Verdict(record).description
    }
}

/// Outcome and code of a record.
struct Verdict: Equatable, CustomStringConvertible, Sendable {
    let outcome: String
    let code: String?

    init(_ outcome: String, _ code: String? = nil) {
        self.outcome = outcome
        self.code = code
    }

    init(_ record: Fetched.Record) { self.init(record.outcome, record.error?.code) }

    var description: String { outcome + (code.map { " " + $0 } ?? "") }
    /// What a process ends with that had this one input.
    var status: Int32 { code == nil ? 0 : 1 }

    static let passedThrough = Verdict("passedThrough")
    static let prepared = Verdict("prepared")
    static func rejected(_ code: String) -> Verdict { Verdict("rejected", code) }
    static func failed(_ code: String) -> Verdict { Verdict("failed", code) }
    static let blocked = rejected("blocked-address")
}

/// Runs programs side by side: tasks share as many threads as there are cores, and waiting would hold them up.
enum Lanes {
    private static let free = DispatchSemaphore(value: 16)

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                free.wait()
                defer { free.signal() }
                continuation.resume(with: Result { try body() })
            }
        }
    }
}
