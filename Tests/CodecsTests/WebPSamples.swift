import TestSupport

/// WebP files that libwebp's own programs make and read when the tests run, and their chunks.
enum WebPSamples {
    static func make(_ picture: Picture, _ options: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let file = try folder.file("in.ppm", picture.pnm)
        return try run("cwebp", ["-quiet"] + options + [file, "-o", "-"])
    }

    /// With an alpha channel, red, green, blue and alpha.
    static func make(width: Int, height: Int, rgba: [UInt8], _ options: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let rows = stride(from: 0, to: rgba.count, by: 4 * width).map { Array(rgba[$0..<($0 + 4 * width)]) }
        let png = PNGFile([
            PNGFile.header(width, height, colorType: 6), PNGFile.imageData(rows: rows), PNGFile.Chunk("IEND"),
        ])
        let file = try folder.file("in.png", png.bytes)
        return try run("cwebp", ["-quiet", "-exact"] + options + [file, "-o", "-"])
    }

    /// What dwebp makes of a file.
    static func reference(_ bytes: [UInt8]) throws -> Picture {
        let folder = try TemporaryFolder()
        let pnm = try run("dwebp", ["-quiet", "-ppm", try folder.file("in.webp", bytes), "-o", "-"])
        guard let picture = Picture(pnm: pnm) else { throw ProgramFailure(command: "dwebp", status: 0) }
        return picture
    }

    /// The chunks behind RIFF's header, each with its padding.
    static func chunks(_ bytes: [UInt8]) -> [(type: String, data: [UInt8])] {
        var found: [(String, [UInt8])] = []
        var at = 12
        while at + 8 <= bytes.count {
            let length = bytes[(at + 4)..<(at + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
            guard at + 8 + length <= bytes.count else { break }
            let type = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
            found.append((type, Array(bytes[(at + 8)..<(at + 8 + length)])))
            at += 8 + length + length & 1
        }
        return found
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little(data.count, 4) + data + (data.count & 1 == 1 ? [0] : [])
    }

    static func file(_ chunks: [UInt8], size: Int? = nil) -> [UInt8] {
        Array("RIFF".utf8) + little(size ?? chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    static func extended(flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    /// A frame of an animation around the chunks of a picture.
    static func frame(x: Int, y: Int, _ width: Int, _ height: Int, _ chunks: [UInt8]) -> [UInt8] {
        let head = little(x / 2, 3) + little(y / 2, 3) + little(width - 1, 3) + little(height - 1, 3)
        return chunk("ANMF", head + little(100, 3) + [0] + chunks)
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
