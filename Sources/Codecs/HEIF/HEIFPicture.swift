#if HEIF
    internal import MediaTypes
    internal import Pixels

    /// One coded picture: its bytes and what its decoder must know before them.
    struct CodedItem {
        enum Codec { case hevc, av1 }

        let codec: Codec
        let data: ItemBytes
        /// Content of `hvcC` or `av1C`.
        let configuration: [UInt8]
        var operatingPoint = 0
        /// The spatial layer to show; nil for the highest.
        var layer: Int?
    }

    /// A picture made of coded ones side by side, or of one.
    struct HEIFMosaic {
        let codec: CodedItem.Codec
        let columns: Int
        let rows: Int
        /// Row by row.
        let tiles: [Int]
        /// Of a grid, the size of all of it.
        let size: PixelSize?

        var isGrid: Bool { size != nil }
    }

    /// What to show of a file.
    struct HEIFPicture {
        var color: HEIFMosaic
        var alpha: HEIFMosaic?
        /// Colours were multiplied with alpha.
        var isPremultiplied = false
        /// As the container states it.
        var statedSize: PixelSize?
        /// What to do with the assembled picture, in this order.
        var steps: [HEIFProperty] = []
        var codes: ColorCodes?
        var profile: [UInt8]?
        /// Nits of the brightest pixel, where the file says.
        var peak: Double?
        /// Smaller pictures of the same.
        var thumbnails: [Int] = []

        /// What the steps come to: the shown part of the stored picture, and how it is turned.
        func shown(of size: PixelSize) throws(CodecError) -> (part: PixelRect, orientation: Orientation) {
            var turned = TurnedRect(size)
            for step in steps { try turned.apply(step) }
            return (turned.part, turned.orientation)
        }
    }

    // Finds pictures among the items.
    extension HEIFContainer {
        /// Derived pictures of derived pictures: each step could lead back.
        private static let deepest = 4

        /// The picture to show.
        func primaryPicture(_ file: HEIFFile) throws(CodecError) -> HEIFPicture {
            guard let primary else { throw CodecError(.corrupt, "no primary item") }
            return try picture(primary, file)
        }

        /// What an item shows.
        func picture(_ id: Int, _ file: HEIFFile) throws(CodecError) -> HEIFPicture {
            try picture(id, file, Self.deepest)
        }

        private func picture(_ id: Int, _ file: HEIFFile, _ depth: Int) throws(CodecError) -> HEIFPicture {
            let item = try item(id)
            let properties = try properties(of: id)
            var picture: HEIFPicture
            switch item.type {
            // A picture with a gain map shows without it as its base, the first of its sources.
            case "iden", "tmap":
                guard depth > 0, let source = targets(of: id, "dimg").first else {
                    throw CodecError(.corrupt, "a derived picture without its source")
                }
                picture = try self.picture(source, file, depth - 1)
            default: picture = HEIFPicture(color: try mosaic(id, item, file))
            }
            // The base is shown as it is: what a gain map's result would be is no matter.
            if item.type != "tmap" { picture.take(properties) }
            try findAlpha(of: id, for: &picture, file)
            if let tile = picture.color.tiles.first, tile != id {
                picture.takeMissingColors(try self.properties(of: tile))
            }
            picture.thumbnails += references.filter { $0.type == "thmb" && $0.to.contains(id) }.map(\.from)
            return picture
        }

        private func item(_ id: Int) throws(CodecError) -> Item {
            guard let item = items[id] else { throw CodecError(.corrupt, "item \(id) is missing") }
            guard !item.isProtected else { throw CodecError(.unsupportedVariant, "an encrypted picture") }
            return item
        }

        private func mosaic(_ id: Int, _ item: Item, _ file: HEIFFile) throws(CodecError) -> HEIFMosaic {
            if item.type == "grid" { return try grid(id, file) }
            return HEIFMosaic(codec: try Self.codec(item.type), columns: 1, rows: 1, tiles: [id], size: nil)
        }

        /// ISO/IEC 23008-12, 6.6.2.3.
        private func grid(_ id: Int, _ file: HEIFFile) throws(CodecError) -> HEIFMosaic {
            let data = try data(of: id, fileSize: file.size)
            var content = BoxBytes(try data.bytes(of: file, at: 0, count: min(12, data.count)))
            guard try content.number(1) == 0 else {
                throw CodecError(.unsupportedVariant, "another kind of grid")
            }
            let fieldSize = try content.number(1) & 1 == 1 ? 4 : 2
            let (rows, columns) = (try content.number(1) + 1, try content.number(1) + 1)
            let size = PixelSize(try content.number(fieldSize), try content.number(fieldSize))
            let tiles = targets(of: id, "dimg")
            guard size.width > 0, size.height > 0, tiles.count == rows * columns else {
                throw CodecError(.corrupt, "a grid of \(rows) x \(columns) with \(tiles.count) tiles")
            }
            let codec = try Self.codec(try item(tiles[0]).type)
            for tile in tiles {
                guard try Self.codec(try item(tile).type) == codec else {
                    throw CodecError(.unsupportedVariant, "a grid of several codecs")
                }
            }
            return HEIFMosaic(codec: codec, columns: columns, rows: rows, tiles: tiles, size: size)
        }

        static func codec(_ type: FourCC) throws(CodecError) -> CodedItem.Codec {
            let name: String
            switch type {
            case "hvc1", "hev1": return .hevc
            case "av01": return .av1
            case "iovl": name = "an overlay of pictures (iovl)"
            case "grid": name = "a grid of derived pictures"
            case "avc1": name = "AVC in HEIF"
            case "jpeg": name = "JPEG in HEIF"
            case "j2k1": name = "JPEG 2000 in HEIF"
            case "vvc1": name = "VVC in HEIF"
            case "evc1": name = "EVC in HEIF"
            case "lhv1": name = "layered HEVC"
            case "unci": name = "uncompressed pictures in HEIF (unci)"
            default: name = "items of the type \(type)"
            }
            throw CodecError(.unsupportedVariant, name)
        }

        /// A coded item's bytes and set-up.
        func coded(_ id: Int, _ file: HEIFFile) throws(CodecError) -> CodedItem {
            let item = try item(id)
            let codec = try Self.codec(item.type)
            var configuration: [UInt8]?
            var (operatingPoint, layer): (Int, Int?) = (0, nil)
            for property in try properties(of: id) {
                switch (property, codec) {
                case (.hevcConfiguration(let bytes), .hevc), (.av1Configuration(let bytes), .av1):
                    configuration = configuration ?? bytes
                case (.operatingPoint(let point), _): operatingPoint = point
                // 0xFFFF says: whichever the decoder would show.
                case (.layer(let chosen), _): layer = chosen == 0xFFFF ? nil : chosen
                default: break
                }
            }
            guard let configuration else { throw CodecError(.corrupt, "item \(id) has no configuration") }
            return CodedItem(
                codec: codec, data: try data(of: id, fileSize: file.size), configuration: configuration,
                operatingPoint: operatingPoint, layer: layer)
        }

        private static let alphaNames = [
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
        ]

        /// The auxiliary picture of an item that is its alpha.
        private func alphaItem(of id: Int) throws(CodecError) -> Int? {
            for reference in references where reference.type == "auxl" && reference.to.contains(id) {
                for property in try properties(of: reference.from) {
                    if case .auxiliary(let name) = property, Self.alphaNames.contains(name) {
                        return reference.from
                    }
                }
            }
            return nil
        }

        private func findAlpha(
            of id: Int, for picture: inout HEIFPicture, _ file: HEIFFile
        ) throws(CodecError) {
            guard picture.alpha == nil else { return }
            if let alpha = try alphaItem(of: id) {
                picture.alpha = try mosaic(alpha, try item(alpha), file)
                picture.isPremultiplied = targets(of: id, "prem").contains(alpha)
            } else if picture.color.isGrid {
                // A grid's alpha may also be its tiles'.
                var tiles: [Int] = []
                for tile in picture.color.tiles {
                    guard let alpha = try alphaItem(of: tile) else { return }
                    tiles.append(alpha)
                }
                guard let first = tiles.first else { return }
                picture.alpha = HEIFMosaic(
                    codec: try Self.codec(try item(first).type), columns: picture.color.columns,
                    rows: picture.color.rows, tiles: tiles, size: picture.color.size)
            }
        }
    }

    extension HEIFPicture {
        /// Takes an item's properties, after those of what it is derived from.
        fileprivate mutating func take(_ properties: [HEIFProperty]) {
            for property in properties {
                switch property {
                case .size(let size): statedSize = size
                case .rotation, .mirror, .cleanAperture: steps.append(property)
                default: break
                }
            }
            takeColors(properties)
        }

        /// Takes what only the parts say of the colours: some grids have no profile but that of their tiles.
        fileprivate mutating func takeMissingColors(_ properties: [HEIFProperty]) {
            var part = HEIFPicture(color: color)
            part.takeColors(properties)
            if codes == nil, profile == nil { profile = part.profile }
            codes = codes ?? part.codes
            peak = peak ?? part.peak
        }

        fileprivate mutating func takeColors(_ properties: [HEIFProperty]) {
            for property in properties {
                switch property {
                case .colorCodes(let codes): self.codes = codes
                case .colorProfile(let profile): self.profile = profile
                case .peak(let peak): self.peak = peak
                default: break
                }
            }
        }
    }

    /// A stored picture on its way through the steps that its container asks for.
    struct TurnedRect {
        private(set) var part: PixelRect
        private(set) var orientation = Orientation.upright

        init(_ size: PixelSize) { part = PixelRect(x: 0, y: 0, size: size) }

        mutating func apply(_ step: HEIFProperty) throws(CodecError) {
            switch step {
            case .rotation(let quarters):
                for _ in 0..<quarters { orientation = orientation.followed(by: .rotated270) }
            case .mirror(let isAcross):
                orientation = orientation.followed(by: isAcross ? .mirrored : .flipped)
            case .cleanAperture(let aperture):
                guard let shown = aperture.rect(in: orientation.turned(part.size)) else {
                    throw CodecError(.corrupt, "a clean aperture beyond the picture")
                }
                crop(shown)
            default: break
            }
        }

        /// Cuts the part that lies at `shown` in the picture as turned so far.
        private mutating func crop(_ shown: PixelRect) {
            let turned = orientation.turned(part.size)
            let right = turned.width - shown.x - shown.size.width
            let below = turned.height - shown.y - shown.size.height
            let (u, v): (Int, Int) =
                switch orientation {
                case .upright, .transposed: (shown.x, shown.y)
                case .mirrored, .rotated90: (right, shown.y)
                case .rotated180, .transversed: (right, below)
                case .flipped, .rotated270: (shown.x, below)
                }
            let isSwapped = orientation.swapsAxes
            part = PixelRect(
                x: part.x + (isSwapped ? v : u), y: part.y + (isSwapped ? u : v),
                size: orientation.turned(shown.size))
        }
    }
#endif
