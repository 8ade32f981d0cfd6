internal import CFuzzer
package import Codecs
internal import Glibc
internal import JPEGCore
internal import Pixels

// A pushed decoder on any bytes: a small picture or an error, and the same however the bytes come.

/// What became of the bytes.
private enum Ending: Equatable {
    case picture([UInt8], isAnimated: Bool, isOdd: Bool)
    case failure(CodecError.Kind)
}

/// Bytes in memory that can be read anywhere.
private final class Memory: RandomAccessBytes {
    let bytes: [UInt8]
    var size: Int { bytes.count }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard offset >= 0, offset < bytes.count else { return 0 }
        let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
        unsafe buffer.copyBytes(from: part)
        return part.count
    }
}

private func pipeline(_ header: ImageHeader, _ numerator: Int) -> RowPipeline {
    let rows = header.rowSize(numerator: numerator)
    let place = Placement.inside(PixelSize(24, 24), of: header.size)
    let scaler = RowScaler(
        source: header.region(of: place, numerator: numerator), size: place.size, channels: 3,
        interlace: header.interlace)
    return RowPipeline(
        layout: header.layout, width: rows.width, background: 0x40_80C0, scalers: [scaler],
        interlace: header.interlace)
}

/// Decodes in the order of calls that `ImageDecoder` asks for.
private func decode<Decoder: ImageDecoder & ~Copyable>(
    _ bytes: [UInt8], inPiecesOf size: Int, _ make: () throws(CodecError) -> Decoder
) throws(CodecError) -> Ending {
    var decoder = try make()
    var header: ImageHeader?
    var rows: RowPipeline?
    var (at, isWhole) = (0, false)
    while at < bytes.count, !isWhole {
        let end = min(at + size, bytes.count)
        switch try decoder.push(bytes.span.extracting(at..<end), into: rows) {
        case .needsInput: at = end
        case .header(let found, let used):
            at += used
            guard header == nil, Double(found.size.width) * Double(found.size.height) <= 20_000 else {
                throw CodecError(.tooManyPixels, "")
            }
            if found.isProvisional { return .failure(.unreadable) }
            header = found
            let numerator = found.numerators.first ?? found.steps
            rows = pipeline(found, numerator)
            try decoder.start(numerator: numerator, memoryLimit: 64_000_000)
        case .finished(let used):
            at += used
            isWhole = true
        }
    }
    if !isWhole { try decoder.finish(padding: true, into: rows) }
    guard let header, let rows else { throw CodecError(.truncated, "") }
    rows.fill(to: header.rowSize(numerator: header.numerators.first ?? header.steps).height)
    let notes = decoder.notes
    return .picture(
        rows.finish().flatMap(\.samples), isAnimated: notes.isAnimated, isOdd: notes.isOdd)
}

private func ending<Decoder: ImageDecoder & ~Copyable>(
    _ bytes: [UInt8], inPiecesOf size: Int, _ make: () throws(CodecError) -> Decoder
) -> Ending {
    do { return try decode(bytes, inPiecesOf: size, make) } catch { return .failure(error.kind) }
}

/// Runs libFuzzer on a decoder until it ends the process.
package func explore<Decoder: ImageDecoder & ~Copyable>(
    _ make: @escaping () throws(CodecError) -> Decoder
) -> Never {
    unsafe judge = { bytes in
        let whole = ending(bytes, inPiecesOf: .max / 2, make)
        for size in [7, 300] + (bytes.count < 2000 ? [1] : []) {
            let cut = ending(bytes, inPiecesOf: size, make)
            if cut != whole { fatalError("in pieces of \(size): \(cut), not \(whole)") }
        }
    }
    return run()
}

/// Runs libFuzzer on a pushed decoder, and on the spooled one that takes over where what decides comes last.
package func explore<Decoder: ImageDecoder & ~Copyable, Spooled: SpoolDecoder & ~Copyable>(
    _ make: @escaping () throws(CodecError) -> Decoder, spooled: @escaping () throws(CodecError) -> Spooled
) -> Never {
    unsafe judge = { bytes in
        let whole = ending(bytes, inPiecesOf: .max / 2, make)
        for size in [7, 300] + (bytes.count < 2000 ? [1] : []) {
            let cut = ending(bytes, inPiecesOf: size, make)
            if cut != whole { fatalError("in pieces of \(size): \(cut), not \(whole)") }
        }
        try? spool(bytes, spooled)
    }
    return run()
}

private func spool<Spooled: SpoolDecoder & ~Copyable>(
    _ bytes: [UInt8], _ make: () throws(CodecError) -> Spooled
) throws(CodecError) {
    var decoder = try make()
    let file = Memory(bytes)
    guard let header = try decoder.readHeader(from: file, shouldStop: { false }),
        Double(header.size.width) * Double(header.size.height) <= 20_000
    else { return }
    let numerator = header.numerators.first ?? header.steps
    let rows = pipeline(header, numerator)
    let job = SpoolJob(numerator: numerator, memoryLimit: 64_000_000, allowsTruncated: true)
    _ = try decoder.decode(from: file, job, into: rows)
    _ = rows.finish()
}

/// Runs libFuzzer on a pushed decoder that finds headers, and the spooled one that decodes: the same however bytes come,
/// and whether the file is read in place.
package func explore<Decoder: ImageDecoder & ~Copyable, Spooled: SpoolDecoder & ~Copyable>(
    _ make: @escaping () throws(CodecError) -> Decoder,
    handingOverTo spooled: @escaping () throws(CodecError) -> Spooled
) -> Never {
    unsafe judge = { bytes in
        for allowsTruncated in [true, false] {
            func ending(_ size: Int?) -> Ending {
                do {
                    return try handOver(
                        bytes, inPiecesOf: size, allowsTruncated: allowsTruncated, make, spooled)
                } catch { return .failure(error.kind) }
            }
            let whole = ending(nil)
            for size in [7, 300] + (bytes.count < 2000 ? [1] : []) {
                let cut = ending(size)
                if cut != whole { fatalError("in pieces of \(size): \(cut), not \(whole)") }
            }
        }
    }
    return run()
}

/// Decodes as a session does; without a size of pieces the file is read in place.
private func handOver<Decoder: ImageDecoder & ~Copyable, Spooled: SpoolDecoder & ~Copyable>(
    _ bytes: [UInt8], inPiecesOf size: Int?, allowsTruncated: Bool, _ make: () throws(CodecError) -> Decoder,
    _ makeSpooled: () throws(CodecError) -> Spooled
) throws(CodecError) -> Ending {
    var decoder = try make()
    var spooled = try makeSpooled()
    var header: ImageHeader?
    var spool = size == nil ? bytes : []
    var at = 0
    while at < bytes.count, header == nil || size != nil {
        let end = min(at + (size ?? bytes.count), bytes.count)
        if header == nil {
            switch try decoder.push(bytes.span.extracting(at..<end), into: nil) {
            case .needsInput: at = end
            case .finished: throw CodecError(.truncated, "")
            case .header(let found, let used):
                guard Double(found.size.width) * Double(found.size.height) <= 20_000 else {
                    throw CodecError(.tooManyPixels, "")
                }
                header = found
                at += used
                guard size != nil else { break }
                spool = decoder.head
                try spooled.watch(spool.span)
            }
        } else {
            spool += bytes[at..<end]
            try spooled.watch(bytes.span.extracting(at..<end))
            at = end
        }
    }
    if header == nil { try decoder.finish(padding: allowsTruncated, into: nil) }
    guard let header else { throw CodecError(.truncated, "") }
    let rows = pipeline(header, header.steps)
    let job = SpoolJob(numerator: header.steps, memoryLimit: 64_000_000, allowsTruncated: allowsTruncated)
    let end = try spooled.decode(from: Memory(spool), job, into: rows)
    if end.isTruncated, !allowsTruncated { fatalError("a cut picture where that will not do") }
    rows.fill(to: header.size.height)
    var notes = decoder.notes
    notes.add(spooled.notes)
    return .picture(
        rows.finish().flatMap(\.samples), isAnimated: notes.isAnimated, isOdd: notes.isOdd)
}

// Safety: written once, before libFuzzer begins, which is the only thread.
nonisolated(unsafe) private var judge: ([UInt8]) -> Void = { _ in }

private func run() -> Never {
    var count = CommandLine.argc
    var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    exit(
        unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
            unsafe judge(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        })
}
