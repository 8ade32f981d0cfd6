/// How the samples of a picture stand for light: a transfer curve for each channel, and primaries.
package struct ColourSpace: Sendable {
    /// Linear light, 0...1, of an encoded sample, 0...1.
    package typealias TransferCurve = @Sendable (Double) -> Double

    /// One curve for all channels, or one each for red, green and blue; nil for sRGB's.
    package let curves: [TransferCurve]?
    /// From this space's linear light to that of sRGB; nil where the primaries are sRGB's.
    package let toSRGB: ColourMatrix?

    package static let sRGB = ColourSpace(curves: nil, toSRGB: nil)

    package init(curves: [TransferCurve]?, toSRGB: ColourMatrix?) {
        self.curves = curves
        self.toSRGB = toSRGB
    }
}

/// A 3 × 3 matrix over red, green and blue (or X, Y and Z), row by row.
package struct ColourMatrix: Hashable, Sendable {
    package let rows: [SIMD3<Double>]

    package init(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) { rows = [a, b, c] }

    package static func * (matrix: ColourMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
        func dot(_ row: Int) -> Double { (matrix.rows[row] * vector).sum() }
        return SIMD3(dot(0), dot(1), dot(2))
    }

    package static func * (a: ColourMatrix, b: ColourMatrix) -> ColourMatrix {
        let columns = (0..<3).map { i in a * SIMD3(b.rows[0][i], b.rows[1][i], b.rows[2][i]) }
        func row(_ i: Int) -> SIMD3<Double> { SIMD3(columns[0][i], columns[1][i], columns[2][i]) }
        return ColourMatrix(row(0), row(1), row(2))
    }

    /// Nil where there is none, or none that arithmetic can trust.
    package var inverse: ColourMatrix? {
        func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
        }
        let columns = [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])]
        let determinant = (rows[0] * columns[0]).sum()
        guard determinant.isFinite, abs(determinant) > 1e-6 else { return nil }
        func row(_ i: Int) -> SIMD3<Double> {
            SIMD3(columns[0][i], columns[1][i], columns[2][i]) / determinant
        }
        return ColourMatrix(row(0), row(1), row(2))
    }
}

extension ColourMatrix {
    /// From linear RGB of these primaries to XYZ relative to their white (SMPTE RP 177).
    ///
    /// Nil for chromaticities that span no space.
    package init?(red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity) {
        func column(_ c: Chromaticity) -> SIMD3<Double> { SIMD3(c.x / c.y, 1, (1 - c.x - c.y) / c.y) }
        guard [red, green, blue, white].allSatisfy({ $0.y > 1e-4 }) else { return nil }
        let (r, g, b) = (column(red), column(green), column(blue))
        let primaries = ColourMatrix(SIMD3(r.x, g.x, b.x), SIMD3(r.y, g.y, b.y), SIMD3(r.z, g.z, b.z))
        guard let inverse = primaries.inverse else { return nil }
        let amounts = inverse * column(white)
        self.init(primaries.rows[0] * amounts, primaries.rows[1] * amounts, primaries.rows[2] * amounts)
    }

    /// From XYZ relative to one white to XYZ relative to D50, ICC's connection space (linear Bradford, ICC.1 annex E).
    package init?(adaptingFrom white: Chromaticity) {
        let cone = ColourMatrix(
            SIMD3(0.8951, 0.2664, -0.1614), SIMD3(-0.7502, 1.7135, 0.0367), SIMD3(0.0389, -0.0685, 1.0296))
        guard let back = cone.inverse, white.y > 1e-4 else { return nil }
        let from = cone * SIMD3(white.x / white.y, 1, (1 - white.x - white.y) / white.y)
        let to = cone * SIMD3(0.9642, 1, 0.8249)
        guard from.x > 1e-4, from.y > 1e-4, from.z > 1e-4 else { return nil }
        let scale = to / from
        let scaling = ColourMatrix(SIMD3(scale.x, 0, 0), SIMD3(0, scale.y, 0), SIMD3(0, 0, scale.z))
        self = back * scaling * cone
    }

    /// From linear light in sRGB's primaries to XYZ relative to D50.
    package static let sRGBToD50: ColourMatrix? = toD50(Primaries.bt709)

    /// From linear light in these primaries to XYZ relative to D50.
    package static func toD50(_ p: Primaries) -> ColourMatrix? {
        guard let native = ColourMatrix(red: p.red, green: p.green, blue: p.blue, white: p.white),
            let adaptation = ColourMatrix(adaptingFrom: p.white)
        else { return nil }
        return adaptation * native
    }

    /// From a space whose linear light this matrix takes to XYZ relative to D50, to linear light in sRGB's primaries.
    package var fromD50ToSRGB: ColourMatrix? { Self.sRGBToD50?.inverse.map { $0 * self } }
}

/// CIE 1931 x and y.
package struct Chromaticity: Hashable, Sendable {
    package let x: Double
    package let y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    package static let d65 = Chromaticity(0.3127, 0.3290)
}

/// The colours that a red, a green and a blue light of a picture have.
package struct Primaries: Hashable, Sendable {
    package let red: Chromaticity
    package let green: Chromaticity
    package let blue: Chromaticity
    package let white: Chromaticity

    package init(red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity = .d65) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// ITU-R BT.709, and sRGB.
    package static let bt709 = Primaries(
        red: Chromaticity(0.640, 0.330), green: Chromaticity(0.300, 0.600), blue: Chromaticity(0.150, 0.060))
    /// ITU-R BT.2020 and BT.2100.
    package static let bt2020 = Primaries(
        red: Chromaticity(0.708, 0.292), green: Chromaticity(0.170, 0.797), blue: Chromaticity(0.131, 0.046))
    /// Display P3 (SMPTE EG 432-1).
    package static let displayP3 = Primaries(
        red: Chromaticity(0.680, 0.320), green: Chromaticity(0.265, 0.690), blue: Chromaticity(0.150, 0.060))
}
