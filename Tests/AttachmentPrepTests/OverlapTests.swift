import Codecs
import Foundation
import Pixels
import TestSupport
import Testing

@testable import AttachmentPrep

/// Work goes on while bytes come: what waits for the last byte is fitting and writing.
@Suite struct OverlapTests {
    /// A picture of 12 megapixels that no codec makes small: each row is noise, moved by a few pixels.
    private func pixmap() -> Data {
        let (width, height) = (4000, 3000)
        var generator = SeededGenerator(seed: 10)
        let noise = Data((0..<(3 * (width + 64))).map { _ in UInt8.random(in: 96...159, using: &generator) })
        var picture = Data("P6\n\(width) \(height)\n255\n".utf8)
        picture.reserveCapacity(3 * width * height + 20)
        for y in 0..<height {
            let start = 3 * (y * 7 % 64)
            picture.append(noise[start..<start + 3 * width])
        }
        return picture
    }

    /// Writes a PPM as a PNG without filters.
    private static let writePNG = """
        import struct, sys, zlib
        data = open(sys.argv[1], 'rb').read()
        width, height = map(int, data.split(b'\\n', 2)[1].split())
        rows = data[-3 * width * height:]
        rows = b''.join(b'\\0' + rows[y * 3 * width:(y + 1) * 3 * width] for y in range(height))
        def chunk(kind, body):
            return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
        sys.stdout.buffer.write(
            b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows, 1)) + chunk(b'IEND', b''))
        """

    @Test(arguments: [["cjpeg", "-quality", "80"], ["python3", "-c", writePNG]])
    func nearlyAllRowsAreScaledBeforeTheEnd(_ encoder: [String]) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/in.ppm"
        try pixmap().write(to: URL(fileURLWithPath: file))
        let bytes = try run(encoder[0], encoder.dropFirst() + [file])
        let held = bytes.count / 100 * 99
        var preparer = AttachmentPreparer(profile: .apns)
        preparer.options.limits.timeout = nil  // A debug build takes its time.
        var session = preparer.begin(into: .named("out", in: folder.path))
        for start in stride(from: 0, to: held, by: 16_384) {
            try session.push(bytes.span.extracting(start..<min(start + 16_384, held)))
        }
        // The rows that the decoder delivers: at half size where libjpeg scales.
        let height = try #require(
            session.header?.rowSize(numerator: session.admission?.numerator ?? 8).height)
        let done = try #require(session.rows?.rowsTaken)
        #expect(done * 10 >= height * 9, "\(done) of \(height)")
    }
}
