internal import CCodecs
package import JPEGCore
package import Pixels

/// JPEG of several scans, progressive or not, with one row of MCUs in memory: the scans are decoded in lockstep,
/// and libjpeg-turbo turns their coefficients into rows.
@safe package struct JPEGSpoolDecoder: ~Copyable, SpoolDecoder {
    // Safety: made in init, freed in deinit, never handed out.
    private let jpeg: OpaquePointer
    private var index: ScanIndex
    private var isOddData = false

    /// Bytes read at once to find the scans.
    private static let pieceBytes = 65_536

    /// - Parameter maxScans: a file with more scan headers is refused.
    package init(maxScans: Int) throws(CodecError) {
        guard let jpeg = unsafe ap_jpeg_create() else { throw CodecError(.memory, "libjpeg cannot start") }
        unsafe self.jpeg = jpeg
        index = ScanIndex(maxScans: maxScans)
    }

    deinit { unsafe ap_jpeg_destroy(jpeg) }

    package var notes: DecodeNotes {
        DecodeNotes(
            facts: index.facts,
            isOdd: unsafe isOddData || index.isOdd || ap_jpeg_oddities(jpeg) > 0)
    }

    package mutating func watch(_ bytes: Span<UInt8>) throws(CodecError) {
        do { try index.push(bytes) } catch { throw CodecError(error) }
    }

    package mutating func keepLosslessCopy(limit: Int) { index.keepLosslessCopy(limit: limit) }

    package mutating func takeLosslessCopy() -> [UInt8]? { notes.isOdd ? nil : index.takeLosslessCopy() }

    package mutating func decode(
        from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
    ) throws(CodecError) -> SpoolEnd {
        try readIndex(file, rows)
        let isTruncated = index.end == nil
        if isTruncated, !job.allowsTruncated { throw CodecError(ScanError.truncated) }
        // At 1/8 a block is one sample of its mean, which the DC coefficient is.
        let isDCOnly = job.numerator == 1 && index.isProgressive
        let scans: LockstepReader
        do throws(ScanError) {
            scans = try LockstepReader(index, file, isDCOnly: isDCOnly, mayBeCut: isTruncated)
        } catch { throw CodecError(error) }
        try decode(scans, job, rows)
        isOddData = scans.isOdd
        return SpoolEnd(end: index.end ?? index.position, isTruncated: isTruncated)
    }

    /// Finds the scans in what was not watched.
    private mutating func readIndex(
        _ file: any RandomAccessBytes, _ rows: RowPipeline
    ) throws(CodecError) {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while index.end == nil {
            if rows.mustStop { throw CodecError(.stopped, "stopped") }
            let place = index.position
            let count = unsafe piece.withUnsafeMutableBytes { unsafe file.read(at: place, into: $0) }
            guard let count else { throw CodecError(ScanError.unreadable) }
            if count == 0 { break }
            try watch(piece.span.extracting(0..<count))
        }
        index.finish()
    }

    private func decode(_ scans: LockstepReader, _ job: SpoolJob, _ rows: RowPipeline) throws(CodecError) {
        let head = SequentialHeader.bytes(index)
        var status = unsafe head.span.push(into: rows) { unsafe ap_jpeg_push(jpeg, $0, $1, $2, $3) }
        guard status == .header else { throw error(status) }
        status = unsafe ap_jpeg_start(jpeg, Int32(job.numerator), job.memoryLimit)
        let planes = unsafe zip(scans.row.planes, scans.row.geometry.components).map { plane, component in
            unsafe ap_jpeg_plane(blocks: UnsafePointer(plane), blocks_per_row: component.rowBlocks)
        }
        while status == .needsInput {
            if rows.mustStop { throw CodecError(.stopped, "stopped") }
            do throws(ScanError) { _ = try scans.next() } catch { throw CodecError(error) }
            // The planes outlive the call, and have every block of the geometry that libjpeg read from the head.
            status = unsafe planes.withUnsafeBufferPointer { planes in
                let none: [UInt8] = []
                return unsafe none.span.push(into: rows) {
                    unsafe ap_jpeg_push_coefficients(jpeg, planes.baseAddress, $2, $3)
                }
            }
        }
        guard status == .finished else { throw error(status) }
        withExtendedLifetime(scans) {}
    }

    private func error(_ status: ap_status) -> CodecError {
        CodecError(jpeg: status, unsafe String(cString: ap_jpeg_message(jpeg)))
    }
}

extension CodecError {
    fileprivate init(_ error: ScanError) {
        self =
            switch error {
            case .corrupt(let what): CodecError(.corrupt, what)
            case .truncated: CodecError(.truncated, "the bytes end before the end of the picture")
            case .unsupported(let what): CodecError(.unsupportedVariant, what)
            case .tooManyScans: CodecError(.tooManyScans, "more scans than allowed")
            case .unreadable: CodecError(.unreadable, "the input cannot be read again")
            }
    }
}
