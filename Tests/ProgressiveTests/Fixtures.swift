import CJPEGOracle
import Foundation
import JPEGCore
import Pixels
import TestSupport

/// Files made at run time by libjpeg-turbo's commands, in a folder that goes away with this object.
final class Fixtures {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "progressive-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    /// A JPEG of a synthetic picture through cjpeg.
    func cjpeg(
        _ width: Int, _ height: Int, _ options: [String], scans: String? = nil, isGrey: Bool = false
    ) throws -> [UInt8] {
        let picture = Self.picture(width, height, channels: isGrey ? 1 : 3)
        let source = try write(
            Array("P\(isGrey ? 5 : 6)\n\(width) \(height)\n255\n".utf8) + picture, "in.pnm")
        var options = options
        if let scans {
            options += ["-scans", try write(Array(scans.utf8), "scans.txt")]
        }
        return try run("cjpeg", options + [source])
    }

    /// Rows of samples through djpeg.
    func djpeg(_ jpeg: [UInt8], numerator: Int) throws -> [UInt8] {
        let source = try write(jpeg, "in.jpg")
        // Status 2: there were warnings.
        let pnm = try run(
            "djpeg", ["-pnm", "-scale", "\(numerator)/8", source], accepting: [0, 2])
        let fields = pnm.split(maxSplits: 4, omittingEmptySubsequences: false) { $0 == 10 || $0 == 32 }
        guard fields.count == 5 else { throw Failure(description: "no PNM") }
        return Array(fields[4])
    }

    /// Slopes, edges and noise: coefficients of every size.
    private static func picture(_ width: Int, _ height: Int, channels: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 7)
        var samples: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let noise = (x / 24 + y / 16) % 3 == 0 ? Int(random.next() % 60) : 0
                let edge = (x + 2 * y) % 29 < 9 ? 90 : 0
                for c in 0..<channels {
                    samples.append(UInt8((x * (c + 2) + y * (3 - c) + noise + edge * (c + 1)) & 255))
                }
            }
        }
        return samples
    }
}

/// A file that libjpeg's commands cannot make.
func libjpegFile(
    _ width: Int, _ height: Int, sampling: [(Int, Int)], isYCCK: Bool = false, isProgressive: Bool = true,
    alone: Bool = false, restart: Int = 0
) throws -> [UInt8] {
    var picture = oracle_picture()
    picture.width = Int32(width)
    picture.height = Int32(height)
    picture.components = Int32(sampling.count)
    picture.ycck = isYCCK ? 1 : 0
    picture.progressive = isProgressive ? 1 : 0
    picture.alone = alone ? 1 : 0
    picture.restart = Int32(restart)
    unsafe withUnsafeMutableBytes(of: &picture.across) { across in
        for (i, factors) in sampling.enumerated() {
            unsafe across.storeBytes(of: Int32(factors.0), toByteOffset: 4 * i, as: Int32.self)
        }
    }
    unsafe withUnsafeMutableBytes(of: &picture.down) { down in
        for (i, factors) in sampling.enumerated() {
            unsafe down.storeBytes(of: Int32(factors.1), toByteOffset: 4 * i, as: Int32.self)
        }
    }
    var count = 0
    guard let bytes = unsafe oracle_write(&picture, &count) else {
        throw Fixtures.Failure(description: "libjpeg cannot write it")
    }
    defer { unsafe free(bytes) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}

/// Bytes in memory as a spool.
final class MemoryBytes: RandomAccessBytes {
    private let bytes: [UInt8]
    /// How many bytes were read in all.
    private(set) var bytesRead = 0
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    var size: Int { bytes.count }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = max(0, min(buffer.count, bytes.count - offset))
        if count > 0 { unsafe buffer.copyBytes(from: bytes[offset..<offset + count]) }
        bytesRead += count
        return count
    }
}
