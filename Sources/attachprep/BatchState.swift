internal import AttachmentPrep

/// What a batch remembers of a source it has finished, so that the next run need not read it.
struct StateEntry: Equatable, Sendable {
    /// The source, absolute.
    var path: FilePath
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64
    /// Hash of `Settings.recipe`.
    var recipe: String
    var outputs: [Output]

    struct Output: Equatable, Sendable {
        var profile: String
        /// Below the output folder.
        var name: String
        var format: String
        var bytes: Int
        var width: Int
        var height: Int
    }

    /// One line: fields between tabs, behind a checksum that a torn line does not have.
    var line: [UInt8] {
        var fields =
            [String(size), String(modified), recipe].map { Array($0.utf8) } + [Self.escaped(path.bytes)]
        for output in outputs {
            fields += [output.profile, output.format].map { Array($0.utf8) }
            fields += [output.bytes, output.width, output.height].map { Array(String($0).utf8) }
            fields.append(Self.escaped(output.name.utf8))
        }
        let body = Array(fields.joined(separator: [Self.tab]))
        return Array(FNV1a.hex(body).utf8) + [Self.tab] + body + [UInt8(ascii: "\n")]
    }

    /// The entry of a line without its line feed; nil for a torn or foreign one.
    init?(line: ArraySlice<UInt8>) {
        guard let body = Self.body(of: line) else { return nil }
        let fields = body.split(separator: Self.tab, omittingEmptySubsequences: false)
        guard fields.count >= 4, (fields.count - 4) % 6 == 0 else { return nil }
        let text = fields.map { String(decoding: $0, as: UTF8.self) }
        guard let size = Int(text[0]), let modified = Int64(text[1]) else { return nil }
        var outputs: [Output] = []
        for i in stride(from: 4, to: fields.count, by: 6) {
            guard let bytes = Int(text[i + 2]), let width = Int(text[i + 3]), let height = Int(text[i + 4])
            else {
                return nil
            }
            let name = String(decoding: Self.unescaped(fields[i + 5]), as: UTF8.self)
            outputs.append(
                Output(
                    profile: text[i], name: name, format: text[i + 1], bytes: bytes, width: width,
                    height: height))
        }
        self.init(
            path: FilePath(bytes: Self.unescaped(fields[3])), size: size, modified: modified, recipe: text[2],
            outputs: outputs)
    }

    init(path: FilePath, size: Int, modified: Int64, recipe: String, outputs: [Output]) {
        self.path = path
        self.size = size
        self.modified = modified
        self.recipe = recipe
        self.outputs = outputs
    }

    /// A key for the line's path, cheap enough to be made for every line there is; nil for a torn line.
    static func key(ofLine line: ArraySlice<UInt8>) -> UInt64? {
        guard let body = body(of: line) else { return nil }
        let fields = body.split(separator: tab, maxSplits: 4, omittingEmptySubsequences: false)
        return fields.count >= 4 ? FNV1a.hash(fields[3]) : nil
    }

    static func key(of path: FilePath) -> UInt64 { FNV1a.hash(escaped(path.bytes)) }

    private static let tab = UInt8(ascii: "\t")

    private static func body(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard line.count > 17, line[line.startIndex + 16] == tab else { return nil }
        let body = line.dropFirst(17)
        return line.prefix(16).elementsEqual(FNV1a.hex(body).utf8) ? body : nil
    }

    private static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if byte < 0x20 || byte == UInt8(ascii: "%") {
                let digits = String(byte, radix: 16)
                result += Array(("%" + (digits.utf8.count < 2 ? "0" : "") + digits).utf8)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

/// The names of what a batch keeps in its output folder.
enum BatchState {
    /// The only extra folder in an output tree.
    static let folderName = ".attachprep"

    /// Each shard has a file of its own, so that shards can run at once.
    static func fileName(_ shard: Shard?) -> String {
        shard.map { "state-\($0.index)-of-\($0.count)" } ?? "state"
    }
}
