#if HEIF
    internal import CCodecs
    internal import Pixels

    /// One coded picture, decoded and held by its codec.
    @safe final class CodedPicture {
        // Safety: made in init and freed by the codec's own function in deinit, never handed out. `planes` point
        // into the decoder's picture, which stays as long as the decoder is not used again.
        private let decoder: OpaquePointer
        private let codec: CodedItem.Codec
        private var planes = ap_planes()

        /// Decodes a picture.
        ///
        /// - Parameters:
        ///   - expected: what its header said; no other is taken, and room for no larger one made.
        ///   - isReduced: means of its pixels are all that is shown. HEVC's filters along the edges of blocks move
        ///     those by little: at least 63 dB (PSNR with against without) in phones' pictures, 52 dB in one of x265's
        ///     at a constant rate factor of 42.
        init(
            _ item: CodedItem, _ file: HEIFFile, expected: PlaneFormat, isReduced: Bool,
            shouldStop: () -> Bool
        ) throws(CodecError) {
            codec = item.codec
            let area = UInt64(expected.codedArea)
            let layer = Int32(truncatingIfNeeded: item.layer ?? -1)
            let made =
                switch codec {
                case .hevc: unsafe ap_hevc_create(area, isReduced ? 1 : 0)
                case .av1: unsafe ap_av1_create(area, Int32(item.operatingPoint), layer)
                }
            guard let made = unsafe made else { throw CodecError(.memory, "the decoder cannot start") }
            unsafe decoder = made
            switch codec {
            case .hevc: try decodeHEVC(item, file, shouldStop)
            case .av1: try decodeAV1(item, file, shouldStop)
            }
            guard PlaneFormat(planes, codedArea: expected.codedArea).matches(expected) else {
                throw CodecError(.corrupt, "a coded picture unlike its header")
            }
        }

        deinit {
            switch codec {
            case .hevc: unsafe ap_hevc_destroy(decoder)
            case .av1: unsafe ap_av1_destroy(decoder)
            }
        }

        /// What the stream says of its colours.
        var codes: ColorCodes { ColorCodes(planes) }

        /// Where chroma lies among luma (AV1 specification, 6.4.2).
        var siting: Int { Int(planes.siting) }

        /// A plane's first sample and the bytes from row to row; nil for the chroma of a monochrome picture.
        ///
        /// Safety: as long as this object lives.
        func plane(_ index: Int) -> (base: UnsafeRawPointer, stride: Int)? {
            let (plane, stride) =
                switch index {
                case 0: unsafe (planes.plane.0, planes.stride.0)
                case 1: unsafe (planes.plane.1, planes.stride.1)
                default: unsafe (planes.plane.2, planes.stride.2)
                }
            guard let plane = unsafe plane else { return nil }
            return unsafe (plane, Int(stride))
        }

        /// Bytes a decoder holds of one picture, its data included.
        static func memoryNeed(
            _ codec: CodedItem.Codec, _ format: PlaneFormat, dataBytes: Int, isReduced: Bool
        ) -> Int {
            let planes = format.codedArea * format.quarterBytes / 4
            switch codec {
            // The picture, its copy for sample adaptive offset, and what is noted of every block.
            case .hevc:
                return (isReduced ? 1 : 2) * planes + format.codedArea + 2 * dataBytes + 500_000
            case .av1: return 2 * planes + format.codedArea + dataBytes + 1_000_000
            }
        }

        // MARK: HEVC

        /// Bytes handed over at once: a picture is one unit, often, and held by libde265 once already.
        private static let pieceBytes = 65_536

        private func decodeHEVC(
            _ item: CodedItem, _ file: HEIFFile, _ shouldStop: () -> Bool
        ) throws(CodecError) {
            let configuration = try HEVCConfiguration(item.configuration)
            for unit in configuration.units where Self.isWanted(unit[0], unit[1]) {
                try push(unit, isStart: true, isEnd: true)
            }
            var (at, slices) = (0, 0)
            while at < item.data.count {
                if shouldStop() { throw CodecError(.stopped, "stopped") }
                let head = try item.data.bytes(of: file, at: at, count: configuration.lengthSize)
                at += head.count
                let end = at + head.reduce(0) { $0 << 8 | Int($1) }
                guard end <= item.data.count else { throw CodecError(.corrupt, "a NAL unit ends early") }
                defer { at = end }
                guard end - at > 2 else { continue }
                let start = try item.data.bytes(of: file, at: at, count: 3)
                guard Self.isWanted(start[0], start[1]) else { continue }
                if HEVCUnit.isSlice(HEVCUnit.type(start[0])), start[2] & 0x80 != 0 {
                    slices += 1
                    // Another picture begins, of a sequence that is no matter.
                    if slices > 1 { break }
                }
                try pushUnit(item.data, file, at..<end)
            }
            try check(unsafe ap_hevc_finish(decoder, &planes), .finished)
        }

        /// Parameter sets and slices of the base layer.
        private static func isWanted(_ first: UInt8, _ second: UInt8) -> Bool {
            HEVCUnit.type(first) <= 34 && first & 1 == 0 && second >> 3 == 0
        }

        private func pushUnit(_ data: ItemBytes, _ file: HEIFFile, _ range: Range<Int>) throws(CodecError) {
            var at = range.lowerBound
            while at < range.upperBound {
                let count = min(Self.pieceBytes, range.upperBound - at)
                let piece = try data.bytes(of: file, at: at, count: count)
                try push(piece, isStart: at == range.lowerBound, isEnd: at + count == range.upperBound)
                at += count
            }
        }

        private func push(_ bytes: [UInt8], isStart: Bool, isEnd: Bool) throws(CodecError) {
            let status = unsafe bytes.withUnsafeBufferPointer {
                unsafe ap_hevc_push(decoder, $0.baseAddress, $0.count, isStart ? 1 : 0, isEnd ? 1 : 0)
            }
            try check(status, .needsInput)
        }

        // MARK: AV1

        /// Frames of a still picture: its layers, and hidden ones they are made of.
        private static let mostFrames = 32

        private func decodeAV1(
            _ item: CodedItem, _ file: HEIFFile, _ shouldStop: () -> Bool
        ) throws(CodecError) {
            let data = try item.data.bytes(of: file, at: 0, count: item.data.count)
            var units = AV1Units(data)
            var ranges: [Range<Int>] = []
            var (frames, hasSequence) = (0, false)
            while let unit = try units.next() {
                if AV1Units.beginsFrame(unit.type) { frames += 1 }
                guard frames <= Self.mostFrames else { break }
                hasSequence = hasSequence || unit.type == AV1Units.sequenceHeader
                ranges.append(unit.range)
            }
            let setUp = hasSequence ? [] : Array(item.configuration.dropFirst(4))
            // The last frame that is shown counts, unless a layer was chosen: those before it are its lower layers.
            var isFound = false
            let isLast = item.layer == nil
            // dav1d keeps to its bytes until a frame is whole: all of them stay in place meanwhile.
            let status = unsafe setUp.withUnsafeBufferPointer { setUp in
                unsafe data.withUnsafeBufferPointer { data in
                    let parts = unsafe [setUp] + ranges.map { unsafe UnsafeBufferPointer(rebasing: data[$0]) }
                    for index in unsafe parts.indices where isLast || !isFound {
                        let part = unsafe parts[index]
                        guard !part.isEmpty else { continue }
                        if shouldStop() { return ap_status.stopped }
                        let status = unsafe push(part)
                        guard status == .needsInput || status == .finished else { return status }
                        isFound = isFound || status == .finished
                    }
                    guard isLast || !isFound else { return .finished }
                    return unsafe push(UnsafeBufferPointer(start: nil, count: 0))
                }
            }
            if status == .needsInput, isFound { return }
            if status == .needsInput { throw CodecError(.corrupt, "no picture in the coded data") }
            try check(status, .finished)
        }

        private func push(_ bytes: UnsafeBufferPointer<UInt8>) -> ap_status {
            unsafe ap_av1_push(decoder, bytes.baseAddress, bytes.count, &planes)
        }

        // MARK: Words

        private func check(_ status: ap_status, _ wanted: ap_status) throws(CodecError) {
            if status == wanted { return }
            let text = unsafe String(
                cString: codec == .hevc ? ap_hevc_message(decoder) : ap_av1_message(decoder))
            switch status {
            case .stopped: throw CodecError(.stopped, "stopped")
            case .memory: throw CodecError(.memory, text)
            case .unsupported: throw CodecError(.unsupportedVariant, text)
            case .corrupt, .needsInput, .header, .finished: throw CodecError(.corrupt, text)
            }
        }
    }

    extension PlaneFormat {
        init(_ planes: ap_planes, codedArea: Int) {
            self.init(
                size: PixelSize(Int(planes.width), Int(planes.height)), codedArea: codedArea,
                bits: Int(planes.bits), isMonochrome: unsafe planes.plane.1 == nil,
                across: Int(planes.across), down: Int(planes.down), codes: ColorCodes(planes))
        }
    }

    extension ColorCodes {
        init(_ planes: ap_planes) {
            self.init(
                primaries: Int(planes.primaries), transfer: Int(planes.transfer), matrix: Int(planes.matrix),
                isFullRange: planes.full_range != 0)
        }
    }

    extension CodedItem {
        /// What the picture's header says of its planes.
        func format(_ file: HEIFFile) throws(CodecError) -> PlaneFormat {
            switch codec {
            case .hevc: try hevcFormat(file)
            case .av1: try av1Format(file)
            }
        }

        private func hevcFormat(_ file: HEIFFile) throws(CodecError) -> PlaneFormat {
            guard ap_hevc_is_available() != 0 else { throw CodecError(.missingLibrary, "libde265") }
            let configuration = try HEVCConfiguration(self.configuration)
            if let set = configuration.units.first(where: {
                HEVCUnit.type($0[0]) == HEVCUnit.sequenceParameters
            }) {
                return try HEVCUnit.format(set)
            }
            // As in hev1: the set comes before the picture.
            var at = 0
            for _ in 0..<16 where at < data.count {
                let head = try data.bytes(of: file, at: at, count: configuration.lengthSize)
                at += head.count
                let count = head.reduce(0) { $0 << 8 | Int($1) }
                let unit = try data.bytes(of: file, at: at, count: min(count, 512))
                if let first = unit.first, HEVCUnit.type(first) == HEVCUnit.sequenceParameters {
                    return try HEVCUnit.format(unit)
                }
                at += count
            }
            throw CodecError(.corrupt, "HEVC without parameters")
        }

        /// Units looked at for the sequence header: it is the first or second.
        private static let headBytes = 4096

        private func av1Format(_ file: HEIFFile) throws(CodecError) -> PlaneFormat {
            guard ap_av1_is_available() != 0 else { throw CodecError(.missingLibrary, "libdav1d") }
            let head = try data.bytes(of: file, at: 0, count: min(data.count, Self.headBytes))
            for (bytes, start) in [(head, 0), (configuration, min(4, configuration.count))] {
                var units = AV1Units(bytes, from: start)
                // A unit that is not whole is the picture's, behind its header.
                while let unit = try? units.next() {
                    guard unit.type == AV1Units.sequenceHeader else { continue }
                    var planes = ap_planes()
                    let status = unsafe bytes[unit.range].withUnsafeBufferPointer {
                        unsafe ap_av1_sequence($0.baseAddress, $0.count, &planes)
                    }
                    guard status == .header, planes.width > 0, planes.height > 0 else {
                        throw CodecError(.corrupt, "a damaged AV1 sequence header")
                    }
                    return PlaneFormat(planes, codedArea: Int(planes.width) * Int(planes.height))
                }
            }
            throw CodecError(.corrupt, "AV1 without a sequence header")
        }
    }
#endif
