/// Files of the ISO base media family (ISO/IEC 14496-12) and of its ancestor, QuickTime.
enum ISOBrands {
    /// What a brand says of a file.
    enum Meaning: Hashable {
        case heic, avif, genericHEIF, otherHEIF
        case mp4, m4v, m4a, protectedM4A, mov, threeGP
    }

    /// The meaning of a brand, or nil if it is none of those known here (registry: mp4ra.org).
    static func meaning(of brand: FourCC) -> Meaning? {
        switch brand {
        case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": .heic
        case "avif", "avis": .avif
        case "mif1", "mif2", "miaf", "msf1", "tmap", "MiHB", "MiHE", "MiPr": .genericHEIF
        case "avci", "avcs", "jpeg", "jpgs", "j2ki", "j2is", "vvic", "vvis", "evbi", "evbs": .otherHEIF
        case "isom", "mp41", "mp42", "mp71", "avc1", "mmp4", "dash", "f4v ", "F4V ", "F4A ", "F4B ", "MSNV":
            .mp4
        case "M4V ", "M4VH", "M4VP": .m4v
        case "M4A ", "M4B ": .m4a
        case "M4P ", "F4P ": .protectedM4A
        case "qt  ": .mov
        default:
            // iso2 … iso9 and later; 3gp4 … 3gp9, 3gr6, 3gs6, 3ge6, 3gg6, 3g2a …
            switch (brand.value >> 8, brand.value >> 16) {
            case (0x69_73_6F, _): .mp4
            case (_, 0x33_67): .threeGP
            default: nil
            }
        }
    }

    /// A file that starts with `ftyp`.
    static func look(at window: SniffWindow) -> Look {
        guard let name = window.code(4) else { return window.needs(8) }
        guard name == "ftyp" else { return .no }
        guard let shortSize = window.bigEndian(0, size: 4) else { return .no }
        let head = shortSize == 1 ? 16 : 8
        guard let major = window.code(head) else { return window.needs(head + 4) }
        if let meaning = meaning(of: major), meaning != .genericHEIF {
            return verdict(meaning, isMajor: true).map { .yes($0) } ?? .no
        }
        let size = shortSize == 1 ? window.bigEndian(8, size: 8) ?? 0 : shortSize
        let end = Int(min(size, UInt64(SniffWindow.limit)))
        if window.count < end && !window.isFinal { return .more(end) }
        var found: Set<Meaning> = []
        for position in stride(from: head + 8, to: max(head + 8, min(end, window.count) - 3), by: 4) {
            if let brand = window.code(position), let meaning = meaning(of: brand) { found.insert(meaning) }
        }
        if meaning(of: major) == .genericHEIF { found.insert(.genericHEIF) }
        return strongest(of: found).flatMap { verdict($0, isMajor: false) }.map { .yes($0) } ?? .no
    }

    /// What a file is whose major brand does not say it.
    private static func strongest(of found: Set<Meaning>) -> Meaning? {
        // Two codecs named side by side: the primary item has to tell.
        if found.contains(.avif) && found.contains(.heic) { return .genericHEIF }
        let order: [Meaning] = [
            .avif, .heic, .genericHEIF, .otherHEIF, .m4v, .m4a, .mp4, .threeGP, .mov,
        ]
        return order.first { found.contains($0) }
    }

    private static func verdict(_ meaning: Meaning, isMajor: Bool) -> Verdict? {
        switch meaning {
        case .heic: Verdict(format: .heic)
        case .avif: Verdict(format: .avif)
        case .genericHEIF: Verdict(format: .heif, question: .heifItems)
        case .otherHEIF: Verdict(format: .heif, rejection: .unsupportedVariant)
        case .mp4: Verdict(format: .mp4, question: .movieTracks)
        case .m4v: Verdict(format: .m4v, question: .movieTracks)
        // Only as major brand it is a promise: iTunes lists it for films, too.
        case .m4a: Verdict(format: isMajor ? .m4a : .mp4, question: .movieTracks)
        case .protectedM4A: Verdict(format: .m4a, rejection: .unsupportedVariant)
        case .mov: Verdict(format: .mov)
        case .threeGP: Verdict(format: .threeGP)
        }
    }

    /// Whether an item of this type holds coded pixels, as a grid or metadata does not.
    static func isCodec(_ item: FourCC) -> Bool {
        switch item {
        case "hvc1", "hev1", "hvc2", "lhv1", "av01", "avc1", "jpeg", "j2k1", "vvc1", "evc1", "unci": true
        default: false
        }
    }

    /// What a HEIF file with generic brands is by its codec; without one the decoder has to say.
    static func verdict(forCodec codec: FourCC?) -> Verdict {
        switch codec {
        case "av01": Verdict(format: .avif)
        case "hvc1", "hev1", "hvc2", "lhv1", nil: Verdict(format: .heif)
        default: Verdict(format: .heif, rejection: .unsupportedVariant)
        }
    }

    /// A QuickTime movie from before `ftyp`: it starts with one of the known atoms (QuickTime File Format).
    static func classicQuickTime(_ window: SniffWindow) -> Look {
        guard let name = window.code(4) else { return window.needs(8) }
        guard let size = window.bigEndian(0, size: 4), size < 2 || size >= 8 else { return .no }
        switch name {
        case "mdat": return .yes(.mov)
        // Small by nature. The bound keeps text such as "gluten-free" from being a movie.
        case "moov", "wide", "free", "skip", "pnot": return size < 1 << 24 ? .yes(.mov) : .no
        default: return .no
        }
    }
}
