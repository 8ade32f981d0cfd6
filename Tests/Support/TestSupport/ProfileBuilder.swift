/// Writes small ICC profiles (ICC.1:2010, clause 7): curves of one power, and for RGB a matrix; or a table.
package enum ProfileBuilder {
    /// X, Y and Z relative to D50 of sRGB's red, green and blue (IEC 61966-2-1, adapted by Bradford).
    package static let sRGBColorants = [
        [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410],
    ]

    /// An RGB display profile; nothing but its colorants and one power for all channels.
    package static func rgb(_ colorants: [[Double]], gamma: Double) -> [UInt8] {
        var tags: [(String, [UInt8])] = []
        for (name, color) in zip(["rXYZ", "gXYZ", "bXYZ"], colorants) { tags.append((name, xyz(color))) }
        for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve(gamma))) }
        return profile(space: "RGB ", tags)
    }

    package static func gray(gamma: Double) -> [UInt8] { profile(space: "GRAY", [("kTRC", curve(gamma))]) }

    /// An RGB display profile that is a table of eight colours: black is black, and all others the one of these bytes
    /// (10.8, lut8Type; L* in 255 steps, a* and b* from 128).
    package static func table(lab: [UInt8]) -> [UInt8] {
        let identity = Array(UInt8.min...UInt8.max)
        let matrix = ([1, 0, 0, 0, 1, 0, 0, 0, 1] as [Double]).flatMap { fixed($0) }
        let colors: [UInt8] = [0, 128, 128] + lab + lab + lab + lab + lab + lab + lab
        let head = Array("mft1".utf8) + long(0) + [3, 3, 2, 0] + matrix
        let curves = identity + identity + identity
        let table = head + curves + colors + curves
        return profile(space: "RGB ", connection: "Lab ", [("A2B0", table)])
    }

    private static func profile(
        space: String, connection: String = "XYZ ", _ given: [(String, [UInt8])]
    ) -> [UInt8] {
        let tags = given + [("wtpt", xyz([0.9642, 1, 0.8249]))]
        var table = long(tags.count)
        var data: [UInt8] = []
        for (name, bytes) in tags {
            table += Array(name.utf8) + long(132 + 12 * tags.count + data.count) + long(bytes.count)
            data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        var header = [UInt8](repeating: 0, count: 128)
        func put(_ bytes: [UInt8], at place: Int) {
            header.replaceSubrange(place..<(place + bytes.count), with: bytes)
        }
        put(long(128 + table.count + data.count), at: 0)
        put([2, 0x40, 0, 0], at: 8)
        put(Array("mntr\(space)\(connection)".utf8), at: 12)
        put(Array("acsp".utf8), at: 36)
        put([0.9642, 1, 0.8249].flatMap(fixed), at: 68)
        return header + table + data
    }

    private static func xyz(_ values: [Double]) -> [UInt8] {
        Array("XYZ ".utf8) + long(0) + values.flatMap(fixed)
    }

    private static func curve(_ gamma: Double) -> [UInt8] {
        let power = Int((gamma * 256).rounded())
        return Array("curv".utf8) + long(0) + long(1) + [UInt8(power >> 8), UInt8(power & 255)]
    }

    private static func fixed(_ value: Double) -> [UInt8] { long(Int((value * 65536).rounded())) }

    private static func long(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
