// What is not explained here, Apple's documentation explains.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#endif

/// Errors of UNErrorDomain (UNError.h).
public struct UNError: Error, Hashable {
    public enum Code: Int, Sendable {
        case attachmentInvalidURL = 100
        case attachmentUnrecognizedType = 101
        case attachmentInvalidFileSize = 102
        case attachmentCorrupt = 105
    }
    public let code: Code
}

public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
public let UNNotificationAttachmentOptionsThumbnailHiddenKey =
    "UNNotificationAttachmentOptionsThumbnailHiddenKey"
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// A file that is shown with a notification.
///
/// The initialiser refuses what Apple's does: a URL that is no readable file (100), and a type that is not in its
/// list (101), as the hint says, or without one the extension (documentation of `init(identifier:url:options:)` and
/// of the hint's key).
open class UNNotificationAttachment {
    public let identifier: String
    public let url: URL
    public let type: String
    public let options: [AnyHashable: Any]

    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        let options = options ?? [:]
        guard url.isFileURL, unsafe url.path.withCString({ unsafe access($0, R_OK) }) == 0 else {
            throw UNError(code: .attachmentInvalidURL)
        }
        let hint = options[UNNotificationAttachmentOptionsTypeHintKey] as? String
        guard let type = hint ?? Self.types[url.pathExtension.lowercased()], Self.caps[type] != nil else {
            throw UNError(code: .attachmentUnrecognizedType)
        }
        self.identifier = identifier.isEmpty ? "generated" : identifier
        self.url = url
        self.type = type
        self.options = options
    }

    /// Apple's table of accepted types and their largest files, in bytes.
    public static let caps: [String: Int] = [
        "public.aiff-audio": 5_000_000, "com.microsoft.waveform-audio": 5_000_000, "public.mp3": 5_000_000,
        "public.mpeg-4-audio": 5_000_000, "public.jpeg": 10_000_000, "com.compuserve.gif": 10_000_000,
        "public.png": 10_000_000, "public.mpeg": 50_000_000, "public.mpeg-2-video": 50_000_000,
        "public.mpeg-4": 50_000_000, "public.avi": 50_000_000,
    ]

    /// What the system guesses from an extension.
    private static let types = [
        "jpg": "public.jpeg", "jpeg": "public.jpeg", "png": "public.png", "gif": "com.compuserve.gif",
        "aif": "public.aiff-audio", "aiff": "public.aiff-audio", "wav": "com.microsoft.waveform-audio",
        "mp3": "public.mp3", "m4a": "public.mpeg-4-audio", "mpg": "public.mpeg", "mpeg": "public.mpeg",
        "m2v": "public.mpeg-2-video", "mp4": "public.mpeg-4", "avi": "public.avi",
        // Known to the system, and in no list of attachments.
        "webp": "org.webmproject.webp", "heic": "public.heic", "tiff": "public.tiff",
        "mov": "com.apple.quicktime-movie",
    ]
}
