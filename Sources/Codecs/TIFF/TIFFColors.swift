#if TIFF
    internal import Pixels

    /// Turns unpacked samples into what a pipeline takes.
    struct TIFFColors {
        let layout: PixelLayout
        private let colors: TIFFPicture.Colors
        private let isAssociated: Bool
        /// Samples of a pixel as they are unpacked: colours, and alpha behind them.
        private let shown: Int
        private let isByte: Bool
        /// Red, green and blue of each index.
        private let palette: [UInt8]
        private let ycc: YCC

        /// Coefficients of YCbCr in units of 8-bit samples (TIFF 6.0, section 20 and 21).
        private struct YCC {
            var red = 0.299
            var green = 0.587
            var blue = 0.114
            /// Black and white of luma, then of Cb and Cr.
            var reference: [Double] = [0, 255, 128, 255, 128, 255]
        }

        init(_ picture: TIFFPicture) throws(CodecError) {
            let colors: TIFFPicture.Colors =
                switch picture.colors {
                case .logL: .gray
                case .logLuv: .rgb
                case .ycc where picture.isDecodedToRGB: .rgb
                default: picture.colors
                }
            self.colors = colors
            let hasAlpha = picture.alpha != .none
            isAssociated = picture.alpha == .associated
            shown = picture.shown
            isByte = picture.bits <= 8
            let bits = isByte ? 8 : 16
            layout =
                switch colors {
                case .gray, .grayWhiteIsZero:
                    PixelLayout(hasAlpha ? .grayAlpha : .gray, bitsPerSample: bits)
                case .rgb, .ycc: PixelLayout(hasAlpha ? .rgba : .rgb, bitsPerSample: bits)
                case .palette: PixelLayout(.rgb)
                case .cieLab, .iccLab, .logL, .logLuv: PixelLayout(hasAlpha ? .rgba : .rgb)
                case .cmyk: PixelLayout(hasAlpha ? .rgba : .cmyk(inverted: false))
                }
            palette = colors == .palette ? try Self.palette(picture) : []
            ycc = colors == .ycc ? try Self.ycc(picture.directory, bits: picture.bits) : YCC()
        }

        /// Whether rows of such a picture can go to the pipeline as they are.
        static func passesAsStored(_ picture: TIFFPicture) -> Bool {
            guard picture.samples == .unsigned, !picture.isPlanar, picture.sampleCount == picture.shown,
                picture.alpha != .associated
            else { return false }
            switch picture.colors {
            case .gray, .rgb: return picture.bits == 8 || picture.bits == 16
            case .cmyk: return picture.bits == 8 && picture.alpha == .none
            case .logL, .logLuv: return true
            case .ycc: return picture.isDecodedToRGB
            case .grayWhiteIsZero, .palette, .cieLab, .iccLab: return false
            }
        }

        private static func palette(_ picture: TIFFPicture) throws(CodecError) -> [UInt8] {
            let count = 1 << picture.bits
            guard let map = try picture.directory.values(TIFFTag.colorMap, limit: 3 * count),
                map.count == 3 * count
            else { throw CodecError(.corrupt, "no colour map") }
            // Some writers have filled it with values of 8 bits.
            let isByte = map.allSatisfy { $0 < 256 }
            var palette: [UInt8] = []
            for i in 0..<count {
                for value in [map[i], map[count + i], map[2 * count + i]] {
                    palette.append(UInt8(isByte ? value : min(255, (value * 255 + 32_767) / 65_535)))
                }
            }
            return palette
        }

        private static func ycc(_ directory: TIFFDirectory, bits: Int) throws(CodecError) -> YCC {
            var ycc = YCC()
            if let luma = try directory.fractions(TIFFTag.yccCoefficients, count: 3),
                luma.allSatisfy({ $0 > 0 && $0 < 1 })
            {
                (ycc.red, ycc.green, ycc.blue) = (luma[0], luma[1], luma[2])
            }
            if let reference = try directory.fractions(TIFFTag.referenceBlackWhite, count: 6),
                (0..<3).allSatisfy({ reference[2 * $0] < reference[2 * $0 + 1] })
            {
                ycc.reference = reference.map { $0 * 255 / Double(1 << bits - 1) }
            }
            return ycc
        }

        // MARK: Rows

        /// Converts a row of `shown` samples a pixel in place, where the layout has 16 bits, else into `bytes`.
        func convert(_ samples: inout [UInt16], width: Int, into bytes: inout [UInt8]) {
            switch colors {
            case .gray, .rgb, .logL, .logLuv: break
            case .grayWhiteIsZero:
                for x in 0..<width { samples[x * shown] = ~samples[x * shown] }
            case .palette: return convertPalette(samples, width, &bytes)
            case .cmyk where shown == 5: return convertInksAndAlpha(samples, width, &bytes)
            case .cmyk: return convertInks(samples, width, &bytes)
            case .ycc: convertYCC(&samples, width)
            case .cieLab, .iccLab: convertLab(&samples, width)
            }
            if isAssociated { divideByAlpha(&samples, width) }
            guard layout.bitsPerSample == 8 else { return }
            for i in 0..<(width * shown) { bytes[i] = UInt8(samples[i] >> 8) }
        }

        private func convertPalette(_ samples: [UInt16], _ width: Int, _ bytes: inout [UInt8]) {
            for x in 0..<width {
                let at = 3 * Int(samples[x])
                for c in 0..<3 { bytes[3 * x + c] = palette[at + c] }
            }
        }

        private func convertInks(_ samples: [UInt16], _ width: Int, _ bytes: inout [UInt8]) {
            for x in 0..<width {
                for c in 0..<4 { bytes[4 * x + c] = Self.byte(samples[shown * x + c]) }
            }
        }

        /// Inks with alpha behind them become light as the pipeline would make it of inks alone, and alpha.
        private func convertInksAndAlpha(_ samples: [UInt16], _ width: Int, _ bytes: inout [UInt8]) {
            for x in 0..<width {
                let alpha = UInt32(samples[shown * x + 4])
                func white(_ c: Int) -> UInt32 {
                    var ink = UInt32(samples[shown * x + c])
                    if isAssociated, alpha > 0 { ink = min(65_535, (ink * 65_535 + alpha / 2) / alpha) }
                    return 65_535 - ink
                }
                for c in 0..<3 {
                    bytes[4 * x + c] = UInt8((white(c) * white(3) / 65_535 * 255 + 32_767) / 65_535)
                }
                bytes[4 * x + 3] = Self.byte(samples[shown * x + 4])
            }
        }

        private static func byte(_ value: UInt16) -> UInt8 { UInt8((UInt32(value) * 255 + 32_767) / 65_535) }

        private func divideByAlpha(_ samples: inout [UInt16], _ width: Int) {
            for x in 0..<width {
                let at = x * shown
                let alpha = UInt32(samples[at + shown - 1])
                guard alpha > 0, alpha < 65_535 else { continue }
                for c in at..<(at + shown - 1) {
                    samples[c] = UInt16(min(65_535, (UInt32(samples[c]) * 65_535 + alpha / 2) / alpha))
                }
            }
        }

        private func convertYCC(_ samples: inout [UInt16], _ width: Int) {
            let reference = ycc.reference
            let scale = (
                255 / (reference[1] - reference[0]), 127 / (reference[3] - reference[2]),
                127 / (reference[5] - reference[4])
            )
            for x in 0..<width {
                let at = x * shown
                func code(_ i: Int) -> Double { Double(samples[at + i]) / 257 }
                let luma = (code(0) - reference[0]) * scale.0
                let red = luma + (code(2) - reference[4]) * scale.2 * (2 - 2 * ycc.red)
                let blue = luma + (code(1) - reference[2]) * scale.1 * (2 - 2 * ycc.blue)
                let green = (luma - ycc.blue * blue - ycc.red * red) / ycc.green
                for (i, value) in [red, green, blue].enumerated() {
                    samples[at + i] = UInt16(min(255, max(0, value)) * 257)
                }
            }
        }

        /// CIE L*a*b* under D50 to sRGB, adapted after Bradford.
        private func convertLab(_ samples: inout [UInt16], _ width: Int) {
            let isICC = colors == .iccLab
            // ICC's 16-bit encoding ends at 0xFF00.
            let top: Double = isICC && !isByte ? 65_280 : 65_535
            func axis(_ value: UInt16) -> Double {
                if isByte {
                    let value = UInt8(value >> 8)
                    return isICC ? Double(value) - 128 : Double(Int8(bitPattern: value))
                }
                return isICC ? Double(value) / 256 - 128 : Double(Int16(bitPattern: value)) / 256
            }
            func cube(_ t: Double) -> Double { t > 6.0 / 29 ? t * t * t : (t - 4.0 / 29) * 108 / 841 }
            for x in 0..<width {
                let at = x * shown
                let y = (Double(samples[at]) / top * 100 + 16) / 116
                let (u, v, w) = (
                    0.96422 * cube(y + axis(samples[at + 1]) / 500), cube(y),
                    0.82521 * cube(y - axis(samples[at + 2]) / 200)
                )
                samples[at] = Self.encoded(3.1338561 * u - 1.6168667 * v - 0.4906146 * w)
                samples[at + 1] = Self.encoded(-0.9787684 * u + 1.9161415 * v + 0.0334540 * w)
                samples[at + 2] = Self.encoded(0.0719453 * u - 0.2289914 * v + 1.4052427 * w)
            }
        }

        private static func encoded(_ linear: Double) -> UInt16 {
            let light = (min(1, max(0, linear)) * Double(SRGBCurve.white)).rounded()
            return UInt16(SRGBCurve.encoded8[Int(light)]) * 257
        }
    }
#endif
