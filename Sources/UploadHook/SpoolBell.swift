internal import AttachmentPrep

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Rings when a file comes into a folder, whichever process of this machine put it there.
///
/// Where the system cannot tell (another system, a network's folder, no more watches to be had) it never
/// rings, and whoever listens looks for himself after the wait.
struct SpoolBell: ~Copyable {
    private let descriptor: Int32

    init(_ folder: FilePath) {
        #if os(Linux)
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            let mask = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
            if descriptor >= 0 { _ = folder.withCString { unsafe inotify_add_watch(descriptor, $0, mask) } }
        #else
            descriptor = -1
        #endif
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits until something comes, or for so long.
    func rings(within milliseconds: Int32) -> Bool {
        guard descriptor >= 0 else {
            usleep(UInt32(milliseconds) * 1000)
            return false
        }
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wanted, 1, milliseconds) > 0 else { return false }
        // What came does not matter: who hears the bell looks at the folder.
        var events = [UInt8](repeating: 0, count: 4096)
        while unsafe read(descriptor, &events, events.count) > 0 {}
        return true
    }
}
