/// Skips ID3v2 tags and tells what sound stands behind them, in constant memory.
struct AudioBehindTagWalk {
    /// nil until known.
    private(set) var finding: Verdict?

    private var skip = 0
    private var head: [UInt8] = []
    private var need = ID3Tag.headerLength

    mutating func push(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count, finding == nil {
            if skip > 0 {
                let step = min(skip, bytes.count - index)
                skip -= step
                index += step
                continue
            }
            let end = min(bytes.count, index + need - head.count)
            while index < end {
                head.append(bytes[index])
                index += 1
            }
            if head.count >= need { look(isEnd: false) }
        }
    }

    mutating func finish() {
        if finding == nil { look(isEnd: true) }
        if finding == nil { finding = Self.nothing }
    }

    /// A tag with no sound we know behind it.
    private static let nothing = Verdict(format: .mp3, rejection: .unsupportedVariant)

    private mutating func look(isEnd: Bool) {
        let window = SniffWindow(bytes: head, isFinal: isEnd || head.count >= SniffWindow.limit)
        if let length = ID3Tag.length(window) {
            skip = length - head.count
            head = []
            need = ID3Tag.headerLength
            return
        }
        switch Self.sound(in: window) {
        case .yes(let verdict): finding = verdict
        case .more(let count): need = min(max(count, head.count + 1), SniffWindow.limit)
        case .no: finding = Self.nothing
        }
    }

    /// FLAC, or frames of MPEG audio or AAC, which may stand behind a little padding.
    private static func sound(in window: SniffWindow) -> Look {
        if window.bytes.starts(with: "fLaC".utf8) { return .yes(.flac) }
        for start in window.bytes.indices where window.bytes[start] == 0xFF {
            switch MPEGAudio.look(at: window, from: start, acceptsLast: start == 0) {
            case .no: continue
            case let answer: return answer
            }
        }
        return window.needsSome
    }
}
