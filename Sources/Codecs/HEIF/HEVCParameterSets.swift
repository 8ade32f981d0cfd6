#if HEIF
    internal import Pixels

    /// What a picture's planes are like, known before it is decoded.
    struct PlaneFormat: Equatable {
        /// Of luma, as shown.
        var size: PixelSize
        /// Pixels that the decoder makes room for.
        var codedArea: Int
        /// Of a sample; above 8 it takes two bytes.
        var bits: Int
        var isMonochrome: Bool
        /// log2 of luma samples for one of chroma.
        var across: Int
        var down: Int
        /// What the header says of the colours, as far as that is read.
        var codes = ColorCodes()

        /// Whether planes are alike.
        func matches(_ other: PlaneFormat) -> Bool {
            size == other.size && bits == other.bits && isMonochrome == other.isMonochrome
                && across == other.across && down == other.down
        }

        var sampleBytes: Int { bits > 8 ? 2 : 1 }

        /// Bytes of all planes for each pixel of luma, times 4.
        var quarterBytes: Int { sampleBytes * (isMonochrome ? 4 : 4 + (8 >> (across + down))) }
    }

    /// The NAL units before a picture's own (ISO/IEC 14496-15, 8.3.3.1), and what they say of it.
    struct HEVCConfiguration {
        let units: [[UInt8]]
        /// Bytes of the length before each unit of the picture.
        let lengthSize: Int

        init(_ content: [UInt8]) throws(CodecError) {
            var content = BoxBytes(content)
            try content.skip(21)
            lengthSize = try content.number(1) & 3 + 1
            var units: [[UInt8]] = []
            for _ in 0..<(try content.number(1)) {
                try content.skip(1)
                for _ in 0..<(try content.number(2)) {
                    var unit = try content.take(try content.number(2))
                    // A unit without its two bytes of header is none; so there are no more of them than bytes.
                    if unit.count >= 2 { units.append(unit.rest()) }
                }
            }
            guard lengthSize != 3 else { throw CodecError(.corrupt, "lengths of 3 bytes") }
            self.units = units
        }
    }

    enum HEVCUnit {
        static let sequenceParameters = 33

        static func type(_ head: UInt8) -> Int { Int(head >> 1 & 63) }

        /// Whether a unit of this type holds part of a picture.
        static func isSlice(_ type: Int) -> Bool { type < 32 }

        /// What a sequence parameter set (ITU-T H.265, 7.3.2.2.1) says of its pictures.
        static func format(_ unit: [UInt8]) throws(CodecError) -> PlaneFormat {
            var bits = PayloadBits(unit)
            try bits.skip(16 + 4)
            let subLayers = try bits.read(3)
            try bits.skip(1)
            try skipProfile(&bits, subLayers)
            _ = try bits.exponential()
            let chroma = try bits.exponential()
            let isSeparate = chroma == 3 ? try bits.read(1) == 1 : false
            guard chroma <= 3, !isSeparate else {
                throw CodecError(.unsupportedVariant, "HEVC with colour planes of their own")
            }
            let (width, height) = (try bits.exponential(), try bits.exponential())
            // Level 6.2 ends at 8 times fewer.
            guard width > 0, height > 0, width <= 65_536, height <= 65_536 else {
                throw CodecError(.corrupt, "HEVC of \(width) x \(height)")
            }
            let (across, down) = (chroma == 1 || chroma == 2 ? 1 : 0, chroma == 1 ? 1 : 0)
            var size = PixelSize(width, height)
            if try bits.read(1) == 1 {
                let (left, right) = (try bits.exponential(), try bits.exponential())
                let (top, bottom) = (try bits.exponential(), try bits.exponential())
                size.width -= (left + right) << across
                size.height -= (top + bottom) << down
            }
            let depths = (8 + (try bits.exponential()), 8 + (try bits.exponential()))
            guard size.width > 0, size.height > 0 else { throw CodecError(.corrupt, "HEVC without a shown part") }
            guard depths.0 <= 12, chroma == 0 || depths.1 == depths.0 else {
                throw CodecError(.unsupportedVariant, "HEVC of \(depths.0) and \(depths.1) bits")
            }
            return PlaneFormat(
                size: size, codedArea: width * height, bits: depths.0, isMonochrome: chroma == 0,
                across: across, down: down)
        }

        /// profile_tier_level (7.3.3).
        private static func skipProfile(_ bits: inout PayloadBits, _ subLayers: Int) throws(CodecError) {
            try bits.skip(96)
            guard subLayers > 0 else { return }
            var skipped = 0
            for layer in 0..<8 {
                let flags = try bits.read(2)
                if layer < subLayers { skipped += (flags & 2) * 44 + (flags & 1) * 8 }
            }
            try bits.skip(skipped)
        }
    }

    /// Bits of a NAL unit, without the bytes that keep start codes out of it (7.3.1.1).
    private struct PayloadBits {
        private let bytes: [UInt8]
        private var at = 0

        init(_ unit: [UInt8]) {
            var bytes: [UInt8] = []
            var zeros = 0
            // A set's head lies within this, whatever follows.
            for byte in unit.prefix(512) {
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                bytes.append(byte)
            }
            self.bytes = bytes
        }

        mutating func skip(_ count: Int) throws(CodecError) {
            guard count <= bytes.count * 8 - at else { throw CodecError(.corrupt, "a parameter set ends early") }
            at += count
        }

        mutating func read(_ count: Int) throws(CodecError) -> Int {
            let start = at
            try skip(count)
            return (start..<at).reduce(0) { $0 << 1 | Int(bytes[$1 >> 3] >> UInt8(7 - $1 & 7) & 1) }
        }

        /// ue(v) of 9.2, at most 2^24.
        mutating func exponential() throws(CodecError) -> Int {
            var zeros = 0
            while try read(1) == 0 { zeros += 1 }
            guard zeros <= 24 else { throw CodecError(.corrupt, "a number too large in a parameter set") }
            return (1 << zeros | (try read(zeros))) - 1
        }
    }
#endif
