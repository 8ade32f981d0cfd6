#if HEIF
    internal import Pixels

    /// Turns a picture's planes into rows of a pipeline: chroma is brought to luma's size, or both to the size
    /// of the means of blocks, and then both to red, green and blue.
    @safe final class HEIFRows {
        // Safety: every line has room for a row of the picture, and one sample more.
        private let color: MosaicRows
        private let alpha: MosaicRows?
        private var alphaHasEnded = false
        private let isPremultiplied: Bool
        private let codes: ColorCodes?
        private let layout: PixelLayout
        /// What is shown of the planes.
        private let part: PixelRect
        /// Each pixel is the mean of this many, squared.
        private let factor: Int
        /// Luma, two lines of chroma, and one for what comes in between.
        private let lines: UnsafeMutablePointer<UInt16>
        private let lineLength: Int
        private let out: UnsafeMutableRawPointer

        init(
            color: MosaicRows, alpha: MosaicRows?, _ picture: HEIFPicture, _ layout: PixelLayout,
            part: PixelRect, factor: Int
        ) {
            self.color = color
            self.alpha = alpha
            isPremultiplied = picture.isPremultiplied
            codes = picture.codes
            self.layout = layout
            self.part = part
            self.factor = factor
            lineLength = (color.size.width + 31) & ~15
            unsafe lines = .allocate(capacity: 4 * lineLength)
            unsafe lines.initialize(repeating: 0, count: 4 * lineLength)
            unsafe out = .allocate(byteCount: lineLength * layout.bytesPerPixel, alignment: 16)
        }

        deinit {
            unsafe lines.deallocate()
            unsafe out.deallocate()
        }

        static func memoryNeed(width: Int, _ layout: PixelLayout) -> Int {
            (width + 32) * (8 + layout.bytesPerPixel)
        }

        /// Delivers every row.
        func deliver(into rows: RowPipeline) throws(CodecError) {
            var matrix: ColorMatrix?
            for y in 0..<((part.size.height + factor - 1) / factor) {
                let top = part.y + y * factor
                try prepare(top)
                if matrix == nil { matrix = try makeMatrix() }
                guard let matrix else { return }
                fillLines(top)
                write(matrix)
                if let alpha { try addAlpha(alpha, top) }
                guard unsafe rows.row(out + part.x / factor * layout.bytesPerPixel) else {
                    throw CodecError(.stopped, "stopped")
                }
            }
        }

        /// What the container says of the colours counts, else what the stream does.
        private func makeMatrix() throws(CodecError) -> ColorMatrix {
            try ColorMatrix(
                codes ?? color.codes, bits: color.format.bits, outBits: layout.bitsPerSample,
                isMonochrome: color.format.isMonochrome)
        }

        /// The rows of chroma for a row of luma: a nearer and a farther one, and the latter's weight in quarters.
        private func chroma(for y: Int) -> (near: Int, far: Int, farWeight: UInt16) {
            guard color.format.down > 0 else { return (y, y, 0) }
            let last = (color.size.height + 1) / 2 - 1
            let near = y / 2
            if color.siting == 2 { return y & 1 == 0 ? (near, near, 0) : (near, min(near + 1, last), 2) }
            return (near, y & 1 == 0 ? max(near - 1, 0) : min(near + 1, last), 1)
        }

        private func prepare(_ top: Int) throws(CodecError) {
            // The siting is known with the first picture.
            try color.prepare(luma: top, chroma: 0)
            if factor == 1, !color.format.isMonochrome {
                let chroma = chroma(for: top)
                try color.prepare(luma: top, chroma: max(chroma.near, chroma.far))
            }
        }

        private func line(_ index: Int) -> SampleLines.Line { unsafe lines + index * lineLength }

        // MARK: Lines

        /// Luma and chroma of the output row whose first row of luma is `top`.
        private func fillLines(_ top: Int) {
            if color.format.sampleBytes == 1 {
                fillLines(UInt8.self, top)
            } else {
                fillLines(UInt16.self, top)
            }
        }

        private func fillLines<S: SampleLines.Sample>(_ type: S.Type, _ top: Int) {
            let format = color.format
            for plane in 0..<(format.isMonochrome ? 1 : 3) {
                if factor > 1 {
                    average(type, plane, top)
                } else if plane == 0 || format.across == 0 && format.down == 0 {
                    guard let row = unsafe row(type, plane, top) else { continue }
                    unsafe SampleLines.widen(row, color.size.width, into: line(plane))
                } else {
                    enlarge(type, plane, top)
                }
            }
        }

        private func row<S>(_ type: S.Type, _ plane: Int, _ y: Int) -> UnsafePointer<S>? {
            unsafe color.row(plane, y)?.assumingMemoryBound(to: S.self)
        }

        private func enlarge<S: SampleLines.Sample>(_ type: S.Type, _ plane: Int, _ y: Int) {
            let format = color.format
            let (width, count) = (color.size.width, (color.size.width + format.across) >> format.across)
            let (near, far, weight) = chroma(for: y)
            guard let nearRow = unsafe row(type, plane, near), let farRow = unsafe row(type, plane, far)
            else {
                return
            }
            let blended = unsafe line(3)
            unsafe SampleLines.blend(nearRow, farRow, farWeight: weight, count, into: blended)
            unsafe SampleLines.spread(blended, count, isLeft: color.siting != 0, width, into: line(plane))
        }

        private func average<S: SampleLines.Sample>(_ type: S.Type, _ plane: Int, _ top: Int) {
            let (across, down) = plane == 0 ? (0, 0) : (color.format.across, color.format.down)
            let (width, height) = ((color.size.width + across) >> across, (color.size.height + down) >> down)
            let (first, rows) = (top >> down, min(factor >> down, height - top >> down))
            let sums = unsafe line(3)
            unsafe sums.update(repeating: 0, count: width)
            for y in first..<(first + rows) {
                guard let row = unsafe row(type, plane, y) else { continue }
                unsafe SampleLines.add(row, width, to: sums)
            }
            unsafe SampleLines.means(sums, width, factor: factor >> across, rows: rows, into: line(plane))
        }

        // MARK: Pixels

        private var outWidth: Int { (color.size.width + factor - 1) / factor }

        private func write(_ matrix: ColorMatrix) {
            if layout.bitsPerSample == 8 { write(UInt8.self, matrix) } else { write(UInt16.self, matrix) }
        }

        private func write<S: SampleLines.Sample>(_ type: S.Type, _ matrix: ColorMatrix) {
            let out = unsafe out.assumingMemoryBound(to: S.self)
            let (y, u, v) = unsafe (line(0), line(1), line(2))
            let channels = layout.channelCount
            let (red, green, blue, shift) = (matrix.red, matrix.green, matrix.blue, matrix.shift)
            @inline(__always) func clamp(_ sum: Int32) -> S {
                S(truncatingIfNeeded: min(max(sum &>> shift, 0), Int32(S.max)))
            }
            if layout.isGray {
                for x in 0..<outWidth {
                    unsafe out[x &* channels] = clamp(Int32(y[x]) &* red.y &+ red.bias)
                }
                return
            }
            for x in 0..<outWidth {
                let (l, cb, cr) = unsafe (Int32(y[x]), Int32(u[x]), Int32(v[x]))
                @inline(__always) func sum(_ row: ColorMatrix.Row) -> Int32 {
                    l &* row.y &+ cb &* row.u &+ cr &* row.v &+ row.bias
                }
                let at = x &* channels
                unsafe out[at] = clamp(sum(red))
                unsafe out[at &+ 1] = clamp(sum(green))
                unsafe out[at &+ 2] = clamp(sum(blue))
            }
        }

        // MARK: Alpha

        private func addAlpha(_ alpha: MosaicRows, _ y: Int) throws(CodecError) {
            if !alphaHasEnded {
                do throws(CodecError) {
                    try alpha.prepare(luma: y, chroma: 0)
                } catch {
                    // Of a cut file, which is looked at before the first row: where nothing is known of alpha, the
                    // picture is opaque.
                    guard error.kind == .truncated else { throw error }
                    alphaHasEnded = true
                }
            }
            if alphaHasEnded {
                return layout.bitsPerSample == 8 ? fillAlpha(UInt8.self) : fillAlpha(UInt16.self)
            }
            guard let row = unsafe alpha.row(0, y) else { return }
            let matrix = try ColorMatrix(
                ColorCodes(isFullRange: !alpha.isLimited), bits: alpha.format.bits,
                outBits: layout.bitsPerSample, isMonochrome: true)
            let line = unsafe line(0)
            if alpha.format.sampleBytes == 1 {
                unsafe SampleLines.widen(
                    row.assumingMemoryBound(to: UInt8.self), alpha.size.width, into: line)
            } else {
                unsafe SampleLines.widen(
                    row.assumingMemoryBound(to: UInt16.self), alpha.size.width, into: line)
            }
            if layout.bitsPerSample == 8 {
                addAlpha(UInt8.self, matrix)
            } else {
                addAlpha(UInt16.self, matrix)
            }
        }

        private func fillAlpha<S: SampleLines.Sample>(_ type: S.Type) {
            let out = unsafe out.assumingMemoryBound(to: S.self)
            for x in 1...outWidth { unsafe out[x &* layout.channelCount &- 1] = S.max }
        }

        private func addAlpha<S: SampleLines.Sample>(_ type: S.Type, _ matrix: ColorMatrix) {
            let out = unsafe out.assumingMemoryBound(to: S.self)
            let (channels, line) = unsafe (layout.channelCount, line(0))
            let top = UInt32(S.max)
            for x in 0..<outWidth {
                let sum = unsafe Int32(line[x]) &* matrix.red.y &+ matrix.red.bias
                let value = min(max(sum &>> matrix.shift, 0), Int32(S.max))
                let at = x &* channels
                unsafe out[at &+ channels &- 1] = S(truncatingIfNeeded: value)
                guard isPremultiplied, value > 0 else { continue }
                for c in at..<(at &+ channels &- 1) {
                    let whole = unsafe (UInt32(out[c]) &* top &+ UInt32(value) / 2) / UInt32(value)
                    unsafe out[c] = S(truncatingIfNeeded: min(whole, top))
                }
            }
        }
    }
#endif
