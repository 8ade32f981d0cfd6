/// A JPEG file for tests, with the name of what it is.
package struct JPEGSample: CustomStringConvertible, Sendable {
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    package var description: String { name }
}

/// JPEG files that cjpeg of libjpeg-turbo makes when the tests run.
package enum JPEGSamples {
    /// Runs cjpeg.
    package static func make(_ picture: Picture, _ options: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        return try run("cjpeg", options + [try folder.file("in.ppm", picture.pnm)])
    }

    /// What djpeg makes of a file, a warning being a failure.
    package static func reference(_ bytes: [UInt8], _ options: [String] = []) throws -> Picture {
        let folder = try TemporaryFolder()
        let pnm = try run("djpeg", ["-pnm"] + options + [try folder.file("in.jpg", bytes)])
        guard let picture = Picture(pnm: pnm) else { throw ProgramFailure(command: "djpeg", status: 0) }
        return picture
    }

    /// One of each kind that the decoder tells apart, sides from odd to a single pixel.
    package static let all: [JPEGSample] = {
        let colour = Picture.waves(71, 45)
        let plans: [(String, Picture, [String])] = [
            ("4:4:4", colour, ["-sample", "1x1"]),
            ("4:2:0", colour, ["-sample", "2x2"]),
            ("4:2:2", colour, ["-sample", "2x1"]),
            ("4:4:0", colour, ["-sample", "1x2"]),
            ("4:1:1", Picture.waves(64, 48), ["-sample", "4x1"]),
            ("grey", Picture.waves(39, 58, channels: 1), []),
            ("grey from colour", colour, ["-grayscale"]),
            ("progressive", colour, ["-progressive"]),
            ("progressive grey", Picture.waves(33, 30, channels: 1), ["-progressive"]),
            ("progressive 4:4:4", colour, ["-progressive", "-sample", "1x1", "-quality", "95"]),
            ("restarts", colour, ["-restart", "2B"]),
            ("restart rows, progressive", colour, ["-restart", "1", "-progressive"]),
            ("RGB", colour, ["-rgb"]),
            ("quality 100, optimised", colour, ["-quality", "100", "-optimize"]),
            ("quality 5", colour, ["-quality", "5"]),
            ("1 x 1", Picture.waves(1, 1), []),
            ("1 x 17", Picture.waves(1, 17), []),
            ("17 x 1", Picture.waves(17, 1), []),
            ("8 x 8", Picture.waves(8, 8), []),
            ("16 x 16", Picture.waves(16, 16), []),
            ("9 x 15, 4:2:0", Picture.waves(9, 15), ["-sample", "2x2"]),
        ]
        // A missing cjpeg leaves an empty list, which a test notices.
        return plans.compactMap { name, picture, options in
            (try? make(picture, options)).map { JPEGSample(name: name, bytes: $0) }
        }
    }()

    package static func named(_ name: String) throws -> [UInt8] {
        guard let sample = all.first(where: { $0.name == name }) else {
            throw ProgramFailure(command: "cjpeg (\(name))", status: 0)
        }
        return sample.bytes
    }
}
