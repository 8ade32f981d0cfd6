internal import AttachmentPrep
internal import LinkFetch
internal import PayloadTools

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Runs `attachprep payload check|rewrite`.
struct PayloadCommand {
    enum Verb: String, CommandVerb {
        case check, rewrite
        static let command = Command.payload
    }

    private let verb: Verb
    private let settings: Settings
    private let inputs: [FilePath]
    private let console: Console

    init(_ settings: Settings, _ operands: [FilePath], _ console: Console) throws(UsageError) {
        verb = try Verb(operands)
        self.settings = settings
        self.console = console
        inputs = Array(operands.dropFirst())
        try check()
    }

    private func check() throws(UsageError) {
        if inputs.isEmpty {
            throw UsageError(
                "payload \(verb.rawValue) needs an input: a path, or - for standard input", command: .payload)
        }
        if inputs.count(where: Self.isStandardInput) > 1 {
            throw UsageError("standard input can be read once only", command: .payload)
        }
        #if Service
            if verb == .rewrite { try checkRewriting() }
        #else
            if verb == .rewrite || settings.payload.fetches {
                throw UsageError("this build neither fetches nor signs links", command: .payload)
            }
        #endif
    }

    private func checkRewriting() throws(UsageError) {
        if inputs.count > 1 {
            throw UsageError(
                "payload rewrite takes one input", hint: "for many payloads: one a line, and --lines",
                command: .payload)
        }
        if settings.links.keyFile == nil, settings.links.cache == nil {
            throw UsageError(
                "payload rewrite needs a key to sign links with, or a cache to prepare them in",
                hint: "--key-file FILE, or --cache DIR", command: .payload)
        }
        if settings.links.publicBase == nil {
            throw UsageError(
                "payload rewrite needs the address the new links begin with: --public-base URL",
                command: .payload)
        }
        if settings.profiles.count > 1 {
            throw UsageError("a link is of one profile", command: .payload)
        }
    }

    func run() -> Int32 {
        do throws(PrepError) {
            switch verb {
            case .check: return try PayloadCheckRun(settings, inputs, console).run()
            case .rewrite: return try PayloadRewriteRun(settings, inputs[0], console).run()
            }
        } catch {
            console.complain("\(error.code.rawValue): \(Display.safe(error.message))")
            return 1
        }
    }

    static func isStandardInput(_ path: FilePath) -> Bool { path.bytes.elementsEqual("-".utf8) }
}

/// An input that is read once, from its beginning to its end.
struct PayloadInput: ~Copyable {
    let path: FilePath
    private let file: OpenFile?

    init(_ path: FilePath) throws(PrepError) {
        self.path = path
        if PayloadCommand.isStandardInput(path) {
            file = nil
            return
        }
        do throws(SystemError) {
            file = try OpenFile(path, flags: O_RDONLY | O_NOCTTY)
        } catch {
            throw Self.error(error, path)
        }
    }

    /// The line reader lives no longer than this.
    var descriptor: Int32 {
        switch file {
        case .some(let file): file.descriptor
        case .none: 0
        }
    }

    static func error(_ error: SystemError, _ path: FilePath) -> PrepError {
        PrepError(
            .io, .input, "cannot read \(path.display): \(error.message)", detail: "errno \(error.code)")
    }

    /// The whole input.
    ///
    /// - Throws: `input-too-large` over `limit` bytes.
    borrowing func whole(atMost limit: Int) throws(PrepError) -> [UInt8] {
        var all: [UInt8] = []
        do throws(SystemError) {
            while true {
                let bytes = try FileSystem.read(1 << 16, from: descriptor)
                if bytes.isEmpty { return all }
                all += bytes
                if all.count > limit { break }
            }
        } catch {
            throw Self.error(error, path)
        }
        throw PrepError(
            .inputTooLarge, .input,
            "\(path.display) is longer than \(limit) bytes, and a payload has at most 4096",
            detail: "for a file of many payloads, one a line: --lines")
    }

    /// A small file that an option names.
    static func bytes(of path: FilePath, atMost limit: Int = 1 << 20) throws(PrepError) -> [UInt8] {
        try PayloadInput(path).whole(atMost: limit)
    }
}
