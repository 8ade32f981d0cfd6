#if ICC
    internal import CCodecs
    internal import Pixels

    /// An embedded colour profile as lcms2 reads it.
    @safe struct ICCProfile: ~Copyable {
        // Safety: made in init, freed in deinit or by the transform made of it, never handed out.
        private let profile: OpaquePointer

        /// Nil for what lcms2 does not take for a profile of a picture, and where it is missing.
        init?(_ bytes: [UInt8]) {
            guard let profile = unsafe ap_icc_open(bytes, bytes.count) else { return nil }
            unsafe self.profile = profile
        }

        deinit { unsafe ap_icc_close(profile) }

        /// Whether it describes such rows.
        func fits(_ layout: PixelLayout) -> Bool {
            switch unsafe ap_icc_get_space(profile) {
            case .gray: layout.isGray
            case .rgb: !layout.isGray && !layout.isInk
            case .cmyk: layout.isInk
            case .lab, .other: false
            }
        }

        /// The profile as curves and a matrix; nil when a table says more, or when they are of no use.
        func colourSpace() -> ColourSpace? {
            guard unsafe ap_icc_is_simple(profile) != 0 else { return nil }
            if unsafe ap_icc_get_space(profile) == .gray {
                return curve(0).map { ColourSpace(curves: [$0], toSRGB: nil) }
            }
            var xyz = [Double](repeating: 0, count: 9)
            guard let red = curve(0), let green = curve(1), let blue = curve(2),
                unsafe ap_icc_get_colorants(profile, &xyz) != 0,
                // What is no space cannot be converted; a matte in it would have no place.
                let matrix = ColourMatrix(
                    SIMD3(xyz[0], xyz[3], xyz[6]), SIMD3(xyz[1], xyz[4], xyz[7]),
                    SIMD3(xyz[2], xyz[5], xyz[8])
                ).fromD50ToSRGB, matrix.inverse != nil
            else { return nil }
            return ColourSpace(curves: [red, green, blue], toSRGB: matrix)
        }

        /// A conversion of rows, for which the profile is given up; nil where lcms2 finds no way.
        consuming func conversion(of layout: PixelLayout) -> ICCConversion? {
            let rows: ap_icc_rows =
                switch layout.channels {
                case .cmyk(let inverted): inverted ? .cmykInverted : .cmyk
                case .rgba: layout.bitsPerSample == 16 ? .rgba16 : .rgba
                case .gray, .grayAlpha, .rgb: .rgb
                }
            let output = layout.channels == .rgba ? layout : PixelLayout(.rgb)
            let profile = unsafe profile
            discard self
            return unsafe ap_icc_transform_create(profile, rows).map { unsafe ICCConversion($0, output) }
        }

        private func curve(_ channel: Int32) -> ColourSpace.TransferCurve? {
            var samples = [Float](repeating: 0, count: 4096)
            guard unsafe ap_icc_get_curve(profile, channel, &samples, samples.count) != 0,
                samples.allSatisfy(\.isFinite)
            else { return nil }
            return { [samples] encoded in
                let place = max(0, min(1, encoded)) * Double(samples.count - 1)
                let below = min(Int(place), samples.count - 2)
                let share = place - Double(below)
                return Double(samples[below]) * (1 - share) + Double(samples[below + 1]) * share
            }
        }
    }

    /// Rows through an lcms2 transform to sRGB.
    @safe final class ICCConversion: RowConversion, @unchecked Sendable {
        // Safety: freed in deinit, never handed out; lcms2 keeps a cache in it, so one thread at a time uses it,
        // which is the one its job runs on.
        private let transform: OpaquePointer

        let output: PixelLayout

        /// Takes ownership.
        init(_ transform: OpaquePointer, _ output: PixelLayout) {
            unsafe self.transform = transform
            self.output = output
        }

        deinit { unsafe ap_icc_transform_destroy(transform) }

        func convert(_ row: UnsafeRawPointer, width: Int, into out: UnsafeMutableRawPointer) {
            unsafe ap_icc_transform_row(transform, row, out, width)
        }
    }
#endif
