internal import CCodecs
package import JPEGCore
package import Pixels

/// JPEG of several scans, progressive or not, with one row of MCUs in memory: the scans are decoded in lockstep,
/// and libjpeg-turbo turns their coefficients into rows.
@safe package struct JPEGSpoolDecoder: ~Copyable, SpoolDecoder {
    // Safety: made in init, freed in deinit, never handed out.
    private let jpeg: OpaquePointer
    private var index: ScanIndex
    private let maxScans: Int
    private var isOddData = false

    /// Bytes read at once to find the scans.
    private static let pieceBytes = 65_536

    /// Scans that a file may have, however many are allowed.
    package static let mostScans = LockstepReader.mostScans

    /// - Parameter maxScans: a file with more scan headers is refused.
    package init(maxScans: Int) throws(CodecError) {
        guard let jpeg = unsafe ap_jpeg_create() else { throw CodecError(.memory, "libjpeg cannot start") }
        unsafe self.jpeg = jpeg
        self.maxScans = min(maxScans, Self.mostScans)
        index = ScanIndex(maxScans: self.maxScans)
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

    package mutating func memoryBeyondHeader(
        of file: any RandomAccessBytes, allowsTruncated: Bool, unless mustStop: () -> Bool
    ) throws(CodecError) -> Int {
        try readIndex(file, unless: mustStop)
        if index.end == nil, !allowsTruncated { throw CodecError(ScanError.truncated) }
        return LockstepReader.memoryBeyondHeader(index, maxScans: maxScans, rowCount: rowCount)
    }

    package mutating func decode(
        from file: any RandomAccessBytes, _ job: SpoolJob, into rows: RowPipeline
    ) throws(CodecError) -> SpoolEnd {
        try readIndex(file) { rows.mustStop }
        let isTruncated = index.end == nil
        if isTruncated, !job.allowsTruncated { throw CodecError(ScanError.truncated) }
        // At 1/8 a block is one sample of its mean, which the DC coefficient is; to smooth means all must be known.
        let isDCOnly = job.numerator == 1 && index.isProgressive && !index.lacksCoefficients
        let scans: LockstepReader
        do throws(ScanError) {
            scans = try LockstepReader(
                index, file, isDCOnly: isDCOnly, mayBeCut: isTruncated, rowCount: rowCount)
        } catch { throw CodecError(error) }
        try decode(scans, job, rows)
        isOddData = scans.isOdd
        return SpoolEnd(end: index.end ?? index.position, isTruncated: isTruncated)
    }

    /// Finds the scans in what was not watched.
    private mutating func readIndex(
        _ file: any RandomAccessBytes, unless mustStop: () -> Bool
    ) throws(CodecError) {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while index.end == nil {
            if mustStop() { throw CodecError(.stopped, "stopped") }
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
        let planes = unsafe scans.rows.flatMap { row in
            unsafe zip(row.planes, row.geometry.components).map { plane, component in
                unsafe ap_jpeg_plane(blocks: UnsafePointer(plane), blocks_per_row: component.rowBlocks)
            }
        }
        if index.lacksCoefficients { smooth() }
        var row = 0
        var ahead = (scans.rows.count - 1) / 2
        while status == .needsInput {
            if rows.mustStop { throw CodecError(.stopped, "stopped") }
            do throws(ScanError) {
                while ahead >= 0, try scans.next() { ahead -= 1 }
            } catch { throw CodecError(error) }
            ahead = 0
            // The planes outlive the call, and have every block of the geometry that libjpeg read from the head.
            status = unsafe planes.withUnsafeBufferPointer { planes in
                let none: [UInt8] = []
                return unsafe none.span.push(into: rows) {
                    unsafe ap_jpeg_push_coefficients(
                        jpeg, planes.baseAddress, scans.isReached(row) ? 1 : 0, $2, $3)
                }
            }
            row += 1
        }
        guard status == .finished else { throw error(status) }
        withExtendedLifetime(scans) {}
    }

    /// Rows to keep: those around one that is smoothed, or only that one.
    private var rowCount: Int { index.lacksCoefficients ? Int(AP_JPEG_WINDOW) : 1 }

    /// Lets libjpeg make up for coefficients that never came, as it does by itself: without, blocks would show.
    private func smooth() {
        var knowledge = ap_jpeg_knowledge()
        // libjpeg keeps what was known before only once there is a second scan.
        let before = index.scanCount > 1 ? index.knownBefore : index.known.map { $0.map { _ in -1 } }
        unsafe withUnsafeMutableBytes(of: &knowledge.now) { unsafe Self.fill($0, index.known) }
        unsafe withUnsafeMutableBytes(of: &knowledge.before) { unsafe Self.fill($0, before) }
        unsafe ap_jpeg_smooth(jpeg, &knowledge)
    }

    /// Writes the first coefficients' values of up to four components where a C array of arrays lies.
    private static func fill(_ array: UnsafeMutableRawBufferPointer, _ values: [[Int8]]) {
        let count = Int(AP_JPEG_SMOOTHED)
        for (i, component) in values.prefix(4).enumerated() {
            for k in 0..<count {
                unsafe array.storeBytes(
                    of: Int32(component[k]), toByteOffset: (i * count + k) * 4, as: Int32.self)
            }
        }
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
