public import MediaTypes

/// A file that shows: where it lies, what it is, how large.
public struct PreparedAttachment: Hashable, Sendable {
    /// Where the file lies; its extension is right for its type.
    public let path: String
    /// Type of the file; `typeHint` is what `UNNotificationAttachmentOptionsTypeHintKey` takes.
    public let format: MediaFormat
    /// Size of the file.
    public let bytes: Int
    /// Upright width in pixels; nil for audio and video.
    public let width: Int?
    /// Upright height in pixels; nil for audio and video.
    public let height: Int?
    /// Everything there is to say, the other profiles' outputs included.
    public let record: PreparationRecord

    /// Uniform type identifier of the file.
    public var typeHint: String { record.outputs.first?.typeHint ?? "public.data" }

    /// The first output of a record, or the record's error.
    public init(_ record: PreparationRecord) throws(PrepError) {
        if let error = record.error { throw error }
        guard let output = record.outputs.first, let format = output.format, let bytes = output.bytes
        else { throw PrepError(.io, .output, "no output was asked for") }
        path = output.path ?? ""
        self.format = format
        self.bytes = bytes
        width = output.width
        height = output.height
        self.record = record
    }
}
