internal import AttachmentPrep
internal import MediaCache

/// What a process takes of memory, as Linux tells in /proc.
struct ProcessMemory {
    /// Bytes that were written to and belong to the process alone: what iOS counts against an extension's limit, where
    /// code and libraries, which can be read again, are free.
    let footprint: Int
    /// Bytes resident at most so far, code and libraries included.
    let peak: Int

    init?(of process: Int32) {
        guard let bytes = FilePath("/proc/\(process)/status").bytes(atMost: 65_536) else { return nil }
        var found: [String: Int] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count == 3, words[2] == "kB", let count = Int(words[1]) {
                found[String(words[0])] = count * 1024
            }
        }
        guard let anonymous = found["RssAnon:"], let peak = found["VmHWM:"] else { return nil }
        footprint = anonymous + (found["RssShmem:"] ?? 0) + (found["VmSwap:"] ?? 0)
        self.peak = peak
    }
}
