/// Walks the boxes of an ISO base media file in constant memory and notes what tells its variants apart.
///
/// Descends into `moov/trak/mdia/minf/stbl` (ISO/IEC 14496-12, 8.2 to 8.5) and `meta/iinf` (8.11) only and
/// skips everything else by its size, be it larger than four gigabytes.
struct ISOBoxWalk {
    /// What the boxes said so far.
    struct Findings {
        /// `moov` was read to its end.
        var hasMovie = false
        var hasSoundTrack = false
        /// A track of moving or still pictures.
        var hasPictureTrack = false
        /// A track is encrypted.
        var isProtected = false
        /// The codec of the first track of pictures.
        var pictureCodec: FourCC?
        /// `meta` was read to its end.
        var hasItems = false
        var primaryItem: UInt64?
        var primaryCodec: FourCC?
        /// The first item with a codec of its own: what a derived primary item (a grid) is made of.
        var firstItemCodec: FourCC?
    }

    enum Goal {
        /// The tracks of the movie, wherever it lies.
        case tracks
        /// The primary item or, in a file without items, the first track; given up behind `itemReach`.
        case items
    }

    /// Where a file's items have to be described; files in use have them at the start.
    static let itemReach: UInt64 = 1 << 20

    private(set) var findings = Findings()
    private(set) var isDone = false

    private struct Container {
        let type: FourCC
        let end: UInt64
    }

    let goal: Goal
    private var offset: UInt64 = 0
    private var skip: UInt64 = 0
    /// The open containers; nesting is bounded because each has one place.
    private var open: [Container] = []
    /// The field being read: a box header or the start of a leaf's content.
    private var field: [UInt8] = []
    private var fieldLength = 8
    /// The leaf whose content is being read; nil while it is a header.
    private var leaf: Container?
    private var handler: FourCC?

    init(_ goal: Goal) { self.goal = goal }

    mutating func push(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count, !isDone {
            if skip > 0 {
                let step = Int(min(skip, UInt64(bytes.count - index)))
                skip -= UInt64(step)
                offset += UInt64(step)
                index += step
            } else {
                field.append(bytes[index])
                index += 1
                offset += 1
                if field.count == fieldLength { takeField() }
            }
            if skip == 0 && field.isEmpty { closeContainers() }
        }
    }

    /// The input ends: a box of size 0 reaches exactly here.
    mutating func finish() {
        if !isDone, skip == 0, field.isEmpty {
            while let last = open.last, last.end == UInt64.max { close(last) }
        }
        isDone = true
    }

    private mutating func takeField() {
        let content = SniffWindow(bytes: field, isFinal: true)
        if let box = leaf {
            field.removeAll(keepingCapacity: true)
            leaf = nil
            fieldLength = 8
            skip = box.end - offset
            // The list of items: a count of two or four bytes, then the items' boxes.
            if box.type == "iinf" { return enter(box, skipping: content.byte(0) == 0 ? 2 : 4) }
            note(box.type, content)
        } else if fieldLength == 8, content.bigEndian(0, size: 4) == 1 {
            fieldLength = 16
        } else {
            field.removeAll(keepingCapacity: true)
            fieldLength = 8
            takeHeader(content)
        }
    }

    private mutating func takeHeader(_ header: SniffWindow) {
        guard let shortSize = header.bigEndian(0, size: 4), let type = header.code(4) else { return }
        let size = shortSize == 1 ? header.bigEndian(8, size: 8) ?? 0 : shortSize
        let limit = open.last?.end ?? UInt64.max
        let start = offset - UInt64(header.count)
        let (end, overflow) = size == 0 ? (limit, false) : start.addingReportingOverflow(size)
        let isTooFar = goal == .items && offset > Self.itemReach
        guard !overflow, end >= offset, end <= limit, !isTooFar else {
            isDone = true
            return
        }
        let box = Container(type: type, end: end)
        switch (open.last?.type, type) {
        case (nil, "moov"), ("trak", "mdia"), ("mdia", "minf"), ("minf", "stbl"): enter(box, skipping: 0)
        case ("moov", "trak"):
            handler = nil
            enter(box, skipping: 0)
        case (nil, "meta"): enter(box, skipping: 4)
        case ("meta", "iinf"): read(4, of: box)
        case ("mdia", "hdlr"): read(12, of: box)
        case ("meta", "pitm"): read(8, of: box)
        case ("iinf", "infe"): read(14, of: box)
        case ("stbl", "stsd"): read(16, of: box)
        default: skipToEnd(of: box)
        }
    }

    private mutating func enter(_ box: Container, skipping count: UInt64) {
        guard box.end - offset >= count else { return skipToEnd(of: box) }
        open.append(box)
        skip = count
    }

    private mutating func read(_ count: UInt64, of box: Container) {
        let available = min(count, box.end - offset)
        guard available > 0 else { return }
        leaf = box
        fieldLength = Int(available)
    }

    private mutating func skipToEnd(of box: Container) {
        skip = box.end - offset
        // Nothing comes behind a box without end, and nothing of interest behind the reach.
        if open.isEmpty && (box.end == UInt64.max || (goal == .items && box.end >= Self.itemReach)) {
            isDone = true
        }
    }

    /// Leaves the containers that end here, or have no room for another box.
    private mutating func closeContainers() {
        while let last = open.last, !isDone, leaf == nil {
            if offset == last.end {
                close(last)
            } else if last.end - offset < 8 {
                skip = last.end - offset
                return
            } else {
                return
            }
        }
    }

    private mutating func close(_ container: Container) {
        open.removeLast()
        switch container.type {
        case "moov":
            findings.hasMovie = true
            isDone = true
        case "meta" where goal == .items:
            findings.hasItems = true
            isDone = findings.primaryCodec != nil || findings.firstItemCodec != nil
        default: break
        }
    }

    private mutating func note(_ type: FourCC, _ content: SniffWindow) {
        switch type {
        case "hdlr":
            handler = content.code(8)
            if handler == "soun" { findings.hasSoundTrack = true }
            if handler == "vide" || handler == "pict" { findings.hasPictureTrack = true }
        case "stsd":
            guard let codec = content.code(12) else { return }
            if ["drms", "drmi", "enca", "encv"].contains(codec) { findings.isProtected = true }
            if (handler == "vide" || handler == "pict") && findings.pictureCodec == nil {
                findings.pictureCodec = codec
            }
        case "pitm":
            findings.primaryItem = content.bigEndian(4, size: content.byte(0) == 0 ? 2 : 4)
        case "infe": noteItem(content)
        default: break
        }
    }

    /// An item's description of version 2 or 3; earlier ones have no type.
    private mutating func noteItem(_ content: SniffWindow) {
        guard let version = content.byte(0), version >= 2 else { return }
        let idSize = version == 2 ? 2 : 4
        guard let item = content.bigEndian(4, size: idSize), let codec = content.code(4 + idSize + 2) else {
            return
        }
        if ISOBrands.isCodec(codec) && findings.firstItemCodec == nil { findings.firstItemCodec = codec }
        if item == findings.primaryItem { findings.primaryCodec = codec }
    }
}
