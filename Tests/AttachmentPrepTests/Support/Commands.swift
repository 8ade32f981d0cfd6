// Files, folders and the outside programs that make and judge pictures.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// False under a sanitizer, which multiplies the time of everything: fewer cases will do there.
let isThorough = unsafe getenv("GATE_SANITIZER") == nil

/// What a command of the shell said on its standard output, and its exit status.
struct CommandResult {
    let status: Int32
    let output: [UInt8]
    var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs a command of the shell to its end.
@discardableResult func shell(_ command: String) -> CommandResult {
    // `e`: the pipe must not leak into the commands of tests that run at the same time.
    guard let pipe = unsafe popen(command, "re") else { return CommandResult(status: -1, output: []) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe fread(&buffer, 1, buffer.count, pipe)
        if count == 0 { break }
        output += buffer[..<count]
    }
    let status = unsafe pclose(pipe)
    return CommandResult(status: status & 0x7F == 0 ? status >> 8 & 0xFF : -1, output: output)
}

/// Runs a filter over bytes; nil unless its status is 0.
func filter(_ bytes: [UInt8], through command: String) -> [UInt8]? {
    let scratch = Scratch()
    let result = shell("\(command) < \(scratch.write("in", bytes)) 2> /dev/null")
    return result.status == 0 ? result.output : nil
}

/// The bytes of a file; nil if it cannot be read.
func contents(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

/// Permission bits of a file.
func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
}

/// A folder of a test's own, gone with the value.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/attachprep-tests-XXXXXX".utf8CString)
        if unsafe mkdtemp(&template) == nil { fatalError("no temporary folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { shell("rm -rf -- \(path)") }

    /// The path of a name in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and answers its path.
    @discardableResult func write(_ name: String, _ bytes: [UInt8]) -> String {
        let path = file(name)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        writeAll(bytes, to: descriptor)
        close(descriptor)
        return path
    }

    /// All files below the folder, relative, sorted.
    var names: [String] {
        shell("cd \(path) && find . -type f | sort").text.split(separator: "\n").map {
            String($0.dropFirst(2))
        }
    }
}

/// Writes until all is written or the other end is gone.
@discardableResult func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return -1 }
            return unsafe write(descriptor, base + done, bytes.count - done)
        }
        guard count > 0 else { return false }
        done += count
    }
    return true
}

/// The two ends of a pipe; a write after the reader has gone fails instead of ending the process.
final class Pipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() {
        _ = signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        if unsafe pipe(&ends) != 0 { fatalError("no pipe") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    func closeWriter() { close(writer) }
    func closeReader() { close(reader) }
}
