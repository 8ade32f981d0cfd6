#if HEIF
    internal import MediaTypes
    internal import Pixels

    /// Code points of ITU-T H.273 that say how samples become colours.
    struct ColorCodes: Equatable {
        var primaries = 2
        var transfer = 2
        var matrix = 2
        var isFullRange = false
    }

    /// The part of a picture to show (ISO/IEC 14496-12, 12.1.4), as numerators and denominators.
    struct CleanAperture: Equatable {
        let width: (Int, Int)
        let height: (Int, Int)
        /// From the picture's centre to the part's.
        let across: (Int, Int)
        let down: (Int, Int)

        static func == (a: Self, b: Self) -> Bool {
            a.width == b.width && a.height == b.height && a.across == b.across && a.down == b.down
        }

        /// The whole pixels shown of a picture of `size`; nil where that is not within it.
        func rect(in size: PixelSize) -> PixelRect? {
            guard let x = Self.span(width, across, size.width), let y = Self.span(height, down, size.height)
            else { return nil }
            return PixelRect(x: x.lowerBound, y: y.lowerBound, size: PixelSize(x.count, y.count))
        }

        /// Fields have 32 bits, so none of the products overflows.
        private static func span(_ length: (Int, Int), _ offset: (Int, Int), _ full: Int) -> Range<Int>? {
            guard length.1 > 0, offset.1 > 0, length.0 > 0, abs(offset.0) <= 1 << 31 else { return nil }
            let count = length.0 / length.1
            guard count >= 1, count <= full else { return nil }
            // Twice the left edge: full - count + 2 * offset, its fraction rounded down.
            let twice = full - count + Int((2 * Double(offset.0) / Double(offset.1)).rounded(.down))
            let start = twice >> 1
            guard start >= 0, start + count <= full else { return nil }
            return start..<(start + count)
        }
    }

    /// Whole pixels of a picture.
    struct PixelRect: Equatable {
        var x: Int
        var y: Int
        var size: PixelSize
    }

    /// What a file says of an item (ISO/IEC 23008-12, 6.5; AV1 image file format, 2.2).
    enum HEIFProperty: Equatable {
        case size(PixelSize)
        case hevcConfiguration([UInt8])
        case av1Configuration([UInt8])
        case colorCodes(ColorCodes)
        case colorProfile([UInt8])
        /// Nits of the brightest pixel.
        case peak(Double)
        /// Quarters of a turn, anticlockwise.
        case rotation(Int)
        /// Whether left and right change places, else top and bottom.
        case mirror(isAcross: Bool)
        case cleanAperture(CleanAperture)
        /// The meaning of an auxiliary picture.
        case auxiliary(String)
        /// AV1: which operating point to decode.
        case operatingPoint(Int)
        /// Which layer of a layered picture to show.
        case layer(Int)
        /// Known, and no matter here.
        case descriptive
        case unknown(FourCC)

        init(_ type: FourCC, _ content: BoxBytes) throws(CodecError) {
            var content = content
            switch type {
            case "ispe":
                _ = try content.versionAndFlags()
                self = .size(PixelSize(try content.number(4), try content.number(4)))
            case "hvcC": self = .hevcConfiguration(content.rest())
            case "av1C": self = .av1Configuration(content.rest())
            case "colr": self = try Self.color(&content)
            case "irot": self = .rotation(try content.number(1) & 3)
            case "imir": self = .mirror(isAcross: try content.number(1) & 1 == 1)
            case "clap": self = .cleanAperture(try CleanAperture(&content))
            case "auxC":
                _ = try content.versionAndFlags()
                self = .auxiliary(content.text())
            case "a1op": self = .operatingPoint(try content.number(1) & 31)
            case "lsel": self = .layer(try content.number(2))
            case "clli":
                let peak = try content.number(2)
                self = peak > 0 ? .peak(Double(peak)) : .descriptive
            case "pixi", "pasp", "a1lx", "mdcv", "cclv", "amve", "udes", "altt", "crtt", "mdft", "free", "skip":
                self = .descriptive
            default: self = .unknown(type)
            }
        }

        private static func color(_ content: inout BoxBytes) throws(CodecError) -> HEIFProperty {
            switch try content.code() {
            case "nclx":
                return .colorCodes(
                    ColorCodes(
                        primaries: try content.number(2), transfer: try content.number(2),
                        matrix: try content.number(2), isFullRange: try content.number(1) & 128 != 0))
            case "prof", "rICC": return .colorProfile(content.rest())
            default: return .descriptive
            }
        }
    }

    extension CleanAperture {
        fileprivate init(_ content: inout BoxBytes) throws(CodecError) {
            func signed(_ value: Int) -> Int { Int(Int32(truncatingIfNeeded: value)) }
            width = (try content.number(4), try content.number(4))
            height = (try content.number(4), try content.number(4))
            across = (signed(try content.number(4)), try content.number(4))
            down = (signed(try content.number(4)), try content.number(4))
        }
    }
#endif
