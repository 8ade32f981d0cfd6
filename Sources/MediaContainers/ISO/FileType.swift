internal import MediaTypes

/// The `ftyp` box of what is rewrapped (ISO/IEC 14496-12, 4.3).
enum FileType {
    /// The size of one that is added: a major brand and three compatible ones.
    static let size = 28

    /// A box of exactly `size` bytes, what brands do not need of it being free.
    ///
    /// `iso4` allows the composition offsets below zero that QuickTime writes.
    static func box(_ format: MediaFormat, size: Int) -> [UInt8] {
        let major: FourCC = format == .m4a ? "M4A " : "mp42"
        let compatible: [FourCC] = [format == .m4a ? "M4A " : "mp42", "isom", "iso4", "mp41"]
        let room = max(0, (size - 16) / 4)
        // What is left must be nothing or a box of its own.
        let count = room >= 5 ? 3 : min(room, 4)
        var bytes = Bytes.bigEndian(16 + 4 * count, size: 4) + FourCC("ftyp").bytes + major.bytes
        bytes += [0, 0, 0, 0]
        // The major brand is said already: with one place only, the next one is more to the point.
        let brands = count == 1 ? compatible.dropFirst() : compatible[...]
        for brand in brands.prefix(count) { bytes += brand.bytes }
        let rest = size - bytes.count
        if rest >= 8 {
            bytes += Bytes.bigEndian(rest, size: 4) + FourCC("free").bytes
            bytes += [UInt8](repeating: 0, count: rest - 8)
        }
        return bytes
    }
}
