internal import MediaTypes

/// Cuts a file of chunks (EA IFF 85 and its kin) into their headers and contents, as its bytes come.
struct ChunkStream {
    enum Event {
        /// The bytes before the first chunk.
        case preamble([UInt8])
        /// A chunk begins; `size` is its header's word, below zero where CAF means "to the end of the file".
        case chunk(FourCC, size: Int)
        /// Bytes of the chunk, as a range of those pushed.
        case content(Range<Int>)
        /// The chunk has come whole.
        case end
    }

    /// How headers are written.
    enum Kind {
        /// Four bytes of size, the least significant first; contents padded to even.
        case riff
        /// Four bytes of size, the most significant first; contents padded to even.
        case iff
        /// Eight bytes of size, the most significant first; no padding.
        case caf
    }

    private enum State {
        case preamble(size: Int)
        case header
        /// nil: to the end of the file.
        case content(left: Int?)
        case padding
    }

    private let kind: Kind
    private var state: State
    private var field: [UInt8] = []
    private var hasPadding = false

    init(_ kind: Kind, preamble: Int) {
        self.kind = kind
        state = .preamble(size: preamble)
    }

    /// Whether nothing is missing if the input ends here.
    var isComplete: Bool {
        switch state {
        case .preamble: false
        case .header, .padding: true
        case .content(let left): left == nil
        }
    }

    /// Lets the chunk whose header was just read reach to the end of the file.
    mutating func extendToEnd() { state = .content(left: nil) }

    /// What the bytes from `index` on say next; nil when they are all used up.
    mutating func next(_ bytes: Span<UInt8>, _ index: inout Int) -> Event? {
        while true {
            switch state {
            case .preamble(let size):
                guard let field = read(size, bytes, &index) else { return nil }
                state = .header
                return .preamble(field)
            case .header:
                guard let field = read(kind == .caf ? 12 : 8, bytes, &index) else { return nil }
                return begin(field)
            case .content(let left):
                if left == 0 {
                    state = hasPadding ? .padding : .header
                    return .end
                }
                guard index < bytes.count else { return nil }
                let start = index
                index += min(left ?? .max, bytes.count - index)
                state = .content(left: left.map { $0 - (index - start) })
                return .content(start..<index)
            case .padding:
                guard index < bytes.count else { return nil }
                index += 1
                state = .header
            }
        }
    }

    private mutating func begin(_ field: [UInt8]) -> Event {
        let size =
            switch kind {
            case .riff: Bytes.littleEndian(field, at: 4, size: 4)
            case .iff: Bytes.bigEndian(field, at: 4, size: 4)
            case .caf: Bytes.bigEndian(field, at: 4, size: 8)
            }
        hasPadding = kind != .caf && size & 1 == 1
        state = .content(left: size < 0 ? nil : size)
        return .chunk(FourCC(UInt32(Bytes.bigEndian(field, at: 0, size: 4))), size: size)
    }

    private mutating func read(_ count: Int, _ bytes: Span<UInt8>, _ index: inout Int) -> [UInt8]? {
        while index < bytes.count, field.count < count {
            field.append(bytes[index])
            index += 1
        }
        guard field.count == count else { return nil }
        defer { field.removeAll(keepingCapacity: true) }
        return field
    }
}

extension FourCC {
    /// Whether it could name a chunk: printable ASCII.
    var isPrintable: Bool { bytes.allSatisfy { (0x20...0x7E).contains($0) } }
}
