internal import MediaTypes

/// A box of an ISO base media file, or an atom of QuickTime: where it lies in the output.
struct Box: Hashable {
    let type: FourCC
    let start: Int
    let headerSize: Int
    let end: Int

    var content: Int { start + headerSize }
    var contentSize: Int { end - content }
}

/// Finds the boxes of the output, one level at a time: how deep they nest is for the caller to say.
struct BoxReader {
    let output: any MediaOutput
    /// Boxes that may still be looked at: a film of an hour in fragments has some thousands.
    private var allowance = 200_000

    init(_ output: any MediaOutput) { self.output = output }

    /// What stands where a box is expected.
    enum Found {
        case box(Box)
        /// A box whose size leads beyond its place.
        case cut(FourCC)
        /// Nothing that could be a box.
        case junk
    }

    /// Looks at what begins at `start` in a place that ends at `end`.
    mutating func look(at start: Int, before end: Int) throws(MediaError) -> Found {
        allowance -= 1
        guard allowance > 0 else {
            throw MediaError(.unsupportedVariant, "more boxes than a film or a song needs")
        }
        let head = try output.read(at: start, count: min(16, end - start))
        guard head.count >= 8 else { return .junk }
        let type = FourCC(UInt32(Bytes.bigEndian(head, at: 4, size: 4)))
        var size = Bytes.bigEndian(head, at: 0, size: 4)
        var headerSize = 8
        if size == 1 {
            guard head.count == 16, head[8] < 0x80 else { return .junk }
            size = Bytes.bigEndian(head, at: 8, size: 8)
            headerSize = 16
        }
        if size == 0 { size = type.value == 0 ? -1 : end - start }
        guard size >= headerSize else { return .junk }
        guard size <= end - start else { return .cut(type) }
        return .box(Box(type: type, start: start, headerSize: headerSize, end: start + size))
    }

    /// The boxes in a container, behind `skip` bytes of its content.
    ///
    /// - Parameter limit: more boxes than that are refused, so that they can be kept.
    mutating func children(
        of parent: Box, skip: Int = 0, limit: Int = 4096
    ) throws(MediaError) -> [Box] {
        var boxes: [Box] = []
        var offset = parent.content + skip
        // QuickTime ends some lists with four zero bytes.
        while parent.end - offset >= 8 {
            switch try look(at: offset, before: parent.end) {
            case .box(let box):
                boxes.append(box)
                offset = box.end
            case .cut(let type): throw MediaError(.corrupt, "\(type) leaves \(parent.type)")
            case .junk:
                let rest = try output.read(at: offset, count: min(64, parent.end - offset))
                guard rest.allSatisfy({ $0 == 0 }) else {
                    throw MediaError(.corrupt, "\(parent.type) holds something that is no box")
                }
                return boxes
            }
            guard boxes.count <= limit else {
                throw MediaError(.unsupportedVariant, "\(parent.type) holds more than \(limit) boxes")
            }
        }
        return boxes
    }
}

extension MediaOutput {
    /// Makes a box one that nobody reads, of the same size, its content gone.
    func neutralise(_ box: Box) throws(MediaError) {
        try overwrite(at: box.start + 4, with: FourCC("free").bytes)
        try clear(at: box.content, count: box.contentSize)
    }

    /// The content of a box, or its first bytes.
    func content(of box: Box, limit: Int = .max) throws(MediaError) -> [UInt8] {
        try read(at: box.content, count: min(box.contentSize, limit))
    }

    /// A number in a box, which must be there.
    func number(in box: Box, at offset: Int, size: Int) throws(MediaError) -> Int {
        guard offset + size <= box.contentSize else {
            throw MediaError(.corrupt, "\(box.type) is too short")
        }
        return Bytes.bigEndian(try read(at: box.content + offset, count: size))
    }

    /// Replaces bytes of a box's content as far as it reaches.
    func overwrite(_ box: Box, at offset: Int, with bytes: [UInt8]) throws(MediaError) {
        let room = max(0, box.contentSize - offset)
        try overwrite(at: box.content + offset, with: Array(bytes.prefix(room)))
    }
}
