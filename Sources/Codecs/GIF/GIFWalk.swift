/// Walks the blocks of a GIF (GIF 89a, appendix A) while its bytes arrive, in constant memory.
struct GIFWalk {
    enum Event: Equatable {
        case needsInput
        /// The screen's size and table are known.
        case screen
        /// An extension begins.
        case `extension`(label: UInt8)
        /// An image begins: its place and table are known, its data follows.
        case image
        /// Data of the extension or image at these indices of the given bytes.
        case data(Range<Int>)
        /// The extension or image is over.
        case blockEnd
        /// The trailer was there.
        case end
        /// No block begins with this byte.
        case malformed(UInt8)
    }

    private enum Place {
        case head, screenTable, block, label, image, imageTable, codeSize, length, data, over
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var background = 0
    private(set) var frame = GIFFrame()
    /// The screen's colours and those of the current image alone, red, green and blue; empty where there are none.
    private(set) var screenTable: [UInt8] = []
    private(set) var imageTable: [UInt8] = []
    private var place = Place.head
    private var collected: [UInt8] = []
    /// Bytes of a table, or of a block of data, that are to come.
    private var missing = 0

    private static let headBytes = 13
    static let descriptorBytes = 9

    /// The next event at `at`, which moves on.
    mutating func next(_ bytes: Span<UInt8>, at: inout Int) -> Event {
        while true {
            switch place {
            case .head:
                guard collect(Self.headBytes, bytes, &at) else { return .needsInput }
                // As giflib asks for it, whatever the type was taken from.
                guard collected.starts(with: Array("GIF".utf8)) else {
                    place = .over
                    return .malformed(collected[0])
                }
                width = number(6)
                height = number(8)
                background = Int(collected[11])
                missing = Self.tableBytes(collected[10])
                collected = []
                place = .screenTable
            case .screenTable:
                guard collect(missing, bytes, &at) else { return .needsInput }
                screenTable = collected
                collected = []
                place = .block
                return .screen
            case .imageTable:
                guard collect(missing, bytes, &at) else { return .needsInput }
                imageTable = collected
                collected = []
                place = .codeSize
            case .image:
                guard collect(Self.descriptorBytes, bytes, &at) else { return .needsInput }
                frame = GIFFrame(
                    x: number(0), y: number(2), width: number(4), height: number(6),
                    isInterlaced: collected[8] & 64 != 0)
                missing = Self.tableBytes(collected[8])
                collected = []
                place = .imageTable
            case .length, .data: if let event = nextData(bytes, at: &at) { return event }
            case .over: return .end
            case .block, .label, .codeSize:
                guard at < bytes.count else { return .needsInput }
                at += 1
                if let event = take(bytes[at - 1]) { return event }
            }
        }
    }

    /// Whether the current image has pixels and lies inside the screen (GIF 89a, 20): beyond it browsers grow the
    /// canvas, other readers cut the image or refuse the file.
    var isFrameOnScreen: Bool {
        frame.width > 0 && frame.height > 0 && frame.x + frame.width <= width
            && frame.y + frame.height <= height
    }

    /// Whether the current image has colours, and codes of a size that can be read.
    var isFrameReadable: Bool {
        GIFPlan.codeSizes.contains(frame.codeSize) && !(imageTable.isEmpty && screenTable.isEmpty)
    }

    private mutating func take(_ byte: UInt8) -> Event? {
        switch place {
        case .label:
            place = .length
            return .extension(label: byte)
        case .codeSize:
            frame.codeSize = Int(byte)
            place = .length
            return .image
        default: break
        }
        switch byte {
        case 0x21: place = .label
        case 0x2C: place = .image
        case 0x3B: place = .over
        // Stray ends of data do no harm.
        case 0: break
        default: return .malformed(byte)
        }
        return nil
    }

    /// Reads on in the blocks of an extension or an image.
    private mutating func nextData(_ bytes: Span<UInt8>, at: inout Int) -> Event? {
        guard at < bytes.count else { return .needsInput }
        if place == .length {
            missing = Int(bytes[at])
            at += 1
            place = missing == 0 ? .block : .data
            return missing == 0 ? .blockEnd : nil
        }
        let range = at..<min(at + missing, bytes.count)
        at = range.upperBound
        missing -= range.count
        if missing == 0 { place = .length }
        return .data(range)
    }

    private mutating func collect(_ count: Int, _ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
        while collected.count < count, at < bytes.count {
            collected.append(bytes[at])
            at += 1
        }
        return collected.count == count
    }

    private func number(_ at: Int) -> Int { Int(collected[at]) | Int(collected[at + 1]) << 8 }

    /// Bytes of the table that a field of flags announces.
    private static func tableBytes(_ flags: UInt8) -> Int { flags & 128 == 0 ? 0 : 6 << Int(flags & 7) }
}

/// Where an image lies in its file.
struct GIFPlace {
    /// Offset of the byte that announces it.
    var image = 0
    /// Offset of the byte that says how many bits an index has; its codes follow.
    var indexBits = 0
}

/// An image's descriptor and the size of its codes.
struct GIFFrame: Equatable {
    var x = 0
    var y = 0
    var width = 0
    var height = 0
    var isInterlaced = false
    var codeSize = 0
}
