// Parse, run, exit status. What the words mean is in OptionTable.swift, what the commands do in their own files.

internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

// What is opened later must not become standard output or error where the starter closed them.
while true {
    let descriptor = unsafe open("/dev/null", O_RDWR)
    guard (0...2).contains(descriptor) else {
        if descriptor >= 0 { close(descriptor) }
        break
    }
}

/// Writing to a pipe that nobody reads is then an error like others, and a quiet one.
_ = signal(SIGPIPE, SIG_IGN)
let console = Console()
let status = runCommandLine(console)
if let failure = console.failure {
    console.complain("standard output: \(failure.message)")
    exit(max(status, 1))
}
exit(status)
