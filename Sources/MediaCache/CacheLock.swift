internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One piece of work, held by one thread of one process at a time.
///
/// The lock is the system's (flock), on a file named by the work's key: it goes with its holder, however that
/// ends, and threads and processes meet on the same terms.
@safe struct CacheLock: ~Copyable {
    private let descriptor: Int32
    private let path: FilePath

    /// Waits until the work is free.
    ///
    /// - Parameter isOver: asked while waiting.
    /// - Returns: nil where it was asked to stop, or where the file system cannot lock; the work may then be done
    ///   twice, which costs time and nothing else.
    init?(_ path: FilePath, isOver: () -> Bool) {
        var pause: UInt32 = 1
        while let descriptor = Self.open(path) {
            switch Self.tryLock(descriptor) {
            case .locked where Self.isAt(path, descriptor):
                self.descriptor = descriptor
                self.path = path
                return
            case .locked: pause = 0  // The holder before took the file away; there is a new one.
            case .busy: break
            case .impossible:
                close(descriptor)
                return nil
            }
            close(descriptor)
            if isOver() { return nil }
            // Waiting threads are few and jobs take tens of milliseconds, so asking again is as good as being told.
            if pause > 0 { usleep(pause * 1000) }
            pause = min(max(1, pause * 2), 16)
        }
        return nil
    }

    deinit {
        // While it is still held: who opened the file meanwhile sees that it is not the one at the path.
        path.remove()
        close(descriptor)
    }

    private enum Attempt { case locked, busy, impossible }

    private static func open(_ path: FilePath) -> Int32? {
        for isSecondTry in [false, true] {
            let descriptor = path.withCString {
                unsafe Platform.open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            }
            if descriptor >= 0 { return descriptor }
            guard errno == ENOENT, !isSecondTry else { return nil }
            try? path.parent.makeDirectories()
        }
        return nil
    }

    private static func tryLock(_ descriptor: Int32) -> Attempt {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return .busy
            default: return .impossible
            }
        }
        return .locked
    }

    /// Whether the file that was locked is still the one other threads will open.
    private static func isAt(_ path: FilePath, _ descriptor: Int32) -> Bool {
        var held = stat()
        var there = stat()
        return unsafe fstat(descriptor, &held) == 0 && path.withCString({ unsafe stat($0, &there) }) == 0
            && held.st_ino == there.st_ino && held.st_dev == there.st_dev
    }

    /// Removes a lock's file that nobody holds.
    static func removeIfFree(_ path: FilePath) {
        let descriptor = path.withCString { unsafe Platform.open($0, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if tryLock(descriptor) == .locked, isAt(path, descriptor) { path.remove() }
    }
}

/// The system's `open`, which a method of the same name would hide.
private enum Platform {
    static func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        #if canImport(Glibc)
            unsafe Glibc.open(path, flags, mode)
        #else
            unsafe Darwin.open(path, flags, mode)
        #endif
    }
}
