/// STUB: the codec libraries in use, for `--version` and reports of trouble.
public enum CodecVersions {
    /// Name and version of each library, as it says itself at run time.
    public static var all: [(name: String, version: String)] { [] }
}
