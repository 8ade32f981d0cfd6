#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads an input from wherever it is and pushes it, piece by piece, into a session.
package struct SourceReader {
    let limits: ResourceLimits

    /// Bytes of one piece: large enough that the codec's slow path at the end of a piece does not show.
    static let chunkSize = 65_536

    package static func tooLarge(_ limit: Int) -> PrepError {
        PrepError(
            .inputTooLarge, .input, "the input is larger than --max-input-bytes allows",
            detail: "limit \(limit)")
    }

    /// Reads until the end, or until the session needs no more; an error of the input ends up in the session.
    func read(_ source: AttachmentSource, into session: inout PreparationSession) {
        do throws(PrepError) {
            switch source.kind {
            case .bytes(let bytes): try push(bytes, into: &session)
            case .descriptor(let descriptor): try read(descriptor, named: source.name, into: &session)
            case .openFile(let descriptor):
                // Whoever read from it before, or reads it now, may have moved on.
                guard lseek(descriptor, 0, SEEK_SET) == 0 else {
                    throw SystemError.last.error(.input, "cannot read \(source.name)")
                }
                try readOpened(descriptor, named: source.name, into: &session)
            case .path(let path): try open(path, into: &session)
            }
        } catch {
            session.fail(error)
        }
    }

    private func push(_ bytes: [UInt8], into session: inout PreparationSession) throws(PrepError) {
        for start in stride(from: 0, to: bytes.count, by: Self.chunkSize) where session.needsMoreInput {
            try session.push(bytes.span.extracting(start..<min(start + Self.chunkSize, bytes.count)))
        }
    }

    private func open(_ path: FilePath, into session: inout PreparationSession) throws(PrepError) {
        let descriptor: Int32
        do {
            // Without O_NONBLOCK a FIFO that nobody writes would hold the job for ever, unnoticed by its clock.
            descriptor = try retrying {
                path.withCString { unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            }
        } catch {
            throw error.error(.input, "cannot open \(path.display)")
        }
        defer { close(descriptor) }
        try readOpened(descriptor, named: path.display, into: &session)
    }

    /// Reads what a path led to: a file in place, anything else as it comes.
    private func readOpened(
        _ descriptor: Int32, named name: String, into session: inout PreparationSession
    ) throws(PrepError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw SystemError.last.error(.input, "cannot look at \(name)")
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            throw PrepError(.io, .input, "\(name) is a folder; use `attachprep batch` for folders")
        case S_IFREG:
            guard status.st_size <= limits.inputBytes else { throw Self.tooLarge(limits.inputBytes) }
            do { session.seekableInput = try Spool(inPlace: descriptor, size: Int(status.st_size)) } catch {
                throw error.error(.input, "cannot read \(name)")
            }
        default: break
        }
        try read(descriptor, named: name, into: &session)
    }

    private func read(
        _ descriptor: Int32, named name: String, into session: inout PreparationSession
    ) throws(PrepError) {
        var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        while session.needsMoreInput {
            let count: Int
            do throws(SystemError) { count = try readPiece(descriptor, into: &buffer) } catch {
                guard error.number == EAGAIN else { throw error.error(.input, "cannot read \(name)") }
                // A pipe that stays open behind a whole picture has nothing more to say.
                if session.hasPicture { return }
                // Nothing there yet: an empty push asks the session's clock.
                try session.push([])
                continue
            }
            if count == 0 { return }
            try session.push(buffer.span.extracting(0..<count))
        }
    }

    /// Bytes read; 0 at the end, EAGAIN when none came for a while.
    private func readPiece(_ descriptor: Int32, into buffer: inout [UInt8]) throws(SystemError) -> Int {
        guard try hasBytes(descriptor) else { throw SystemError(number: EAGAIN) }
        return try retrying {
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Whether a read would not block; waits a little for it, so that a silent pipe cannot outlive the job's clock.
    private func hasBytes(_ descriptor: Int32) throws(SystemError) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return try retrying { unsafe poll(&wanted, 1, 100) } > 0
    }
}
