/// Signatures too short to be believed without a look at the fields behind them.
enum CheckedSignatures {
    /// JPEG: SOI, then a marker with any number of FF fill bytes before it (T.81, B.1.1.2).
    static func jpeg(_ window: SniffWindow) -> Look {
        guard window.bytes.starts(with: [0xFF, 0xD8, 0xFF].prefix(window.count)) else { return .no }
        guard window.count > 3 else { return window.needs(4) }
        guard let marker = window.bytes.dropFirst(3).first(where: { $0 != 0xFF }) else {
            return window.needsSome
        }
        return marker >= 0xC0 ? .yes(.jpeg) : .no
    }

    /// BMP: the size of the second header is that of one of its known kinds.
    ///
    /// 12 is OS/2 1.x, 16 to 64 are the cut forms of OS/2 2.x, 40, 52, 56, 108 and 124 Windows'.
    static func bmp(_ window: SniffWindow) -> Look {
        guard window.bytes.starts(with: [0x42, 0x4D].prefix(window.count)) else { return .no }
        guard let size = window.littleEndian(14, size: 4) else { return window.needs(18) }
        let isKnown = size == 12 || (16...64).contains(size) || size == 108 || size == 124
        return isKnown ? .yes(.bmp) : .no
    }

    /// ICO and CUR: a directory with at least one entry.
    static func icon(_ window: SniffWindow) -> Look {
        guard window.bytes.starts(with: [0, 0].prefix(window.count)) else { return .no }
        guard let kind = window.littleEndian(2, size: 2) else { return window.needs(4) }
        guard kind == 1 || kind == 2 else { return .no }
        guard let count = window.littleEndian(4, size: 2) else { return window.needs(6) }
        guard count > 0 else { return .no }
        return .yes(kind == 1 ? .ico : .cur)
    }

    /// Matroska and WebM: the EBML header's DocType tells them apart (RFC 8794, 11.2.6; RFC 9559).
    static func ebml(_ window: SniffWindow) -> Look {
        guard window.bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3].prefix(window.count)) else { return .no }
        guard let header = EBMLNumber(window, at: 4, keepMarker: false) else { return window.needsSome }
        var position = 4 + header.length
        let end = header.value < UInt64(SniffWindow.limit) ? position + Int(header.value) : SniffWindow.limit
        while position < end {
            guard let name = EBMLNumber(window, at: position, keepMarker: true),
                let size = EBMLNumber(window, at: position + name.length, keepMarker: false)
            else { return window.needsSome }
            position += name.length + size.length
            guard size.value <= UInt64(SniffWindow.limit) else { return .no }
            if name.value == 0x4282 {
                return docType(window, at: position, size: Int(size.value))
            }
            position += Int(size.value)
        }
        // The header ends without a DocType; Matroska is what that meant before RFC 8794.
        return end < SniffWindow.limit ? .yes(.mkv) : .no
    }

    private static func docType(_ window: SniffWindow, at position: Int, size: Int) -> Look {
        guard position + size <= window.count else { return window.needs(position + size) }
        let name = window.bytes[position..<(position + size)].prefix { $0 != 0 }
        if name.elementsEqual("webm".utf8) { return .yes(.webm) }
        if name.elementsEqual("matroska".utf8) { return .yes(.mkv) }
        return .no
    }

    /// MPEG video elementary stream: a sequence header, behind which MPEG-2 has a sequence extension.
    ///
    /// ISO/IEC 11172-2, 2.4.2.3 and 13818-2, 6.2.2.1: 8 bytes, then at most two matrices of 64 bytes.
    static func mpegVideo(_ window: SniffWindow) -> Look {
        guard window.bytes.starts(with: [0, 0, 1, 0xB3].prefix(window.count)) else { return .no }
        guard window.count > 4 else { return window.needs(5) }
        let mpeg2 = Verdict(format: .mpegES)
        guard let flags = window.byte(11) else { return window.isFinal ? .yes(mpeg2) : .more(12) }
        var position = 12
        var hasSecondMatrix = flags & 1 != 0
        if flags & 2 != 0 {
            position += 64
            guard let last = window.byte(75) else { return window.isFinal ? .yes(mpeg2) : .more(76) }
            hasSecondMatrix = last & 1 != 0
        }
        if hasSecondMatrix { position += 64 }
        let behind = window.bytes.dropFirst(position).drop { $0 == 0 }
        guard let first = behind.first, let code = behind.dropFirst().first else {
            return window.isFinal ? .yes(mpeg2) : window.needsSome
        }
        let isMPEG1 = !(first == 1 && code == 0xB5)
        return .yes(Verdict(format: .mpegES, question: isMPEG1 ? .mpeg1 : .none))
    }

    /// MPEG transport stream: sync bytes at the start of three packets of 188 bytes (ISO/IEC 13818-1,
    /// 2.4.3.2).
    static func transportStream(_ window: SniffWindow) -> Look {
        for position in [0, 188, 376] {
            guard let byte = window.byte(position) else { return window.needs(position + 1) }
            guard byte == 0x47 else { return .no }
        }
        return .yes(.mpegTS)
    }

    /// PDF with something before it: readers accept the header anywhere in the first 1024 bytes.
    static func pdf(_ window: SniffWindow) -> Look {
        let mark = Array("%PDF-".utf8)
        let reach = min(window.count, 1024)
        if reach >= mark.count {
            for start in 0...(reach - mark.count) where window.bytes[start..<(start + 5)].elementsEqual(mark)
            {
                return .yes(.pdf)
            }
        }
        return reach < 1024 ? window.needsSome : .no
    }
}

/// A number of variable length, as EBML writes names and sizes (RFC 8794, section 4).
private struct EBMLNumber {
    let value: UInt64
    let length: Int

    /// nil if it is not complete or longer than 8 bytes.
    init?(_ window: SniffWindow, at position: Int, keepMarker: Bool) {
        guard let first = window.byte(position), first != 0 else { return nil }
        length = first.leadingZeroBitCount + 1
        guard let whole = window.bigEndian(position, size: length) else { return nil }
        value = keepMarker ? whole : whole & ~(1 << UInt64(7 * length))
    }
}
