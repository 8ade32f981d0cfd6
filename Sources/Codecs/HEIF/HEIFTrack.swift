#if HEIF
    internal import MediaTypes
    internal import Pixels

    /// The first picture of a sequence (ISO/IEC 14496-12, 8.3 to 8.8): for files whose pictures are a track's.
    struct HEIFTrack {
        /// Of the first track of pictures, its first sample.
        private(set) var samples = 0
        private(set) var entry: Entry?
        private var handler: FourCC?
        private var size = 0
        private var offset: Int?

        /// A sample entry (12.1.3): the coding, and properties of the kinds that items have.
        struct Entry {
            let type: FourCC
            let properties: [HEIFProperty]
        }

        /// Bytes of a movie's description: 10 are enough for each picture of a sequence.
        private static let mostBytes = 1 << 20

        /// The first track of pictures in a movie; nil where there is none.
        static func first(in movie: Range<Int>, _ file: HEIFFile) throws(CodecError) -> HEIFTrack? {
            guard movie.count <= mostBytes else { throw CodecError(.corrupt, "a movie of \(movie.count) bytes") }
            var content = BoxBytes(try file.bytes(at: movie.lowerBound, count: movie.count))
            while let (type, box) = try content.box() {
                guard type == "trak" else { continue }
                var track = HEIFTrack()
                try track.read(box, depth: 0)
                // Masks and depth are tracks of their own (`auxv`).
                if track.handler == "pict" || track.handler == "vide", track.samples > 0 { return track }
            }
            return nil
        }

        /// The boxes on the way to those that matter lie in each other, each kind at one place.
        private mutating func read(_ content: BoxBytes, depth: Int) throws(CodecError) {
            var content = content
            while let (type, box) = try content.box() {
                var box = box
                switch type {
                case "mdia", "minf", "stbl": if depth < 3 { try read(box, depth: depth + 1) }
                case "hdlr":
                    try box.skip(8)
                    let code = try box.code()
                    handler = handler ?? code
                case "stsd": if entry == nil { entry = try Self.entry(&box) }
                case "stsz":
                    try box.skip(4)
                    size = try box.number(4)
                    samples = try box.number(4)
                    if size == 0, samples > 0 { size = try box.number(4) }
                case "stco", "co64":
                    try box.skip(4)
                    guard try box.number(4) > 0, offset == nil else { continue }
                    offset = try box.number(type == "stco" ? 4 : 8)
                default: break
                }
            }
        }

        private static func entry(_ content: inout BoxBytes) throws(CodecError) -> Entry? {
            try content.skip(8)
            guard let (type, box) = try content.box() else { return nil }
            var entry = box
            try entry.skip(24)
            let size = PixelSize(try entry.number(2), try entry.number(2))
            try entry.skip(50)
            var properties = [HEIFProperty.size(size)]
            while let (type, box) = try entry.box() { properties.append(try HEIFProperty(type, box)) }
            return Entry(type: type, properties: properties)
        }

        /// Puts the first sample among the items of a container, as its primary one.
        func add(to container: inout HEIFContainer) throws(CodecError) {
            guard let entry, let offset else { throw CodecError(.corrupt, "a track without samples") }
            guard !["encv", "resv"].contains(entry.type) else {
                throw CodecError(.unsupportedVariant, "an encrypted picture")
            }
            let id = 1
            container.items[id] = HEIFContainer.Item(type: entry.type, isProtected: false)
            container.locations[id] = HEIFContainer.Location(
                method: 0, isElsewhere: false, parts: [.init(offset: offset, length: size)])
            container.associations[id] = entry.properties.indices.map {
                HEIFContainer.Association(index: container.properties.count + $0 + 1, isEssential: false)
            }
            container.properties += entry.properties
            container.primary = id
        }
    }
#endif
