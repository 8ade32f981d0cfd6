/// The broad kind of a file (`family` of types.tsv).
public enum MediaFamily: String, CaseIterable, Sendable, Hashable {
    /// A still or animated picture.
    case image
    /// Sound.
    case audio
    /// Moving pictures.
    case video
    /// Text and page documents.
    case document
    /// Archives and compressed files.
    case archive
    /// Everything else.
    case other
}

/// What is done with a file of some format under the default options (`action` of types.tsv).
public enum MediaAction: String, CaseIterable, Sendable, Hashable {
    /// Decoded, fitted and written as a JPEG.
    case transcode
    /// Kept as it is, without its metadata.
    case pass
    /// Its media data is kept and put into a container the platform accepts.
    case rewrap
    /// Refused.
    case reject
}

/// Why a file is refused for its type alone; the raw values are the error codes of the record.
public enum MediaRejection: String, CaseIterable, Sendable, Hashable {
    /// There are no bytes at all.
    case empty
    /// Nothing in the table of media types fits.
    case unknownFormat = "unknown-format"
    /// Recognised, but of a type that is never accepted.
    case unsupportedFormat = "unsupported-format"
    /// A type that is accepted, in a kind that is not: protected MPEG-4, MPEG audio layer I and II, RF64.
    case unsupportedVariant = "unsupported-variant"
    /// A web page, as servers send it in a picture's place.
    case htmlDocument = "html-document"
    /// A server's error message in XML or JSON.
    case errorDocument = "error-document"
}
