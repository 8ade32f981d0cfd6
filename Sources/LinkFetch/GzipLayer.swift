internal import AttachmentPrep
internal import CCodecs

/// Undoes one layer of gzip that a server put around a body, whether it says so or not.
///
/// No coding is asked for, but servers that store compressed files or trust a suffix send it all the same.
@safe final class GzipLayer {
    private enum State { case undecided, plain, gzip, betweenMembers, finished }

    private var state = State.undecided
    private var held: [UInt8] = []
    // Safety: made once, freed in deinit, used by one thread at a time.
    private var inflater: OpaquePointer?
    private lazy var buffer = [UInt8](repeating: 0, count: 65_536)

    /// ID1, ID2 and CM of RFC 1952: only deflate was ever defined.
    private static let magic: [UInt8] = [0x1F, 0x8B, 0x08]

    deinit { unsafe ap_inflater_destroy(inflater) }

    /// Hands the bytes on, or what they hold.
    func push(_ bytes: Span<UInt8>, _ emit: (Span<UInt8>) throws(PrepError) -> Void) throws(PrepError) {
        switch state {
        case .plain: try emit(bytes)
        case .gzip, .betweenMembers: try inflate(bytes, emit)
        case .finished: break
        case .undecided:
            unsafe bytes.withUnsafeBufferPointer { unsafe held.append(contentsOf: $0) }
            if held.count >= Self.magic.count || !Self.magic.starts(with: held) { try decide(emit) }
        }
    }

    /// The body is whole.
    ///
    /// - Throws: `truncated` where gzip's end is missing.
    func finish(_ emit: (Span<UInt8>) throws(PrepError) -> Void) throws(PrepError) {
        if state == .undecided { try decide(emit) }
        if state == .gzip {
            throw PrepError(
                .truncated, .input, "the link's gzip data ends early; the server should send it again")
        }
    }

    private func decide(_ emit: (Span<UInt8>) throws(PrepError) -> Void) throws(PrepError) {
        let first = held
        held = []
        state = .plain
        if first.starts(with: Self.magic) {
            unsafe inflater = ap_inflater_create_gzip()
            state = .gzip
        }
        try push(first.span, emit)
    }

    private func inflate(
        _ bytes: Span<UInt8>, _ emit: (Span<UInt8>) throws(PrepError) -> Void
    ) throws(PrepError) {
        guard let inflater = unsafe inflater else {
            throw PrepError(.memoryLimit, .input, "no memory to undo gzip with")
        }
        var done = 0
        while state == .gzip || state == .betweenMembers {
            if state == .betweenMembers {
                // A file may hold several, one behind the other (RFC 1952, 2.2); anything else is padding.
                guard done < bytes.count else { return }
                state = bytes[done] == Self.magic[0] ? .gzip : .finished
                unsafe ap_inflater_reset(inflater)
                continue
            }
            var taken = UInt32(bytes.count - done)
            var made = UInt32(buffer.count)
            let rest = bytes.extracting(done..<bytes.count)
            let status = unsafe rest.withUnsafeBufferPointer { source in
                unsafe buffer.withUnsafeMutableBufferPointer { target in
                    unsafe ap_inflater_some(inflater, source.baseAddress, &taken, target.baseAddress, &made)
                }
            }
            done += Int(taken)
            if made > 0 { try emit(buffer.span.extracting(0..<Int(made))) }
            switch status {
            case .finished: state = .betweenMembers
            case .needsInput: if done == bytes.count, Int(made) < buffer.count { return }
            default: throw PrepError(.corrupt, .input, "the link's gzip data is damaged")
            }
        }
    }
}
