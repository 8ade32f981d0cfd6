#if HEIF
    internal import JPEGCore
    internal import MediaTypes

    /// What a HEIF file says of its items (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12), read in bounded memory.
    ///
    /// Nothing is believed: every count is bounded before room is made for it, and what boxes say of each other
    /// is looked up, never followed blindly.
    struct HEIFContainer {
        struct Item: Equatable {
            let type: FourCC
            let isProtected: Bool
        }

        /// Where an item's bytes are said to be.
        struct Location: Equatable {
            /// 0: offsets in the file; 1: in the `idat` box; 2: in another item.
            let method: Int
            let isElsewhere: Bool
            let parts: [Part]

            struct Part: Equatable {
                let offset: Int
                /// 0: all that follows.
                let length: Int
            }
        }

        /// A property of an item, by its index in `properties`.
        struct Association: Equatable {
            let index: Int
            let isEssential: Bool
        }

        struct Reference: Equatable {
            let type: FourCC
            let from: Int
            let to: [Int]
        }

        var primary: Int?
        var items: [Int: Item] = [:]
        var locations: [Int: Location] = [:]
        var properties: [HEIFProperty] = []
        var associations: [Int: [Association]] = [:]
        var references: [Reference] = []
        /// The content of `idat`, in the file.
        var itemData = 0..<0
        /// The first movie, for pictures that are a track's.
        var movie: Range<Int>?
        /// Offset behind the last box.
        private(set) var end = 0

        /// Boxes side by side in a file: a handful in any real one.
        private static let mostBoxes = 10_000
        /// Bytes that describe items: 20 kB in a picture of 192 tiles.
        private static let mostBytes = 1 << 20
        /// Items, properties or references of one file: a picture of 256 megapixels in tiles of 512 has 1100.
        static let most = 16_384

        /// Reads the boxes of a whole file.
        ///
        /// - Throws: `.truncated` where the description is not whole, `.corrupt` where it cannot be right.
        init(_ file: HEIFFile, shouldStop: () -> Bool) throws(CodecError) {
            var hasItems = false
            var boxes = 0
            var position = 0
            while let box = try Self.header(file, position, limit: file.size) {
                boxes += 1
                guard boxes <= Self.mostBoxes else { throw CodecError(.corrupt, "too many boxes") }
                if shouldStop() { throw CodecError(.stopped, "stopped") }
                let isOver = box.end > file.size
                let isNeeded = ["meta", "moov", "ftyp"].contains(box.type)
                if isOver, isNeeded || !hasItems && movie == nil {
                    throw CodecError(.truncated, "the bytes end within a box")
                }
                // What follows the last box may be anything; a cut `mdat` is noticed by what lies in it.
                if isOver, box.type != "mdat" { break }
                position = min(box.end, file.size)
                end = position
                if box.type == "meta", !hasItems {
                    hasItems = true
                    try readItems(file, box.content..<box.end, shouldStop)
                } else if box.type == "moov", movie == nil {
                    movie = box.content..<box.end
                }
            }
            guard hasItems || movie != nil else {
                guard file.size - position < 8 else { throw CodecError(.corrupt, "what follows is no box") }
                throw CodecError(.truncated, "the bytes end before a picture is described")
            }
        }

        /// A box's type, where its content starts and where it ends; nil where no header is left or none can be.
        private static func header(
            _ file: HEIFFile, _ start: Int, limit: Int
        ) throws(CodecError) -> (type: FourCC, content: Int, end: Int)? {
            guard limit - start >= 8 else { return nil }
            var head = BoxBytes(try file.bytes(at: start, count: min(16, limit - start)))
            var size = try head.number(4)
            let type = try head.code()
            if size == 1 {
                guard head.count >= 8 else { return nil }
                size = try head.number(8)
            }
            if size == 0 { return (type, start + head.at, limit) }
            let (end, overflow) = start.addingReportingOverflow(size)
            guard size >= head.at, !overflow else { return nil }
            return (type, start + head.at, end)
        }

        /// The boxes of `meta`, of which `idat` is only noted: it may hold a whole picture.
        private mutating func readItems(
            _ file: HEIFFile, _ range: Range<Int>, _ shouldStop: () -> Bool
        ) throws(CodecError) {
            guard range.count >= 4 else { throw CodecError(.corrupt, "an empty meta box") }
            var position = range.lowerBound + 4
            var (bytes, boxes) = (0, 0)
            while let box = try Self.header(file, position, limit: range.upperBound) {
                guard box.end <= range.upperBound else {
                    throw CodecError(.corrupt, "a box leaves its parent")
                }
                boxes += 1
                guard boxes <= Self.mostBoxes else { throw CodecError(.corrupt, "too many boxes") }
                if shouldStop() { throw CodecError(.stopped, "stopped") }
                position = box.end
                if box.type == "idat" {
                    if itemData.isEmpty { itemData = box.content..<box.end }
                    continue
                }
                guard ["hdlr", "pitm", "iinf", "iloc", "iref", "iprp"].contains(box.type) else { continue }
                bytes += box.end - box.content
                guard bytes <= Self.mostBytes else {
                    throw CodecError(.corrupt, "more than \(Self.mostBytes) bytes that describe items")
                }
                try read(box.type, BoxBytes(try file.bytes(at: box.content, count: box.end - box.content)))
            }
        }

        /// The bytes of an item.
        func data(of item: Int, fileSize: Int) throws(CodecError) -> ItemBytes {
            guard let location = locations[item] else {
                throw CodecError(.corrupt, "item \(item) has no place in the file")
            }
            guard !location.isElsewhere else {
                throw CodecError(.unsupportedVariant, "an item in another file")
            }
            guard location.method < 2 else {
                throw CodecError(.unsupportedVariant, "an item in parts of another (iloc method 2)")
            }
            let whole = location.method == 1 ? itemData : 0..<fileSize
            var ranges: [Range<Int>] = []
            ranges.reserveCapacity(location.parts.count)
            for part in location.parts {
                let beyond = CodecError(.corrupt, "an offset beyond 2^63")
                let (start, startOverflows) = whole.lowerBound.addingReportingOverflow(part.offset)
                guard !startOverflows else { throw beyond }
                let length = part.length > 0 ? part.length : max(0, whole.upperBound - start)
                let (end, endOverflows) = start.addingReportingOverflow(length)
                guard !endOverflows else { throw beyond }
                guard location.method == 0 || end <= whole.upperBound else {
                    throw CodecError(.corrupt, "an item leaves the idat box")
                }
                ranges.append(start..<end)
            }
            return try ItemBytes(ranges, fileSize: fileSize)
        }

        /// The properties of an item, in their order.
        func properties(of item: Int) throws(CodecError) -> [HEIFProperty] {
            var found: [HEIFProperty] = []
            for association in associations[item] ?? [] where association.index > 0 {
                guard association.index <= properties.count else {
                    throw CodecError(.corrupt, "item \(item) has a property that is not there")
                }
                let property = properties[association.index - 1]
                if association.isEssential, case .unknown(let type) = property {
                    throw CodecError(.unsupportedVariant, "the essential property \(type)")
                }
                found.append(property)
            }
            return found
        }

        /// What an item refers to by `type`.
        func targets(of item: Int, _ type: FourCC) -> [Int] {
            references.first { $0.from == item && $0.type == type }?.to ?? []
        }
    }
#endif
