public import MediaTypes

/// A file that shows: where it lies, what it is, how large.
public struct PreparedAttachment: Hashable, Sendable {
    /// Where the file lies; its extension is right for its type.
    public let path: String
    /// Type of the file; `typeHint` is what `UNNotificationAttachmentOptionsTypeHintKey` takes.
    public let format: MediaFormat
    /// Size of the file.
    public let bytes: Int
    /// Upright width in pixels.
    public let width: Int
    /// Upright height in pixels.
    public let height: Int
    /// Everything there is to say, the other profiles' outputs included.
    public let record: PreparationRecord

    /// Uniform type identifier of the file.
    public var typeHint: String { format.typeHint ?? "public.data" }

    /// The first output of a record, or the record's error.
    init(_ record: PreparationRecord) throws(PrepError) {
        if let error = record.error { throw error }
        guard let output = record.outputs.first, let format = output.format, let bytes = output.bytes,
            let width = output.width, let height = output.height
        else { throw PrepError(.io, .output, "no output was asked for") }
        path = output.path ?? ""
        self.format = format
        self.bytes = bytes
        self.width = width
        self.height = height
        self.record = record
    }
}
