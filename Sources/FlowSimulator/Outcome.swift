package import AttachmentPrep
internal import MediaTypes
internal import PayloadTools

/// What a user sees of a push.
package enum Verdict: String, Codable, Hashable, Sendable, CaseIterable {
    /// The text and the picture.
    case picture
    /// The text and a sound or film.
    case media
    /// The text, as the extension left it.
    case text
    /// The push as it came.
    case original
    /// Nothing at all.
    case nothing
}

/// A step of a push's way.
package struct TimelineEntry: Codable, Hashable, Sendable {
    /// Simulated seconds since the push came.
    package var seconds: Double
    package var step: String
    package var detail: String?
}

/// What became of one push.
package struct SimulatedOutcome: Sendable {
    /// The input as the caller named it.
    package var input: String
    package var verdict = Verdict.original
    /// Why it is no more than that; nil where nothing is missing.
    package var why: String?
    /// How often the extension answered; once, where it was asked.
    package var deliveries = 0
    package var delivery: SimulatedDelivery?
    package var timeline: [TimelineEntry] = []
    /// Bytes resident at most of the extension's process, code included; nil where it was not started or had ended.
    package var peak: Int?
}

/// The second look at an attachment, after the extension is done, of which nobody is told (Apple:
/// UNNotificationAttachment).
enum SystemCheck {
    /// What the system shows of a delivery, and why no more.
    static func verdict(on delivery: SimulatedDelivery) -> (Verdict, String?) {
        guard let attachment = delivery.attachment else {
            let why: String? =
                switch delivery.media {
                case "none": nil
                case "held-back": "the network's policy holds media back, and the cache has nothing fresh"
                case "late": "the media was not there in time"
                default: delivery.error.map { "\($0.code): \($0.message)" }
                }
            return (.text, why)
        }
        let path = FilePath(attachment.path)
        var sniffer = MediaSniffer()
        var size = 0
        do throws(SystemError) {
            try path.forEachPiece { piece in
                size += piece.count
                sniffer.push(piece)
            }
        } catch {
            return (.text, "the attachment cannot be read: \(error.text)")
        }
        sniffer.finish()
        guard let format = sniffer.format, ShownTypes.formats(.apns).contains(format) else {
            return (.text, "the attachment is of no type that iOS shows")
        }
        let claim = ClaimedExtension(attachment.path)
        guard claim.text != nil, claim.matches(format) else {
            return (.text, "the attachment's name has no extension for \(format.rawValue)")
        }
        guard ShownTypes.apple.contains(attachment.typeHint) else {
            return (.text, "the type hint '\(attachment.typeHint)' is not in Apple's list")
        }
        if let cap = format.capBytes, size > cap {
            return (.text, "\(size) bytes are over Apple's \(cap)")
        }
        return (format.family == .image ? .picture : .media, nil)
    }
}

extension SimulatedOutcome {
    /// Makes the folder for what is kept, if it is missing.
    package static func makeFolder(_ folder: FilePath) throws(PrepError) {
        do throws(SystemError) { try folder.makeDirectories() } catch {
            throw error.error(.output, "cannot make \(folder.display)")
        }
    }

    /// Copies the file that would be seen into a folder, as `push-1.jpg`, and names that one from now on.
    ///
    /// - Parameter folder: nil to keep nothing but the name.
    package mutating func keepAttachment(in folder: FilePath?, number: Int) throws(PrepError) {
        guard let attachment = delivery?.attachment, verdict == .picture || verdict == .media else { return }
        let suffix = ClaimedExtension(attachment.path).text.map { "." + $0 } ?? ""
        let name = "push-\(number)\(suffix)"
        guard let folder else {
            delivery?.attachment?.path = name
            return
        }
        let target = folder.appending(name)
        do throws(SystemError) {
            try target.replace(withCopyOf: FilePath(attachment.path))
        } catch {
            throw error.error(.output, "cannot write \(target.display)")
        }
        delivery?.attachment?.path = target.display
    }
}
