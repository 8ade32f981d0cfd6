internal import CFuzzer
internal import Codecs
internal import Glibc
internal import JPEGCore
internal import Pixels

// The boxes of a HEIF file and the headers of what they hold, on any bytes: a picture's header or an error. No pixel is decoded.

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

func read(_ bytes: [UInt8]) {
    var decoder = HEIFSpoolDecoder()
    guard let header = try? decoder.readHeader(from: Memory(bytes), shouldStop: { false }) else { return }
    for isCutAllowed in [false, true] {
        _ = try? decoder.memoryBeyondHeader(
            of: Memory(bytes), allowsTruncated: isCutAllowed, unless: { false })
    }
    precondition(header.size.width > 0 && header.size.height > 0, "a picture of no size")
    for numerator in header.numerators {
        precondition(header.codecNeed(numerator) > 0, "nothing takes no memory")
        precondition(header.rowSize(numerator: numerator).width > 0, "rows without pixels")
    }
}

var count = CommandLine.argc
var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
    unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
        read(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })
