internal import AttachmentPrep

/// The sources of a batch in their order, with the name of each output.
///
/// Names lie in one array, folders are kept once, and only names that are exceptions are stored: a hundred
/// thousand sources take a few megabytes.
struct BatchListing: Sendable {
    struct Folder: Sendable {
        /// As it was typed, and what lies below: the record's `input` begins with it.
        var source: FilePath
        /// Without links: what the state knows it by.
        var absolute: FilePath
        /// Below the output folder; empty for the top.
        var output: String
    }

    private struct Entry: Sendable {
        var offset: Int
        var length: UInt16
        var folder: Int32
    }

    private(set) var folders: [Folder] = []
    private var entries: [Entry] = []
    private var names: [UInt8] = []
    private var exceptions: [Int: String] = [:]
    let naming: OutputNaming
    /// What was left alone.
    var skipped: [SkipReason: Int] = [:]
    /// Folders that could not be read.
    var unreadable: [(path: FilePath, error: SystemError)] = []

    init(naming: OutputNaming) { self.naming = naming }

    var count: Int { entries.count }

    func source(_ index: Int) -> FilePath { folder(index).source.appending(name(index)) }

    func absolute(_ index: Int) -> FilePath { folder(index).absolute.appending(name(index)) }

    /// The output's path below the output folder, without profile and extension.
    func stem(_ index: Int) -> String {
        OutputNaming.join(folder(index).output, exceptions[index] ?? naming.stem(of: name(index)))
    }

    func folder(_ index: Int) -> Folder { folders[Int(entries[index].folder)] }

    func name(_ index: Int) -> [UInt8] {
        let entry = entries[index]
        return Array(names[entry.offset..<(entry.offset + Int(entry.length))])
    }

    mutating func append(_ folder: Folder) -> Int {
        folders.append(folder)
        return folders.count - 1
    }

    mutating func append(_ name: [UInt8], in folder: Int) {
        entries.append(
            Entry(offset: names.count, length: UInt16(clamping: name.count), folder: Int32(folder)))
        names += name
    }

    mutating func skip(_ reason: SkipReason) { skipped[reason, default: 0] += 1 }

    /// Settles the names, once all sources are there.
    mutating func nameOutputs() {
        var outputs: Set<String> = []
        for folder in folders {
            // A listed `a/b/c.jpg` makes the folders `a/b` and `a`.
            var path = folder.output[...]
            while !path.isEmpty, outputs.insert(String(path)).inserted {
                path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
            }
        }
        exceptions = naming.exceptions(
            count: count, folder: { folder($0).output }, name: { name($0) }, folders: Array(outputs))
    }
}
