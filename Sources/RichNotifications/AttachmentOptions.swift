#if canImport(UserNotifications)
    public import AttachmentPrep
    public import NotificationFlow
    public import UserNotifications

    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif

    /// How an attachment is shown (keys of UNNotificationAttachment.h).
    public struct AttachmentOptions: Sendable {
        /// A uniform type identifier, never a MIME type: for another word the attachment is refused (UNError 101).
        public var typeHint: String
        /// The part of the picture that the banner's thumbnail shows; nil for all of it.
        public var clippingRect: ClippingRect?
        /// Whether the banner shows no thumbnail.
        public var hidesThumbnail = false
        /// The frame's number in an animated picture, the second in a film.
        public var thumbnailTime: Double?

        /// What suits prepared media.
        public init(_ media: NotificationMedia) {
            typeHint = media.typeHint
            clippingRect = media.clippingRect
        }

        /// As `UNNotificationAttachment` takes them.
        public var dictionary: [AnyHashable: Any] {
            var options: [AnyHashable: Any] = [UNNotificationAttachmentOptionsTypeHintKey: typeHint]
            if let rect = clippingRect {
                // What CGRectCreateDictionaryRepresentation makes of a rectangle.
                options[UNNotificationAttachmentOptionsThumbnailClippingRectKey] = [
                    "X": rect.x, "Y": rect.y, "Width": rect.width, "Height": rect.height,
                ]
            }
            if hidesThumbnail { options[UNNotificationAttachmentOptionsThumbnailHiddenKey] = true }
            if let thumbnailTime {
                options[UNNotificationAttachmentOptionsThumbnailTimeKey] = thumbnailTime
            }
            return options
        }
    }

    extension UNMutableNotificationContent {
        /// Puts a delivery in place: its text, and its attachment if the system takes it.
        ///
        /// An attachment that is refused leaves the text as it is; its file is removed.
        ///
        /// - Parameter options: how the attachment is shown.
        public func apply(
            _ delivery: Delivery, options: (NotificationMedia) -> AttachmentOptions = { .init($0) }
        ) {
            title = delivery.text.title
            subtitle = delivery.text.subtitle
            body = delivery.text.body
            guard let media = delivery.attachment else { return }
            let url = URL(fileURLWithPath: media.path.display)
            if let attachment = try? UNNotificationAttachment(
                identifier: "", url: url, options: options(media).dictionary)
            {
                attachments = [attachment]
                userInfo[RichContent.ratioKey] = media.sizeRatio
            } else {
                media.discard()
            }
        }
    }
#endif
