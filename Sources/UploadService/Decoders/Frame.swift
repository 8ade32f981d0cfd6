/// A word between a service and one of its decoder processes: a kind, a length (four bytes, low first), a body.
struct Frame {
    enum Kind: UInt8 {
        // To the decoder.
        /// What to do, as JSON; a file's descriptor may come along.
        case job = 0x4A
        /// A piece of the input.
        case bytes = 0x42
        /// The input is whole.
        case end = 0x45
        // From the decoder.
        /// It has the job: what happens from now on is the input's doing.
        case accepted = 0x41
        /// It waits for leave to take so much memory (eight bytes, low first).
        case need = 0x4D
        /// More of the input would change nothing.
        case enough = 0x53
        /// The record, as JSON, of what the cache did not have.
        case made = 0x52
        /// The record, as JSON, of what the cache had, or of a failure.
        case known = 0x4B
    }

    let kind: Kind
    let body: [UInt8]

    static let headSize = 5
    /// Nothing that we say is longer.
    static let longestBody = 4 << 20

    static func head(_ kind: Kind, count: Int) -> [UInt8] {
        [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }

    static func number(_ bytes: some Collection<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    static func bytes(of number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// Takes a stream of bytes apart into frames.
struct FrameReader {
    private var bytes: [UInt8] = []
    /// Whether something came that is no frame.
    private(set) var isBroken = false

    mutating func push(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    mutating func next() -> Frame? {
        guard !isBroken, bytes.count >= Frame.headSize else { return nil }
        let count = Frame.number(bytes[1..<Frame.headSize])
        guard let kind = Frame.Kind(rawValue: bytes[0]), count <= Frame.longestBody else {
            isBroken = true
            return nil
        }
        guard bytes.count >= Frame.headSize + count else { return nil }
        let body = Array(bytes[Frame.headSize..<Frame.headSize + count])
        bytes.removeFirst(Frame.headSize + count)
        return Frame(kind: kind, body: body)
    }
}
