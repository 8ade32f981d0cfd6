package import Pixels

/// How a picture's colours become sRGB.
package struct ColourPlan: Sendable {
    /// What the samples of the rows stand for; sRGB where `rows` converts them.
    package private(set) var space = ColourSpace.sRGB
    /// Converts each row before it is scaled: inks, high dynamic range, tables beneath an alpha channel.
    package private(set) var rows: (any RowConversion)?
    /// Converts the small picture.
    package private(set) var picture: (any RowConversion)?
    /// Whether anything is converted.
    package private(set) var isConverted = false
    /// Whether a profile came that is of no use.
    package private(set) var isIgnored = false
    /// Whether that profile may be a good one, which other readers apply.
    package private(set) var isUnread = false
    /// Bytes that lasts while the picture is decoded.
    package private(set) var memoryNeed = 0

    /// Nothing to do.
    package static let sRGB = ColourPlan()

    /// A profile that came but cannot be used.
    package static let ignored = {
        var plan = ColourPlan()
        plan.isIgnored = true
        return plan
    }()

    /// A profile that is not read, whatever it says.
    static let unread = {
        var plan = ColourPlan.ignored
        plan.isUnread = true
        return plan
    }()

    /// Profiles above this many bytes are ignored: the largest in use, of printing inks, take 2.7 MB.
    package static let profileLimit = 3 << 20

    /// What an lcms2 transform takes besides the profile: a 23⁴ table of three 16-bit values, libraries' pages.
    private static let transformBytes = 3_000_000

    private init() {}

    /// - Parameter layout: of the rows that the profile describes.
    package init(profile: [UInt8], layout: PixelLayout) {
        #if ICC
            guard profile.count <= Self.profileLimit else {
                self = .unread
                return
            }
            guard let icc = ICCProfile(profile), icc.fits(layout) else {
                self = .ignored
                return
            }
            if let space = icc.colourSpace() {
                self = ColourPlan(space, layout)
                return
            }
            guard !layout.isGray, let conversion = icc.conversion(of: layout) else {
                self = .unread
                return
            }
            self = .sRGB
            isConverted = true
            memoryNeed = Self.transformBytes
            // The matte is sRGB's, and a table has no way back: where there is one, it must come after the table.
            if layout.isInk || layout.hasAlpha { rows = conversion } else { picture = conversion }
        #else
            self = .unread
        #endif
    }

    /// Curves and primaries; what is sRGB within ΔE 1 is taken as sRGB.
    package init(_ space: ColourSpace, _ layout: PixelLayout) {
        self = .sRGB
        guard !space.isNearSRGB(isGray: layout.isGray) else { return }
        self.space = layout.isGray ? ColourSpace(curves: space.curves, toSRGB: nil) : space
        isConverted = true
        // Three curves of 4096 samples, and the tables made of them.
        memoryNeed = 3 * 4096 * 4
    }

    /// A code point of ITU-T H.273 for primaries and one for the transfer curve, as PNG's cICP and the `nclx` of
    /// HEIF carry them.
    ///
    /// - Parameter peak: of the brightest pixel, in nits, where the file says; for high dynamic range.
    package init(coding: CodingPoints, peak: Double? = nil, layout: PixelLayout) {
        guard let primaries = coding.primaries, !layout.isInk else {
            self = coding.isUnspecified ? .sRGB : .ignored
            return
        }
        let matrix = primaries == .bt709 ? nil : ColourMatrix.toD50(primaries)?.fromD50ToSRGB
        switch coding.curve {
        case .sRGB: self = ColourPlan(ColourSpace(curves: nil, toSRGB: matrix), layout)
        case .curve(let curve): self = ColourPlan(ColourSpace(curves: [curve], toSRGB: matrix), layout)
        case .highDynamicRange(let signal):
            self = .sRGB
            let conversion = HighDynamicRange(signal, layout: layout, toSRGB: matrix, peak: peak)
            isConverted = true
            memoryNeed = HighDynamicRange.memoryNeed
            rows = conversion
        case nil: self = .ignored
        }
    }
}

extension ColourSpace {
    /// Whether no colour of it differs from the same samples in sRGB by more than ΔE*ab 1.
    func isNearSRGB(isGray: Bool) -> Bool {
        guard curves != nil || toSRGB != nil else { return true }
        guard let toD50 = ColourMatrix.sRGBToD50 else { return false }
        let steps = isGray ? 33 : 9
        func lab(_ light: SIMD3<Double>) -> SIMD3<Double> { Self.lab(toD50 * light) }
        func light(_ sample: SIMD3<Double>) -> SIMD3<Double> {
            guard let curves, let last = curves.last else {
                return SIMD3(
                    SRGBCurve.linear(sample.x), SRGBCurve.linear(sample.y), SRGBCurve.linear(sample.z))
            }
            return SIMD3(
                curves[0](sample.x), (curves.count == 3 ? curves[1] : last)(sample.y), last(sample.z))
        }
        for i in 0..<(isGray ? steps : steps * steps * steps) {
            let top = Double(steps - 1)
            let sample =
                isGray
                ? SIMD3(repeating: Double(i) / top)
                : SIMD3(Double(i % steps), Double(i / steps % steps), Double(i / steps / steps)) / top
            let plain = SIMD3(
                SRGBCurve.linear(sample.x), SRGBCurve.linear(sample.y), SRGBCurve.linear(sample.z))
            let own = light(sample)
            let difference = lab(toSRGB.map { $0 * own } ?? own) - lab(plain)
            if (difference * difference).sum() > 1 { return false }
        }
        return true
    }

    /// CIE L*a*b* of XYZ relative to D50.
    private static func lab(_ xyz: SIMD3<Double>) -> SIMD3<Double> {
        func f(_ t: Double) -> Double {
            t > 216.0 / 24389 ? SRGBCurve.power(t, 1.0 / 3) : (24389.0 / 27 * t + 16) / 116
        }
        let (x, y, z) = (f(xyz.x / 0.9642), f(xyz.y), f(xyz.z / 0.8249))
        return SIMD3(116 * y - 16, 500 * (x - y), 200 * (y - z))
    }
}
