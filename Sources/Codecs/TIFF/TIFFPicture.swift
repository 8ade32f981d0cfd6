#if TIFF
    internal import Pixels

    /// A page's picture as its directory describes it, checked before anything of its size is allocated.
    struct TIFFPicture {
        /// How a sample is a number, by its value of the tag SampleFormat.
        enum Samples: Int { case unsigned = 1, signed, float }

        /// What the samples of a pixel mean.
        enum Colors: Hashable {
            case gray, grayWhiteIsZero, rgb, palette, cmyk, ycc, cieLab, iccLab
            /// SGI's high dynamic range, which libtiff turns into 8-bit samples: grey, or RGB.
            case logL, logLuv

            /// Samples of a pixel besides the extra ones.
            var count: Int {
                switch self {
                case .gray, .grayWhiteIsZero, .palette, .logL: 1
                case .rgb, .ycc, .cieLab, .iccLab, .logLuv: 3
                case .cmyk: 4
                }
            }
        }

        enum Alpha: Hashable { case none, associated, unassociated }

        let size: PixelSize
        let orientation: Orientation
        let colors: Colors
        let alpha: Alpha
        /// Samples of a pixel, those included that show nothing.
        let sampleCount: Int
        let bits: Int
        let samples: Samples
        let compression: Int
        let predictor: Int
        /// Whether each sample lies in planes of its own.
        let isPlanar: Bool
        /// Whether the first pixel of a byte is in its lowest bit.
        let isReversed: Bool
        let chunks: TIFFChunks
        /// YCbCr: columns and rows that share their chroma.
        let subsampling: (columns: Int, rows: Int)
        let directory: TIFFDirectory

        /// Samples of a pixel that show: colours, and alpha behind them.
        var shown: Int { colors.count + (alpha == .none ? 0 : 1) }

        /// Whether libtiff makes RGB of YCbCr.
        var isDecodedToRGB: Bool { compression == 7 && colors == .ycc && !isPlanar }

        /// Whether samples say what colour is meant, and not only on which device.
        var isAbsolute: Bool { colors == .cieLab || colors == .iccLab || isLogarithmic }

        var isLogarithmic: Bool { colors == .logL || colors == .logLuv }
        /// Whether chroma comes in units of several pixels, which no decoder has undone.
        var isSubsampled: Bool {
            colors == .ycc && !isPlanar
                && (subsampling.columns > 1 || subsampling.rows > 1 || compression == 6)
                && compression != 7
        }

        /// The photometric interpretation, where libtiff's decoding depends on it; else the plainest.
        var photometricForLibrary: Int {
            switch colors {
            case .ycc: 6
            case .logL: 32_844
            case .logLuv: 32_845
            case .rgb: 2
            case .cmyk: 5
            // Fax data has no colours; whether 1 is black is applied to the rows.
            case .grayWhiteIsZero: 0
            case .gray, .palette, .cieLab, .iccLab: 1
            }
        }

        /// Bytes of a row of one plane, in `width` columns, as it is stored or comes from libtiff.
        func rowBytes(width: Int) -> Int {
            (width * (isPlanar ? 1 : sampleCount) * bits + 7) / 8
        }

        init(_ directory: TIFFDirectory) throws(CodecError) {
            self.directory = directory
            size = try Self.size(directory)
            orientation = try directory.value(TIFFTag.orientation).flatMap(Orientation.init) ?? .upright
            compression = try directory.value(TIFFTag.compression) ?? 1
            predictor = try directory.value(TIFFTag.predictor) ?? 1
            isReversed = try directory.value(TIFFTag.fillOrder) == 2
            sampleCount = try directory.value(TIFFTag.samples) ?? 1
            guard sampleCount > 0 else { throw CodecError(.corrupt, "no samples") }
            guard sampleCount <= 255 else { throw CodecError(.unsupportedVariant, "\(sampleCount) samples") }
            isPlanar = try directory.value(TIFFTag.planar) == 2 && sampleCount > 1
            colors = try Self.colors(directory, sampleCount, compression)
            guard sampleCount >= colors.count else {
                throw CodecError(.corrupt, "\(sampleCount) samples where colours take \(colors.count)")
            }
            alpha = try Self.alpha(directory, colors, sampleCount)
            (bits, samples) = try Self.sampleKind(directory, sampleCount, colors)
            subsampling = try Self.subsampling(directory)
            chunks = try TIFFChunks(
                directory, size: size, planes: isPlanar ? sampleCount : 1,
                fileSize: directory.bytes.size)
            try checkCombination()
        }

        private static func size(_ directory: TIFFDirectory) throws(CodecError) -> PixelSize {
            let width = try directory.value(TIFFTag.width) ?? 0
            let height = try directory.value(TIFFTag.height) ?? 0
            guard width > 0, height > 0 else {
                throw CodecError(directory.isCut ? .truncated : .corrupt, "\(width) x \(height) pixels")
            }
            guard width <= Int32.max, height <= Int32.max else {
                throw CodecError(.tooManyPixels, "sides of \(width) x \(height)")
            }
            return PixelSize(width, height)
        }

        private static func colors(
            _ directory: TIFFDirectory, _ sampleCount: Int, _ compression: Int
        ) throws(CodecError) -> Colors {
            guard let photometric = try directory.value(TIFFTag.photometric) else {
                // As libtiff guesses: fax pages are black on white.
                if sampleCount >= 3 { return .rgb }
                return [2, 3, 4, 32_771].contains(compression) ? .grayWhiteIsZero : .gray
            }
            switch photometric {
            case 0: return .grayWhiteIsZero
            case 1: return .gray
            // One sample that claims to be RGB is grey.
            case 2: return sampleCount < 3 ? .gray : .rgb
            case 3: return .palette
            case 5:
                let inks = try directory.value(TIFFTag.inkSet) ?? 1
                guard inks == 1 else { throw CodecError(.unsupportedVariant, "inks other than CMYK") }
                return .cmyk
            case 6: return .ycc
            case 8: return .cieLab
            case 9: return .iccLab
            case 32_844: return .logL
            case 32_845: return .logLuv
            default: throw CodecError(.unsupportedVariant, "photometric interpretation \(photometric)")
            }
        }

        private static func alpha(
            _ directory: TIFFDirectory, _ colors: Colors, _ sampleCount: Int
        ) throws(CodecError) -> Alpha {
            guard sampleCount > colors.count, colors != .palette else { return .none }
            switch try directory.value(TIFFTag.extraSamples) {
            case 1: return .associated
            case 2: return .unassociated
            // A fourth sample that nobody names is alpha to every reader.
            case nil: return colors == .rgb && sampleCount == 4 ? .unassociated : .none
            default: return .none
            }
        }

        private static func sampleKind(
            _ directory: TIFFDirectory, _ count: Int, _ colors: Colors
        ) throws(CodecError) -> (bits: Int, Samples) {
            let all = try directory.values(TIFFTag.bits, limit: count) ?? [1]
            guard let bits = all.first, bits > 0, all.allSatisfy({ $0 == bits }) else {
                throw CodecError(.unsupportedVariant, "samples of \(all) bits")
            }
            // libtiff gives its 8-bit rendering.
            if colors == .logL || colors == .logLuv { return (8, .unsigned) }
            let kinds = try directory.values(TIFFTag.sampleFormat, limit: count) ?? [1]
            guard let kind = kinds.first, kinds.allSatisfy({ $0 == kind }) else {
                throw CodecError(.unsupportedVariant, "samples of several formats")
            }
            switch kind {
            case 2 where [8, 16, 32, 64].contains(bits): return (bits, .signed)
            case 3 where [16, 24, 32, 64].contains(bits): return (bits, .float)
            case 0, 1, 4:
                guard bits <= 16 || [24, 32, 64].contains(bits) else { break }
                return (bits, .unsigned)
            default: break
            }
            throw CodecError(.unsupportedVariant, "samples of \(bits) bits in format \(kind)")
        }

        private static func subsampling(
            _ directory: TIFFDirectory
        ) throws(CodecError) -> (columns: Int, rows: Int) {
            let values = try directory.values(TIFFTag.yccSubsampling, limit: 2) ?? [2, 2]
            guard values.count == 2 else { return (2, 2) }
            return (values[0], values[1])
        }

        private func checkCombination() throws(CodecError) {
            switch colors {
            case .palette:
                guard samples == .unsigned, bits <= 16, let map = directory.fields[TIFFTag.colorMap],
                    map.count >= 3 << bits
                else { throw CodecError(.corrupt, "no colour map for \(bits) bits") }
            case .cieLab, .iccLab:
                guard samples != .float, bits == 8 || bits == 16 else {
                    throw CodecError(.unsupportedVariant, "L*a*b* of \(bits) bits")
                }
            case .ycc:
                let factors = [1, 2, 4]
                guard factors.contains(subsampling.columns), factors.contains(subsampling.rows) else {
                    throw CodecError(
                        .corrupt, "chroma for \(subsampling.columns) x \(subsampling.rows) pixels")
                }
                let isPlain = subsampling == (1, 1) || compression == 7
                guard isPlain || (bits == 8 && sampleCount == 3 && !isPlanar) else {
                    throw CodecError(.unsupportedVariant, "chroma shared by pixels of \(bits) bits")
                }
                guard samples == .unsigned, bits == 8 || bits == 16 else {
                    throw CodecError(.unsupportedVariant, "YCbCr of \(bits) bits")
                }
            case .logL, .logLuv:
                guard compression == 34_676 || compression == 34_677 else {
                    throw CodecError(.unsupportedVariant, "logarithmic samples in compression \(compression)")
                }
            case .gray, .grayWhiteIsZero, .rgb, .cmyk: break
            }
            if compression == 6 || compression == 7, bits != 8 {
                throw CodecError(.unsupportedVariant, "JPEG samples of \(bits) bits")
            }
            // Tiles are put side by side as bytes.
            if chunks.across > 1, chunks.width * (isPlanar ? 1 : sampleCount) * bits % 8 != 0 {
                throw CodecError(.unsupportedVariant, "tiles of \(chunks.width) columns")
            }
        }
    }
#endif
