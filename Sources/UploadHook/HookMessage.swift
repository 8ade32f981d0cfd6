internal import AttachmentPrep

/// What a media server's message asks for.
package enum HookMessage: Hashable, Sendable {
    /// Attachments of these uploads.
    case jobs([SpoolJob])
    /// Nothing, and why: another event, a part of an upload, a test.
    case nothing(String)

    /// No server's message is longer.
    package static let longest = 1 << 20

    /// A longer one is refused before it is read.
    static func check(_ bytes: [UInt8]) throws(PrepError) {
        guard bytes.count <= longest else {
            throw invalid("the message is longer than \(longest) bytes")
        }
    }

    static func invalid(_ sentence: String, detail: String? = nil) -> PrepError {
        PrepError(.invalidPayload, .input, sentence, detail: detail)
    }

    /// A path out of a message.
    ///
    /// The system would take a NUL for its end, and whatever was checked would not be what is opened.
    static func path(_ text: String) throws(PrepError) -> FilePath {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw invalid("the message's path is empty or holds a NUL")
        }
        return FilePath(text)
    }

    static func size(_ size: Int) throws(PrepError) -> Int {
        guard size >= 0 else { throw invalid("the message's size is below 0") }
        return size
    }

    /// An upload's name in its server's own words.
    static func id(_ text: String) throws(PrepError) -> String {
        guard !text.isEmpty, text.utf8.count <= 4096 else {
            throw invalid("the message's ID is empty or longer than 4096 bytes")
        }
        return text
    }
}
