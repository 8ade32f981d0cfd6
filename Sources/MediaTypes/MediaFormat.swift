/// STUB, replaced by the real table.
public enum MediaFormat: String, Sendable, CaseIterable {
    case jpeg, png, unknown
    /// file extension
    public var fileExtension: String? { "jpg" }
    /// MIME
    public var mimeType: String { "image/jpeg" }
    /// UTI
    public var typeHint: String? { "public.jpeg" }
}
