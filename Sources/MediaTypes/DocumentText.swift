/// The start of a file read as text: the byte order mark taken off, one byte a character, ASCII in lower
/// case.
///
/// What is not ASCII becomes 0xFF; nothing that is looked for contains it.
struct DocumentText {
    let characters: [UInt8]
    /// Whether no more will come.
    let isFinal: Bool

    init(_ window: SniffWindow) {
        let bytes = window.bytes
        isFinal = window.isFinal
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            characters = bytes.dropFirst(3).map(Self.folded)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            characters = Self.characters(ofUTF16: bytes.dropFirst(2), highByteFirst: true)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            characters = Self.characters(ofUTF16: bytes.dropFirst(2), highByteFirst: false)
        } else if bytes.starts(with: [0, 0x3C, 0, 0x3F]) {
            // `<?` without a mark (XML 1.0, appendix F.1).
            characters = Self.characters(ofUTF16: bytes[...], highByteFirst: true)
        } else if bytes.starts(with: [0x3C, 0, 0x3F, 0]) {
            characters = Self.characters(ofUTF16: bytes[...], highByteFirst: false)
        } else {
            characters = bytes.map(Self.folded)
        }
    }

    private static func characters(ofUTF16 bytes: ArraySlice<UInt8>, highByteFirst: Bool) -> [UInt8] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
            let high = bytes[highByteFirst ? index : index + 1]
            let low = bytes[highByteFirst ? index + 1 : index]
            return high == 0 ? folded(low) : 0xFF
        }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x41...0x5A: byte + 0x20
        case 0x80...: 0xFF
        default: byte
        }
    }

    /// The character at `index`, or nil beyond the end.
    func character(_ index: Int) -> Unicode.Scalar? {
        index < characters.count ? Unicode.Scalar(characters[index]) : nil
    }

    /// Where the first character that is not white space stands, from `start` on; the end if there is none.
    func skippingSpace(from start: Int) -> Int {
        var index = start
        while let character = character(index), Self.isSpace(character) { index += 1 }
        return index
    }

    /// Tab, line feed, form feed, carriage return and space.
    static func isSpace(_ character: Unicode.Scalar) -> Bool {
        character == " " || character == "\n" || character == "\r" || character == "\t"
            || character == "\u{C}"
    }

    /// Whether `word` (in lower case) stands at `index`; nil if the text ends within it and may go on.
    func has(_ word: String, at index: Int) -> Bool? {
        let found = characters[min(index, characters.count)...].prefix(word.utf8.count)
        guard word.utf8.starts(with: found) else { return false }
        if found.count == word.utf8.count { return true }
        return isFinal ? false : nil
    }

    /// The index behind the first `word` (in lower case) from `start` on, or nil if there is none.
    func end(of word: String, from start: Int) -> Int? {
        let wanted = Array(word.utf8)
        guard characters.count >= start + wanted.count else { return nil }
        return (start...(characters.count - wanted.count))
            .first { characters[$0..<($0 + wanted.count)].elementsEqual(wanted) }
            .map { $0 + wanted.count }
    }
}
