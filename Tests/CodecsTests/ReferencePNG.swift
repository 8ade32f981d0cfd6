import CReferencePNG

/// A PNG as libpng's own pull interface decodes it, samples at their full depth.
struct ReferencePNG {
    var width: Int
    var height: Int
    var channels: Int
    var bits: Int
    var samples: [UInt16]

    /// Nil when libpng rejects the file.
    init?(_ bytes: [UInt8]) {
        var raw = unsafe bytes.withUnsafeBufferPointer {
            unsafe reference_png_decode($0.baseAddress, $0.count)
        }
        defer { unsafe reference_png_free(&raw) }
        (width, height) = unsafe (Int(raw.width), Int(raw.height))
        (channels, bits) = unsafe (Int(raw.channels), Int(raw.bits))
        guard let first = unsafe raw.samples else { return nil }
        samples = unsafe Array(UnsafeBufferPointer(start: first, count: width * height * channels))
    }
}
