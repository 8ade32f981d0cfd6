internal import CCodecs
internal import Pixels

/// Hands a codec's row to the pipeline behind `context`; the pointer is valid for the enclosing push only.
let deliverRow: ap_row_fn = { context, row in
    guard let context = unsafe context, let row = unsafe row else { return 1 }
    let rows = unsafe Unmanaged<RowPipeline>.fromOpaque(context).takeUnretainedValue()
    return unsafe rows.row(row) ? 0 : 1
}

/// Hands a frame's row to the canvas behind `context`.
private let deliverFrameRow: ap_row_fn = { context, row in
    guard let context = unsafe context, let row = unsafe row else { return 1 }
    let canvas = unsafe Unmanaged<CanvasRows>.fromOpaque(context).takeUnretainedValue()
    return unsafe canvas.take(row) ? 0 : 1
}

extension Span<UInt8> {
    /// Calls a shim's push with these bytes and the pipeline, or the canvas before it, as context.
    func push(
        into rows: RowPipeline?, through canvas: CanvasRows?,
        _ shim: (UnsafePointer<UInt8>?, Int, ap_row_fn?, UnsafeMutableRawPointer?) -> ap_status
    ) -> ap_status {
        guard let canvas else { return unsafe push(into: rows, shim) }
        return unsafe withUnsafeBufferPointer { bytes in
            defer { withExtendedLifetime(canvas) {} }
            let context = unsafe Unmanaged.passUnretained(canvas).toOpaque()
            return unsafe shim(bytes.baseAddress, bytes.count, deliverFrameRow, context)
        }
    }

    /// Calls a shim's push with these bytes and the pipeline as context.
    func push(
        into rows: RowPipeline?,
        _ shim: (UnsafePointer<UInt8>?, Int, ap_row_fn?, UnsafeMutableRawPointer?) -> ap_status
    ) -> ap_status {
        unsafe withUnsafeBufferPointer { bytes in
            // The pipeline outlives the call, so an unretained pointer is enough.
            var context: UnsafeMutableRawPointer?
            if let rows { unsafe context = Unmanaged.passUnretained(rows).toOpaque() }
            defer { withExtendedLifetime(rows) {} }
            return unsafe shim(bytes.baseAddress, bytes.count, deliverRow, context)
        }
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
