/// Whether the frames of an animated PNG are such as their chunks announce, without decoding them
/// (PNG, third edition, 11.3.6).
///
/// Readers refuse an animation, or stop it, where a number is missing, a frame leaves the canvas or has no data.
struct APNGFrames {
    private var canvas = (width: UInt64(0), height: UInt64(0))
    private var announced: UInt64?
    private var controls: UInt64 = 0
    private var nextNumber: UInt64 = 0
    private var hasImage = false
    /// Of the latest control chunk.
    private var hasData = true
    private var isBroken = false

    private var type: [UInt8] = []
    private var length = 0
    /// The first bytes of the chunk, as many as a control chunk has.
    private var data: [UInt8] = []
    private static let controlBytes = 26

    /// Whether what has come is an animation of the frames that it announced.
    var areWhole: Bool { !isBroken && hasData && controls > 0 && announced == controls }

    mutating func begin(_ type: [UInt8], length: Int) {
        self.type = type
        self.length = length
        data = []
    }

    mutating func take(_ bytes: Span<UInt8>) {
        for i in bytes.indices where data.count < min(length, Self.controlBytes) { data.append(bytes[i]) }
    }

    mutating func end() {
        if !isAsAnnounced() { isBroken = true }
    }

    private mutating func isAsAnnounced() -> Bool {
        switch String(decoding: type, as: UTF8.self) {
        case "IHDR":
            canvas = (number(0), number(4))
        case "acTL":
            guard length == 8, announced == nil, number(0) > 0 else { return false }
            announced = number(0)
        case "fcTL":
            return control()
        case "IDAT":
            hasImage = true
            if controls == 1 { hasData = true }
        case "fdAT":
            guard length > 4, controls > 0, hasImage else { return false }
            hasData = true
            return isNext()
        default: break
        }
        return true
    }

    private mutating func control() -> Bool {
        guard length == Self.controlBytes, isNext(), hasData else { return false }
        let (width, height, x, y) = (number(4), number(8), number(12), number(16))
        let isWhole = width == canvas.width && height == canvas.height
        // The image itself, where it is a frame, fills the canvas.
        guard hasImage || controls == 0 && isWhole else { return false }
        controls += 1
        hasData = false
        return width > 0 && height > 0 && x + width <= canvas.width && y + height <= canvas.height
            && data[24] <= 2 && data[25] <= 1
    }

    /// Control chunks and those with data are numbered together.
    private mutating func isNext() -> Bool {
        guard number(0) == nextNumber else { return false }
        nextNumber += 1
        return true
    }

    private func number(_ at: Int) -> UInt64 {
        guard at + 4 <= data.count else { return 0 }
        return data[at..<(at + 4)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
