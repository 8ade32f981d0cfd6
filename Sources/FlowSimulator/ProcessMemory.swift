internal import AttachmentPrep
internal import MediaCache

/// What a process takes of memory, as Linux tells in /proc.
struct ProcessMemory {
    /// Bytes resident now.
    let resident: Int
    /// Bytes resident at most so far.
    let peak: Int

    init?(of process: Int32) {
        guard let bytes = FilePath("/proc/\(process)/status").smallFile else { return nil }
        var found: [String: Int] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count == 3, words[2] == "kB", let count = Int(words[1]) {
                found[String(words[0])] = count * 1024
            }
        }
        guard let resident = found["VmRSS:"], let peak = found["VmHWM:"] else { return nil }
        self.resident = resident
        self.peak = peak
    }
}

extension FilePath {
    /// The whole of a file that says it is empty, as those of /proc do.
    fileprivate var smallFile: [UInt8]? { bytes(atMost: 65_536, followsLink: true) }
}
