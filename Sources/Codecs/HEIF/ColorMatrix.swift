#if HEIF
    /// How luma and chroma become red, green and blue (ITU-T H.273, 8.3), in fixed point.
    ///
    /// Each is `(luma · y + cb · u + cr · v + bias) >> shift` of samples that come times 16.
    struct ColorMatrix: Equatable {
        struct Row: Equatable {
            var y: Int32 = 0
            var u: Int32 = 0
            var v: Int32 = 0
            var bias: Int32 = 0
        }

        let red: Row
        let green: Row
        let blue: Row
        let shift: Int32

        /// - Parameters:
        ///   - bits: of the samples, at most 12.
        ///   - outBits: of the result, 8 or 16.
        init(_ codes: ColorCodes, bits: Int, outBits: Int, isMonochrome: Bool) throws(CodecError) {
            // 8 bits leave room for a third of the sums' range above white, 16 bits as well.
            let shift = outBits == 8 ? 20 : 13
            let lift = Double(1 << (bits - 8))
            let most = Double(1 << bits) - 1
            // What is black, and what lies between it and white; the same for chroma's middle and whole.
            let luma = codes.isFullRange ? (0, most) : (16 * lift, 219 * lift)
            let isRGB = codes.matrix == 0 && !isMonochrome
            let chroma =
                isRGB ? luma : (Double(1 << (bits - 1)), codes.isFullRange ? most : 224 * lift)
            let white = Double((1 << outBits) - 1)
            func row(_ y: Double, _ u: Double, _ v: Double) -> Row {
                let unit = white * Double(1 << shift)
                func whole(_ value: Double) -> Int32 { Int32(value.rounded()) }
                let zero = y * luma.0 / luma.1 + (u + v) * chroma.0 / chroma.1
                return Row(
                    y: whole(y * unit / luma.1 / 16), u: whole(u * unit / chroma.1 / 16),
                    v: whole(v * unit / chroma.1 / 16),
                    bias: whole(-zero * unit + Double(1 << (shift - 1))))
            }
            let factors = isMonochrome ? [(1, 0, 0), (1, 0, 0), (1, 0, 0)] : try Self.factors(codes)
            red = row(factors[0].0, factors[0].1, factors[0].2)
            green = row(factors[1].0, factors[1].1, factors[1].2)
            blue = row(factors[2].0, factors[2].1, factors[2].2)
            self.shift = Int32(shift)
        }

        /// Red, green and blue from luma in 0…1 and chroma in -0.5…0.5.
        private static func factors(_ codes: ColorCodes) throws(CodecError) -> [(Double, Double, Double)] {
            switch codes.matrix {
            case 0: return [(0, 0, 1), (1, 0, 0), (0, 1, 0)]
            case 8: return [(1, -1, 1), (1, 1, 0), (1, -1, -1)]
            default: break
            }
            let (red, blue) = try weights(codes)
            let green = 1 - red - blue
            return [
                (1, 0, 2 - 2 * red), (1, -2 * blue * (1 - blue) / green, -2 * red * (1 - red) / green),
                (1, 2 - 2 * blue, 0),
            ]
        }

        /// KR and KB of table 4.
        private static func weights(_ codes: ColorCodes) throws(CodecError) -> (red: Double, blue: Double) {
            switch codes.matrix {
            case 1: return (0.2126, 0.0722)
            // Not told: as JPEG has it, and every decoder of these files.
            case 2, 3, 5, 6: return (0.299, 0.114)
            case 4: return (0.30, 0.11)
            case 7: return (0.212, 0.087)
            case 9: return (0.2627, 0.0593)
            case 12: return derivedWeights(codes.primaries)
            default: throw CodecError(.unsupportedVariant, "matrix coefficients \(codes.matrix)")
            }
        }

        /// Formulas 39 to 44: what each primary adds to the white they make.
        private static func derivedWeights(_ primaries: Int) -> (red: Double, blue: Double) {
            let d65 = (0.3127, 0.3290)
            let (r, g, b, w): ((Double, Double), (Double, Double), (Double, Double), (Double, Double)) =
                switch primaries {
                case 4: ((0.67, 0.33), (0.21, 0.71), (0.14, 0.08), (0.310, 0.316))
                case 5: ((0.64, 0.33), (0.29, 0.60), (0.15, 0.06), d65)
                case 6, 7: ((0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65)
                case 8: ((0.681, 0.319), (0.243, 0.692), (0.145, 0.049), (0.310, 0.316))
                case 9: ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65)
                case 11: ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351))
                case 12: ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65)
                case 22: ((0.630, 0.340), (0.295, 0.605), (0.155, 0.077), d65)
                default: ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65)
                }
            func cross(_ a: (Double, Double), _ b: (Double, Double), _ c: (Double, Double)) -> Double {
                let (x, y, z) = (
                    b.1 * (1 - c.0 - c.1) - c.1 * (1 - b.0 - b.1),
                    c.0 * (1 - b.0 - b.1) - b.0 * (1 - c.0 - c.1), b.0 * c.1 - c.0 * b.1
                )
                return a.0 * x + a.1 * y + (1 - a.0 - a.1) * z
            }
            let all = w.1 * cross(r, g, b)
            return (r.1 * cross(w, g, b) / all, b.1 * cross(w, r, g) / all)
        }
    }
#endif
