#if GIF
    package import Pixels

    /// GIF while its bytes arrive: up to the first image's codes, so that what is hopeless is refused early.
    ///
    /// giflib cannot stop for want of input, so `GIFSpoolDecoder` decodes when all bytes are there.
    package struct GIFDecoder: ~Copyable, ImageDecoder {
        private var scan = GIFScan()

        package init() throws(CodecError) { try GIFLibrary.require() }

        package var notes: DecodeNotes { scan.notes }

        package var head: [UInt8] { scan.plan == nil ? [] : scan.head }

        package mutating func push(
            _ bytes: Span<UInt8>, into rows: RowPipeline?
        ) throws(CodecError) -> DecodeStep {
            var at = 0
            switch try scan.next(bytes, at: &at) {
            case .needsInput: return .needsInput
            case .image(let plan): return .header(plan.header, consumed: at)
            case .over: return .finished(consumed: at)
            }
        }

        package mutating func start(numerator: Int, memoryLimit: Int) throws(CodecError) {
            throw CodecError(.corrupt, "decoded from a spool only")
        }

        package mutating func finish(padding pad: Bool, into rows: RowPipeline?) throws(CodecError) {
            throw CodecError.cutGIF
        }
    }

    extension CodecError {
        static let cutGIF = CodecError(.truncated, "the bytes end before the end of the picture")
    }
#endif
