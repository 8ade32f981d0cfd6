internal import CService

/// Reads multipart/form-data as it comes, for its first file.
@safe final class FormReader {
    /// The file's name as the client says it, and a piece of the file.
    typealias Take = (_ name: String, _ bytes: Span<UInt8>) -> Bool

    private var form: OpaquePointer?
    private let takePiece: Take
    /// The file's name, once it began.
    private var file: String?
    /// Whether another part began after it.
    private var isPast = false

    private static let longestName = 1024

    /// Nil where a request's Content-Type says no boundary.
    init?(_ exchange: OpaquePointer, take: @escaping Take) {
        takePiece = take
        // The reader outlives the form, which is the only one to use this.
        unsafe form = ap_http_form_begin(exchange, Unmanaged.passUnretained(self).toOpaque()) {
            context, _, file, offset, bytes, count in
            guard let context = unsafe context else { return false }
            let reader = unsafe Unmanaged<FormReader>.fromOpaque(context).takeUnretainedValue()
            return unsafe reader.piece(
                file: file.map { unsafe String(cString: $0) }, offset,
                UnsafeBufferPointer(start: bytes, count: count))
        }
        if unsafe form == nil { return nil }
    }

    deinit { _ = end() }

    func push(_ bytes: Span<UInt8>) -> Bool {
        guard let form = unsafe form else { return false }
        return unsafe bytes.withUnsafeBufferPointer {
            unsafe ap_http_form_push(form, $0.baseAddress, $0.count)
        }
    }

    /// Whether the form was whole and had a file.
    func end() -> Bool {
        guard let form = unsafe form.take() else { return false }
        return unsafe ap_http_form_end(form) && file != nil
    }

    private func piece(
        file name: String?, _ offset: UInt64, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let name else {
            if file != nil { isPast = true }
            return true
        }
        if file == nil {
            // Some clients send the whole path; the record shows the last part of it.
            let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
            file = String(last.prefix(Self.longestName))
        } else if offset == 0 {
            isPast = true
        }
        guard !isPast, let file else { return true }
        return unsafe takePiece(file, bytes.span)
    }
}
