internal import CFuzzer
internal import Glibc
internal import MediaContainers
internal import MediaTypes

// Any bytes through the rewriters of audio and video: what comes out does not depend on how the bytes came, is not
// much larger than they are, takes work in proportion to them, and passes again without a change.

/// An output in memory that counts what is done with it.
final class CountedOutput: MediaOutput {
    private(set) var bytes: [UInt8] = []
    private(set) var work = 0
    var size: Int { bytes.count }

    private func count(_ bytes: Int) throws(MediaError) {
        work += 16 + bytes
    }

    func append(_ more: Span<UInt8>) throws(MediaError) {
        try count(more.count)
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    func read(at offset: Int, count: Int) throws(MediaError) -> [UInt8] {
        check(offset >= 0 && count >= 0, "reads where there could be something")
        guard offset < size else { return [] }
        try self.count(min(count, size - offset))
        return Array(bytes[offset..<min(size, offset + count)])
    }

    func overwrite(at offset: Int, with more: Span<UInt8>) throws(MediaError) {
        check(offset >= 0 && offset + more.count <= size, "overwrites what is there")
        try count(more.count)
        for i in more.indices { bytes[offset + i] = more[i] }
    }

    func prepend(_ more: Span<UInt8>) throws(MediaError) {
        try count(more.count + size)
        bytes.insert(contentsOf: more.indices.map { more[$0] }, at: 0)
    }

    func truncate(to size: Int) throws(MediaError) {
        check(size >= 0, "cuts at a place there is")
        bytes.removeLast(max(0, self.size - size))
    }

    func expect(_ bytes: Int) throws(MediaError) {}

    func become(_ format: MediaFormat) throws(MediaError) {}
}

func check(_ condition: Bool, _ promise: String) {
    if !condition { fatalError("broken promise: \(promise)") }
}

func rewriter(_ format: MediaFormat) -> (any MediaRewriter)? {
    switch format {
    case .mp4, .m4v, .m4a, .mov, .threeGP: ISORewriter(format)
    case .avi: AVIRewriter()
    case .mp3, .aac: MPEGAudioRewriter()
    case .wav: WAVERewriter()
    case .aiff: AIFFRewriter(isAIFC: false)
    case .aifc: AIFFRewriter(isAIFC: true)
    case .caf: CAFRewriter()
    default: nil
    }
}

struct Result: Equatable {
    var media: RewrittenMedia?
    var error: MediaError?
    var bytes: [UInt8] = []
    var work = 0

    init(_ input: [UInt8], _ format: MediaFormat, inPiecesOf size: Int) {
        guard var rewriter = rewriter(format) else { return }
        let output = CountedOutput()
        do throws(MediaError) {
            for start in stride(from: 0, to: input.count, by: size) {
                try rewriter.push(input.span.extracting(start..<min(start + size, input.count)), into: output)
            }
            media = try rewriter.finish(into: output)
            bytes = output.bytes
        } catch {
            self.error = error
        }
        work = output.work
    }
}

func rewrite(_ input: [UInt8], as format: MediaFormat) {
    let whole = Result(input, format, inPiecesOf: 65_536)
    check(whole.work <= 64 * (input.count + 4096), "work in proportion to the input")
    let hash = input.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    let cut = Result(input, format, inPiecesOf: [1, 7, 1000][Int(hash % 3)])
    check(
        cut.media == whole.media && cut.error == whole.error && cut.bytes == whole.bytes,
        "the same in any pieces")
    guard let media = whole.media else { return }
    check(whole.bytes.count <= input.count * 2 + 4096, "not much larger than it was")
    let again = Result(whole.bytes, media.format, inPiecesOf: 65_536)
    check(
        again.bytes == whole.bytes && again.media?.hadMetadata == false, "nothing left to do the second time")
}

let formats: [MediaFormat] = [.mp4, .mov, .threeGP, .m4a, .avi, .mp3, .wav, .aiff, .aifc, .caf]

var count = CommandLine.argc
var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
    unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
        let bytes = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        var sniffer = MediaSniffer()
        sniffer.push(bytes.span)
        sniffer.finish()
        if let format = sniffer.format, rewriter(format) != nil {
            rewrite(bytes, as: format)
        } else if let first = bytes.first {
            // Damaged at the start: whoever asks for a rewriter still gets an answer.
            rewrite(bytes, as: formats[Int(first) % formats.count])
        }
        return 0
    })
