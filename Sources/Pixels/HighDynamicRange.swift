/// PQ and HLG pictures (ITU-R BT.2100) brought into the range of sRGB.
///
/// Diffuse white of 203 nits (BT.2408) becomes sRGB's white; what is brighter is bent below it by the curve of
/// BT.2390, section 5.4.1, by the brightest of the three channels, so that hues stay.
package final class HighDynamicRange: RowConversion {
    package enum Signal: Sendable {
        case pq, hlg
    }

    package let output: PixelLayout
    private let signal: Signal
    private let layout: PixelLayout
    private let matrix: [SIMD4<Float>]
    /// PQ: nits; HLG: scene light 0...1; for each 12-bit value and its neighbours' straight line.
    private let light: [Float]
    /// Factor that bends, over the square root of the brightest channel's share of `peak`.
    private let gains: [Float]
    private let peak: Float
    /// sRGB, 16 bits, for each linear light of 12 bits' square root.
    private let encoded: [UInt16]

    private static let entries = 4096
    /// BT.2408: graphics white and diffuse white.
    private static let white = 203.0
    /// Of the mastering display, where nothing is said; HLG's nominal peak too.
    private static let usualPeak = 1000.0

    /// Bytes of the tables.
    package static let memoryNeed = entries * 12

    /// - Parameters:
    ///   - layout: 8 or 16 bits, grey or RGB, with alpha or not.
    ///   - toSRGB: from the primaries of the picture.
    ///   - peak: nits of the brightest pixel, where the file says.
    package init(_ signal: Signal, layout: PixelLayout, toSRGB: ColourMatrix?, peak: Double?) {
        self.signal = signal
        self.layout = layout
        output = PixelLayout(layout.hasAlpha ? .rgba : .rgb, bitsPerSample: 16)
        let rows = toSRGB?.rows ?? [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
        matrix = (0..<3).map { SIMD4<Float>(Float(rows[0][$0]), Float(rows[1][$0]), Float(rows[2][$0]), 0) }
        let top = signal == .hlg ? Self.usualPeak : max(Self.white, min(10_000, peak ?? Self.usualPeak))
        self.peak = Float(top)
        let last = Double(Self.entries - 1)
        light = (0..<Self.entries).map {
            let value = Double($0) / last
            return Float(signal == .pq ? Self.nits(pq: value) : Self.scene(hlg: value))
        }
        gains = (0..<Self.entries).map {
            let nits = max(Double($0) / last * Double($0) / last * top, 1e-6)
            return Float(Self.bent(nits, peak: top) / nits)
        }
        encoded = (0..<Self.entries).map {
            UInt16((SRGBCurve.encoded(Double($0) / last * Double($0) / last) * 65535).rounded())
        }
    }

    package func convert(_ row: UnsafeRawPointer, width: Int, into out: UnsafeMutableRawPointer) {
        if layout.bitsPerSample == 16 {
            unsafe convert(row.assumingMemoryBound(to: UInt16.self), 1, width, out)
        } else {
            unsafe convert(row.assumingMemoryBound(to: UInt8.self), 257, width, out)
        }
    }

    private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
        _ row: UnsafePointer<Sample>, _ factor: UInt16, _ width: Int, _ out: UnsafeMutableRawPointer
    ) {
        let out = unsafe out.assumingMemoryBound(to: UInt16.self)
        let (channels, made) = (layout.channelCount, output.channelCount)
        let step = layout.isGray ? 0 : 1
        for x in 0..<width {
            let at = x &* channels
            func sample(_ i: Int) -> Float { unsafe decoded(UInt16(row[at &+ i]) &* factor) }
            let pixel = shown(SIMD3(sample(0), sample(step), sample(2 &* step)))
            for i in 0..<3 { unsafe out[x &* made &+ i] = encode(pixel[i]) }
            if made == 4 { unsafe out[x &* made &+ 3] = UInt16(row[at &+ channels &- 1]) &* factor }
        }
    }

    /// What the table says, on the straight line between two of its entries.
    private func decoded(_ sample: UInt16) -> Float {
        Self.interpolate(light, Float(sample) * (Float(Self.entries - 1) / 65535))
    }

    /// sRGB's linear light, 0...1, of what was decoded.
    private func shown(_ signal: SIMD3<Float>) -> SIMD3<Float> {
        var nits = signal
        if self.signal == .hlg {
            // BT.2100 table 5: the opto-optical transfer of a display of 1000 nits, gamma 1.2, on BT.2020's luminance.
            let luminance = signal.x * 0.2627 + signal.y * 0.6780 + signal.z * 0.0593
            nits = signal * (Float(SRGBCurve.power(Double(luminance), 0.2)) * Float(Self.usualPeak))
        }
        let brightest = min(nits.max(), peak)
        let place = (brightest / peak).squareRoot() * Float(Self.entries - 1)
        nits *= Self.interpolate(gains, place) / Float(Self.white)
        let mixed = matrix[0] * nits.x + matrix[1] * nits.y + matrix[2] * nits.z
        return SIMD3(mixed.x, mixed.y, mixed.z).clamped(lowerBound: .zero, upperBound: .one)
    }

    private func encode(_ light: Float) -> UInt16 {
        let place = light.squareRoot() * Float(Self.entries - 1)
        let below = min(max(Int(place), 0), Self.entries - 2)
        let share = place - Float(below)
        return UInt16(Float(encoded[below]) * (1 - share) + Float(encoded[below + 1]) * share + 0.5)
    }

    private static func interpolate(_ table: [Float], _ place: Float) -> Float {
        let below = min(max(Int(place), 0), entries - 2)
        let share = place - Float(below)
        return table[below] * (1 - share) + table[below + 1] * share
    }
}

// The curves, as their documents have them.
extension HighDynamicRange {
    private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 32)
    private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)

    /// SMPTE ST 2084, 5.1.
    static func nits(pq value: Double) -> Double {
        let power = SRGBCurve.power(value, 1 / m2)
        return 10_000 * SRGBCurve.power(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    /// SMPTE ST 2084, 5.2.
    static func pq(nits: Double) -> Double {
        let power = SRGBCurve.power(nits / 10_000, m1)
        return SRGBCurve.power((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    /// ITU-R BT.2100 table 5: the inverse of HLG's opto-electronic transfer.
    static func scene(hlg value: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return value <= 0.5 ? value * value / 3 : (SRGBCurve.exponential((value - c) / a) + b) / 12
    }

    /// ITU-R BT.2390-10, 5.4.1: nits of a range up to `peak` in one up to diffuse white, both from black.
    static func bent(_ nits: Double, peak: Double) -> Double {
        let top = pq(nits: peak)
        let limit = pq(nits: white) / top
        let knee = 1.5 * limit - 0.5
        let value = pq(nits: nits) / top
        guard value > knee, limit < 1 else { return min(nits, white) }
        let t = (value - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let bent =
            (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * limit
        return Self.nits(pq: bent * top)
    }
}
