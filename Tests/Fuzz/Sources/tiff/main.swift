internal import CFuzzer
internal import Codecs
internal import Glibc
internal import JPEGCore
internal import Pixels

// Any bytes as a TIFF: directories, libtiff behind them and every conversion; rows as promised, or an error.

/// Bytes in memory that can be read anywhere.
final class Memory: RandomAccessBytes {
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

func check(_ condition: Bool, _ promise: String) {
    if !condition { fatalError("broken promise: \(promise)") }
}

func decode(_ bytes: [UInt8], allowsTruncated: Bool) throws(CodecError) {
    let file = Memory(bytes)
    var decoder = TIFFDecoder(maxScans: 30)
    let start = ContinuousClock.now
    // As the time limit would end it.
    let shouldStop = { ContinuousClock.now - start > .seconds(5) }
    guard let header = try decoder.readHeader(from: file, shouldStop: shouldStop) else {
        return check(false, "a header or an error")
    }
    check(header.size.width > 0 && header.size.height > 0, "a size")
    let (area, overflow) = header.size.width.multipliedReportingOverflow(by: header.size.height)
    let need = header.codecNeed(8)
    guard !overflow, area <= 500_000, need <= 100_000_000 else { return }
    let rows = RowPipeline(
        layout: header.layout, width: header.size.width, background: 0xFF_FFFF, scalers: [],
        shouldStop: shouldStop)
    let job = SpoolJob(numerator: 8, memoryLimit: need, allowsTruncated: allowsTruncated)
    let end = try decoder.decode(from: file, job, into: rows)
    check(rows.rowsTaken == header.size.height, "every row")
    check(!end.isTruncated || allowsTruncated, "a cut picture only where that will do")
}

var count = CommandLine.argc
var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
    unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
        let bytes = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        for allowsTruncated in [false, true] { try? decode(bytes, allowsTruncated: allowsTruncated) }
        return 0
    })
