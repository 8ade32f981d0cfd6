/// The name of an output by content: the same source and the same recipe give the same name, anywhere.
package struct RecipeName {
    /// Everything that decides the bytes of an output, one fact a line.
    package let canonical: String

    /// Grows when the encoder writes other bytes for the same recipe.
    static let encoderVersion = 4

    package init(_ sourceDigest: String, _ profile: Profile, _ options: PreparationOptions) {
        let edge = options.maxEdge ?? .max
        canonical = """
            attachprep 1
            source \(sourceDigest)
            box \(min(profile.width, edge))x\(min(profile.height, edge)) \(profile.fit.recipeWord)
            max-bytes \(options.maxBytes ?? profile.maxBytes)
            quality \(options.minQuality)-\(options.maxQuality)
            background \(Self.hex(options.background))
            animation \(options.animation.rawValue)
            effort \(options.effort.rawValue)
            progressive \(options.progressive.rawValue)
            allow-truncated \(options.allowsTruncated ? 1 : 0)
            encoder \(Self.encoderVersion)

            """ + (options.acceptsMeans ? "means 1\n" : "")
    }

    /// SHA-256 of the canonical text as 64 hexadecimal digits.
    package func text() throws(PrepError) -> String {
        ContentDigest.hex(try ContentDigest.sha256(canonical.utf8))
    }

    private static func hex(_ color: UInt32) -> String {
        ContentDigest.hex([UInt8(color >> 16 & 255), UInt8(color >> 8 & 255), UInt8(color & 255)])
    }
}

extension Profile.Fit {
    /// What becomes of a picture in its box, as recipes say it: another word where another part of it is shown.
    package var recipeWord: String {
        switch self {
        case .inside: rawValue
        // `fill` was the centred part.
        case .fill: "salient"
        }
    }
}
