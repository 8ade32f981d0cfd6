internal import Glibc

/// A program to run with its arguments; what it prints is thrown away unless asked for.
struct Command {
    var program: String
    var arguments: [String]

    init(_ program: String, _ arguments: [String]) {
        self.program = program
        self.arguments = arguments
    }

    /// The command as one would type it.
    var text: String { ([program] + arguments).joined(separator: " ") }
}

/// What one whole process cost, from its start to its end.
struct Cost {
    /// User plus system time in microseconds, children that it waited for included.
    var cpu: Int
    /// Wall clock in microseconds.
    var wall: Int
}

/// Runs a command to its end and returns its cost; any exit status other than 0 is a failure of the bench.
func run(_ command: Command, output: String = "/dev/null") throws(BenchError) -> Cost {
    let start = monotonicMicroseconds()
    let child = try spawn(command, output: output)
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(child, &status, 0, &usage) < 0 {
        guard errno == EINTR else { throw BenchError("cannot wait for \(command.text)") }
    }
    let end = monotonicMicroseconds()
    guard status & 0x7F == 0, (status >> 8) & 0xFF == 0 else {
        throw BenchError(
            status & 0x7F == 0
                ? "exit status \((status >> 8) & 0xFF) from: \(command.text)"
                : "signal \(status & 0x7F) ended: \(command.text)")
    }
    return Cost(cpu: microseconds(usage.ru_utime) + microseconds(usage.ru_stime), wall: end - start)
}

/// Peak resident size in decimal megabytes, through GNU time: a parent's own figure would survive the exec.
///
/// - Parameter input: a file that comes through a pipe on standard input.
func peakMegabytes(_ command: Command, from input: String? = nil) throws(BenchError) -> Double {
    let report = try temporaryFile()
    defer { unsafe unlink(report) }
    let words = ["/usr/bin/time", "-f", "%M", "-o", report, command.program] + command.arguments
    let script = input == nil ? #""$@""# : #"cat "$0" | "$@""#
    _ = try run(Command("sh", ["-c", script, input ?? "sh"] + words))
    let text = try readText(report)
    guard let kibibytes = Double(text.filter(\.isNumber)) else { throw BenchError("GNU time said: \(text)") }
    return kibibytes * 1024 / 1e6
}

/// What a command prints on standard output.
func output(of command: Command) throws(BenchError) -> String {
    let file = try temporaryFile()
    defer { unsafe unlink(file) }
    _ = try run(command, output: file)
    return try readText(file)
}

private func spawn(_ command: Command, output: String) throws(BenchError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)

    var words = unsafe ([command.program] + command.arguments).map { unsafe strdup($0) }
    unsafe words.append(nil)
    defer { unsafe words.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let failure = unsafe posix_spawnp(&child, command.program, &actions, nil, words, environ)
    guard failure == 0 else {
        throw BenchError("cannot start \(command.program): \(unsafe String(cString: strerror(failure)))")
    }
    return child
}

private func microseconds(_ time: timeval) -> Int { Int(time.tv_sec) * 1_000_000 + Int(time.tv_usec) }

private func monotonicMicroseconds() -> Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int(now.tv_sec) * 1_000_000 + Int(now.tv_nsec) / 1000
}
