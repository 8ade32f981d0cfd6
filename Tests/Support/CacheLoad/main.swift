// Fills a cache with small attachments and says what a write and a look-up cost as it grows.
//
// usage: cache-load DIR ENTRIES. Run by Tests/Peers/run cache; DIR must not exist.

import AttachmentPrep
import Glibc
import MediaCache
import MediaTypes

/// What is put in: the smallest files that pass for JPEGs, as only names and numbers matter here.
let picture: [UInt8] = [0xFF, 0xD8] + [UInt8](repeating: 0, count: 200) + [0xFF, 0xD9]

/// A line at once, also into a pipe.
func say(_ line: String) { try? writeAll(Array((line + "\n").utf8).span, to: 1) }

func microseconds(_ duration: Duration, each count: Int) -> Double {
    duration / .microseconds(1) / Double(count)
}

func name(_ number: Int) throws(PrepError) -> String {
    ContentDigest.hex(try ContentDigest.sha256("entry \(number)".utf8))
}

func insert(_ number: Int, into cache: AttachmentCache) throws(PrepError) {
    let name = try name(number)
    let path = cache.folder.media.appending("\(name.prefix(2))/\(name).jpg")
    do throws(SystemError) {
        try path.parent.makeDirectories()
        try path.replace(with: picture.span, synchronizes: false)
    } catch {
        throw error.error(.output, "cannot write")
    }
    var record = PreparationRecord(input: "", outcome: .prepared)
    record.outputs = [.init(profile: "apns", outcome: .prepared)]
    record.outputs[0].path = path.display
    record.outputs[0].format = .jpeg
    record.outputs[0].bytes = picture.count
    record.source = .init(format: .jpeg)
    try cache.keep(record)
}

func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

/// Inserts and finds entries in ten parts; the cost of both in each.
func fill(_ cache: AttachmentCache, _ entries: Int) throws(PrepError) -> [(insert: Double, find: Double)] {
    var costs: [(insert: Double, find: Double)] = []
    let clock = ContinuousClock()
    for part in 0..<10 {
        let numbers = part * entries / 10..<(part + 1) * entries / 10
        let begin = clock.now
        for number in numbers { try insert(number, into: cache) }
        let inserted = clock.now
        let sample = 2000
        for index in 0..<sample {
            let number = index &* 7919 % numbers.upperBound
            guard cache.record(named: try name(number)) != nil else {
                throw PrepError(.io, .output, "entry \(number) is not there")
            }
        }
        let cost = (
            insert: microseconds(inserted - begin, each: numbers.count),
            find: microseconds(clock.now - inserted, each: sample)
        )
        costs.append(cost)
        say(
            "| \(pad("\(numbers.upperBound)", 9)) | \(pad(tenths(cost.insert), 9)) | \(pad(tenths(cost.find), 9)) |"
        )
    }
    return costs
}

/// Inserts into a cache that is full, so that each write is somebody's eviction; the cost, and the longest write.
func overfill(_ cache: AttachmentCache, from first: Int, _ count: Int) throws(PrepError) {
    let clock = ContinuousClock()
    var longest = Duration.zero
    let begin = clock.now
    for number in first..<first + count {
        let start = clock.now
        try insert(number, into: cache)
        longest = max(longest, clock.now - start)
    }
    let mean = microseconds(clock.now - begin, each: count)
    let found = cache.statistics()
    say(
        "full at \(found.limitBytes) bytes: \(tenths(mean)) µs a write, longest \(tenths(longest / .milliseconds(1))) ms; "
            + "\(found.attachments) attachments, \(found.bytes) bytes on the disk")
    guard found.bytes <= found.limitBytes / 10 * 11 + 256 * 8192 else {
        throw PrepError(.io, .output, "over the limit by more than a tenth")
    }
}

func run() throws(PrepError) {
    guard CommandLine.arguments.count == 3, let entries = Int(CommandLine.arguments[2]), entries >= 1000
    else {
        throw PrepError(.io, .input, "usage: cache-load DIR ENTRIES")
    }
    let path = CommandLine.arguments[1]
    say("|   entries | insert µs |   find µs |\n|---|---|---|")
    let costs = try fill(
        try AttachmentCache(path, limits: .init(bytes: 1 << 50), synchronizes: false), entries)
    // Half of what is there: the first writes to each part have much to drop.
    let half = try AttachmentCache(path, limits: .init(bytes: entries * 8192 / 2), synchronizes: false)
    try overfill(half, from: entries, entries / 10)
    let middle = costs.map(\.insert).sorted()[5]
    let last = costs.suffix(3).map(\.insert).max() ?? 0
    guard last <= 2 * middle else { throw PrepError(.io, .output, "writes became slower as the cache grew") }
}

do throws(PrepError) {
    try run()
} catch {
    say("failed: \(error.message)")
    exit(1)
}
