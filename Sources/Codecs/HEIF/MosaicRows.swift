#if HEIF
    internal import Pixels

    /// The rows of a mosaic's planes, from the top: one row of tiles is alive, or a picture's frame.
    ///
    /// Rows may be asked for from two below the last ones that were: chroma is blended with its neighbours, so
    /// the last row of each plane is kept when the next row of tiles is decoded.
    @safe final class MosaicRows {
        // Safety: a strip has room for the rows of one row of tiles, cut to the mosaic's width, behind one that is
        // kept; every row asked for is checked to be in it. `frame` owns what its planes point to.
        @safe private struct Plane {
            var base: UnsafeMutableRawPointer
            let stride: Int
            /// Samples in a row, and rows in a row of tiles.
            let width: Int
            let rows: Int
        }

        let format: PlaneFormat
        let size: PixelSize
        private let mosaic: HEIFMosaic
        /// What samples of missing tiles are.
        private let missing: UInt16
        private let decode: (_ tile: Int) throws(CodecError) -> CodedPicture?
        private var strip: [Plane] = []
        private var frame: CodedPicture?
        private var tileRow = -1
        private(set) var codes = ColorCodes()
        private(set) var siting = 0
        /// Of AV1, whose alpha once came in the limited range, too.
        var isLimited: Bool { mosaic.codec == .av1 && !codes.isFullRange }

        /// - Parameters:
        ///   - format: of each tile.
        ///   - isAlpha: where nothing is known of alpha the picture is opaque; missing colours are grey.
        ///   - decode: decodes a tile by its item; nil where its bytes are missing.
        init(
            _ mosaic: HEIFMosaic, _ format: PlaneFormat, isAlpha: Bool,
            decode: @escaping (Int) throws(CodecError) -> CodedPicture?
        ) throws(CodecError) {
            self.mosaic = mosaic
            self.format = format
            missing = isAlpha ? (1 << format.bits) - 1 : 1 << (format.bits - 1)
            self.decode = decode
            size = mosaic.size ?? format.size
            try Self.check(mosaic, format)
            guard mosaic.isGrid else { return }
            for plane in 0..<(format.isMonochrome ? 1 : 3) {
                let (across, down) = plane == 0 ? (0, 0) : (format.across, format.down)
                let width = (size.width + across) >> across
                let rows = (min(format.size.height, size.height) + down) >> down
                let stride = (width * format.sampleBytes + 63) & ~63
                let base = UnsafeMutableRawPointer.allocate(byteCount: stride * (rows + 1), alignment: 64)
                unsafe strip.append(Plane(base: base, stride: stride, width: width, rows: rows))
            }
        }

        deinit { for plane in strip { unsafe plane.base.deallocate() } }

        /// Bytes held besides the decoder of one tile: for a picture of its own none.
        static func memoryNeed(_ mosaic: HEIFMosaic, _ format: PlaneFormat) -> Int {
            guard let size = mosaic.size else { return 0 }
            return (size.width + 192) * (min(format.size.height, size.height) + 2) * format.quarterBytes / 4
        }

        /// Whether the tiles can be laid side by side, and none of them for nothing.
        static func check(_ mosaic: HEIFMosaic, _ format: PlaneFormat) throws(CodecError) {
            guard let size = mosaic.size else { return }
            let tile = format.size
            func fits(_ count: Int, _ side: Int, _ whole: Int) -> Bool {
                let (all, overflow) = count.multipliedReportingOverflow(by: side)
                return !overflow && all >= whole && all - side < whole
            }
            guard fits(mosaic.columns, tile.width, size.width), fits(mosaic.rows, tile.height, size.height)
            else {
                throw CodecError(
                    .corrupt,
                    "\(mosaic.columns) x \(mosaic.rows) tiles of \(tile.width) x \(tile.height) pixels")
            }
            let isEven =
                (mosaic.columns == 1 || tile.width & format.across == 0)
                && (mosaic.rows == 1 || tile.height & format.down == 0)
            guard isEven else { throw CodecError(.unsupportedVariant, "tiles that share samples of chroma") }
        }

        /// Decodes until row `y` of luma and row `chroma` of the other planes are there.
        func prepare(luma y: Int, chroma: Int) throws(CodecError) {
            let (height, down) = (format.size.height, format.down)
            while tileRow < 0
                || mosaic.isGrid && tileRow < mosaic.rows - 1
                    && (y >= (tileRow + 1) * height
                        || !format.isMonochrome && chroma >= (tileRow + 1) * height >> down)
            {
                try advance()
            }
        }

        /// Row `y` of a plane, which has been prepared.
        ///
        /// Safety: valid until rows are prepared again.
        func row(_ plane: Int, _ y: Int) -> UnsafeRawPointer? {
            if let frame {
                guard let (base, stride) = unsafe frame.plane(plane), y >= 0,
                    y < (size.height + (plane == 0 ? 0 : format.down)) >> (plane == 0 ? 0 : format.down)
                else { return nil }
                return unsafe base + y * stride
            }
            guard plane < strip.count, tileRow >= 0 else { return nil }
            let strip = strip[plane]
            let top = tileRow * format.size.height >> (plane == 0 ? 0 : format.down)
            guard y - top >= -1, y - top < strip.rows else { return nil }
            return unsafe UnsafeRawPointer(strip.base) + (y - top + 1) * strip.stride
        }

        /// - Throws: `.truncated` where nothing of the next row of tiles is there.
        private func advance() throws(CodecError) {
            let ended = CodecError(.truncated, "the bytes end before the picture's data")
            guard mosaic.isGrid else {
                guard let picture = try decode(mosaic.tiles[0]) else { throw ended }
                note(picture)
                frame = picture
                tileRow = 0
                return
            }
            if tileRow >= 0 {
                for plane in strip {
                    unsafe plane.base.copyMemory(
                        from: plane.base + plane.rows * plane.stride, byteCount: plane.stride)
                }
            }
            var found = 0
            for column in 0..<mosaic.columns {
                guard let picture = try decode(mosaic.tiles[(tileRow + 1) * mosaic.columns + column]) else {
                    blank(column)
                    continue
                }
                if tileRow < 0, found == 0 { note(picture) }
                found += 1
                copy(picture, column)
            }
            guard found > 0 else { throw ended }
            tileRow += 1
        }

        private func note(_ picture: CodedPicture) {
            codes = picture.codes
            siting = picture.siting
        }

        /// Fills the strip where a tile is missing.
        private func blank(_ column: Int) {
            for (index, plane) in strip.enumerated() {
                let left = column * format.size.width >> (index == 0 ? 0 : format.across)
                for y in 1...plane.rows where left < plane.width {
                    let row = unsafe plane.base + y * plane.stride
                    for x in left..<plane.width {
                        if format.sampleBytes == 1 {
                            unsafe row.storeBytes(
                                of: UInt8(truncatingIfNeeded: missing), toByteOffset: x, as: UInt8.self)
                        } else {
                            unsafe row.storeBytes(of: missing, toByteOffset: 2 * x, as: UInt16.self)
                        }
                    }
                }
            }
        }

        /// Puts a tile into the strip, as far as the mosaic reaches.
        private func copy(_ picture: CodedPicture, _ column: Int) {
            for (index, plane) in strip.enumerated() {
                guard let (base, stride) = unsafe picture.plane(index) else { continue }
                let (across, down) = index == 0 ? (0, 0) : (format.across, format.down)
                let left = column * format.size.width >> across
                let count = min((format.size.width + across) >> across, plane.width - left)
                let rows = min((format.size.height + down) >> down, plane.rows)
                guard count > 0 else { continue }
                for y in 0..<rows {
                    let to = unsafe plane.base + (y + 1) * plane.stride + left * format.sampleBytes
                    unsafe to.copyMemory(from: base + y * stride, byteCount: count * format.sampleBytes)
                }
            }
        }
    }
#endif
