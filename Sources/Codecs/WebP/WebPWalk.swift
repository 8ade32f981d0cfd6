/// Walks the chunks of a WebP (RFC 9649) while its bytes arrive, in constant memory.
///
/// The frames of an animation are walked through as if theirs were chunks of the file: ANMF itself counts only with
/// the 16 bytes of its own. The sizes of chunks are believed, that of the file only as the end of what follows the
/// picture: writers that stream leave it wrong.
struct WebPWalk {
    enum Event: Equatable {
        case needsInput
        /// A chunk begins; its eight bytes of type and length lie in `lead`.
        case chunk(type: String)
        /// Data of the chunk at these indices of the given bytes.
        case data(Range<Int>)
        /// The chunk is over, its padding included.
        case chunkEnd
        /// The file is over by its own account, or what follows is no chunk.
        case end
        /// It cannot be a WebP.
        case malformed
    }

    private enum Place { case head, chunk, data, padding, chunkEnd, over }

    private(set) var lead: [UInt8] = []
    /// Length of the current chunk's data.
    private(set) var length = 0
    /// Bytes of the file that were used up.
    private(set) var position = 0
    /// Offset behind the file by its own account.
    private(set) var end = Int.max
    /// How many bytes of data an event may give.
    var most = Int.max
    private var place = Place.head
    private var missing = 0

    static let frameHeaderBytes = 16

    /// The next event at `at`, which moves on.
    mutating func next(_ bytes: Span<UInt8>, at: inout Int) -> Event {
        while true {
            switch place {
            case .head:
                guard collect(12, bytes, &at) else { return .needsInput }
                guard lead.starts(with: Array("RIFF".utf8)), lead[8...].elementsEqual("WEBP".utf8) else {
                    return .malformed
                }
                // 0 and the highest numbers are what writers leave that do not know.
                let size = Self.number(lead[4..<8])
                if size > 0, size < 0xFFFF_FFF0 { end = size + 8 }
                lead = []
                place = .chunk
            case .chunk:
                guard !lead.isEmpty || position < end else {
                    place = .over
                    continue
                }
                guard collect(8, bytes, &at) else { return .needsInput }
                let type = String(decoding: lead[..<4], as: UTF8.self)
                guard lead[..<4].allSatisfy({ $0 >= 32 && $0 < 127 }) else {
                    place = .over
                    continue
                }
                length = Self.number(lead[4...])
                missing = type == "ANMF" ? Self.frameHeaderBytes : length
                place = .data
                return .chunk(type: type)
            case .data:
                guard missing > 0 else {
                    place = .padding
                    continue
                }
                guard at < bytes.count else { return .needsInput }
                let range = at..<(at + min(missing, most, bytes.count - at))
                missing -= range.count
                position += range.count
                at = range.upperBound
                return .data(range)
            case .padding:
                if length & 1 == 1, !lead.starts(with: Array("ANMF".utf8)) {
                    guard at < bytes.count else { return .needsInput }
                    at += 1
                    position += 1
                }
                place = .chunkEnd
            case .chunkEnd:
                lead = []
                place = .chunk
                return .chunkEnd
            case .over: return .end
            }
        }
    }

    private mutating func collect(_ count: Int, _ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
        while lead.count < count, at < bytes.count {
            lead.append(bytes[at])
            at += 1
            position += 1
        }
        return lead.count == count
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
