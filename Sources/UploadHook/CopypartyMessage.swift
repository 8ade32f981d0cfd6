package import AttachmentPrep
internal import MediaCache

/// What copyparty hands to the program of `--xau j,PROGRAM`, as its one argument.
///
/// Source: copyparty's util.py, `_runhook`; `wark` is a hash of the upload's content.
package struct CopypartyMessage: Decodable {
    private let ap: String
    private let sz: Int
    private let mt: Double?
    private let wark: String?

    /// Reads a message.
    ///
    /// - Throws: `invalid-payload`.
    package static func read(_ bytes: [UInt8]) throws(PrepError) -> HookMessage {
        try HookMessage.check(bytes)
        let message = try HookJSON.decode(Self.self, bytes, "copyparty's message")
        // A path may be uploaded to again, with other bytes of the same number.
        let version = message.wark ?? message.mt.map { "\($0)" } ?? ""
        return .jobs([
            SpoolJob(
                .copyparty, id: try HookMessage.id("\(message.ap)@\(version)"),
                size: try HookMessage.size(message.sz), place: .file(try HookMessage.path(message.ap)),
                received: WallClock.now)
        ])
    }
}
