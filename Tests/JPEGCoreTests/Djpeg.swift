import Foundation
import Pixels
import TestSupport

/// libjpeg-turbo's decoder as the judge of what was written.
enum Djpeg {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Decodes files; any warning is an error.
    static func decode(_ files: [[UInt8]]) throws -> [Bitmap] {
        let folder = try TemporaryFolder()
        for (index, file) in files.enumerated() { _ = try folder.file("\(index).jpg", file) }
        // One process for all of them.
        let script = """
            i=0; while [ $i -lt \(files.count) ]; do
              djpeg -strict -dct int -pnm -outfile $i.pnm $i.jpg 2> err || { echo "file $i:"; cat err; exit 1; }
              [ -s err ] && { echo "file $i:"; cat err; exit 1; }
              i=$((i + 1))
            done
            """
        let result = try finish(
            ["/bin/sh", "-c", script], in: folder.path, environment: ProcessInfo.processInfo.environment)
        guard result.status == 0 else {
            throw Failure(description: String(decoding: result.output, as: UTF8.self))
        }
        return try files.indices.map { index in
            try parse(bytes(of: "\(folder.path)/\(index).pnm"))
        }
    }

    static func decode(_ file: [UInt8]) throws -> Bitmap {
        guard let picture = try decode([file]).first else { throw Failure(description: "nothing decoded") }
        return picture
    }

    /// PGM and PPM as djpeg writes them: magic, sides and maximum, each after one white space.
    private static func parse(_ bytes: [UInt8]) throws -> Bitmap {
        let fields = bytes.split(maxSplits: 4, omittingEmptySubsequences: false) { $0 == 10 || $0 == 32 }
        guard fields.count == 5, let width = Int(String(decoding: fields[1], as: UTF8.self)),
            let height = Int(String(decoding: fields[2], as: UTF8.self))
        else { throw Failure(description: "no PNM") }
        let channels = Array(fields[0]) == Array("P6".utf8) ? 3 : 1
        guard fields[4].count == width * height * channels else { throw Failure(description: "short PNM") }
        return Bitmap(size: PixelSize(width, height), channels: channels, samples: Array(fields[4]))
    }
}

/// Peak signal-to-noise ratio in decibels over all samples.
func psnr(_ a: Bitmap, _ b: Bitmap) -> Double {
    guard a.size == b.size, a.channels == b.channels else { return 0 }
    var sum = 0
    for (x, y) in zip(a.samples, b.samples) { sum += (Int(x) - Int(y)) * (Int(x) - Int(y)) }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.samples.count) / Double(sum))
}
