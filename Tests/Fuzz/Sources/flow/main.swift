internal import AttachmentPrep
internal import CFuzzer
internal import Glibc

// Any bytes through the whole flow, into a file without a name: they end in a result that keeps its promises, or in
// an error. libFuzzer notices crashes, hangs and what the address sanitizer says; the rest is checked here.

/// Where outputs are written, over and over.
let output: Int32 = {
    var name = Array("/tmp/attachprep-fuzz-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&name)
    unsafe unlink(name)
    return file
}()

/// A small number from the bytes, so that options vary and each input always has the same.
func choice(_ bytes: [UInt8]) -> UInt32 { bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 } }

func check(_ condition: Bool, _ promise: String) {
    if !condition { fatalError("broken promise: \(promise)") }
}

func prepare(_ bytes: [UInt8]) {
    let choice = choice(bytes)
    let profile = Profile(
        name: "fuzz", width: 40, height: 30, fit: choice & 1 == 0 ? .inside : .fill,
        maxBytes: choice & 2 == 0 ? 9000 : 1200)
    var options = PreparationOptions()
    options.allowsTruncated = choice & 4 == 0
    options.background = choice & 8 == 0 ? 0xFF_FFFF : 0x20_60C0
    options.effort = choice & 16 == 0 ? .fast : .default
    options.limits.pixels = 1_000_000
    options.limits.memory = 64_000_000
    options.limits.scans = 30
    ftruncate(output, 0)
    lseek(output, 0, SEEK_SET)
    let preparer = AttachmentPreparer(profile: profile, options: options)
    // A sixteenth of the inputs comes byte by byte, as slowly as an input can.
    let record =
        choice >> 8 & 15 == 0 && bytes.count < 5000
        ? pushed(bytes, preparer)
        : preparer.record(of: .bytes(bytes, name: "input"), into: .descriptor(output))
    judge(record, profile)
}

func pushed(_ bytes: [UInt8], _ preparer: AttachmentPreparer) -> PreparationRecord {
    var session = preparer.begin(into: .descriptor(output))
    for byte in bytes {
        do { try session.push([byte]) } catch { break }
    }
    return session.record()
}

func judge(_ record: PreparationRecord, _ profile: Profile) {
    let isMade = record.outcome == .prepared || record.outcome == .passedThrough
    check(isMade == (record.error == nil), "an error if, and only if, there is no output")
    let size = Int(lseek(output, 0, SEEK_END))
    guard isMade, let made = record.outputs.first else { return check(size == 0, "no output with an error") }
    check(made.bytes == size && size <= profile.maxBytes, "as large as it says, and within the budget")
    check((made.width ?? 0) > 0 && (made.width ?? 0) <= profile.width, "inside the box")
    check((made.height ?? 0) > 0 && (made.height ?? 0) <= profile.height, "inside the box")
    var ends = [UInt8](repeating: 0, count: 4)
    unsafe ends.withUnsafeMutableBytes { ends in
        _ = unsafe pread(output, ends.baseAddress, 2, 0)
        _ = unsafe pread(output, ends.baseAddress.map { unsafe $0 + 2 }, 2, off_t(size - 2))
    }
    check(ends == [0xFF, 0xD8, 0xFF, 0xD9], "a whole JPEG")
}

/// The bytes with each check sum of a PNG made right: a changed one ends the decoding before it has begun.
func repaired(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > 20, bytes[..<4] == [0x89, 0x50, 0x4E, 0x47] else { return bytes }
    var bytes = bytes
    var at = 8
    while at + 12 <= bytes.count {
        let length = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard at + 12 + length <= bytes.count else { break }
        let sum = ~bytes[(at + 4)..<(at + 8 + length)].reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
        for i in 0..<4 { bytes[at + 8 + length + i] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * i)) }
        at += 12 + length
    }
    return bytes
}

var count = CommandLine.argc
var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
    unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
        let bytes = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        prepare(bytes)
        let whole = repaired(bytes)
        if whole != bytes { prepare(whole) }
        return 0
    })
