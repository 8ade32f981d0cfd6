internal import Glibc

/// Why the bench itself could not go on; a missed threshold is not an error but a row of the report.
struct BenchError: Error {
    let message: String
    init(_ message: String) { self.message = message }
}

func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

func makeFolder(_ path: String) throws(BenchError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
        made += part + "/"
        guard unsafe mkdir(made, 0o777) == 0 || errno == EEXIST else {
            throw BenchError("cannot make \(made)")
        }
    }
}

func rename(_ from: String, to: String) throws(BenchError) {
    guard unsafe Glibc.rename(from, to) == 0 else { throw BenchError("cannot rename \(from) to \(to)") }
}

/// A new empty file in TMPDIR or /tmp.
func temporaryFile() throws(BenchError) -> String {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/bench-XXXXXX".utf8CString)
    let file = unsafe template.withUnsafeMutableBufferPointer { buffer in
        unsafe buffer.baseAddress.map { unsafe mkstemp($0) } ?? -1
    }
    guard file >= 0 else { throw BenchError("cannot make a file in \(folder)") }
    close(file)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A small file as text.
func readText(_ path: String) throws(BenchError) -> String {
    String(decoding: try readBytes(path), as: UTF8.self)
}

/// All bytes of a file.
func readBytes(_ path: String) throws(BenchError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY)
    guard file >= 0 else { throw BenchError("cannot open \(path)") }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe piece.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw BenchError("cannot read \(path)") }
        if count == 0 { return bytes }
        bytes += piece[..<count]
    }
}

/// Makes a small file.
func writeFile(_ path: String, _ text: String) throws(BenchError) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    guard file >= 0 else { throw BenchError("cannot make \(path)") }
    write(text, to: file)
    close(file)
}

/// The files of a folder with one of these suffixes, sorted by name.
func files(in folder: String, suffixes: [String]) throws(BenchError) -> [String] {
    guard let directory = unsafe opendir(folder) else { throw BenchError("cannot open the folder \(folder)") }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
            unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        if suffixes.contains(where: { name.hasSuffix($0) }) { names.append("\(folder)/\(name)") }
    }
    return names.sorted()
}

/// Says on standard error what is being done.
func progress(_ text: String) { write(text + "\n", to: 2) }

func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
    }
}
