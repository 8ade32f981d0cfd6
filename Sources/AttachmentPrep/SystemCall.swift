#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A failed call to the system, and how it becomes an error of ours.
package struct SystemError: Error {
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// The error of the call that just failed.
    package static var last: SystemError { SystemError(number: errno) }

    package var text: String { unsafe String(cString: strerror(number)) }

    /// - Parameter doing: what was tried and on what, such as `cannot write a/b.jpg`.
    package func error(_ stage: PrepError.Stage, _ doing: String) -> PrepError {
        switch number {
        case ENOSPC, EDQUOT:
            PrepError(.noSpace, stage, "\(doing): no space is left; free some and run again", detail: text)
        default:
            PrepError(.io, stage, "\(doing): \(text)", detail: "errno \(number)")
        }
    }
}

/// Repeats a call that a signal interrupted.
package func retrying<N: SignedInteger>(_ call: () -> N) throws(SystemError) -> N {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw SystemError.last }
    }
}

/// Writes all of the bytes.
package func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) throws(SystemError) {
    var done = 0
    while done < bytes.count {
        let rest = bytes.extracting(done..<bytes.count)
        done += try retrying {
            unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        }
    }
}

#if os(Linux)
    /// O_TMPFILE of open(2), which makes a file without a name: a macro too composed to be imported.
    let temporaryFileFlags = 0o20000000 | O_DIRECTORY
#endif
