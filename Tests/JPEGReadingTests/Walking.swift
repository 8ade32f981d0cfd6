import JPEGCore

/// What a marker walk gave, with neighbouring pieces of entropy-coded data joined.
struct Walked: Equatable {
    enum Item: Equatable {
        case segment(UInt8, [UInt8])
        case entropy([UInt8])
    }

    var items: [Item] = []
    /// Bytes used up to the end of the picture; nil when it did not come.
    var consumed: Int?
    var sawExtraneousBytes = false

    /// Walks bytes in the given pieces, all at once if nil.
    init(_ bytes: [UInt8], in ranges: [Range<Int>]? = nil) {
        var walk = JPEGMarkerWalk()
        for range in ranges ?? [0..<bytes.count] where consumed == nil {
            step(&walk, bytes.span.extracting(range), offset: range.lowerBound)
        }
        sawExtraneousBytes = walk.sawExtraneousBytes
    }

    private mutating func step(_ walk: inout JPEGMarkerWalk, _ piece: Span<UInt8>, offset: Int) {
        var at = 0
        while true {
            switch walk.next(piece, at: &at) {
            case .needsInput: return
            case .segment(let marker): items.append(.segment(marker, walk.segment))
            case .entropy(let range): join(range.map { piece[$0] })
            case .splitEntropy: join(walk.segment)
            case .endOfImage:
                consumed = offset + at
                return
            }
        }
    }

    private mutating func join(_ more: [UInt8]) {
        if case .entropy(let before) = items.last {
            items[items.count - 1] = .entropy(before + more)
        } else {
            items.append(.entropy(more))
        }
    }
}

/// Bytes written in hexadecimal; spaces may stand anywhere.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// A marker segment with its length.
func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    let length = body.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + body
}

func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
