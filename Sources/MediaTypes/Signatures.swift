/// A fixed sequence of bytes, with wildcards, at the start of a file.
struct Signature: Sendable {
    /// nil matches any byte.
    let pattern: [UInt8?]
    let verdict: Verdict

    /// A pattern written in hexadecimal with `??` for any byte.
    init(
        _ hexadecimal: String, _ format: MediaFormat, _ rejection: MediaRejection? = nil,
        then question: Verdict.Question = .none
    ) {
        pattern = hexadecimal.split(separator: " ").map { UInt8($0, radix: 16) }
        verdict = Verdict(format: format, rejection: rejection, question: question)
    }

    /// A pattern that is text.
    init(text: String, _ format: MediaFormat) {
        pattern = Array(text.utf8)
        verdict = Verdict(format: format, rejection: nil)
    }

    func look(at window: SniffWindow) -> Look {
        for (wanted, found) in zip(pattern, window.bytes) where wanted != nil && wanted != found {
            return .no
        }
        return window.count < pattern.count ? window.needs(pattern.count) : .yes(verdict)
    }
}

extension Signature {
    /// Signatures that need no further check; they exclude each other, so their order does not matter.
    static let table: [Signature] = [
        // Pictures
        Signature("89 50 4E 47 0D 0A 1A 0A", .png, then: .pngAnimation),
        Signature(text: "GIF87a", .gif),
        Signature(text: "GIF89a", .gif),
        Signature("52 49 46 46 ?? ?? ?? ?? 57 45 42 50", .webp),  // RIFF....WEBP
        Signature("49 49 2A 00", .tiff),
        Signature("4D 4D 00 2A", .tiff),
        Signature("49 49 2B 00", .tiff),  // BigTIFF
        Signature("4D 4D 00 2B", .tiff),
        // Camera raw files that are TIFF but for their magic number.
        Signature("49 49 55 00", .tiff, .unsupportedVariant),  // Panasonic RW2
        Signature("49 49 52 4F", .tiff, .unsupportedVariant),  // Olympus ORF
        Signature("49 49 52 53", .tiff, .unsupportedVariant),
        Signature("4D 4D 4F 52", .tiff, .unsupportedVariant),
        Signature("38 42 50 53 00 01", .psd),  // 8BPS
        Signature("38 42 50 53 00 02", .psd),  // PSB
        Signature("FF 0A", .jxl),
        Signature("00 00 00 0C 4A 58 4C 20 0D 0A 87 0A", .jxl),  // JXL container
        Signature("00 00 00 0C 6A 50 20 20 0D 0A 87 0A", .jp2),  // jP container
        Signature("FF 4F FF 51", .j2k),
        Signature("49 49 BC 01", .jxr),
        // Video
        Signature("00 00 01 BA", .mpegPS),
        Signature("52 49 46 46 ?? ?? ?? ?? 41 56 49 20", .avi),  // RIFF....AVI
        Signature("46 4C 56 01", .flv),
        Signature("30 26 B2 75 8E 66 CF 11", .asf),
        // Sound
        Signature("52 49 46 46 ?? ?? ?? ?? 57 41 56 45", .wav),  // RIFF....WAVE
        Signature("52 46 36 34 ?? ?? ?? ?? 57 41 56 45", .wav, .unsupportedVariant),  // RF64....WAVE
        Signature("42 57 36 34 ?? ?? ?? ?? 57 41 56 45", .wav, .unsupportedVariant),  // BW64....WAVE
        Signature("46 4F 52 4D ?? ?? ?? ?? 41 49 46 46", .aiff),  // FORM....AIFF
        Signature("46 4F 52 4D ?? ?? ?? ?? 41 49 46 43", .aifc),  // FORM....AIFC
        Signature("63 61 66 66 00 01", .caf),  // caff
        Signature(text: "fLaC", .flac),
        Signature(text: "OggS", .ogg),
        Signature(text: "#!AMR", .amr),
        // Archives and the rest
        Signature("50 4B 03 04", .zip),
        Signature("50 4B 05 06", .zip),  // empty
        Signature("50 4B 07 08", .zip),  // spanned
        Signature("1F 8B 08", .gzip),
        Signature("28 B5 2F FD", .zstd),
        Signature("00 05 16 07", .appleDouble),
        Signature("00 05 16 00", .appleDouble),  // AppleSingle
        Signature(text: "version https://git-lfs", .lfsPointer),
        Signature(text: "%PDF-", .pdf),
    ]

    /// Looks through the whole table.
    static func look(at window: SniffWindow) -> Look {
        var open: Int?
        for signature in table {
            switch signature.look(at: window) {
            case .yes(let verdict): return .yes(verdict)
            case .more(let count): open = min(open ?? count, count)
            case .no: continue
            }
        }
        return open.map { .more($0) } ?? .no
    }
}
