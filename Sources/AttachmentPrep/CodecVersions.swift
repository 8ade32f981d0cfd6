internal import Codecs

/// The C libraries that decode, with the versions they were built against.
public enum CodecVersions {
    /// Name and version of each, in the order of the formats' table.
    public static var all: [(name: String, version: String)] { CodecLibraries.versions }
}
