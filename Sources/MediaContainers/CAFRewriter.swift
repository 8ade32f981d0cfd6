internal import MediaTypes

/// Uncompressed sound in Apple's Core Audio format, rewrapped as RIFF wave.
package struct CAFRewriter: MediaRewriter {
    private var chunks = ChunkStream(.caf, preamble: 8)
    private var media = RewrittenMedia(format: .wav)
    private var current: FourCC?
    private var description: [UInt8] = []
    private var format: PCMFormat?
    private var hasData = false
    /// Bytes before the samples: a count of edits.
    private var skip = 4

    package init() { media.isRewrapped = true }

    private static let descriptionSize = 32

    package mutating func push(_ bytes: Span<UInt8>, into output: any MediaOutput) throws(MediaError) {
        var index = 0
        while let event = chunks.next(bytes, &index) {
            switch event {
            case .preamble: break
            case .chunk(let type, let size): try begin(type, size, into: output)
            case .content(var range):
                if current == "desc" {
                    for i in range { description.append(bytes[i]) }
                } else if current == "data" {
                    let step = min(skip, range.count)
                    skip -= step
                    range = (range.lowerBound + step)..<range.upperBound
                    if !range.isEmpty { try output.append(bytes.extracting(range)) }
                }
            case .end:
                if current == "desc" { format = try PCMFormat(description) }
                current = nil
            }
        }
    }

    private mutating func begin(_ type: FourCC, _ size: Int, into output: any MediaOutput) throws(MediaError)
    {
        current = nil
        switch type {
        case "desc" where description.isEmpty:
            guard size == Self.descriptionSize else {
                throw MediaError(.corrupt, "a description of \(size) bytes")
            }
            current = type
        case "data" where !hasData:
            guard let format else { throw MediaError(.corrupt, "samples before their description") }
            hasData = true
            current = type
            try output.append(format.header(dataSize: 0))
        case "chan", "free", "pakt", "peak", "ovvw": break
        default: media.hadMetadata = true
        }
    }

    package mutating func finish(into output: any MediaOutput) throws(MediaError) -> RewrittenMedia {
        guard chunks.isComplete || current == nil else { throw MediaError(.truncated, "a chunk ends early") }
        guard let format, hasData else {
            throw MediaError(chunks.isComplete ? .corrupt : .truncated, "there are no samples")
        }
        let start = format.header(dataSize: 0).count
        let size = (output.size - start) / format.frameSize * format.frameSize
        guard size > 0 else { throw MediaError(.corrupt, "there are no samples") }
        try output.truncate(to: start + size)
        if !format.isLittleEndian { try Samples.swap(in: output, from: start, size: format.bits / 8) }
        if format.bits == 8 { try Samples.offset(in: output, from: start) }
        if size & 1 == 1 { try output.append([0]) }
        try output.overwrite(at: 0, with: format.header(dataSize: size))
        return media
    }
}

/// Uncompressed samples, as CAF describes them and WAVE can hold them.
private struct PCMFormat {
    let rate: Int
    let channels: Int
    let bits: Int
    let isFloat: Bool
    let isLittleEndian: Bool

    var frameSize: Int { channels * bits / 8 }

    /// Reads the description of Core Audio format, which is all big-endian.
    init(_ bytes: [UInt8]) throws(MediaError) {
        let codec = FourCC(UInt32(Bytes.bigEndian(bytes, at: 8, size: 4)))
        guard codec == "lpcm" else {
            throw MediaError(.unsupportedVariant, "CAF with '\(codec)', which WAVE does not have")
        }
        let rate = Double(bitPattern: UInt64(bitPattern: Int64(Bytes.bigEndian(bytes, at: 0, size: 8))))
        guard rate >= 1, rate <= 16_777_216, rate == rate.rounded() else {
            throw MediaError(.unsupportedVariant, "CAF with an odd sample rate")
        }
        self.rate = Int(rate)
        let flags = Bytes.bigEndian(bytes, at: 12, size: 4)
        let packetSize = Bytes.bigEndian(bytes, at: 16, size: 4)
        let framesPerPacket = Bytes.bigEndian(bytes, at: 20, size: 4)
        channels = Bytes.bigEndian(bytes, at: 24, size: 4)
        bits = Bytes.bigEndian(bytes, at: 28, size: 4)
        isFloat = flags & 1 != 0
        isLittleEndian = flags & 2 != 0
        let widths = isFloat ? [32, 64] : [8, 16, 24, 32]
        guard (1...64).contains(channels), widths.contains(bits), framesPerPacket == 1,
            packetSize == channels * bits / 8
        else {
            throw MediaError(
                .unsupportedVariant,
                "CAF with \(channels) channels of \(bits) bits in packets of \(packetSize) bytes")
        }
    }

    /// Everything before the samples of a RIFF wave.
    func header(dataSize: Int) -> [UInt8] {
        let tag = isFloat ? 3 : 1
        let isExtended = channels > 2
        var format =
            Bytes.littleEndian(isExtended ? 0xFFFE : tag, size: 2) + Bytes.littleEndian(channels, size: 2)
        format += Bytes.littleEndian(rate, size: 4) + Bytes.littleEndian(rate * frameSize, size: 4)
        format += Bytes.littleEndian(frameSize, size: 2) + Bytes.littleEndian(bits, size: 2)
        if isExtended {
            // Size of what follows, valid bits, no places for the channels, and the tag as a GUID.
            format +=
                [22, 0] + Bytes.littleEndian(bits, size: 2) + [0, 0, 0, 0] + Bytes.littleEndian(tag, size: 2)
            format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        } else if isFloat {
            format += [0, 0]
        }
        let body =
            FourCC("WAVE").bytes + FourCC("fmt ").bytes + Bytes.littleEndian(format.count, size: 4) + format
        let padded = body.count + 8 + dataSize + (dataSize & 1)
        return FourCC("RIFF").bytes + Bytes.littleEndian(padded, size: 4) + body + FourCC("data").bytes
            + Bytes.littleEndian(dataSize, size: 4)
    }
}
