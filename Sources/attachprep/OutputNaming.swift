internal import AttachmentPrep

/// Chooses output names: pure rules on names, no file is looked at.
///
/// An output is `<stem>.<ext>`, with several profiles `<stem>-<profile>.<ext>`; the stem is the input's name
/// without its suffix. Inputs that would share a name, compared without case, all keep their suffix
/// (`IMG_1.heic`, `IMG_1.png`); those that are still equal get `~2`, `~3`, in the order of the listing.
struct OutputNaming: Sendable {
    /// What may follow a stem, with the longest extension there is: `.aiff`, or `-huawei.aiff`.
    private let tails: [String]
    private let longestStem: Int

    /// The longest name a file system takes, in bytes.
    private static let longestName = 255
    private static let longestExtension = 5

    init(profiles: [String]) {
        tails = profiles.count > 1 ? profiles.map { "-" + $0 } : [""]
        longestStem = Self.longestName - Self.longestExtension - (tails.map(\.utf8.count).max() ?? 0)
    }

    /// The names of `count` sources that differ from `stem(of:)`, by index.
    ///
    /// Only exceptions are returned, and comparison is by hash, so a long listing costs a word an entry.
    ///
    /// - Parameters:
    ///   - folder: the output folder of a source, safe, without a slash at its end; empty for the top.
    ///   - name: the source's own name.
    ///   - folders: every output folder there will be: a file cannot have the name of one.
    func exceptions(
        count: Int, folder: (Int) -> String, name: (Int) -> [UInt8], folders: [String] = []
    ) -> [Int: String] {
        let folderKeys = Set(folders.map { Self.key($0) })
        let keys = (0..<count).map { Self.key(Self.join(folder($0), stem(of: name($0)))) }
        var contested = Self.repeated(in: keys)
        if !folderKeys.isEmpty {
            for i in 0..<count where isFolder(stem(of: name(i)), in: folder(i), folderKeys) {
                contested.insert(i)
            }
        }
        if contested.isEmpty { return [:] }

        // A name that keeps its suffix may be the plain name of another: `IMG_1.heic` and `IMG_1.heic.png`.
        func full(_ i: Int) -> String { cut(Self.parts(of: name(i)).full) }
        var fresh = contested
        while !fresh.isEmpty {
            let wanted = Set(fresh.map { Self.key(Self.join(folder($0), full($0))) })
            fresh = Set((0..<count).filter { !contested.contains($0) && wanted.contains(keys[$0]) })
            contested.formUnion(fresh)
        }

        var taken = Set((0..<count).filter { !contested.contains($0) }.map { keys[$0] })
        var names: [Int: String] = [:]
        var late: [Int] = []
        for i in contested.sorted() {
            let name = full(i)
            if !isFolder(name, in: folder(i), folderKeys),
                taken.insert(Self.key(Self.join(folder(i), name))).inserted
            {
                names[i] = name
            } else {
                late.append(i)
            }
        }
        for i in late {
            let whole = Self.parts(of: name(i)).full
            var number = 2
            var candidate = cut(whole + "~2")
            while isFolder(candidate, in: folder(i), folderKeys)
                || !taken.insert(Self.key(Self.join(folder(i), candidate))).inserted
            {
                number += 1
                candidate = cut(whole + "~\(number)")
            }
            names[i] = candidate
        }
        return names
    }

    /// The stem a source has if nobody else wants it.
    func stem(of name: some Sequence<UInt8>) -> String { cut(Self.parts(of: Array(name)).stem) }

    /// The stem of a source whose neighbours are not known: its whole name.
    func wholeStem(of name: some Sequence<UInt8>) -> String { cut(Self.safe(Array(name))) }

    /// `IMG_1-thumb.jpg`: the output's name, for a profile out of several or the only one.
    func fileName(stem: String, profile: String, extension suffix: String) -> String {
        tails.count > 1 ? "\(stem)-\(profile).\(suffix)" : "\(stem).\(suffix)"
    }

    private func isFolder(_ stem: String, in folder: String, _ folders: Set<Int>) -> Bool {
        !folders.isEmpty
            && tails.contains { folders.contains(Self.key(Self.join(folder, stem + $0 + ".jpg"))) }
    }

    /// Cuts what is too long at a character, and lets 8 hex digits of its hash tell it from others.
    private func cut(_ stem: String) -> String { Self.cut(stem, to: longestStem) }

    private static func cut(_ text: String, to limit: Int) -> String {
        if text.utf8.count <= limit { return text }
        var short = ""
        var room = limit - 9
        for character in text {
            room -= character.utf8.count
            if room < 0 { break }
            short.append(character)
        }
        return short + "-" + FNV1a.hex(text.utf8, digits: 8)
    }
}

extension OutputNaming {
    static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : folder + "/" + name
    }

    /// A path as the output tree has it: no way up, nothing absolute, nothing a name must not hold.
    static func safeFolder(_ path: some Sequence<UInt8>) -> String {
        Array(path).split(separator: UInt8(ascii: "/"))
            .filter { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
            .map { cut(safe($0), to: longestName) }.joined(separator: "/")
    }

    /// A name that is UTF-8, visible, and neither `.`, `..` nor the folder where a batch keeps its state.
    static func safe(_ name: some Sequence<UInt8>) -> String {
        var text = String(decoding: Array(name), as: UTF8.self)
        if text.unicodeScalars.contains(where: { Display.isUnsafe($0) || $0 == "/" }) {
            text = String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map { Display.isUnsafe($0) || $0 == "/" ? "_" : $0 }))
        }
        if text.isEmpty { return "_" }
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) { return text.map { _ in "_" }.joined() }
        if fold(text) == BatchState.folderName { return "_" + text.dropFirst() }
        return text
    }

    /// A name without its suffix, and with it.
    ///
    /// A suffix is a dot and one to eight letters and digits, at least one a letter: `10.30` keeps its end.
    static func parts(of name: [UInt8]) -> (stem: String, full: String) {
        let full = safe(name)
        let utf8 = full.utf8
        guard let dot = utf8.lastIndex(of: UInt8(ascii: ".")), dot > utf8.startIndex else {
            return (full, full)
        }
        let suffix = utf8[utf8.index(after: dot)...]
        let isDigit = { (byte: UInt8) -> Bool in (0x30...0x39).contains(byte) }
        let isLetter = { (byte: UInt8) -> Bool in (0x61...0x7A).contains(byte | 0x20) }
        guard (1...8).contains(suffix.count), suffix.allSatisfy({ isDigit($0) || isLetter($0) }),
            suffix.contains(where: isLetter)
        else { return (full, full) }
        // What is left may be a way up: `...jpg` is `..` and a suffix.
        return (safe(utf8[..<dot]), full)
    }

    /// The form in which two names are the same file to a file system that does not care for case.
    ///
    /// Upper case first, so that ß and ss, ſ and s meet; strings compare by canonical equivalence by themselves.
    static func fold(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.lowercased() : text.uppercased().lowercased()
    }

    private static func key(_ path: String) -> Int { fold(path).hashValue }

    /// Indices of the keys that occur more than once.
    private static func repeated(in keys: [Int]) -> Set<Int> {
        let sorted = keys.sorted()
        let twice = Set(zip(sorted, sorted.dropFirst()).filter { $0 == $1 }.map(\.0))
        return twice.isEmpty ? [] : Set(keys.indices.filter { twice.contains(keys[$0]) })
    }
}
