public import AttachmentPrep
public import MediaTypes

/// What is handed to the system, once.
public struct Delivery: Sendable {
    /// Why now.
    public enum Reason: String, Hashable, Sendable {
        /// All work is done.
        case finished
        /// The time was up.
        case expired
        /// The caller wanted no more.
        case cancelled
    }

    /// What became of the picture, sound or film.
    public enum Media: Sendable {
        /// The payload names none.
        case none
        case attached(NotificationMedia)
        /// There could be none.
        case failed(PrepError)
        /// The network's policy did not let it be fetched.
        case heldBack
        /// It was not there in time.
        case late
    }

    /// The best there was when it was delivered.
    public var text: NotificationText
    /// The payload, with what was sealed in it or fetched for it.
    public var payload: NotificationPayload
    /// What became of the picture, sound or film.
    public var media = Media.none
    /// Why now.
    public var reason = Reason.finished
    /// What went wrong on the way; the text is then the best there was.
    public var problems: [PrepError] = []

    /// The attachment, if there is one.
    public var attachment: NotificationMedia? {
        if case .attached(let media) = media { media } else { nil }
    }
}

/// A file to attach, the taker's own: the system may move it away.
public struct NotificationMedia: Hashable, Sendable {
    /// Absolute, with an extension that is right for the type.
    public let path: FilePath
    /// Uniform type identifier, for `UNNotificationAttachmentOptionsTypeHintKey`.
    public let typeHint: String
    /// What it is, by its bytes.
    public let format: MediaFormat
    /// Its size.
    public let bytes: Int
    /// Upright pixels; nil for audio and video.
    public let width: Int?
    /// Upright pixels; nil for audio and video.
    public let height: Int?
    /// The part that a square thumbnail should show; nil for what is no picture.
    public var clippingRect: ClippingRect?

    /// Removes the file, which nobody takes after all.
    public func discard() { path.remove() }

    /// Height divided by width, for a content extension's `preferredContentSize`.
    public var sizeRatio: Double? {
        guard let width, let height, width > 0 else { return nil }
        return Double(height) / Double(width)
    }
}

/// A step of one notification's way, for logs and the simulator.
public enum FlowEvent: Sendable {
    case began
    /// The sealed part is open, and its text in place.
    case opened
    case detailed
    /// A step failed; the flow goes on without it, but for what was sealed.
    case failed(PrepError)
    case located(MediaLocation)
    /// Nothing in the payload names media.
    case noMedia
    case heldBack(NetworkCondition)
    /// The media is asked for, for the first time or again.
    case trying(Int)
    /// The media is there, or the record says why not.
    case prepared(PreparationRecord)
    /// The closure is about to be called.
    case delivering(Delivery.Reason)
}
