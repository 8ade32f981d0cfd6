import MediaContainers
import MediaTypes

/// An output in memory.
final class MemoryOutput: MediaOutput {
    var bytes: [UInt8] = []
    /// Bytes moved, and some for each call.
    private(set) var work = 0
    var size: Int { bytes.count }

    func append(_ more: Span<UInt8>) throws(MediaError) {
        work += 16 + more.count
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    func read(at offset: Int, count: Int) throws(MediaError) -> [UInt8] {
        work += 16 + count
        guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
        return Array(bytes[offset..<min(bytes.count, offset + count)])
    }

    func overwrite(at offset: Int, with more: Span<UInt8>) throws(MediaError) {
        work += 16 + more.count
        for i in more.indices { bytes[offset + i] = more[i] }
    }

    func prepend(_ more: Span<UInt8>) throws(MediaError) {
        bytes.insert(contentsOf: more.indices.map { more[$0] }, at: 0)
    }

    func truncate(to size: Int) throws(MediaError) { bytes.removeLast(max(0, bytes.count - size)) }

    func expect(_ bytes: Int) throws(MediaError) {}

    func become(_ format: MediaFormat) throws(MediaError) {}
}

/// What a rewriter made of a file.
struct Rewritten: Equatable {
    /// Bytes it moved to make it.
    private(set) var work = 0
    var media: RewrittenMedia?
    var bytes: [UInt8] = []
    var error: MediaError?

    /// Pushes a file in pieces of a size.
    init(_ input: [UInt8], _ rewriter: any MediaRewriter, inPiecesOf size: Int = 65_536) {
        var rewriter = rewriter
        let output = MemoryOutput()
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

    static func == (a: Self, b: Self) -> Bool {
        a.media == b.media && a.bytes == b.bytes && a.error == b.error
    }

    /// The same for every size of the pieces, or nil.
    static func inAnyPieces(_ input: [UInt8], _ rewriter: any MediaRewriter) -> Rewritten? {
        let whole = Rewritten(input, rewriter)
        for size in [1, 7, 1000] where Rewritten(input, rewriter, inPiecesOf: size) != whole { return nil }
        return whole
    }
}
