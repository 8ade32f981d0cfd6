/// Frames of MPEG audio and of AAC in ADTS: both start with eleven or twelve set bits, and only two frames
/// that agree make a file of one of them.
enum MPEGAudio {
    /// A frame's header, as far as it stays the same from frame to frame.
    private struct Frame: Equatable {
        let verdict: Verdict
        let fixedBits: UInt32
        let length: Int
        /// Where an encoder's description (`Xing`, `Info`) would stand in the first frame of a layer III
        /// file.
        var descriptionOffset: Int?
    }

    /// Looks for two agreeing frames at `start`.
    ///
    /// - Parameter acceptsLast: whether one frame is enough if the input ends before a second one begins.
    static func look(at window: SniffWindow, from start: Int = 0, acceptsLast: Bool = false) -> Look {
        guard let sync = window.bigEndian(start, size: 2) else {
            let mayBegin = (window.byte(start) ?? 0xFF) == 0xFF
            return mayBegin ? window.needs(start + 2) : .no
        }
        guard sync & 0xFFE0 == 0xFFE0 else { return .no }
        guard window.count >= start + headerLength else { return window.needs(start + headerLength) }
        guard let first = frame(window, at: start) else { return .no }
        if hasDescription(window, first, at: start) { return .yes(first.verdict) }
        let next = start + first.length
        guard window.count >= next + headerLength else {
            return acceptsLast && window.isFinal ? .yes(first.verdict) : window.needs(next + headerLength)
        }
        guard let second = frame(window, at: next), second.fixedBits == first.fixedBits else { return .no }
        return .yes(first.verdict)
    }

    /// An ADTS header without check sum; an MPEG audio header is shorter.
    private static let headerLength = 7

    /// Whether the frame is an encoder's description of the file, which is as good as a second frame.
    private static func hasDescription(_ window: SniffWindow, _ frame: Frame, at start: Int) -> Bool {
        guard let offset = frame.descriptionOffset else { return false }
        let mark = window.code(start + offset)
        return mark == "Xing" || mark == "Info" || window.code(start + 36) == "VBRI"
    }

    private static func frame(_ window: SniffWindow, at position: Int) -> Frame? {
        guard let word = window.bigEndian(position, size: 4).map({ UInt32(truncatingIfNeeded: $0) }),
            word >> 21 == 0x7FF
        else { return nil }
        if word >> 17 & 3 == 0 { return adtsFrame(window, at: position, word) }
        return mpegFrame(word)
    }

    /// ISO/IEC 13818-7, 6.2: profile, rate and channels are fixed, the length stands in the header.
    private static func adtsFrame(_ window: SniffWindow, at position: Int, _ word: UInt32) -> Frame? {
        let rateIndex = word >> 10 & 15
        guard word >> 20 == 0xFFF, rateIndex < 13,
            let lengthBits = window.bigEndian(position + 3, size: 3)
        else { return nil }
        let length = Int(lengthBits >> 5 & 0x1FFF)
        guard length >= 7 else { return nil }
        return Frame(verdict: Verdict(format: .aac), fixedBits: word & 0xFFFF_FDC0, length: length)
    }

    /// ISO/IEC 11172-3, 2.4.2.3 and 13818-3: version, layer and sample rate are fixed.
    ///
    /// The length follows from the rates; that of free-format frames stands nowhere, so they are not
    /// recognised.
    private static func mpegFrame(_ word: UInt32) -> Frame? {
        let version = Int(word >> 19 & 3)  // 0 is 2.5, 2 is 2, 3 is 1
        let layer = 4 - Int(word >> 17 & 3)
        let bitRateIndex = Int(word >> 12 & 15)
        let rateIndex = Int(word >> 10 & 3)
        guard version != 1, layer < 4, (1...14).contains(bitRateIndex), rateIndex != 3 else { return nil }
        let isVersion1 = version == 3
        let bitRate = bitRates(isVersion1: isVersion1, layer: layer)[bitRateIndex - 1] * 1000
        let sampleRate = [44_100, 48_000, 32_000][rateIndex] >> (isVersion1 ? 0 : version == 2 ? 1 : 2)
        let padding = Int(word >> 9 & 1)
        let length =
            switch layer {
            case 1: (12 * bitRate / sampleRate + padding) * 4
            case 3 where !isVersion1: 72 * bitRate / sampleRate + padding
            default: 144 * bitRate / sampleRate + padding
            }
        let rejection: MediaRejection? = layer == 3 ? nil : .unsupportedVariant
        // It follows the side information.
        let isMono = word >> 6 & 3 == 3
        let sideInformation = isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        return Frame(
            verdict: Verdict(format: .mp3, rejection: rejection), fixedBits: word & 0xFFFE_0C00,
            length: length, descriptionOffset: layer == 3 ? 4 + sideInformation : nil)
    }

    /// Bit rates in thousands, for the indices 1 to 14.
    private static func bitRates(isVersion1: Bool, layer: Int) -> [Int] {
        switch (isVersion1, layer) {
        case (true, 1): [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
        case (true, 2): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
        case (true, _): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        case (false, 1): [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
        case (false, _): [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        }
    }
}

/// The ID3v2 tag before sound (id3.org, ID3v2.4.0, section 3).
enum ID3Tag {
    /// A file that starts with a tag is taken for MP3 until the bytes behind the tag say otherwise.
    static func look(at window: SniffWindow) -> Look {
        guard window.bytes.starts(with: [0x49, 0x44, 0x33].prefix(window.count)) else { return .no }
        guard window.count >= headerLength else { return window.needs(headerLength) }
        guard length(window) != nil else { return .no }
        return .yes(Verdict(format: .mp3, question: .behindTag))
    }

    static let headerLength = 10

    /// The whole length of the tag at the start of `window`, or nil if there is none.
    ///
    /// The size is written in four bytes of seven bits; it counts neither the header nor the footer.
    static func length(_ window: SniffWindow) -> Int? {
        guard window.count >= headerLength, window.bytes.starts(with: [0x49, 0x44, 0x33]) else { return nil }
        let size = window.bytes[6..<10]
        let version = window.bytes[3..<5]
        guard !version.contains(0xFF), size.allSatisfy({ $0 < 0x80 }) else { return nil }
        let hasFooter = window.bytes[5] & 0x10 != 0
        return headerLength + size.reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 10 : 0)
    }
}
