package import AttachmentPrep
internal import CNet

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The folders that paths of messages may lead into: anybody who reaches a hook can name any path.
///
/// A path must name a root, or what the root's links lead to, by its own components, and the system itself
/// sees to it that what is opened lies below and that no link is on the way.
package struct HookRoots: Sendable {
    private struct Root: Sendable {
        /// As it is opened: the operator's own word, in which links are followed.
        var folder: FilePath
        /// What paths of messages may begin with.
        var names: [[ArraySlice<UInt8>]]
    }

    private let roots: [Root]

    /// - Parameter folders: relative ones are meant from the folder of now.
    package init(_ folders: [FilePath]) {
        roots = folders.map { folder in
            let absolute = Self.absolute(folder)
            let names = [absolute, Self.resolved(absolute)].compactMap { $0 }.map(Self.components)
            return Root(folder: absolute, names: names)
        }
    }

    package var isEmpty: Bool { roots.isEmpty }

    /// Opens what a message names.
    ///
    /// - Throws: `invalid-payload` for what lies elsewhere, is reached through a link or is no file; `io` for
    ///   what is not there or cannot be read.
    package func open(_ path: FilePath) throws(PrepError) -> HookFile {
        guard !roots.isEmpty else {
            throw PrepError(
                .invalidPayload, .input,
                "no path of a message is opened until --root DIR says where uploads lie")
        }
        var trouble = HookMessage.invalid("\(path.display) does not lie below a --root")
        for (root, below) in places(of: path) {
            do throws(PrepError) {
                return try open(below, in: root, path)
            } catch {
                trouble = error
            }
        }
        throw trouble
    }

    /// Opens what a job is about.
    package func source(of job: SpoolJob) throws(PrepError) -> HookSource {
        switch job.place {
        case .link(let link): return .link(link)
        case .file(let path): return .file(try open(path))
        }
    }

    /// The roots a path may mean, and what remains of it there.
    private func places(of path: FilePath) -> [(Root, FilePath)] {
        let components = Self.components(path)
        return roots.flatMap { root in
            // tusd's store, when it is part of another program, may be given as a relative path.
            let names = path.bytes.first == UInt8(ascii: "/") ? root.names : [[]]
            return names.filter { components.starts(with: $0, by: ==) && components.count > $0.count }.map {
                (root, FilePath(bytes: components.dropFirst($0.count).joined(separator: "/".utf8)))
            }
        }
    }

    private func open(_ below: FilePath, in root: Root, _ path: FilePath) throws(PrepError) -> HookFile {
        let folder = root.folder.withCString { unsafe Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard folder >= 0 else {
            throw SystemError.last.error(.input, "cannot open the root \(root.folder.display)")
        }
        defer { close(folder) }
        let descriptor = below.withCString { unsafe ap_open_beneath(folder, $0) }
        guard descriptor < 0 else {
            return try HookFile(descriptor, path: path, placeBelowRoot: below)
        }
        switch errno {
        case ELOOP: throw HookMessage.invalid("a link is on the way to \(path.display)")
        case EXDEV: throw HookMessage.invalid("\(path.display) leads out of its --root")
        // What a socket and a device without a driver answer.
        case ENXIO, ENODEV: throw HookMessage.invalid("\(path.display) is no file")
        case ENOSYS, EPERM:
            throw PrepError(
                .io, .input,
                "this system cannot open files below a folder only: it needs openat2 of Linux 5.6",
                detail: SystemError.last.text)
        default: throw SystemError.last.error(.input, "cannot open \(path.display)")
        }
    }

    /// The parts between slashes; `..` is left to the system.
    private static func components(_ path: FilePath) -> [ArraySlice<UInt8>] {
        path.bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    }

    /// The path from the top.
    package static func absolute(_ path: FilePath) -> FilePath {
        if path.bytes.first == UInt8(ascii: "/") { return path }
        guard let here = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(here) }
        return unsafe FilePath(bytes: bytes(of: here)).appending(path.bytes)
    }

    private static func resolved(_ path: FilePath) -> FilePath? {
        path.withCString { name in
            guard let real = unsafe realpath(name, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe FilePath(bytes: bytes(of: real))
        }
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    }
}
