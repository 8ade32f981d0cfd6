internal import AttachmentPrep
internal import CFuzzer
internal import Glibc

// The whole route of HEIC and AVIF on any bytes: an output within its budget or an error, never both, never neither.

let output = memfd_create("output", 0)

func prepare(_ bytes: [UInt8]) {
    let profile = Profile(name: "fuzz", width: 40, height: 30, fit: .inside, maxBytes: 9000)
    var options = PreparationOptions()
    // The last byte belongs to no box.
    options.allowsTruncated = (bytes.last ?? 0) & 1 == 1
    options.effort = .fast
    options.limits.pixels = 1_000_000
    options.limits.memory = 64_000_000
    options.limits.timeout = 10
    ftruncate(output, 0)
    lseek(output, 0, SEEK_SET)
    let record = AttachmentPreparer(profile: profile, options: options)
        .record(of: .bytes(bytes, name: "input"), into: .descriptor(output))
    let isMade = record.outcome == .prepared || record.outcome == .passedThrough
    precondition(isMade == (record.error == nil), "an error if, and only if, there is no output")
    let size = Int(lseek(output, 0, SEEK_END))
    precondition(isMade ? size > 0 && size <= profile.maxBytes : size == 0, "as large as may be")
}

var count = CommandLine.argc
var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
    unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
        prepare(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })
