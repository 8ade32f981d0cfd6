#if TIFF
    internal import CCodecs

    /// Deflate through zlib.
    @safe final class TIFFInflate: TIFFStreamDecoder {
        // Safety: made in init, freed in deinit, never handed out.
        private let stream: OpaquePointer
        private var isOver = false

        init() throws(CodecError) {
            guard let stream = unsafe ap_inflater_create() else {
                throw CodecError(.memory, "zlib cannot start")
            }
            unsafe self.stream = stream
        }

        deinit { unsafe ap_inflater_destroy(stream) }

        func begin() {
            unsafe ap_inflater_reset(stream)
            isOver = false
        }

        func fill(_ row: inout [UInt8], from input: inout TIFFChunkInput) throws(CodecError) -> Bool {
            var to = 0
            while to < row.count {
                if isOver { return false }
                if input.at == input.piece.count, try !input.refill() { return false }
                var (used, made) = (UInt32(input.piece.count - input.at), UInt32(clamping: row.count - to))
                // Both counts are what is left of their arrays.
                let status = unsafe input.piece.withUnsafeBufferPointer { piece in
                    unsafe row.withUnsafeMutableBufferPointer { row in
                        guard let from = piece.baseAddress, let out = row.baseAddress else {
                            return ap_status.corrupt
                        }
                        return unsafe ap_inflater_some(stream, from + input.at, &used, out + to, &made)
                    }
                }
                input.at += Int(used)
                to += Int(made)
                switch status {
                case .finished: isOver = true
                case .needsInput where used > 0 || made > 0: break
                default: throw CodecError(.corrupt, "damaged deflate data")
                }
            }
            return true
        }
    }
#endif
