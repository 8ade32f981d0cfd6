internal import Pixels

/// The code points of ITU-T H.273 that say what a picture's samples stand for.
package struct CodingPoints: Hashable, Sendable {
    /// ColourPrimaries, H.273 table 2.
    package let primariesCode: Int
    /// TransferCharacteristics, H.273 table 3.
    package let transferCode: Int

    package init(primaries: Int, transfer: Int) {
        primariesCode = primaries
        transferCode = transfer
    }

    enum Curve {
        case sRGB
        case curve(ColourSpace.TransferCurve)
        case highDynamicRange(HighDynamicRange.Signal)
    }

    /// Whether nothing is said: taken as sRGB.
    var isUnspecified: Bool { primariesCode == 2 && transferCode == 2 }

    /// Nil for codes that name none we know.
    var primaries: Primaries? {
        switch primariesCode {
        // Unspecified primaries are those of nearly all pictures.
        case 1, 2: .bt709
        case 4:
            Primaries(
                red: Chromaticity(0.67, 0.33), green: Chromaticity(0.21, 0.71),
                blue: Chromaticity(0.14, 0.08),
                white: Chromaticity(0.310, 0.316))
        case 5:
            Primaries(
                red: Chromaticity(0.64, 0.33), green: Chromaticity(0.29, 0.60), blue: Chromaticity(0.15, 0.06)
            )
        case 6, 7:
            Primaries(
                red: Chromaticity(0.630, 0.340), green: Chromaticity(0.310, 0.595),
                blue: Chromaticity(0.155, 0.070))
        case 9: .bt2020
        case 11:
            Primaries(
                red: Chromaticity(0.680, 0.320), green: Chromaticity(0.265, 0.690),
                blue: Chromaticity(0.150, 0.060), white: Chromaticity(0.314, 0.351))
        case 12: .displayP3
        case 22:
            Primaries(
                red: Chromaticity(0.630, 0.340), green: Chromaticity(0.295, 0.605),
                blue: Chromaticity(0.155, 0.077))
        default: nil
        }
    }

    /// Nil for codes that name none we know.
    var curve: Curve? {
        switch transferCode {
        // The curves of BT.601, 709 and 2020 are cameras'; what shows the picture undoes them with a display's own,
        // as every viewer of still pictures does with sRGB's.
        case 1, 2, 6, 13, 14, 15: .sRGB
        case 4: .curve { SRGBCurve.power($0, 2.2) }
        case 5: .curve { SRGBCurve.power($0, 2.8) }
        case 8: .curve { $0 }
        case 16: .highDynamicRange(.pq)
        case 18: .highDynamicRange(.hlg)
        default: nil
        }
    }
}
