package import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An uploaded file, open: what was checked is what is read, whatever becomes of its path.
package final class HookFile: Sendable {
    /// Open for reading from its start, until this goes away.
    package let descriptor: Int32
    /// The path as it was asked for.
    package let path: FilePath
    /// The path below the root; the file's name alone where there is no root.
    package let placeBelowRoot: FilePath
    /// Bytes it had when it was opened.
    package let size: Int

    /// Takes over a descriptor.
    ///
    /// - Throws: `invalid-payload` for anything but a regular file.
    init(_ descriptor: Int32, path: FilePath, placeBelowRoot: FilePath) throws(PrepError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw HookMessage.invalid("\(path.display) is no file")
        }
        self.descriptor = descriptor
        self.path = path
        self.placeBelowRoot = placeBelowRoot
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }
}

/// What a job's picture is made of.
package enum HookSource: Sendable {
    case file(HookFile)
    case link(String)
}
