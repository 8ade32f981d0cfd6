internal import CFuzzer
internal import Glibc
internal import JPEGCore
internal import Pixels

// The entropy decoders of a JPEG of several scans, in lockstep, on any bytes: coefficients or an error.

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

func decode(_ bytes: [UInt8]) throws(ScanError) {
    var index = ScanIndex(maxScans: 30)
    try index.push(bytes.span)
    index.finish()
    guard let geometry = index.geometry, geometry.size.width * geometry.size.height <= 300_000 else { return }
    for isDCOnly in [false, true] {
        for mayBeCut in [false, true] {
            do throws(ScanError) {
                let reader = try LockstepReader(
                    index, Memory(bytes), isDCOnly: isDCOnly, mayBeCut: mayBeCut)
                while try reader.next() {}
                _ = reader.isOdd
            } catch {}
        }
    }
}

var count = CommandLine.argc
var words = unsafe CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
    unsafe LLVMFuzzerRunDriver(&count, &words) { bytes, count in
        try? decode(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })
