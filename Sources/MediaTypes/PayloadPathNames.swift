/// The names that lead to a member of a JSON document, as people write them.
package enum PayloadPathNames {
    /// Reads names with dots between them (`media.links.big`), or a JSON pointer (RFC 6901) for names that have
    /// dots themselves (`/com.example.media/url`).
    ///
    /// A path that says nothing between two separators gives an empty name there.
    package static func read(_ path: String) -> [String] {
        guard path.hasPrefix("/") else {
            return path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(unescaped)
    }

    private static func unescaped(_ name: Substring) -> String {
        name.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
            .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
    }
}
