internal import MediaTypes

// Type hints: what an extension hands to UNNotificationAttachment as it is.
extension PayloadCheck {
    private static let hintKeys: Set<String> = [
        "typehint", "attachmenttypehint", "uti", "mediatype", "attachmenttype", "imagetype", "hint",
    ]

    static func hints(in document: JSONDocument) -> [(node: Int, text: String)] {
        document.nodes.indices.compactMap { node in
            guard let key = document.key(node), let text = document.string(node),
                hintKeys.contains(ApsKey.folded(key))
            else { return nil }
            return (node, text)
        }
    }

    /// Whether a hint makes up for an extension.
    var hasGoodHint: Bool { hints.contains { ShownTypes.apple.contains($0.text) } }

    mutating func checkHints() {
        for (node, text) in hints where !ShownTypes.apple.contains(text) {
            let bare = text.hasPrefix(".") ? String(text.dropFirst()) : text
            if text.contains("/") {
                add(.hintIsMIME, "the hint is \(document.shown(node)), a MIME type", at: node)
            } else if !bare.contains("."),
                MediaFormat.allCases.contains(where: { $0.claims(ClaimedExtension("a." + bare)) })
            {
                add(
                    .hintIsExtension, "the hint is \(document.shown(node)), a file name's extension", at: node
                )
            } else if text.contains(".") {
                add(.hintNotAccepted, "the hint is \(document.shown(node))", at: node)
            }
        }
    }
}
